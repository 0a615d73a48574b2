package main

import "slices"

// The groups of the help, in its order.
const (
	groupBrowser = "The browser"
	groupApp     = "The app"
	groupAgent   = "Agents"
	groupShell   = "The command line"
)

func groups() []string { return []string{groupBrowser, groupApp, groupAgent, groupShell} }

// kind is the type of an argument.
type kind string

const (
	kindString kind = "string"
	kindInt    kind = "integer"
	kindNumber kind = "number"
	kindBool   kind = "boolean"
	// kindPath is a file or folder of the caller: it is made absolute, because
	// the app has another working folder.
	kindPath kind = "path"
	// kindPaths are several; a word with commas in it is one where there is such a
	// file, and else several.
	kindPaths kind = "paths"
)

// arg is one argument of a command.
type arg struct {
	name     string
	kind     kind // empty means kindString
	help     string
	required bool
	// flag is given as --name; the others by their place.
	flag bool
	// rest takes all that follows, joined by spaces.
	rest bool
	// lines joins what rest takes by line breaks instead.
	lines   bool
	choices []string
}

// spec is what the parser, the help and the completion know of a command.
type spec struct {
	name     string
	aliases  []string
	summary  string
	help     string
	group    string
	args     []arg
	examples []string
	hidden   bool
}

// flags are the arguments that are given by name.
func (s spec) flags() []arg { return s.choose(true) }

// places are the arguments that are given by their place.
func (s spec) places() []arg { return s.choose(false) }

func (s spec) choose(flag bool) []arg {
	var chosen []arg
	for _, a := range s.args {
		if a.flag == flag {
			chosen = append(chosen, a)
		}
	}
	return chosen
}

// globals are the options of every command.
func globals() []arg {
	return []arg{
		{name: "tab", flag: true, help: "the tab to act on (t1, t2, …); without it your own, or the one in front"},
		{name: "session", flag: true, help: "the session, when several run"},
		{name: "timeout", flag: true, help: "how long the command may take: 500ms, 10s, 2m"},
		{name: "max", flag: true, help: "print at most so many characters of the reply"},
		{name: "json", flag: true, kind: kindBool, help: "print the reply for a program"},
		{name: "help", flag: true, kind: kindBool, help: "say more about the command"},
	}
}

// short is the option that one letter means: the first that begins with it. A
// command's own come before those of all commands, so that -s is --scope where
// there is one, and -t the tab.
func short(options []arg, letter string) string {
	if i := slices.IndexFunc(options, func(a arg) bool { return len(letter) == 1 && a.name[0] == letter[0] }); i >= 0 {
		return options[i].name
	}
	return ""
}
