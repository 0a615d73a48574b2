package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/command"
)

// object is a JSON schema of an object. encoding/json sorts the keys, so that
// the text is the same each time.
type object map[string]any

// shape builds the properties of one tool. helpLimit is the limit of each
// argument's help, in characters; 0 omits the help.
type shape struct {
	helpLimit  int
	properties object
	required   []string
}

func (b *builder) shape() *shape { return &shape{helpLimit: b.helpLimit, properties: object{}} }

// add adds a property of the tool itself. Its description is not shortened.
func (s *shape) add(name, kind, description string, more ...any) {
	p := object{"type": kind}
	if description != "" {
		p["description"] = description
	}
	for i := 0; i+1 < len(more); i += 2 {
		if key, ok := more[i].(string); ok {
			p[key] = more[i+1]
		}
	}
	s.properties[name] = p
}

// require marks properties as required.
func (s *shape) require(names ...string) { s.required = append(s.required, names...) }

// arg adds an argument of a command.
func (s *shape) arg(a command.Arg) {
	p := object{"type": jsonType(a.Type)}
	if p["type"] == "array" {
		p["items"] = object{"type": "string"}
	}
	if len(a.Choices) > 0 && len(strings.Join(a.Choices, "")) < 120 {
		p["enum"] = a.Choices // the choices explain the argument
	} else if help := shorten(a.Help, s.helpLimit); help != "" {
		p["description"] = help
	}
	s.properties[a.Name] = p
}

// schema returns the finished schema.
func (s *shape) schema() object {
	o := object{"type": "object", "properties": s.properties}
	if len(s.required) > 0 {
		o["required"] = s.required
	}
	return o
}

// jsonType returns the JSON type of an argument. Types that the registry parses
// from text, such as a clip, are strings.
func jsonType(t command.ArgType) string {
	switch t {
	case command.Integer:
		return "integer"
	case command.Boolean:
		return "boolean"
	case "number":
		return "number"
	case command.Lines, command.Paths:
		return "array"
	default:
		return "string"
	}
}

// union adds the arguments of several commands, each name once. A type that
// differs between them becomes string, which the registry also accepts.
func (s *shape) union(specs []command.Spec) {
	for _, spec := range specs {
		for _, a := range spec.Args {
			if a.Name == "tab" || a.Name == "wait" { // browser_navigate has wait
				continue
			}
			old, seen := s.properties[a.Name].(object)
			if !seen {
				s.arg(a)
				continue
			}
			if old["type"] != jsonType(a.Type) {
				old["type"] = "string"
				delete(old, "items")
			}
			if choices, has := old["enum"].([]string); has {
				if len(a.Choices) == 0 {
					delete(old, "enum")
				} else {
					for _, c := range a.Choices {
						if !slices.Contains(choices, c) {
							choices = append(slices.Clone(choices), c)
						}
					}
					old["enum"] = choices
				}
			}
		}
	}
}

// shorten cuts a help text at a word boundary.
func shorten(help string, limit int) string {
	if limit <= 0 {
		return ""
	}
	if utf8.RuneCountInString(help) <= limit {
		return help
	}
	// A complete first clause says more than the first letters of the text.
	for _, end := range []string{"; ", ". ", ": ", ", "} {
		if first, _, ok := strings.Cut(help, end); ok && utf8.RuneCountInString(first) <= limit {
			return first
		}
	}
	cut := string([]rune(help)[:limit])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut
}

// chars returns the size of a value as a model gets it, in characters.
func chars(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 1 << 30 // cannot happen: our schemas can be encoded
	}
	return utf8.RuneCount(b)
}
