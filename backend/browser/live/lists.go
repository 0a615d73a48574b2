package live

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpinput "github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/input"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// howOften is how often a list that is shown is compared with that of the page.
const howOften = 250 * time.Millisecond

// lists shows the lists of selects of one page. The browser draws such a list in a window of
// its own. That is closed at once, and the viewer gets the options.
type lists struct {
	tab protocol.TabID
	p   *page.Page
	s   *devtools.Session

	pressed chan *page.Calls        // input that may have opened a list, and has been sent
	answers chan protocol.LiveInput // LivePick and LiveShut
	changes chan *protocol.LiveList // the list that is shown from now on; nil for none

	seq  uint32
	open *page.Frame // with the list that is shown; nil for none
	now  found       // the list, where it is
}

// found is a list as the page's script finds it, with its place in the tab's viewport.
type found struct {
	Label   string                `json:"label"`
	Box     [4]float64            `json:"box"`
	Options []protocol.LiveOption `json:"options"`
	More    int                   `json:"more"`

	at   page.Point // where the viewport of its frame begins
	size [2]float64 // of the tab's viewport
}

// is reports whether nothing has changed that a viewer sees.
func (f found) is(other found) bool {
	return f.Label == other.Label && f.Box == other.Box && f.More == other.More && slices.Equal(f.Options, other.Options)
}

func newLists(tab protocol.TabID, p *page.Page, s *devtools.Session) *lists {
	return &lists{
		tab: tab, p: p, s: s,
		pressed: make(chan *page.Calls, 8), answers: make(chan protocol.LiveInput, 1), changes: make(chan *protocol.LiveList),
	}
}

// run follows the lists until ctx ends.
func (l *lists) run(ctx context.Context) {
	if l.p.Open(ctx, l.tab) != nil {
		return // the view is without lists, as it is for a page that does not answer
	}
	ticks := time.NewTicker(howOften)
	defer ticks.Stop()
	for ctx.Err() == nil {
		compare := ticks.C
		if l.open == nil {
			compare = nil
		}
		// A page that goes to another document, or has no list any more, has no error that
		// a viewer could do something about: the list is closed.
		select {
		case input := <-l.pressed:
			if input.Await(ctx, 0, nil) == nil {
				_ = l.find(ctx)
			}
		case in := <-l.answers:
			if l.open != nil && in.Seq == l.seq {
				l.answer(ctx, in)
			}
		case <-compare:
			l.compare(ctx)
		case <-ctx.Done():
		}
	}
}

// sent says that input was sent, which may open a list. Input that comes while the page
// does not answer is left out.
func (l *lists) sent(q *page.Calls) {
	select {
	case l.pressed <- q:
	default:
	}
}

// answered passes on what the viewer does with the list.
func (l *lists) answered(in protocol.LiveInput) {
	select {
	case l.answers <- in:
	default:
	}
}

// find looks for an open list, from the page inwards to the frame that has the focus, and
// shows it. Without one, that which is shown stays.
func (l *lists) find(ctx context.Context) error {
	f, at := l.p.Frames.Main(), page.Point{}
	var size [2]float64
	for f != nil {
		var opened struct {
			List  *found
			Frame *struct {
				page.Point
				Ref string
			}
			Size [2]float64
		}
		if err := l.p.Ask(ctx, f, "opened", nil, &opened); err != nil {
			return err
		}
		if size[0] == 0 {
			size = opened.Size
		}
		if opened.List != nil {
			// The key reaches only the browser's list, which is open: the page gets no event.
			escape, _, _ := input.UserKey("Escape", "", 0, false)
			if _, err := cdp.Call(ctx, l.s, cdpinput.DispatchKeyEvent, escape); err != nil {
				return err
			}
			if err := l.p.Ask(ctx, f, "closed", nil, nil); err != nil {
				return err
			}
			l.open, l.now = f, *opened.List
			l.now.at, l.now.size = at, size
			l.show(ctx)
			return nil
		}
		if opened.Frame == nil {
			return nil
		}
		at.X, at.Y = at.X+opened.Frame.X, at.Y+opened.Frame.Y
		f = l.child(ctx, f, opened.Frame.Ref)
	}
	return nil
}

// child returns the frame whose element in its parent has a ref; nil for none.
func (l *lists) child(ctx context.Context, parent *page.Frame, ref string) *page.Frame {
	for _, f := range l.p.Frames.Children(parent) {
		if owner, err := page.OwnerOf(ctx, l.p, f); err == nil && owner == ref {
			return f
		}
	}
	return nil
}

// show reports the list.
func (l *lists) show(ctx context.Context) {
	l.seq++
	x, y := max(1, l.now.size[0]), max(1, l.now.size[1])
	l.report(ctx, &protocol.LiveList{
		Seq: l.seq, Label: l.now.Label, Options: l.now.Options, More: l.now.More,
		X: (l.now.at.X + l.now.Box[0]) / x, Y: (l.now.at.Y + l.now.Box[1]) / y, Width: l.now.Box[2] / x, Height: l.now.Box[3] / y,
	})
}

// shut reports that there is no list any more.
func (l *lists) shut(ctx context.Context) {
	l.open = nil
	l.report(ctx, nil)
}

func (l *lists) report(ctx context.Context, list *protocol.LiveList) {
	select {
	case l.changes <- list:
	case <-ctx.Done():
	}
}

// compare reports a list that the page has changed, or that is gone.
func (l *lists) compare(ctx context.Context) {
	var now *found
	if err := l.p.Ask(ctx, l.open, "listed", nil, &now); err != nil || now == nil {
		l.shut(ctx)
		return
	}
	now.at, now.size = l.now.at, l.now.size
	if !now.is(l.now) {
		l.now = *now
		l.show(ctx)
	}
}

// answer does in the page what the viewer has chosen.
func (l *lists) answer(ctx context.Context, in protocol.LiveInput) {
	if in.Type == protocol.LivePick {
		changed, err := l.pick(ctx, in.Picked)
		if err == nil && changed {
			l.compare(ctx)
			return
		}
	}
	l.shut(ctx)
}

// pick selects an option as the user's keys do, so that the page gets trusted events; where
// no key does it, a script does. changed says that the options are not those that are shown.
func (l *lists) pick(ctx context.Context, picked int) (changed bool, err error) {
	var done struct{ State, Key string }
	ask := func(press bool) error {
		return l.p.Ask(ctx, l.open, "pick", map[string]any{"picked": picked, "press": press}, &done)
	}
	if err := ask(true); err != nil || done.State != "press" {
		return done.State == "changed", err
	}
	down, up, ok := input.UserKey(done.Key, "", 0, false)
	if !ok {
		return false, errors.New("the page named another key")
	}
	_, err = cdp.Call(ctx, l.s, cdpinput.DispatchKeyEvent, down)
	if err == nil {
		_, err = cdp.Call(ctx, l.s, cdpinput.DispatchKeyEvent, up)
	}
	if err != nil {
		return false, err
	}
	return false, ask(false)
}
