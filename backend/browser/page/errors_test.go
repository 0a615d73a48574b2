package page_test

import (
	"context"
	"errors"
	"testing"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// A word is a selector, which finds nothing; the caller more likely meant a text.
func TestWordsThatMatchNothing(t *testing.T) {
	for target, hint := range map[string]string{
		"Add to basket": "it was read as a CSS selector; text=Add to basket means the text",
		"#add":          "",
		"text=Add":      "",
		"Add\nthis":     "",
	} {
		got := protocol.AsError((&page.Located{State: "none", Target: target}).Refusal())
		if got.Code != protocol.CodeNoElement || got.Hint != hint {
			t.Errorf("%q: %+v", target, got)
		}
	}
}

// A command that its caller cancelled is not an internal error, whatever the
// cause says.
func TestACommandThatWasGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user stopped the turn"))
	err := page.TabError(ctx, "t1", "waiting", nil, context.Cause(ctx))
	if got := protocol.AsError(err); got.Code != protocol.CodeTimeout {
		t.Errorf("%+v", got)
	}
}
