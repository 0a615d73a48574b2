package command_test

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		``:                          nil,
		"  goto   a.test \t --x\n":  {"goto", "a.test", "--x"},
		`fill e1 "Ada \"L\" \n"`:    {"fill", "e1", `Ada "L" \n`},
		`fill e1 'it is "so" \'`:    {"fill", "e1", `it is "so" \`},
		`fill e1 ""`:                {"fill", "e1", ""},
		`a\ b "c"'d'e`:              {"a b", "cde"},
		`role=button name="Save x"`: {"role=button", "name=Save x"},
	} {
		if got, err := command.SplitLine(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("SplitLine(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
	for _, line := range []string{`"a`, `'a`, `a\`} {
		if got, err := command.SplitLine(line); err == nil {
			t.Errorf("SplitLine(%q) = %q", line, got)
		}
	}
}

// Every line is either parsed or refused with a reason.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{"goto a.test --wait dom", `text --max=5 --tab t2`, "help", `screenshot --full --clip "0,0,1,1"`, "-- goto", "goto --timeout 5s x", "\x00\"'\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		req, err := command.ParseLine(line, catalogue.Find)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Errorf("%q is refused without a reason", line)
			}
			return
		}
		if _, err := catalogue.Find(req.Command); err != nil {
			t.Errorf("%q became the command %q", line, req.Command)
		}
	})
}

// TestTabTwice: a command with a positional argument tab has the option --tab
// of every command too.
func TestTabTwice(t *testing.T) {
	for line, wantTab := range map[string]string{"tab t2 --tab t2": "t2", "closetab --tab t2 2": "t2", "tab --tab=3": "t3", "tab t4": ""} {
		req, err := command.ParseLine(line, catalogue.Find)
		if err != nil || string(req.Tab) != wantTab {
			t.Errorf("%q names tab %q, %v; want %q", line, req.Tab, err, wantTab)
		}
	}
}
