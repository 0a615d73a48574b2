package input

import (
	"context"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
)

// send sends input. Under an overlay, only this input passes, while it is being sent.
func (a *action) send(ctx context.Context, s *devtools.Session, messages ...message) error {
	return a.lifted(ctx, func() error { return a.fx.Send(ctx, s, messages...) }, messages)
}

// lifted calls do, which sends messages. Under an overlay, only these messages pass
// meanwhile.
func (a *action) lifted(ctx context.Context, do func() error, messages []message) error {
	a.begun = true
	in, _ := a.p.Frames.State(a.f)
	a.fx.Listen(in)
	what, is := expects(messages)
	if !is || !a.in.config.Overlays.Covers(a.p.Target) {
		return do()
	}
	for _, at := range a.fingered { // the event that ends a touch has no position
		what.Include(at.X, at.Y)
	}
	return a.in.config.Overlays.Lift(ctx, a.p, a.touched(), what, do)
}

// touched returns the frames through which the action's input goes.
func (a *action) touched() []*page.Frame {
	main := a.p.Frames.Main()
	if a.q.Target == "" {
		return a.p.Frames.All() // whichever has the focus
	}
	all := []*page.Frame{main}
	for _, f := range append([]*page.Frame{a.f}, a.way...) {
		if f != nil && f != main {
			all = append(all, f)
		}
	}
	return all
}
