package input

import (
	"context"

	"pilotfish/backend/browser/page"
)

// scroll scrolls an element into view, or scrolls the page or an area.
func (a *action) scroll(ctx context.Context) error {
	a.begun = true // also when a dialog opens in the middle of it
	f, ref := a.p.Frames.Main(), ""
	a.fx.Out.Hit, a.fx.Acted = "the page", true
	if a.q.Target != "" {
		name, args := "take", map[string]any{"watch": true, "want": "thing"}
		if a.q.DX == 0 && a.q.DY == 0 {
			name = "aim"
		}
		found, aimed, err := page.Aim(ctx, a.p, a.q.Target, name, args)
		if err != nil {
			return err
		}
		f, ref = found, aimed.Reached.Ref
		a.fx.Out.Hit = aimed.Reached.Line
		if name == "aim" {
			a.f = f
			_, a.way, err = page.Outward(ctx, a.p, f, aimed.Reached, page.NoGuard)
			return err
		}
	} else if err := a.p.Ask(ctx, f, "watch", nil, nil); err != nil {
		return err
	}
	a.f = f
	args := map[string]any{"dx": a.q.DX, "dy": a.q.DY}
	if ref != "" {
		args["ref"] = ref
	}
	var moved *struct {
		X     float64 `json:"x"`
		Y     float64 `json:"y"`
		Above float64 `json:"above"`
		Below float64 `json:"below"`
	}
	if err := a.p.Ask(ctx, f, "scroll", args, &moved); err != nil {
		return err
	}
	if moved == nil {
		return (&page.Resolution{State: "gone", Ref: ref}).Refusal()
	}
	a.fx.Out.Moved = &[4]float64{moved.X, moved.Y, moved.Above, moved.Below}
	// In the frame that draws the new position, the page gets the scroll event and
	// learns what came into view.
	a.after["frames"] = 1
	return nil
}
