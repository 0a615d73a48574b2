package inspect

import (
	"context"
	"errors"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Facts describes a target: a ref, selector or point as for Act, or the focused
// element when target is empty. field: a text means the field that it labels, as for
// typing, and not what is clicked. It does not scroll or change anything.
func (in *Inspector) Facts(ctx context.Context, by protocol.Caller, id protocol.TabID, target string, field bool) (protocol.TargetFacts, error) {
	var facts protocol.TargetFacts
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		f, args := p.Frames.Main(), map[string]any{}
		if m := page.PointTarget().FindStringSubmatch(target); m != nil {
			args["point"] = m[1:]
		} else if target != "" {
			want := "thing"
			if field {
				want = "field"
			}
			found, aimed, err := page.Aim(ctx, p, target, "take", map[string]any{"watch": false, "facts": true, "want": want})
			if err != nil {
				return err
			}
			if aimed.Facts == nil {
				return errors.New("the page did not describe the target")
			}
			f, facts = found, *aimed.Facts
		}
		if f == p.Frames.Main() {
			if target != "" && args["point"] == nil {
				return nil // it came with the target
			}
			return p.Ask(ctx, f, "facts", args, &facts)
		}
		var at struct{ URL, Origin string }
		err := p.Ask(ctx, f, "url", nil, &at)
		// A frame without an address of its own (about:srcdoc) has the origin of the one
		// around it, and one in a sandbox has none.
		if facts.Frame = at.Origin; at.Origin == "null" {
			facts.Frame = at.URL
		}
		return err
	})
	return facts, err
}
