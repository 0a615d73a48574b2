package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// setTOML adds the entry as a table of its own at the end of the file, or replaces the
// table.
func (p Place) setTOML(file []byte, value any) (Change, error) {
	text, err := p.tableTOML(value)
	if err != nil {
		return Change{}, err
	}
	now, err := p.Get(file)
	if err != nil {
		return Change{}, err
	}
	if now != nil {
		from, to, err := p.blockTOML(file)
		return Change{At: from, Old: string(file[from:to]), New: text}, err
	}
	if len(file) > 0 {
		text = "\n" + text
		if !bytes.HasSuffix(file, []byte("\n")) {
			text = "\n" + text
		}
	}
	return Change{At: len(file), New: text}, nil
}

func (p Place) removeTOML(file []byte) (Change, error) {
	from, to, err := p.blockTOML(file)
	if err != nil {
		return Change{}, err
	}
	// The empty line that separates it goes, too.
	if bytes.HasSuffix(file[:from], []byte("\n\n")) && (to == len(file) || file[to] == '[' || file[to] == '\n') {
		from--
	}
	return Change{At: from, Old: string(file[from:to])}, nil
}

// tableTOML returns the entry as a table with its header.
func (p Place) tableTOML(value any) (string, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("encode an entry as TOML: %w", err)
	}
	var plain map[string]any
	if err := json.Unmarshal(b, &plain); err != nil {
		return "", fmt.Errorf("encode an entry as TOML: %w", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "[%s]\n", strings.Join(p.full(), "."))
	encoder := toml.NewEncoder(&out)
	encoder.SetTablesInline(true)
	if err := encoder.Encode(plain); err != nil {
		return "", fmt.Errorf("encode an entry as TOML: %w", err)
	}
	return out.String(), nil
}

// blockTOML returns where the table of the entry begins and ends: its header, its
// lines, and the tables inside it.
func (p Place) blockTOML(file []byte) (from, to int, err error) {
	parts := make([]string, 0, len(p.Path)+1)
	for _, name := range p.full() {
		name = regexp.QuoteMeta(name)
		parts = append(parts, `(?:`+name+`|"`+name+`"|'`+name+`')`)
	}
	ours := regexp.MustCompile(`^[ \t]*\[[ \t]*` + strings.Join(parts, `[ \t]*\.[ \t]*`) + `[ \t]*(?:\]|\.)`)
	from = -1
	for at := 0; at < len(file); {
		end := len(file)
		if n := bytes.IndexByte(file[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := file[at:end]
		switch header := bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")); {
		case header && ours.Match(line):
			if from < 0 {
				from = at
			}
			to = end
		case header && from >= 0:
			return from, to, nil
		case from >= 0 && len(bytes.TrimSpace(line)) > 0 && !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")):
			to = end // blank lines and comments before the next table are not ours
		}
		at = end
	}
	if from < 0 {
		return 0, 0, fmt.Errorf("%w: [%s.%s] is not a table of its own", ErrForm, strings.Join(p.Path, "."), p.Name)
	}
	return from, to, nil
}
