package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"pilotfish/backend/protocol"
)

// SplitLine splits a line into words as a shell does, but expands nothing.
// Quotes and the backslash keep text with spaces in one word.
func SplitLine(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			// Inside double quotes, a backslash escapes only these two characters.
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
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
		return nil, BadArgument(fmt.Sprintf("a quote is not closed in %.120q", text), `write "two words", and \" for a quote inside`)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// ParseLine parses a command line of the registry, with or without the
// program's name before it, as `chain` and browser_run accept it. find is the
// Find of a table, or of fewer commands.
func ParseLine(text string, find func(name string) (Spec, error)) (protocol.CommandRequest, error) {
	return parseFilled(text, func(word string) string { return word }, find)
}

// parseFilled is ParseLine for a line with parameters, which fill replaces by
// values. The words, the command and its options are found before that. So a
// value is always a part of one word, and never becomes another word, a command
// or an option, whatever it begins with.
func parseFilled(text string, fill func(word string) string, find func(name string) (Spec, error)) (protocol.CommandRequest, error) {
	words, err := SplitLine(text)
	if err != nil {
		return protocol.CommandRequest{}, err
	}
	if len(words) > 0 && words[0] == "pilotfish" {
		words = words[1:]
	}
	if len(words) == 0 {
		return protocol.CommandRequest{}, BadArgument("the command is empty", "", protocol.Try("lists the commands", "help"))
	}
	spec, err := find(words[0])
	if err != nil {
		return protocol.CommandRequest{}, err
	}
	l := lineReader{spec: &spec, fill: fill, req: protocol.CommandRequest{Command: spec.Name, Args: map[string]json.RawMessage{}}}
	var places []string
	for words = words[1:]; len(words) > 0; {
		word := words[0]
		words = words[1:]
		if word == "--" {
			for _, rest := range words {
				places = append(places, fill(rest))
			}
			break
		}
		name, option := strings.CutPrefix(word, "--")
		if !option {
			name, option = short(&spec, word)
		}
		if !option || name == "" {
			places = append(places, fill(word))
			continue
		}
		if words, err = l.option(name, words); err != nil {
			return l.req, err
		}
	}
	err = l.place(places)
	return l.req, err
}

// short returns the option that a dash and one letter mean: the first option of
// the command whose name begins with that letter.
func short(spec *Spec, word string) (string, bool) {
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

// lineReader makes a request from the words of a line.
type lineReader struct {
	spec *Spec
	fill func(word string) string
	req  protocol.CommandRequest
}

func (l *lineReader) wrong(message string) error {
	return BadArgument(message, "usage: "+l.spec.Usage())
}

// option parses one option, and its value from the words after it.
func (l *lineReader) option(word string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(word, "=")
	// --tab is an option of every command, also of those with a positional
	// argument tab: both may name the same tab.
	i := slices.IndexFunc(l.spec.Args, func(a Arg) bool { return a.Name == name && (a.Flag || name != "tab") })
	own := i >= 0
	if own && l.spec.Args[i].Type == Boolean && !given {
		value, given = "true", true
	}
	if !given {
		if len(rest) == 0 {
			return nil, l.wrong("--" + name + " needs a value")
		}
		value, rest = rest[0], rest[1:]
	}
	value = l.fill(value)
	switch {
	case own:
		l.req.Args[name] = jsonText(value)
	case name == "tab":
		id, err := protocol.ParseTabID(value)
		if err != nil {
			return nil, err
		}
		l.req.Tab = id
	case name == "session":
		session, err := protocol.ParseSessionName(value)
		if err != nil {
			return nil, err
		}
		l.req.Session = session
	case name == "timeout":
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Millisecond {
			return nil, l.wrong(fmt.Sprintf("--timeout is a time such as 10s, not %.40q", value))
		}
		l.req.TimeoutMS = int(d.Milliseconds())
	default:
		l.req.Args[name] = jsonText(value) // the registry reports it and suggests the nearest name
	}
	return rest, nil
}

// place assigns the words without an option to the positional arguments, in
// their order.
func (l *lineReader) place(words []string) error {
	for _, a := range l.spec.Args {
		if _, named := l.req.Args[a.Name]; named || a.Flag || len(words) == 0 {
			continue
		}
		if a.Type == Lines {
			l.req.Args[a.Name] = jsonText(strings.Join(words, "\n"))
			return nil
		}
		if a.Type == Paths && len(words) > 1 {
			list, err := json.Marshal(words)
			if err != nil {
				return fmt.Errorf("reading the paths: %w", err)
			}
			l.req.Args[a.Name] = list
			return nil
		}
		l.req.Args[a.Name] = jsonText(words[0])
		words = words[1:]
	}
	if len(words) > 0 {
		return l.wrong(fmt.Sprintf("%.60q is one argument too many for %s; put quotes around text with spaces", words[0], l.spec.Name))
	}
	return nil
}

// QuoteWord returns a value as one quoted word of a line.
func QuoteWord(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(v) + `"`
}

func jsonText(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // cannot happen: every text can be encoded
	}
	return b
}
