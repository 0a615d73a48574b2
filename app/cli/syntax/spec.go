// Package syntax defines the syntax of the command line: which commands and
// options exist, how a line is parsed, the help, and shell completion.
package syntax

import "slices"

// The groups of the help, in its order.
const (
	GroupBrowser = "The browser"
	GroupApp     = "The app"
	GroupAgent   = "Agents"
	GroupShell   = "The command line"
)

func groups() []string { return []string{GroupBrowser, GroupApp, GroupAgent, GroupShell} }

// Kind is the type of an argument.
type Kind string

// The types of arguments.
const (
	KindString Kind = "string"
	KindInt    Kind = "integer"
	KindNumber Kind = "number"
	KindBool   Kind = "boolean"
	// KindPath is a file or folder of the caller. It is made absolute, because
	// the app has another working directory.
	KindPath Kind = "path"
	// KindPaths are several paths. A word with commas is one path if such a file
	// exists, else several.
	KindPaths Kind = "paths"
)

// Arg is one argument of a command.
type Arg struct {
	Name     string
	Kind     Kind // empty means KindString
	Help     string
	Required bool
	// Flag is true for an argument given as --name, false for a positional one.
	Flag bool
	// Rest takes all following words, joined by spaces.
	Rest bool
	// Lines makes Rest join them by line breaks instead.
	Lines   bool
	Choices []string
}

// Spec is what parser, help and completion know of a command.
type Spec struct {
	Name     string
	Aliases  []string
	Summary  string
	Help     string
	Group    string
	Args     []Arg
	Examples []string
	Hidden   bool
	// Program says that everything after the command's name is a program with its
	// arguments, which are not parsed; see Invocation.Program.
	Program bool
}

// Flags returns the arguments that are given by name.
func (s Spec) Flags() []Arg { return s.choose(true) }

// Places returns the positional arguments.
func (s Spec) Places() []Arg { return s.choose(false) }

func (s Spec) choose(flag bool) []Arg {
	var chosen []Arg
	for _, a := range s.Args {
		if a.Flag == flag {
			chosen = append(chosen, a)
		}
	}
	return chosen
}

// Globals returns the options that every command has.
func Globals() []Arg {
	return []Arg{
		{Name: "tab", Flag: true, Help: "the tab to act on (t1, t2, …); without it your own, or the one in front"},
		{Name: "session", Flag: true, Help: "the session, when several run"},
		{Name: "timeout", Flag: true, Help: "how long the command may take: 500ms, 10s, 2m"},
		{Name: "max", Flag: true, Help: "print at most so many characters of the reply"},
		{Name: "json", Flag: true, Kind: KindBool, Help: "print the reply for a program"},
		{Name: "help", Flag: true, Kind: KindBool, Help: "say more about the command"},
	}
}

// short returns the option for one letter: the first whose name begins with it. A
// command's own options come before the global ones, so -s is --scope where that
// exists, and -t is the tab.
func short(options []Arg, letter string) string {
	if i := slices.IndexFunc(options, func(a Arg) bool { return len(letter) == 1 && a.Name[0] == letter[0] }); i >= 0 {
		return options[i].Name
	}
	return ""
}
