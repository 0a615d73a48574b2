package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// setJSON adds the entry behind the last member of its table, in the style of the
// members before, or replaces its value.
func (p Place) setJSON(file []byte, value any) (Change, error) {
	if len(bytes.TrimSpace(file)) == 0 {
		text, err := encode(nest(p.Path, p.Name, value), "", "  ")
		return Change{Old: string(file), New: text + "\n"}, err
	}
	root, err := hujson.Parse(file)
	if err != nil {
		return Change{}, fmt.Errorf("reading the file as JSON: %w", err)
	}
	at, names := &root, p.full()
	for {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return Change{}, fmt.Errorf("%w: %s is not an object", ErrForm, strings.Join(p.Path, "."))
		}
		i := member(object, names[0])
		if i < 0 {
			return add(file, at, names, value)
		}
		at = &object.Members[i].Value
		if names = names[1:]; len(names) == 0 {
			indent := lineIndent(file, object.Members[i].Name.StartOffset)
			text, err := encode(value, indent, unit(file, &root))
			return Change{At: at.StartOffset, Old: string(file[at.StartOffset:at.EndOffset]), New: text}, err
		}
	}
}

// add adds the member names[0] to an object, with the rest of names inside.
func add(file []byte, at *hujson.Value, names []string, value any) (Change, error) {
	object, _ := at.Value.(*hujson.Object)
	root, err := hujson.Parse(file)
	if err != nil {
		return Change{}, fmt.Errorf("reading the file as JSON: %w", err)
	}
	step := unit(file, &root)
	if n := len(names); n > 1 {
		value = nest(names[1:n-1], names[n-1], value)
	}
	outer := lineIndent(file, at.StartOffset)
	if len(object.Members) == 0 {
		// Between the braces there may be white space or a comment, which stays.
		text, err := encode(value, outer+step, step)
		if err != nil {
			return Change{}, err
		}
		inner := file[at.StartOffset+1 : at.EndOffset-1]
		tail := "\n" + outer
		if bytes.Contains(inner, []byte("\n")) {
			tail = ""
		}
		return Change{At: at.StartOffset + 1, New: "\n" + outer + step + key(names[0]) + ": " + text + tail}, nil
	}
	last := object.Members[len(object.Members)-1]
	// The new member stands as the last one does: on a line of its own, or behind it.
	indent, sep := "", " "
	if own := lineIndent(file, last.Name.StartOffset); bytes.Contains(last.Name.BeforeExtra, []byte("\n")) {
		indent, sep = own, "\n"+own
	}
	if bytes.Contains(file, []byte("\r\n")) {
		sep = strings.Replace(sep, "\n", "\r\n", 1)
	}
	text, err := encode(value, indent, step)
	if err != nil {
		return Change{}, err
	}
	if comma := trailingComma(file, last.Value.EndOffset, at.EndOffset-1); comma >= 0 {
		return Change{At: comma + 1, New: sep + key(names[0]) + ": " + text + ","}, nil
	}
	return Change{At: last.Value.EndOffset, New: "," + sep + key(names[0]) + ": " + text}, nil
}

// removeJSON takes the member away, with the comma that belongs to it.
func (p Place) removeJSON(file []byte) (Change, error) {
	root, err := hujson.Parse(file)
	if err != nil {
		return Change{}, fmt.Errorf("reading the file as JSON: %w", err)
	}
	at := &root
	for _, name := range p.Path {
		object, _ := at.Value.(*hujson.Object)
		at = &object.Members[member(object, name)].Value
	}
	object, _ := at.Value.(*hujson.Object)
	i := member(object, p.Name)
	one := object.Members[i]
	from, to := one.Name.StartOffset, one.Value.EndOffset
	switch {
	case i+1 < len(object.Members): // with the comma and the space behind it
		to = object.Members[i+1].Name.StartOffset
	case len(object.Members) == 1:
		from, to = at.StartOffset+1, at.EndOffset-1
		if comments := strings.TrimSpace(string(file[from:one.Name.StartOffset]) + string(file[one.Value.EndOffset:to])); comments != "" && comments != "," {
			from, to = one.Name.StartOffset, one.Value.EndOffset // a comment stays
			if comma := trailingComma(file, to, at.EndOffset-1); comma >= 0 {
				to = comma + 1
			}
		}
	default: // with the comma before it, or, where the last has one, with its own
		before := object.Members[i-1].Value.EndOffset
		if comma := trailingComma(file, to, at.EndOffset-1); comma >= 0 {
			from, to = trailingComma(file, before, from)+1, comma+1
		} else {
			from = before
		}
		// A comment between the comma and the member is about the member: it is removed, too.
	}
	return Change{At: from, Old: string(file[from:to])}, nil
}

// member returns the index of the member with a name; -1 for none.
func member(object *hujson.Object, name string) int {
	for i, m := range object.Members {
		if literal, ok := m.Name.Value.(hujson.Literal); ok && literal.String() == name {
			return i
		}
	}
	return -1
}

// trailingComma returns the offset of the comma behind a value, past white space and
// comments, before the end; -1 when there is none.
func trailingComma(file []byte, from, end int) int {
	for i := from; i < end; i++ {
		switch rest := file[i:end]; {
		case rest[0] == ',':
			return i
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return -1
			}
			i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
}

// unit returns the white space of one level of indentation of a file; two spaces when
// it has none.
func unit(file []byte, root *hujson.Value) string {
	if object, ok := root.Value.(*hujson.Object); ok && len(object.Members) > 0 {
		if indent := lineIndent(file, object.Members[0].Name.StartOffset); indent != "" {
			return indent
		}
	}
	return "  "
}

// lineIndent returns the white space at the beginning of the line of an offset.
func lineIndent(file []byte, at int) string {
	begin := bytes.LastIndexByte(file[:at], '\n') + 1
	end := begin
	for end < at && (file[end] == ' ' || file[end] == '\t') {
		end++
	}
	return string(file[begin:end])
}

// nest returns tables in tables, with the value under a name in the innermost.
func nest(path []string, name string, value any) map[string]any {
	out := map[string]any{name: value}
	for i := len(path) - 1; i >= 0; i-- {
		out = map[string]any{path[i]: out}
	}
	return out
}

// encode returns a value as JSON whose lines after the first are indented.
func encode(value any, indent, step string) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indent, step)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("encode an entry as JSON: %w", err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func key(name string) string {
	b, _ := json.Marshal(name) // a text can always be encoded
	return string(b)
}
