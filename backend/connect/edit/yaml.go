package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setYAML adds the entry before the first one of its table, or replaces it.
func (p Place) setYAML(file []byte, value any) (Change, error) {
	now, err := p.Get(file)
	if err != nil {
		return Change{}, err
	}
	if now != nil {
		c, _, err := p.linesYAML(file)
		if err != nil {
			return Change{}, err
		}
		indent := c.Old[:len(c.Old)-len(strings.TrimLeft(c.Old, " "))]
		c.New, err = p.entryYAML(value, p.Name, indent)
		return c, err
	}
	table, missing, err := p.tableYAML(file)
	if err != nil {
		return Change{}, err
	}
	switch {
	case len(missing) > 0 && len(missing) < len(p.Path):
		return Change{}, fmt.Errorf("%w: %s is missing", ErrForm, strings.Join(missing, "."))
	case len(missing) > 0:
		text, err := p.entryYAML(nest(p.Path[1:], p.Name, value), p.Path[0], "")
		if err != nil {
			return Change{}, err
		}
		if len(file) > 0 && !bytes.HasSuffix(file, []byte("\n")) {
			text = "\n" + text
		}
		return Change{At: len(file), New: text}, nil
	case table.Style&yaml.FlowStyle != 0 || len(table.Content) == 0:
		return Change{}, fmt.Errorf("%w: %s is written on one line", ErrForm, strings.Join(p.Path, "."))
	}
	first := table.Content[0]
	text, err := p.entryYAML(value, p.Name, strings.Repeat(" ", first.Column-1))
	return Change{At: lineStart(file, first.Line), New: text}, err
}

// removeYAML takes the lines of the entry away, and the name of its table if nothing
// else is in it.
func (p Place) removeYAML(file []byte) (Change, error) {
	c, alone, err := p.linesYAML(file)
	if err != nil || !alone || len(p.Path) != 1 {
		return c, err
	}
	above := bytes.LastIndexByte(file[:max(c.At-1, 0)], '\n') + 1
	if strings.TrimSpace(string(file[above:c.At])) == p.Path[0]+":" {
		c.At, c.Old = above, string(file[above:c.At])+c.Old
	}
	return c, nil
}

// linesYAML returns the change that removes the lines of the entry, and whether its
// table has no other.
func (p Place) linesYAML(file []byte) (c Change, alone bool, err error) {
	table, missing, err := p.tableYAML(file)
	if err != nil {
		return Change{}, false, err
	}
	if len(missing) > 0 || table.Style&yaml.FlowStyle != 0 {
		return Change{}, false, fmt.Errorf("%w: %s is written on one line", ErrForm, strings.Join(p.Path, "."))
	}
	for i := 0; i < len(table.Content); i += 2 {
		if table.Content[i].Value != p.Name {
			continue
		}
		from := lineStart(file, table.Content[i].Line)
		to := from
		for n := table.Content[i].Line; to < len(file); n++ {
			next := lineStart(file, n+1)
			line := string(file[to:next])
			if n > table.Content[i].Line && strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) < table.Content[i].Column {
				break
			}
			to = next
		}
		return Change{At: from, Old: string(file[from:to])}, len(table.Content) == 2, nil
	}
	return Change{}, false, fmt.Errorf("%w: %s is not a key of its own", ErrForm, p.Name)
}

// tableYAML returns the table of the entry, and the names of the path that are missing.
func (p Place) tableYAML(file []byte) (table *yaml.Node, missing []string, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(file, &root); err != nil {
		return nil, nil, fmt.Errorf("reading the file as YAML: %w", err)
	}
	if len(root.Content) == 0 {
		return nil, p.Path, nil
	}
	at := root.Content[0]
next:
	for depth, name := range p.Path {
		if at.Kind != yaml.MappingNode {
			return nil, nil, fmt.Errorf("%w: it is not a table", ErrForm)
		}
		for i := 0; i < len(at.Content); i += 2 {
			if at.Content[i].Value == name {
				at = at.Content[i+1]
				continue next
			}
		}
		return nil, p.Path[depth:], nil
	}
	if at.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("%w: %s is not a table", ErrForm, strings.Join(p.Path, "."))
	}
	return at, nil, nil
}

// entryYAML returns a key with its value, each line indented.
func (p Place) entryYAML(value any, name, indent string) (string, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("encode an entry as YAML: %w", err)
	}
	var plain any
	if err := json.Unmarshal(b, &plain); err != nil {
		return "", fmt.Errorf("encode an entry as YAML: %w", err)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(map[string]any{name: plain}); err != nil {
		return "", fmt.Errorf("encode an entry as YAML: %w", err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
	return indent + strings.Join(lines, indent) + "\n", nil
}

// lineStart returns the offset of a line, counted from 1; the file's end for a line
// after the last.
func lineStart(file []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(file[at:], '\n')
		if n < 0 {
			return len(file)
		}
		at += n + 1
	}
	return at
}
