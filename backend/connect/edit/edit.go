// Package edit adds a named entry to a configuration file of another program, and
// removes it, without changing anything else in the file: comments, order, white space
// and line ends stay as they are. It knows JSON with comments, TOML and YAML.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// Format is the language of a file.
type Format string

// The formats.
const (
	JSON Format = "json" // also with comments and trailing commas
	TOML Format = "toml"
	YAML Format = "yaml"
)

// Place is where an entry is in a file: the names of the tables around it, and its own.
type Place struct {
	Format Format
	Path   []string
	Name   string
}

// Change replaces one part of a file: Old at the offset At becomes New.
type Change struct {
	At       int
	Old, New string
}

// ErrForm is returned for a file whose form does not let an entry be added or removed
// without touching the rest.
var ErrForm = errors.New("the file is written in a way that cannot be changed safely")

// Apply returns the file with the change made.
func (c Change) Apply(file []byte) []byte {
	out := make([]byte, 0, len(file)+len(c.New)-len(c.Old))
	out = append(out, file[:c.At]...)
	out = append(out, c.New...)
	return append(out, file[c.At+len(c.Old):]...)
}

// Undo returns the change that takes this one back in a file that may have changed
// elsewhere since. It is false when the text of the change is not there any more, or
// not once.
func (c Change) Undo(file []byte) (Change, bool) {
	if c.New == "" || bytes.Count(file, []byte(c.New)) != 1 {
		return Change{}, false
	}
	return Change{At: bytes.Index(file, []byte(c.New)), Old: c.New, New: c.Old}, true
}

// full returns the path with the entry's own name.
func (p Place) full() []string { return append(slices.Clone(p.Path), p.Name) }

// Get returns the entry as plain values (maps, lists, texts, numbers); nil when the
// file does not have it.
func (p Place) Get(file []byte) (any, error) {
	all, err := p.decode(file)
	if err != nil {
		return nil, err
	}
	return find(all, p.full()), nil
}

// Set returns the change that makes the entry have the value, which encoding/json can
// encode. In the result, everything else means the same as before.
func (p Place) Set(file []byte, value any) (Change, error) {
	var c Change
	var err error
	switch p.Format {
	case JSON:
		c, err = p.setJSON(file, value)
	case TOML:
		c, err = p.setTOML(file, value)
	case YAML:
		c, err = p.setYAML(file, value)
	}
	if err != nil {
		return Change{}, err
	}
	return c, p.check(file, c, value)
}

// Remove returns the change that takes the entry away; false when the file does not
// have it.
func (p Place) Remove(file []byte) (Change, bool, error) {
	now, err := p.Get(file)
	if err != nil || now == nil {
		return Change{}, false, err
	}
	var c Change
	switch p.Format {
	case JSON:
		c, err = p.removeJSON(file)
	case TOML:
		c, err = p.removeTOML(file)
	case YAML:
		c, err = p.removeYAML(file)
	}
	if err != nil {
		return Change{}, false, err
	}
	return c, true, p.check(file, c, nil)
}

// check makes sure of a change before it is written: the entry has the value, and
// everything else means what it meant.
func (p Place) check(file []byte, c Change, value any) error {
	before, err := p.decode(file)
	if err != nil {
		return err
	}
	after, err := p.decode(c.Apply(file))
	if err != nil {
		return errors.Join(ErrForm, err)
	}
	path := p.full()
	if got := find(after, path); !same(got, value) {
		return fmt.Errorf("%w: the entry would not be read back", ErrForm)
	}
	if !same(without(before, path), without(after, path)) {
		return fmt.Errorf("%w: something else would change", ErrForm)
	}
	return nil
}

// decode reads a file as plain values. An empty file is an empty table.
func (p Place) decode(file []byte) (any, error) {
	if len(bytes.TrimSpace(file)) == 0 {
		return map[string]any{}, nil
	}
	var out any
	var err error
	switch p.Format {
	case JSON:
		var plain []byte
		if plain, err = hujson.Standardize(bytes.Clone(file)); err == nil {
			err = json.Unmarshal(plain, &out)
		}
	case TOML:
		table := map[string]any{}
		err = toml.Unmarshal(file, &table)
		out = table
	case YAML:
		err = yaml.Unmarshal(file, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the file as %s: %w", p.Format, err)
	}
	if out == nil {
		out = map[string]any{} // only comments
	}
	return out, nil
}

// find returns the value at a path; nil when there is none.
func find(in any, path []string) any {
	for _, name := range path {
		table, _ := in.(map[string]any)
		if in = table[name]; in == nil {
			return nil
		}
	}
	return in
}

// without returns a copy of the tables along a path without what is at its end, and
// without the tables that are empty then.
func without(in any, path []string) any {
	table, ok := in.(map[string]any)
	if !ok {
		return in
	}
	out := make(map[string]any, len(table))
	for name, value := range table {
		if name == path[0] {
			if len(path) == 1 {
				continue
			}
			value = without(value, path[1:])
			if inner, is := value.(map[string]any); (is && len(inner) == 0) || value == nil {
				continue
			}
		}
		out[name] = value
	}
	return out
}

// same compares values by their JSON, because each format has types of numbers and
// times of its own.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if errX != nil || errY != nil {
		return reflect.DeepEqual(a, b)
	}
	var one, other any
	if json.Unmarshal(x, &one) != nil || json.Unmarshal(y, &other) != nil {
		return false
	}
	return reflect.DeepEqual(one, other)
}
