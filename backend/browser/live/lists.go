package live

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
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

// closeWait is how long Escape is sent again and again: a picker ignores the key until it has
// opened, which takes long on a busy machine.
const closeWait = 10 * time.Second

// lists shows the lists of selects, and the pickers of dates, times and colours, of one page.
// The browser draws them in windows of its own. These are closed at once, and the viewer gets
// the options, or what its own picker has to begin with.
type lists struct {
	tab protocol.TabID
	p   *page.Page
	s   *devtools.Session

	pressed chan *page.Calls        // input that may have opened a list, and has been sent
	answers chan protocol.LiveInput // LivePick, LiveSet and LiveShut
	changes chan shown              // what is shown from now on

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
	// Field is the field of a picker, which has no options; nil for a list.
	Field *field `json:"field"`

	at   page.Point // where the viewport of its frame begins
	size [2]float64 // of the tab's viewport
}

// field is what the page says about a field with a picker.
type field struct{ Type, Value, Min, Max, Step string }

// shown is the list or the picker that a viewer shows; neither is set when none is open.
type shown struct {
	list   *protocol.LiveList
	picker *protocol.LivePicker
}

// is reports whether nothing has changed that a viewer sees.
func (f found) is(other found) bool {
	same := f.Label == other.Label && f.Box == other.Box && f.More == other.More && slices.Equal(f.Options, other.Options)
	return same && (f.Field == nil) == (other.Field == nil) && (f.Field == nil || *f.Field == *other.Field)
}

func newLists(tab protocol.TabID, p *page.Page, s *devtools.Session) *lists {
	return &lists{
		tab: tab, p: p, s: s,
		pressed: make(chan *page.Calls, 8), answers: make(chan protocol.LiveInput, 1), changes: make(chan shown),
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

// find looks for an open list or picker, from the page inwards to the frame that has the focus, and
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
			if err := l.escape(ctx, f); err != nil {
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

// escape closes what the browser has opened for a frame. The key reaches only that: the page gets
// no event.
func (l *lists) escape(ctx context.Context, f *page.Frame) error {
	key, _, _ := input.UserKey("Escape", "", 0, false)
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	for closed := false; !closed; {
		if _, err := cdp.Call(ctx, l.s, cdpinput.DispatchKeyEvent, key); err != nil {
			return err
		}
		if err := l.p.Ask(ctx, f, "closed", nil, &closed); err != nil {
			return err
		}
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

// show reports the list or the picker.
func (l *lists) show(ctx context.Context) {
	l.seq++
	now := l.now
	w, h := max(1, now.size[0]), max(1, now.size[1])
	x, y, width, height := (now.at.X+now.Box[0])/w, (now.at.Y+now.Box[1])/h, now.Box[2]/w, now.Box[3]/h
	if now.Field == nil {
		l.report(ctx, shown{list: &protocol.LiveList{
			Seq: l.seq, Label: now.Label, X: x, Y: y, Width: width, Height: height, Options: now.Options, More: now.More,
		}})
		return
	}
	f, ok := now.Field.checked()
	if !ok {
		l.shut(ctx)
		return
	}
	l.report(ctx, shown{picker: &protocol.LivePicker{
		Seq: l.seq, Label: now.Label, X: x, Y: y, Width: width, Height: height,
		Type: f.Type, Value: f.Value, Min: f.Min, Max: f.Max, Step: f.Step,
	}})
}

// form returns the form of the values of a picker's type; nil for another type.
func form(kind string) *regexp.Regexp {
	date, clock := `\d{4,6}-\d\d-\d\d`, `\d\d:\d\d(:\d\d(\.\d{1,3})?)?`
	forms := map[string]string{
		"date": date, "time": clock, "datetime-local": date + `[T ]` + clock,
		"month": `\d{4,6}-\d\d`, "week": `\d{4,6}-W\d\d`, "color": `#[0-9a-f]{6}`,
	}
	if forms[kind] == "" {
		return nil
	}
	return regexp.MustCompile(`^` + forms[kind] + `$`)
}

// steps is the form of a step.
var steps = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(any|\d{1,9}(\.\d{1,9})?)$`) })

// checked returns the field without what is not in the form of its type: the viewer's browser
// gets nothing else of a page. A field of another type has no picker.
func (f field) checked() (_ field, ok bool) {
	allowed := form(f.Type)
	if allowed == nil {
		return f, false
	}
	for _, value := range []*string{&f.Value, &f.Min, &f.Max} {
		if !allowed.MatchString(*value) {
			*value = ""
		}
	}
	if !steps().MatchString(f.Step) {
		f.Step = ""
	}
	return f, true
}

// shut reports that there is no list and no picker any more.
func (l *lists) shut(ctx context.Context) {
	l.open = nil
	l.report(ctx, shown{})
}

func (l *lists) report(ctx context.Context, now shown) {
	select {
	case l.changes <- now:
	case <-ctx.Done():
	}
}

// compare reports a list or a picker that the page has changed, or that is gone.
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
	switch in.Type {
	case protocol.LiveSet:
		// What the page does not take any more, it shows by what it has.
		_ = l.p.Ask(ctx, l.open, "setPicker", map[string]any{"value": in.Text}, nil)
	case protocol.LivePick:
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
