package input

import (
	"context"
	"fmt"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// reserve makes sure that a secret goes to a field in a frame of its origin, and
// nowhere else: it asks the field's own document for its origin, and from then on
// the action means this field by its ref, which ends with the document. It also
// shows the field's text as dots, as that of a password field, before there is any.
func (a *action) reserve(ctx context.Context) error {
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "take", map[string]any{"watch": false, "want": "field"})
	if err != nil {
		return err
	}
	var at struct{ URL, Origin string }
	if err := a.p.Ask(ctx, f, "url", nil, &at); err != nil {
		return err
	}
	if at.Origin != a.q.Origin {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the field is now on %.200s, and the secret is for %s; nothing was typed", page.Plain(at.Origin), a.q.Origin), "", page.SnapshotAgain())
	}
	var concealed bool
	if err := a.p.Ask(ctx, f, "conceal", map[string]string{"ref": aimed.Reached.Ref}, &concealed); err != nil {
		return err
	}
	if !concealed {
		return protocol.NewError(protocol.CodeNotActable, page.Plain(aimed.Reached.Line)+" is not a field that can hide a secret", "use an input of the page", page.SnapshotAgain())
	}
	a.q.Target = aimed.Reached.Ref
	return nil
}
