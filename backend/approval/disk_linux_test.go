package approval

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

// A rule that cannot be saved is not in force, and the error says why and what to do.
func TestRulesOnAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	a := newAsked(t)
	dir := filepath.Join(t.TempDir(), "state")
	smalldisk.Mount(t, dir, 64)
	a.cfg.RulesFile = filepath.Join(dir, "rules.json")
	rules := a.Rules()
	_ = os.WriteFile(filepath.Join(dir, "filler"), bytes.Repeat([]byte("x"), 128<<10), 0o600) // it fills the disk
	rule := protocol.SiteRule{Site: "a.example", Kind: protocol.ActionEval, Decision: protocol.SiteAllow}
	said := protocol.AsError(rules.Set(rule))
	if said == nil || said.Code != protocol.CodeNotWritable || !strings.Contains(said.Message, "the disk is full") || !strings.Contains(said.Hint, "free some space") {
		t.Errorf("it says %+v", said)
	}
	if got := rules.Decide(protocol.ActionEval, "https://a.example/"); got.Decision == protocol.SiteAllow {
		t.Errorf("a rule that was not saved is in force: %+v", got)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	if err := rules.Set(rule); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
