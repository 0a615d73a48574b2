package grammar

import (
	"strings"
	"testing"
)

// The picker inserts a ref and the element's name. Pilot accepts it as a
// target, but nothing that says more.
func TestPickedElementIsATarget(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`click @e3 button "Save and why not"`:         "e3",
		`type hello into @f2e14 textbox "Name"`:       "f2e14",
		`scroll to @e7 div#main "Everything we sell"`: "e7",
		`click @e3 button and tell me why`:            "",
		`click @e3 button "Save" until it is gone`:    "",
	} {
		plan, _ := New(nil).Parse(said)
		got := ""
		if len(plan.Steps) == 1 {
			got = plan.Steps[0].Target.Raw
		}
		if got != want {
			t.Errorf("%s: the target is %q, want %q", said, got, want)
		}
	}
}

// The longest message with the most separators is parsed in far less than the
// tenth of a second that feels immediate to a user.
func BenchmarkParseWorst(b *testing.B) {
	g := New(nil)
	text := strings.Repeat("select a in b, ", maxSteps-1) + "and no more"
	text = text[:min(len(text), longest)]
	for b.Loop() {
		g.Parse(text)
	}
}
