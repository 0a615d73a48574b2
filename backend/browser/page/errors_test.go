package page_test

import (
	"context"
	"errors"
	"testing"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

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
