package command

import (
	"strings"

	"pilotfish/backend/protocol"
)

// ArgType is the type of an argument.
type ArgType string

// The types of arguments.
const (
	String  ArgType = "string"
	Integer ArgType = "integer"
	Boolean ArgType = "boolean"
	// TabArg is a tab: "t3" or "3".
	TabArg ArgType = "tab"
	// ClipArg is a part of a page: "x,y,width,height" in CSS pixels, or an object
	// with these names.
	ClipArg ArgType = "clip"
	// Lines are several texts: a list of them, or one text with a line for each.
	// On a command line, all the words that follow belong to them.
	Lines ArgType = "lines"
	// Path is a file of the caller. Paths are several: a list of them, or one text
	// with commas between, unless the whole text is the path of an existing file.
	// On a command line, all the words that follow belong to them. The registry
	// needs absolute paths; the command line makes a relative path absolute.
	Path  ArgType = "path"
	Paths ArgType = "paths"
)

// Arg is one argument of a command.
type Arg struct {
	Name string  `json:"name"`
	Type ArgType `json:"type"`
	Help string  `json:"help"`
	// Required: the command does not run without the argument.
	Required bool `json:"required,omitempty"`
	// Flag: on a command line the argument is given as --name; the others are
	// positional.
	Flag bool `json:"flag,omitempty"`
	// Choices are the allowed values of a String; empty allows all.
	Choices []string `json:"choices,omitempty"`
	// Min and Max are the limits of an Integer; both 0 means no limit.
	Min int `json:"min,omitempty"`
	Max int `json:"max,omitempty"`
	// Secret: the value is a password, key or the like, and is not recorded.
	Secret bool `json:"secret,omitempty"`
	// Typed: the value goes into a field of the page, whose type decides whether
	// an approval shows it; every other Secret is masked there.
	Typed bool `json:"-"`
	// Default is the value if the argument is left out, for the help.
	Default string `json:"default,omitempty"`
}

// Spec describes a command without running it.
type Spec struct {
	Name    string         `json:"name"`
	Aliases []string       `json:"aliases,omitempty"`
	Summary string         `json:"summary"`        // one line, without a full stop
	Help    string         `json:"help,omitempty"` // what the summary does not say
	Scope   protocol.Scope `json:"scope"`
	Args    []Arg          `json:"args,omitempty"`
	// Returns describes the reply's data.
	Returns string `json:"returns"`
	// Files: the reply's data contains the paths of files that the command made.
	Files bool `json:"-"`
	// Needs is what a browser must be able to do for it; empty if every browser can.
	Needs    protocol.Capability `json:"needs,omitempty"`
	Examples []string            `json:"examples"`
}

// About returns the help, and which browsers the command is for.
func (s Spec) About() string {
	if s.Needs == "" {
		return s.Help
	}
	return strings.TrimSpace(s.Help + " Only in a browser of Pilotfish's own.")
}

// Usage returns the command with its arguments, as on a command line.
func (s Spec) Usage() string {
	var b strings.Builder
	b.WriteString(s.Name)
	for _, a := range s.Args {
		name := "<" + a.Name + ">"
		switch {
		case a.Flag && a.Type == Boolean:
			name = "--" + a.Name
		case a.Flag && len(a.Choices) > 0:
			name = "--" + a.Name + " " + strings.Join(a.Choices, "|")
		case a.Flag:
			name = "--" + a.Name + " <" + string(a.Type) + ">"
		}
		if !a.Required {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	return b.String()
}
