package wait

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// onPage waits inside the page, in all its frames: a text or an element may appear in
// any frame, and what must be gone must be gone from every frame. When a document is
// replaced, the new one is asked the same.
func (w *waiting) onPage(ctx context.Context) error {
	key := map[protocol.WaitKind]string{protocol.WaitForText: "text", protocol.WaitForElement: "element", protocol.WaitForGone: "gone"}[w.q.Kind]
	if key == "" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("cannot wait for %q", w.q.Kind), "wait for text, element, gone, url, load, quiet, function or time")
	}
	return w.inFrames(ctx, key)
}

// inFrames is onPage for one condition of the page script.
func (w *waiting) inFrames(ctx context.Context, key string) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &waitFrames{
		w: w, key: key, gone: key == "gone" || key == "goneText",
		answers: make(chan waitAnswer), asked: make(map[*page.Frame]bool), met: make(map[*page.Frame]string), later: make(map[*page.Frame]bool),
	}
	go f.openRoots(inner)
	changed := w.p.Frames.Changes() // subscribed before they are listed, so that no change is missed
	for {
		over, err := f.ask(inner)
		if over || err != nil {
			return err
		}
		select {
		case a := <-f.answers:
			if over, err := f.heard(inner, a); over || err != nil {
				return err
			}
		case <-changed:
			changed = w.p.Frames.Changes()
			clear(f.later)
		case _, ok := <-w.events.C:
			if !ok {
				return devtools.ErrSessionEnded
			}
			clear(f.later)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// waitFrames asks all frames of a page for one condition.
type waitFrames struct {
	w       *waiting
	key     string // the page script's name for the condition
	gone    bool   // the condition is that something is gone
	answers chan waitAnswer
	asked   map[*page.Frame]bool   // frames whose answer is pending or will never come
	met     map[*page.Frame]string // frames where the condition held, with their world
	later   map[*page.Frame]bool   // frames that have no document at the moment
	waited  bool                   // in some frame the condition did not hold from the start
}

type waitAnswer struct {
	f     *page.Frame
	world string // the frame's world when it was asked
	found waitFound
	err   error
}

// waitFound is the page script's answer to a wait. What and Origin are set only on
// request.
type waitFound struct {
	State  string  `json:"state"`
	MS     float64 `json:"ms"`
	What   string  `json:"what"`
	Origin string  `json:"origin"`
}

// frames returns the frames for which the condition is checked: the frame of a ref,
// else all. For a ref whose frame is gone there is none.
func (f *waitFrames) frames() ([]*page.Frame, error) {
	if !page.RefScope().MatchString(f.w.q.Value) || f.key == "text" || f.key == "goneText" {
		return f.w.p.Frames.All(), nil
	}
	only, _, err := f.w.p.FrameOf(f.w.q.Value)
	if err != nil {
		if f.gone {
			return nil, nil
		}
		return nil, err
	}
	return []*page.Frame{only}, nil
}

// openRoots passes new closed shadow roots to the page script, until ctx ends. There
// is no event for a new closed root, nor for new content of a root that was empty
// when it was first requested, so this must poll. It uses a small part of the page's
// time, however large the page is.
func (f *waitFrames) openRoots(ctx context.Context) {
	const part = 20
	timer := time.NewTimer(rootsAgain)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		began := time.Now()
		all, _ := f.frames() // the wait itself calls frames again and returns its error
		for _, one := range all {
			// The wait handles a document that is replaced.
			_ = page.OpenRoots(ctx, f.w.p, one)
		}
		timer.Reset(max(rootsAgain, part*time.Since(began)))
	}
}

// ask asks the frames that were not asked yet. The wait is over when the searched
// content is gone from every frame. If that took some time, all frames are asked once
// more, because the content may have come back in one that answered early.
func (f *waitFrames) ask(ctx context.Context) (over bool, err error) {
	all, err := f.frames()
	if err != nil {
		return false, err
	}
	if f.settled(all) {
		if !f.waited || len(all) <= 1 {
			return true, nil
		}
		f.waited = false
		clear(f.met)
		clear(f.later)
	}
	until, _ := ctx.Deadline()
	args := map[string]any{f.key: f.w.q.Value, "timeout": max(1, time.Until(until).Milliseconds()), "tell": f.w.found != nil}
	for _, one := range all {
		_, met := f.met[one]
		if met && f.gone || f.asked[one] || f.later[one] {
			continue
		}
		f.asked[one] = true
		_, world := f.w.p.Frames.State(one)
		go func() {
			var found waitFound
			// Pass the frame's closed roots to the page script first.
			err := f.w.p.AskWithRoots(ctx, one, "url", nil, nil)
			if err == nil {
				err = f.w.p.Ask(ctx, one, "wait", args, &found)
			}
			select {
			case f.answers <- waitAnswer{one, world, found, err}:
			case <-ctx.Done():
			}
		}()
	}
	return false, nil
}

// settled reports whether the content was gone from every frame, and drops the
// answers of frames that now have another document.
func (f *waitFrames) settled(all []*page.Frame) bool {
	whole := f.gone
	for _, one := range all {
		if world, met := f.met[one]; met {
			if _, now := f.w.p.Frames.State(one); now == world {
				continue
			}
			delete(f.met, one)
		}
		whole = false
	}
	return whole
}

// heard processes an answer.
func (f *waitFrames) heard(ctx context.Context, a waitAnswer) (over bool, err error) {
	delete(f.asked, a.f)
	_, now := f.w.p.Frames.State(a.f)
	replaced := errors.Is(a.err, page.ErrReplaced)
	switch {
	case a.err == nil && a.found.State == "met":
		f.met[a.f], f.waited = now, f.waited || a.found.MS > 0
		if !f.gone && f.w.found != nil {
			*f.w.found = a.found
		}
		return !f.gone, nil
	case a.err == nil:
		return false, context.DeadlineExceeded
	case a.f.Number == 0 && replaced:
		// If the next document is not there yet, it is asked after the next change.
		f.waited = true
		_, _, err := f.w.p.Ready(ctx, a.f)
		f.later[a.f] = err != nil
		if errors.Is(err, page.ErrReplaced) {
			err = nil
		}
		return false, err
	case a.f.Number == 0, protocol.AsError(a.err).Code == protocol.CodeBadArgument:
		return false, a.err
	case replaced && now != "" && now != a.world:
		return false, nil // the frame has another document
	}
	// The content of a frame that is gone, or that cannot be asked, is gone with the
	// frame, until the frame has another document.
	f.met[a.f], f.later[a.f] = now, true
	return false, nil
}
