package quick

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

// source is the small program.
func source(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../start/pilotfish.c")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the small program knows of a command is what the registry says of it: its
// words are texts, given to these arguments in this order, and nothing else is
// needed.
func TestPlainCommandsAreThoseOfTheRegistry(t *testing.T) {
	known := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t\{"(\w+)", \{(.*)\}\},$`).FindAllStringSubmatch(source(t), -1) {
		var arguments []string
		for _, a := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(m[2], -1) {
			arguments = append(arguments, a[1])
		}
		known[m[1]] = arguments
	}
	if len(known) != 19 {
		t.Errorf("%d commands are known", len(known))
	}
	for _, spec := range catalogue.Specs() {
		arguments, ok := known[spec.Name]
		if !ok {
			continue
		}
		delete(known, spec.Name)
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
	if len(known) > 0 {
		t.Errorf("the registry does not have %v", known)
	}
}

// The names and figures that both programs have are the same.
func TestSharedNames(t *testing.T) {
	defined := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+) (.*?)(?: +//.*)?$`).FindAllStringSubmatch(source(t), -1) {
		defined[m[1]] = strings.Trim(m[2], `"`)
	}
	for name, want := range map[string]string{
		"STATE_VERSION": strconv.Itoa(protocol.StateVersion), "PATIENCE_S": strconv.Itoa(int(patience.Seconds())), "MAX_REPLY": "(256u << 20)",
		"ENV_URL": protocol.EnvURL, "ENV_TOKEN": protocol.EnvToken, "ENV_HOME": protocol.EnvHome, "ENV_REPLY": EnvReply, "WHOLE": Whole,
	} {
		if defined[name] != want {
			t.Errorf("%s is %q, not %q", name, defined[name], want)
		}
	}
}

// What the small program prints of failures ends with the exit code of their kind.
func TestOrdinaryFailures(t *testing.T) {
	_, list, _ := strings.Cut(source(t), "ordinary[] = {")
	list, _, _ = strings.Cut(list, "}")
	codes := regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(list, -1)
	if len(codes) < 10 {
		t.Fatalf("%d codes", len(codes))
	}
	for _, m := range codes {
		if code := protocol.Code(m[1]).ExitCode(); code != 1 {
			t.Errorf("%s ends with %d", m[1], code)
		}
	}
}
