package identity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// settings is the part of settings.toml that is about sessions.
type settings struct {
	Sessions map[string]protocol.SessionIdentity `toml:"sessions"`
}

// largestFile bounds a file with an identity, in bytes.
const largestFile = 1 << 20

// Read returns the identity of a session in a settings file, checked; the zero value
// when it has none there. The error is a *protocol.Error with the line.
//
// A file that was put aside because nobody could read it counts: without it, a session
// would reach the network without the proxy that its user gave it.
func Read(path string, name protocol.SessionName) (protocol.SessionIdentity, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return protocol.SessionIdentity{}, fmt.Errorf("reading the identity of session %s: %w", name, err)
	}
	if header(data, name) == 0 && !inline(data, name) {
		aside, err := os.ReadFile(path + ".bad")
		if err == nil && (header(aside, name) > 0 || inline(aside, name)) {
			return protocol.SessionIdentity{}, protocol.NewError(protocol.CodeBadArgument,
				fmt.Sprintf("the settings of session %s are in %s.bad, which could not be read, so its proxy and its other settings are not known", name, filepath.Base(path)),
				fmt.Sprintf("copy its section [sessions.%s] back into %s, or delete %s.bad", name, path, path))
		}
		return protocol.SessionIdentity{}, nil
	}
	return parse(data, filepath.Base(path), name)
}

// parse reads and checks one session of a settings file.
func parse(data []byte, file string, name protocol.SessionName) (protocol.SessionIdentity, error) {
	var all settings
	decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	err := decoder.Decode(&all)
	if missing, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		err = nil
		for _, one := range missing.Errors {
			if key := one.Key(); len(key) > 2 && key[0] == "sessions" && key[1] == string(name) {
				line, _ := one.Position()
				return protocol.SessionIdentity{}, unknown(file, line, strings.Join(key[2:], "."))
			}
		}
	}
	if err != nil {
		return protocol.SessionIdentity{}, unreadable(file, err)
	}
	id := all.Sessions[string(name)]
	if err := Check(id); err != nil {
		return protocol.SessionIdentity{}, located(file, data, "sessions."+string(name), err)
	}
	return id, nil
}

// unreadable is the error for a file that is not TOML, or has a value of the wrong type.
func unreadable(file string, err error) error {
	at := file
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := wrong.Position()
		at = fmt.Sprintf("%s:%d:%d", file, line, column)
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s cannot be read: %s", at, strings.TrimPrefix(err.Error(), "toml: ")),
		"correct the line; these are known: "+strings.Join(Keys(), ", "))
}

// unknown is the error for a key that nothing reads.
func unknown(file string, line int, key string) error {
	hint := "these are known: " + strings.Join(Keys(), ", ")
	if near := spelling.Nearest(key, Keys()); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s:%d: there is no setting %.60q", file, line, key), hint)
}

// located adds to a *ValueError where its value stands.
func located(file string, data []byte, table string, err error) error {
	p, ok := errors.AsType[*ValueError](err)
	if !ok {
		return err
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s:%d: %s: %s", file, lineOf(data, table, p.Key), p.Key, p.Message), p.Allowed)
}

// Keys are the names of the settings of a session, sorted.
func Keys() []string {
	var keys []string
	for field := range reflect.TypeFor[protocol.SessionIdentity]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}

// header returns the line of the table of a session, from 1; 0 for none.
func header(data []byte, name protocol.SessionName) int {
	return lineOfTable(data, "sessions."+string(name))
}

// inline reports whether a file may describe a session without a header of its own:
// with dotted keys, or in braces.
func inline(data []byte, name protocol.SessionName) bool {
	var all struct {
		Sessions map[string]any `toml:"sessions"`
	}
	if toml.Unmarshal(data, &all) == nil {
		_, has := all.Sessions[string(name)]
		return has
	}
	quoted := regexp.QuoteMeta(string(name))
	return regexp.MustCompile(`(?m)^\s*(\[\s*)?["']?sessions["']?\s*[.=].*\b` + quoted + `\b`).Match(data)
}

// lineOfTable returns the line of the first header of a table, or of a table in it.
func lineOfTable(data []byte, table string) int {
	if table == "" {
		return 0
	}
	for i, line := range strings.Split(string(data), "\n") {
		if name, is := headerOf(line); is && (name == table || strings.HasPrefix(name, table+".")) {
			return i + 1
		}
	}
	return 0
}

// headerOf returns the table that a line begins, without quotes and brackets.
func headerOf(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "[") {
		return "", false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(line, "["), "]")
	return strings.NewReplacer(" ", "", `"`, "", "'", "").Replace(name), true
}

// lineOf returns the line of a key of a table; that of the table when the key is not
// found, and 1 when neither is.
func lineOf(data []byte, table, key string) int {
	in := ""
	for i, line := range strings.Split(string(data), "\n") {
		if name, is := headerOf(line); is {
			if in = name; in == strings.TrimPrefix(table+"."+key, ".") {
				return i + 1
			}
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		if ok && in == table && name == key {
			return i + 1
		}
	}
	return max(1, lineOfTable(data, table))
}
