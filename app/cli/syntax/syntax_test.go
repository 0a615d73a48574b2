package syntax

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// own is a command line with one builtin command.
func own() Commands {
	return Commands{{
		Name: "fetch", Aliases: []string{"f"}, Summary: "fetch a thing", Group: GroupApp, Examples: []string{"pilotfish fetch it"},
		Args: []Arg{
			{Name: "thing", Help: "which", Required: true, Choices: []string{"it", "that"}},
			{Name: "words", Rest: true},
			{Name: "count", Flag: true, Kind: KindInt},
			{Name: "all", Flag: true, Kind: KindBool},
		},
	}}
}

// Options may be anywhere, and a command's own come before the global ones.
func TestParse(t *testing.T) {
	in, err := own().Parse([]string{"--timeout", "2s", "f", "it", "-c", "3", "a", "--all", "-t", "2", "--json", "--", "--b"})
	if err != nil {
		t.Fatal(err)
	}
	if in.Spec.Name != "fetch" || in.Timeout != 2*time.Second || in.Tab != "t2" || !in.JSON {
		t.Errorf("%+v", in)
	}
	args, err := in.Payload()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(args)
	if want := `{"all":true,"count":3,"thing":"it","words":"a --b"}`; err != nil || string(text) != want {
		t.Errorf("%s, want %s, %v", text, want, err)
	}
}

// Every error says what is wrong and what to do.
func TestParseSaysWhatIsWrong(t *testing.T) {
	for line, want := range map[string][2]string{
		"fetsh":             {`there is no command "fetsh"`, "did you mean `pilotfish fetch`?"},
		"that":              {`there is no command "that"`, "did you mean `pilotfish fetch that`?"},
		"fetch":             {"THING is missing: which", "usage: pilotfish fetch THING"},
		"fetch them":        {"must be one of it, that", "did you mean that?"},
		"fetch it --cuont":  {"there is no option --cuont", "did you mean --count?"},
		"fetch it --count":  {"needs a value", "for example"},
		"fetch it --max 0":  {"--max is a number", "for example"},
		"fetch it -t x":     {"", ""},
		"fetch --timeout 0": {"", ""},
	} {
		in, err := own().Parse(append([]string{"--json"}, strings.Fields(line)...))
		e := protocol.AsError(err)
		if e == nil || !strings.Contains(e.Message, want[0]) || !strings.Contains(e.Hint, want[1]) || e.Hint == "" && len(e.Next) == 0 || !in.JSON {
			t.Errorf("%s: %+v", line, e)
		}
	}
}

// The browser's commands belong to every command line and have help, too.
func TestHelpKnowsTheBrowser(t *testing.T) {
	overview := own().Help(Spec{})
	for _, want := range []string{"fetch THING [WORDS...] [--count COUNT] [--all]", GroupBrowser + ":", "goto URL", "Exit codes:"} {
		if !strings.Contains(overview, want) {
			t.Errorf("no %q in %s", want, overview)
		}
	}
	found, err := own().Find("goto")
	if help := own().Help(found); err != nil || !strings.HasPrefix(help, "Usage: pilotfish goto URL") {
		t.Errorf("%s, %v", help, err)
	}
}

// The manual page has every command that the help has, and no line of it is taken for
// a request of the typesetter.
func TestManual(t *testing.T) {
	page := own().Manual("1.2.3", "2026-01-02")
	for _, s := range own().All() {
		if !s.Hidden && !strings.Contains(page, "\n.B "+strings.ReplaceAll(s.Name, "-", `\-`)) {
			t.Errorf("%s is missing", s.Name)
		}
	}
	requests := regexp.MustCompile(`^\.(?:TH|SH|TP|IP|B|I|RS|RE|nf|fi)\b`)
	for line := range strings.SplitSeq(page, "\n") {
		if (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")) && !requests.MatchString(line) {
			t.Errorf("a request: %q", line)
		}
	}
}
