package inspect

import (
	"context"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Facts says what a target is: a ref, selector or point as for Act, or what has
// the focus when it is empty. Nothing is scrolled or changed.
func (in *Inspector) Facts(ctx context.Context, id protocol.TabID, target string) (protocol.TargetFacts, error) {
	var facts protocol.TargetFacts
	err := in.tabs.OnPage(ctx, id, func(ctx context.Context, p *page.Page) error {
		f, args := p.Frames.Main(), map[string]any{}
		if m := page.PointTarget().FindStringSubmatch(target); m != nil {
			args["point"] = m[1:]
		} else if target != "" {
			found, aimed, err := page.Aim(ctx, p, target, "take", map[string]any{"watch": false})
			if err != nil {
				return err
			}
			f, args["ref"] = found, aimed.Reached.Ref
		}
		return p.Ask(ctx, f, "facts", args, &facts)
	})
	return facts, err
}
