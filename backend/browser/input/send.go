package input

import (
	"context"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/page"
)

// send sends input. Under a cover it alone passes, for as long as it takes.
func (a *action) send(ctx context.Context, s *devtools.Session, messages ...effects.Message) error {
	return a.lifted(ctx, func() error { return a.fx.Send(ctx, s, messages...) }, messages)
}

// lifted does something with messages of input under a cover that lets them pass.
func (a *action) lifted(ctx context.Context, do func() error, messages []effects.Message) error {
	in, _ := a.p.Frames.State(a.f)
	a.fx.Listen(in)
	what, is := effects.Expects(messages)
	if !is || !a.in.config.Masks.Covers(a.p.Target) {
		return do()
	}
	for _, at := range a.fingered { // the end of a touch names no place
		what.Include(at.X, at.Y)
	}
	return a.in.config.Masks.Lift(ctx, a.p, a.touched(), what, do)
}

// touched are the frames that an input of the action goes through.
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
