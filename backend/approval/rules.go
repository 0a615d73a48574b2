package approval

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Rules returns the site rules. It reads them when they are first needed; they
// are written at every change.
func (m *Manager) Rules() *policy.Rules {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rules != nil {
		return m.rules
	}
	m.rules = policy.NewRules(readRules(m.cfg.RulesFile, m.log), func(rules []protocol.SiteRule) error {
		return writeRules(m.cfg.RulesFile, rules)
	})
	return m.rules
}

// readRules reads rules.json. A file that cannot be read is quarantined, and
// the default rules apply.
func readRules(path string, log *slog.Logger) []protocol.SiteRule {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file protocol.SiteRulesFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || file.Version != rulesVersion {
		log.Warn("the site rules could not be read and are put aside", "error", err, "version", file.Version)
		if err := os.Rename(path, path+".bad"); err != nil {
			log.Warn("the site rules could not be put aside", "error", err)
		}
		return nil
	}
	return file.Rules
}

func writeRules(path string, rules []protocol.SiteRule) error {
	data, err := json.MarshalIndent(protocol.SiteRulesFile{Version: rulesVersion, Rules: rules}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return journal.NotWritable(filepath.Dir(path), err, "")
	}
	if err := journal.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return journal.NotWritable(path, err, ", and change the rule again; the rules are as before")
	}
	return nil
}
