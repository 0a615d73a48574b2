package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/command"
)

// Every command takes --max: as the length of what is printed, or as its own
// argument where it has one of that name.
func TestMaxOfEveryCommand(t *testing.T) {
	p := newProgram()
	for _, s := range p.all() {
		words := example(t, s)
		own := slices.ContainsFunc(s.args, func(a arg) bool { return a.name == "max" })
		for _, line := range [][]string{
			slices.Concat([]string{"--max", "7"}, words),
			slices.Concat(words[:1], []string{"--max", "7"}, words[1:]),
			slices.Concat(words[:1], []string{"--max=7"}, words[1:]),
		} {
			in, err := p.parse(line)
			if err != nil || own && in.values["max"] != "7" || !own && in.max != 7 {
				t.Errorf("%q: max %d, %v, %v", line, in.max, in.values, err)
			}
		}
		wrongs := []string{"x", "1.5"}
		if !own {
			wrongs = append(wrongs, "-1", "0") // its own the backend checks
		}
		for _, wrong := range wrongs {
			if _, err := p.parse(slices.Concat(words[:1], []string{"--max", wrong}, words[1:])); err == nil {
				t.Errorf("%s --max %s is taken", s.name, wrong)
			}
		}
	}
}

// example is a good command line of a command: its first example.
func example(t *testing.T, s spec) []string {
	t.Helper()
	for _, line := range s.examples {
		words, err := command.SplitLine(strings.TrimPrefix(line, "pilotfish "))
		if err == nil && len(words) > 0 && words[0] == s.name && !strings.Contains(line, "--max") && !strings.ContainsAny(line, "<>|") {
			return words
		}
	}
	words := []string{s.name}
	for _, a := range s.places() {
		switch {
		case a.required && len(a.choices) > 0:
			words = append(words, a.choices[0])
		case a.required:
			t.Errorf("%s needs %s and has no example", s.name, a.name)
		}
	}
	return words
}

// Bash completes every command with its own options and choices and with those
// of all commands, also behind an option with a value.
func TestBashCompletesEveryCommand(t *testing.T) {
	p := newProgram()
	var script strings.Builder
	script.WriteString(p.bash() + "\ntry() { COMP_WORDS=(pilotfish \"$@\" ''); COMP_CWORD=$(($# + 1)); _pilotfish; echo \"${COMPREPLY[*]}\"; }\n")
	script.WriteString("try\n")
	var before []string
	for _, a := range globals() {
		if a.kind != kindBool {
			before = append(before, "--"+a.name, "7")
		}
	}
	for _, s := range p.visible() {
		script.WriteString("try " + strings.Join(before, " ") + " " + s.name + "\n")
	}
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	for _, s := range p.visible() {
		if !slices.Contains(strings.Fields(lines[0]), s.name) {
			t.Errorf("%s is not offered", s.name)
		}
	}
	for i, s := range p.visible() {
		offered := strings.Fields(lines[i+1])
		for _, want := range slices.Concat(p.words(s), options()) {
			if !slices.Contains(offered, want) {
				t.Errorf("%s: %s is not offered, but %s", s.name, want, offered)
			}
		}
	}
	// The other shells cannot be had everywhere: what they are told is read.
	zsh, fish := p.zsh(), p.fish()
	for _, s := range p.visible() {
		if !strings.Contains(zsh, "'"+s.name+":") || !strings.Contains(fish, " -a "+s.name+" ") {
			t.Errorf("%s is not in the completion of zsh or fish", s.name)
		}
		for _, a := range s.flags() {
			if !strings.Contains(fish, "__fish_seen_subcommand_from "+s.name+"' -l "+a.name+" ") {
				t.Errorf("fish is not told of %s --%s", s.name, a.name)
			}
		}
	}
}
