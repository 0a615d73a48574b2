package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// split cuts a line into words as a shell does, without anything that a shell
// would expand. Quotes and the backslash make one word of what has spaces.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			// Inside double quotes only these two lose their meaning.
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case unicode.IsSpace(r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a quote is not closed in %.120q", line), `write "two words", and \" for a quote inside`)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// parseLine reads a command line of the registry, with or without the name of
// the program before it.
func (b *toolbox) parseLine(line string) (protocol.CommandRequest, error) {
	words, err := split(line)
	if err != nil {
		return protocol.CommandRequest{}, err
	}
	if len(words) > 0 && words[0] == "pilotfish" {
		words = words[1:]
	}
	if len(words) == 0 {
		return protocol.CommandRequest{}, protocol.NewError(protocol.CodeBadArgument, "the command is empty", "`help` lists the commands")
	}
	spec, err := b.find(words[0])
	if err != nil {
		return protocol.CommandRequest{}, err
	}
	req := protocol.CommandRequest{Command: spec.Name, Args: map[string]json.RawMessage{}}
	var places []string
	for words = words[1:]; len(words) > 0; {
		word := words[0]
		words = words[1:]
		if word == "--" {
			places = append(places, words...)
			break
		}
		name, option := strings.CutPrefix(word, "--")
		if !option {
			name, option = short(spec, word)
		}
		if !option || name == "" {
			places = append(places, word)
			continue
		}
		if words, err = option1(&req, spec, name, words); err != nil {
			return req, err
		}
	}
	err = place(&req, spec, places)
	return req, err
}

// short is the option that a dash and one letter mean: the first of the
// command's whose name begins with it.
func short(spec command.Spec, word string) (string, bool) {
	if len(word) != 2 || word[0] != '-' {
		return "", false
	}
	for _, a := range spec.Args {
		if a.Flag && a.Name[0] == word[1] {
			return a.Name, true
		}
	}
	return "", false
}

// option1 reads one option and its value from the words behind it.
func option1(req *protocol.CommandRequest, spec command.Spec, word string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(word, "=")
	i := slices.IndexFunc(spec.Args, func(a command.Arg) bool { return a.Name == name })
	own := i >= 0
	if own && spec.Args[i].Type == command.Boolean && !given {
		value, given = "true", true
	}
	if !given {
		if len(rest) == 0 {
			return nil, usage(spec, "--"+name+" needs a value")
		}
		value, rest = rest[0], rest[1:]
	}
	switch {
	case own:
		req.Args[name] = text(value)
	case name == "tab":
		req.Tab = protocol.TabID(value)
	case name == "session":
		req.Session = protocol.SessionName(value)
	case name == "timeout":
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Millisecond {
			return nil, usage(spec, fmt.Sprintf("--timeout is a time such as 10s, not %.40q", value))
		}
		req.TimeoutMS = int(d.Milliseconds())
	default:
		// The registry knows the nearest name.
		req.Args[name] = text(value)
	}
	return rest, nil
}

// place gives the words without a name to the arguments, in their order.
func place(req *protocol.CommandRequest, spec command.Spec, words []string) error {
	for _, a := range spec.Args {
		if _, named := req.Args[a.Name]; named || a.Flag || len(words) == 0 {
			continue
		}
		if a.Type == lines {
			req.Args[a.Name] = text(strings.Join(words, "\n"))
			words = nil
			continue
		}
		req.Args[a.Name] = text(words[0])
		words = words[1:]
	}
	if len(words) > 0 {
		return usage(spec, fmt.Sprintf("%.60q is one argument too many for %s; put quotes around text with spaces", words[0], spec.Name))
	}
	return nil
}

func usage(spec command.Spec, message string) error {
	return protocol.NewError(protocol.CodeBadArgument, message, "usage: "+spec.Usage())
}

// text is a string as JSON.
func text(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // cannot happen: every string can be encoded
	}
	return b
}
