// Package syntax is how a line of the command line is written: which commands and
// options there are, how a line is read, what help says about it, and how shells
// complete it.
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
	// KindPath is a file or folder of the caller: it is made absolute, because
	// the app has another working folder.
	KindPath Kind = "path"
	// KindPaths are several; a word with commas in it is one where there is such a
	// file, and else several.
	KindPaths Kind = "paths"
)

// Arg is one argument of a command.
type Arg struct {
	Name     string
	Kind     Kind // empty means KindString
	Help     string
	Required bool
	// Flag: given as --name; the others by their place.
	Flag bool
	// Rest takes all that follows, joined by spaces.
	Rest bool
	// Lines joins what Rest takes by line breaks instead.
	Lines   bool
	Choices []string
}

// Spec is what the parser, the help and the completion know of a command.
type Spec struct {
	Name     string
	Aliases  []string
	Summary  string
	Help     string
	Group    string
	Args     []Arg
	Examples []string
	Hidden   bool
}

// Flags are the arguments that are given by name.
func (s Spec) Flags() []Arg { return s.choose(true) }

// Places are the arguments that are given by their place.
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

// Globals are the options of every command.
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

// short is the option that one letter means: the first that begins with it. A
// command's own come before those of all commands, so that -s is --scope where
// there is one, and -t the tab.
func short(options []Arg, letter string) string {
	if i := slices.IndexFunc(options, func(a Arg) bool { return len(letter) == 1 && a.Name[0] == letter[0] }); i >= 0 {
		return options[i].Name
	}
	return ""
}
