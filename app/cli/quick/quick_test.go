package quick

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/command"
)

// What is known here of a command is what the registry says of it: its words are
// texts, given to these arguments in this order, and nothing else is needed.
func TestPlainCommandsAreThoseOfTheRegistry(t *testing.T) {
	known := 0
	for _, spec := range command.Specs() {
		arguments, ok := places(spec.Name)
		if !ok {
			continue
		}
		known++
		var positional []command.Arg
		for _, a := range spec.Args {
			if !a.Flag {
				positional = append(positional, a)
			}
			if a.Required && !slices.Contains(arguments, a.Name) {
				t.Errorf("%s needs %s", spec.Name, a.Name)
			}
		}
		for i, name := range arguments {
			if i >= len(positional) || positional[i].Name != name || positional[i].Type != command.String || len(positional[i].Choices) > 0 {
				t.Errorf("%s: its argument %d is no text %s", spec.Name, i+1, name)
			}
		}
	}
	if known != 19 {
		t.Errorf("%d of the commands are in the registry", known)
	}
}

func TestOnlyWhatIsPlainIsRead(t *testing.T) {
	for line, want := range map[string]string{
		"click e5":          `"e5"`,
		"press Control+A":   `"Control+A"`,
		"goto http://a/?<>": "\"http://a/?\\u003c\\u003e\"",
	} {
		request, ok := read(strings.Fields(line))
		if !ok || len(request.Args) != 1 {
			t.Errorf("%s: %v, %v", line, request, ok)
			continue
		}
		for _, got := range request.Args {
			if string(got) != want {
				t.Errorf("%s: %s", line, got)
			}
		}
	}
	for _, line := range []string{
		"", "click", "click e5 e6", "click e5 --json", "--tab t1 click e5", "fill e3 -5", "click --help", "press -- Enter", "clicks e5", "serve", "snapshot -i",
	} {
		if request, ok := read(strings.Fields(line)); ok {
			t.Errorf("%q was read as %v", line, request)
		}
	}
	request, ok := read([]string{"fill", "e3", ""})
	if !ok || string(request.Args["value"]) != `""` || string(request.Args["target"]) != `"e3"` {
		t.Errorf("%v, %v", request, ok)
	}
}
