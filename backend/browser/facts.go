package browser

import (
	"context"

	"pilotfish/backend/protocol"
)

// Facts says what a target is: a ref, selector or point as for Act, or what has
// the focus when it is empty. Nothing is scrolled or changed.
func (b *Browser) Facts(ctx context.Context, id protocol.TabID, target string) (protocol.TargetFacts, error) {
	var facts protocol.TargetFacts
	err := b.onPage(ctx, id, func(ctx context.Context, p *page) error {
		f, args := p.frames.main(), map[string]any{}
		if m := pointTarget().FindStringSubmatch(target); m != nil {
			args["point"] = m[1:]
		} else if target != "" {
			found, aimed, err := p.aim(ctx, target, "take", map[string]any{"watch": false})
			if err != nil {
				return err
			}
			f, args["ref"] = found, aimed.Reached.Ref
		}
		return p.ask(ctx, f, "facts", args, &facts)
	})
	return facts, err
}
