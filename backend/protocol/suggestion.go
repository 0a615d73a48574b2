package protocol

import "strings"

// Suggestion names a command of the registry that helps after an error. It is
// data: the command line shows a line to type, MCP the tool, and Task its own
// action.
type Suggestion struct {
	// Command is empty for the same command again, with the options in Args.
	Command string `json:"command"`
	// Args are the words after the name, as on a command line.
	Args []string `json:"args,omitempty"`
	// Does says what the command does, such as "lists the tabs". If it is empty,
	// the suggestion is an example of how to write the command.
	Does string `json:"does,omitempty"`
}

// Try returns a suggestion of a command, with what it does.
func Try(does, command string, args ...string) Suggestion {
	return Suggestion{Command: command, Args: args, Does: does}
}

// Example returns an example of how to write a command.
func Example(command string, args ...string) Suggestion {
	return Suggestion{Command: command, Args: args}
}

// With returns a suggestion of options for the same command, with what they do.
func With(does string, options ...string) Suggestion {
	return Suggestion{Args: options, Does: does}
}

// MoreTime suggests the same command with a longer timeout.
func MoreTime() Suggestion { return With("waits longer", "--timeout", "1m") }

// AnswerDialog suggests both answers to a dialog, in another tab if one is named.
func AnswerDialog(tab TabID) []Suggestion {
	var in []string
	if tab != "" {
		in = []string{"--tab", string(tab)}
	}
	return []Suggestion{
		Try("answers OK", "dialog", append([]string{"accept"}, in...)...),
		Try("answers Cancel", "dialog", append([]string{"dismiss"}, in...)...),
	}
}

// Line returns the command as a line, quoted for a shell.
func (s Suggestion) Line() string {
	var words []string
	if s.Command != "" {
		words = append(words, s.Command)
	}
	for _, word := range s.Args {
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`*?<>|&;()[]{}!#~") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Advice returns the hint and the suggestions as one text. name returns how a
// client writes a command; a suggestion for which it returns "" is omitted.
func (e *Error) Advice(name func(Suggestion) string) string {
	var parts []string
	if e.Hint != "" {
		parts = append(parts, e.Hint)
	}
	for _, s := range e.Next {
		switch called := name(s); {
		case called == "":
		case s.Does == "":
			parts = append(parts, "for example: "+called)
		default:
			parts = append(parts, called+" "+s.Does)
		}
	}
	return strings.Join(parts, "; ")
}
