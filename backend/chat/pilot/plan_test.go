package pilot_test

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// The router's plan is used without parsing the message again, and the end
// describes what was done.
func TestAPlanOfTheRouter(t *testing.T) {
	p := &page{}
	_, s, _ := open(t, p, "")
	plan, unknown := grammar.New([]string{}).Parse("take a screenshot")
	if unknown != nil {
		t.Fatal(unknown)
	}
	end, err := s.Prompt(t.Context(), driver.Prompt{Text: "something else", Plan: plan})
	if err != nil || end.Reason != protocol.EndDone || !strings.Contains(strings.ToLower(end.Brief), "screenshot") {
		t.Errorf("it ended with %+v, %v", end, err)
	}
	if want := []string{"screenshot"}; !slices.Equal(p.asked, want) {
		t.Errorf("it ran %q, want %q", p.asked, want)
	}
}
