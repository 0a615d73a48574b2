package wait

import (
	"context"
	"errors"
	"fmt"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// onPage waits inside the page, in all its frames: a text or an element may come
// in any of them, and what is to be gone must be so in each. A document that goes
// away is followed by another one, which is asked the same.
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
	changed := w.p.Frames.Changes() // before they are listed, so that none is missed
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
		case e, ok := <-w.events.C:
			switch {
			case !ok:
				return devtools.ErrSessionEnded
			case e.Method == cdppage.JavascriptDialogOpening.Method && w.found == nil:
				return protocol.NewError(protocol.CodeDialog, "the page opened a dialog ("+w.p.OpenDialog().String()+")", "", protocol.AnswerDialog()...)
			}
			clear(f.later)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// waitFrames asks the frames of a page one condition.
type waitFrames struct {
	w       *waiting
	key     string // what the page script calls the condition
	gone    bool   // it is that something is no longer there
	answers chan waitAnswer
	asked   map[*page.Frame]bool   // an answer is on its way, or will never be
	met     map[*page.Frame]string // it was so there, in this world
	later   map[*page.Frame]bool   // without a document just now
	waited  bool                   // some frame was not so from the start
}

type waitAnswer struct {
	f     *page.Frame
	world string // that it had when it was asked
	found waitFound
	err   error
}

// waitFound is what the page script answers a wait with; What and Origin only
// where it is asked for them.
type waitFound struct {
	State  string  `json:"state"`
	MS     float64 `json:"ms"`
	What   string  `json:"what"`
	Origin string  `json:"origin"`
}

// frames are those that the condition is about: that of a ref, else all. A ref
// whose frame is gone has none.
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

// openRoots hands over the closed roots that come while it is waited, until ctx
// ends. No event tells of one, nor of what comes into one that was still empty
// when it was first asked for them: this is what has to look again and again. It
// takes a small part of the page's time, however large the page is.
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
		all, _ := f.frames() // asked once more by the wait itself, which says what is wrong
		for _, one := range all {
			// A document that goes away is the wait's business.
			_ = page.OpenRoots(ctx, f.w.p, one)
		}
		timer.Reset(max(rootsAgain, part*time.Since(began)))
	}
}

// ask asks the frames that were not asked yet. It is over when what is to be
// gone is so in each; where that took a while, all are asked once more, for it
// may have come back in one that answered early.
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
			// Its closed roots are opened to the page script first.
			err := f.w.p.Look(ctx, one, "url", nil, nil)
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

// settled says whether what is to be gone was so in every frame, and forgets
// those that have another document by now.
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

// heard takes in an answer.
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
		// Where the next document is not there yet, the next change asks it.
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
		return false, nil // it has another document
	}
	// What is in a frame that went away, or cannot be asked, is gone with it,
	// until it has another document.
	f.met[a.f], f.later[a.f] = now, true
	return false, nil
}
