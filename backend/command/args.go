package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// Values are the checked and typed arguments of one call.
type Values map[string]any

// Text returns the value of a text or a tab; "" when it was left out.
func (v Values) Text(name string) string { s, _ := v[name].(string); return s }

// Number returns the value of an Integer; 0 when it was left out.
func (v Values) Number(name string) int { n, _ := v[name].(int); return n }

// Flag returns the value of a Boolean; false when it was left out.
func (v Values) Flag(name string) bool { b, _ := v[name].(bool); return b }

// List returns the value of Lines.
func (v Values) List(name string) []string { l, _ := v[name].([]string); return l }

// Given reports whether an argument was given at all.
func (v Values) Given(name string) bool { _, ok := v[name]; return ok }

// Do returns the verb of a command with several; first when none was given.
func (v Values) Do(first string) string {
	if verb := v.Text("do"); verb != "" {
		return verb
	}
	return first
}

// DoArg is the argument for the verb of a command with several; the first
// choice is the default.
func DoArg(choices ...string) Arg {
	return Arg{Name: "do", Type: String, Choices: choices, Default: choices[0], Help: "what to do"}
}

// Needs returns an error when the argument that a call's verb needs is missing.
func (v Values) Needs(command, name, example string) error {
	if strings.TrimSpace(v.Text(name)) != "" {
		return nil
	}
	return BadArgument(fmt.Sprintf("%s needs %s", command, name), "for example: pilotfish "+example)
}

// Clip returns the value of a ClipArg; nil when it was left out.
func (v Values) Clip(name string) *protocol.Clip {
	c, _ := v[name].(*protocol.Clip)
	return c
}

// Check parses the arguments of a call by the spec. Its errors say what the
// spec expects.
func (s Spec) Check(raw map[string]json.RawMessage) (Values, error) {
	out := make(Values, len(raw))
	for name, value := range raw {
		i := slices.IndexFunc(s.Args, func(a Arg) bool { return a.Name == name })
		if i < 0 {
			return nil, s.unknownArgument(name)
		}
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			continue // left out
		}
		v, err := s.Args[i].read(value)
		if err != nil {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s: %s %v", s.Name, name, err), "", s.example())
		}
		out[name] = v
	}
	for _, a := range s.Args {
		if _, given := out[a.Name]; a.Required && !given {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s needs %s: %s", s.Name, a.Name, a.Help), "", s.example())
		}
	}
	return out, nil
}

// example returns the first example of the command, as data.
func (s Spec) example() protocol.Suggestion {
	words, err := SplitLine(s.Examples[0])
	if err != nil || len(words) == 0 {
		return protocol.Example(s.Name) // cannot happen: a test parses every example
	}
	return protocol.Example(words[0], words[1:]...)
}

func (s Spec) unknownArgument(name string) error {
	names := make([]string, 0, len(s.Args))
	for _, a := range s.Args {
		names = append(names, a.Name)
	}
	hint := "usage: " + s.Usage()
	if near := spelling.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s? usage: %s", near, s.Usage())
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s has no argument %.60q", s.Name, name), hint)
}

// read parses one value. It accepts a string for every type, because a command
// line has strings only.
func (a Arg) read(raw json.RawMessage) (any, error) {
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	switch a.Type {
	case Integer:
		if !isText {
			text = string(bytes.TrimSpace(raw))
		}
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("is a whole number, not %.40s", raw)
		}
		if (a.Min != 0 || a.Max != 0) && (n < a.Min || n > a.Max) {
			return nil, fmt.Errorf("is from %d to %d, not %d", a.Min, a.Max, n)
		}
		return n, nil
	case Boolean:
		if !isText {
			text = string(bytes.TrimSpace(raw))
		}
		yes, err := ReadBoolean(text)
		if err != nil {
			return nil, fmt.Errorf("is true or false, not %.40s", raw)
		}
		return yes, nil
	case ClipArg:
		return readClip(raw, text, isText)
	case Lines:
		return readLines(raw, text, isText)
	case Paths:
		return readPaths(raw, text, isText)
	case TabArg:
		if !isText {
			text = string(bytes.TrimSpace(raw))
		}
		id, err := protocol.ParseTabID(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("is a tab such as t3, not %.40s", raw)
		}
		return string(id), nil
	default:
		if !isText {
			return nil, fmt.Errorf("is a text, not %.40s", raw)
		}
		if a.Required && strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("is empty")
		}
		if len(a.Choices) > 0 && !slices.Contains(a.Choices, text) {
			return nil, fmt.Errorf("is one of %s, not %.40q", strings.Join(a.Choices, ", "), text)
		}
		return text, nil
	}
}

// readPaths reads a list of paths, even one written as text. Any other text is
// returned unchanged: only the disk can tell whether a comma is part of a
// file's name; see Paths.
func readPaths(raw json.RawMessage, text string, isText bool) (any, error) {
	if isText && !strings.HasPrefix(strings.TrimSpace(text), "[") {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("is empty")
		}
		return text, nil
	}
	if isText {
		raw = json.RawMessage(text)
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil, fmt.Errorf("is a list of paths, not %.60s", raw)
	}
	if len(list) == 0 || slices.Contains(list, "") {
		return nil, fmt.Errorf("is empty")
	}
	return list, nil
}

// Paths returns the value of a Paths argument. It looks at the disk, so only a
// command that may read files may call it.
func (v Values) Paths(name string) []string {
	if list, ok := v[name].([]string); ok {
		return list
	}
	return SplitPaths(v.Text(name))
}

// SplitPaths returns the paths in a text: the text itself if there is such a
// file, else the parts between its commas.
func SplitPaths(text string) []string {
	if _, err := os.Lstat(text); err == nil {
		return []string{text}
	}
	var list []string
	for path := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(path))
	}
	return list
}

// ReadBoolean parses the words for true and false. The command line, HTTP and
// MCP accept the same ones.
func ReadBoolean(text string) (bool, error) {
	switch text {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("%.40q is neither true nor false", text)
}

func readClip(raw json.RawMessage, text string, isText bool) (*protocol.Clip, error) {
	var c protocol.Clip
	if isText {
		parts := strings.Split(text, ",")
		into := []*float64{&c.X, &c.Y, &c.Width, &c.Height}
		if len(parts) != len(into) {
			return nil, fmt.Errorf("is x,y,width,height, not %.60q", text)
		}
		for i, p := range parts {
			n, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
			if err != nil {
				return nil, fmt.Errorf("is x,y,width,height, not %.60q", text)
			}
			*into[i] = n
		}
	} else if json.Unmarshal(raw, &c) != nil {
		return nil, fmt.Errorf("is x,y,width,height, not %.60s", raw)
	}
	// The negation also catches NaN.
	if !(c.X >= 0 && c.Y >= 0 && c.Width >= 1 && c.Height >= 1 && c.X < 1e6 && c.Y < 1e6 && c.Width < 1e6 && c.Height < 1e6) {
		return nil, fmt.Errorf("starts at 0 or further and is at least 1 × 1")
	}
	return &c, nil
}

func readLines(raw json.RawMessage, text string, isText bool) ([]string, error) {
	var list []string
	if isText {
		list = strings.Split(text, "\n")
	} else if json.Unmarshal(raw, &list) != nil {
		return nil, fmt.Errorf("is a list of texts, not %.60s", raw)
	}
	out := make([]string, 0, len(list))
	for _, l := range list {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("is empty")
	}
	return out, nil
}
