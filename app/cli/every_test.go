package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/command"
)

// Every command that prints something itself accepts --max: as the length of the printed text, or as its own
// argument where it has one of that name.
func TestMaxOfEveryCommand(t *testing.T) {
	p := own()
	for _, s := range p.All() {
		if s.Program {
			continue // what follows its name is another program's
		}
		words := example(t, s)
		own := slices.ContainsFunc(s.Args, func(a syntax.Arg) bool { return a.Name == "max" })
		for _, line := range [][]string{
			slices.Concat([]string{"--max", "7"}, words),
			slices.Concat(words[:1], []string{"--max", "7"}, words[1:]),
			slices.Concat(words[:1], []string{"--max=7"}, words[1:]),
		} {
			in, err := p.Parse(line)
			if err != nil || own && in.Values["max"] != "7" || !own && in.Max != 7 {
				t.Errorf("%q: max %d, %v, %v", line, in.Max, in.Values, err)
			}
		}
		wrongs := []string{"x", "1.5"}
		if !own {
			wrongs = append(wrongs, "-1", "0") // the backend checks a command's own --max
		}
		for _, wrong := range wrongs {
			if _, err := p.Parse(slices.Concat(words[:1], []string{"--max", wrong}, words[1:])); err == nil {
				t.Errorf("%s --max %s is taken", s.Name, wrong)
			}
		}
	}
}

// example returns a valid command line of a command: its first example.
func example(t *testing.T, s syntax.Spec) []string {
	t.Helper()
	for _, line := range s.Examples {
		words, err := command.SplitLine(strings.TrimPrefix(line, "pilotfish "))
		if err == nil && len(words) > 0 && words[0] == s.Name && !strings.Contains(line, "--max") && !strings.ContainsAny(line, "<>|") {
			return words
		}
	}
	words := []string{s.Name}
	for _, a := range s.Places() {
		switch {
		case a.Required && len(a.Choices) > 0:
			words = append(words, a.Choices[0])
		case a.Required:
			t.Errorf("%s needs %s and has no example", s.Name, a.Name)
		}
	}
	return words
}

// Bash completes every command with its own and the global options and choices,
// also after an option with a value.
func TestBashCompletesEveryCommand(t *testing.T) {
	p := own()
	var visible []syntax.Spec
	var names []string
	for _, s := range p.All() {
		if !s.Hidden {
			visible, names = append(visible, s), append(names, s.Name)
		}
	}
	var script strings.Builder
	script.WriteString(p.Completion("bash") + "\ntry() { COMP_WORDS=(pilotfish \"$@\" ''); COMP_CWORD=$(($# + 1)); _pilotfish; echo \"${COMPREPLY[*]}\"; }\n")
	script.WriteString("try\n")
	var before []string
	for _, a := range syntax.Globals() {
		if a.Kind != syntax.KindBool {
			before = append(before, "--"+a.Name, "7")
		}
	}
	for _, s := range visible {
		script.WriteString("try " + strings.Join(before, " ") + " " + s.Name + "\n")
	}
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	for _, s := range visible {
		if !slices.Contains(strings.Fields(lines[0]), s.Name) {
			t.Errorf("%s is not offered", s.Name)
		}
	}
	for i, s := range visible {
		offered := strings.Fields(lines[i+1])
		wanted := flags(slices.Concat(s.Flags(), syntax.Globals()))
		for _, a := range s.Args {
			wanted = append(wanted, a.Choices...)
		}
		if s.Name == "help" {
			wanted = append(wanted, names...)
		}
		for _, want := range wanted {
			if !slices.Contains(offered, want) {
				t.Errorf("%s: %s is not offered, but %s", s.Name, want, offered)
			}
		}
	}
	// The other shells are not installed everywhere, so only their scripts are
	// checked.
	zsh, fish := p.Completion("zsh"), p.Completion("fish")
	for _, s := range visible {
		if !strings.Contains(zsh, "'"+s.Name+":") || !strings.Contains(fish, " -a "+s.Name+" ") {
			t.Errorf("%s is not in the completion of zsh or fish", s.Name)
		}
		for _, a := range s.Flags() {
			if !strings.Contains(fish, "__fish_seen_subcommand_from "+s.Name+"' -l "+a.Name+" ") {
				t.Errorf("fish is not told of %s --%s", s.Name, a.Name)
			}
		}
	}
}

// flags returns options as they are written.
func flags(options []syntax.Arg) []string {
	var words []string
	for _, a := range options {
		words = append(words, "--"+a.Name)
	}
	return words
}
