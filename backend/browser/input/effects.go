package input

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/news"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// effects follows what an action sets off, by event.
//
// How it knows that nothing more will happen without waiting a fixed time: the
// input is acknowledged when the renderer has run its handlers. From then on, or
// as soon as it has seen the last event itself (see strike), the page settles: a
// task runs there after all that is queued (two frames are drawn first when
// nothing has changed). What the
// renderer tells of navigations and windows comes on the same channel, so with
// the answer everything that it set off has been heard. Only what was heard of
// is then waited for: a document that was asked for until it is loaded, a
// window until its tab is there.
type effects struct {
	in   *Input
	p    *page.Page
	tab  protocol.TabID
	nav  *page.Navigation
	more *devtools.Subscription // dialogs, windows, errors
	root *devtools.Subscription // downloads
	// inner are the windows that a frame of another process opens; see listen.
	inner *devtools.Subscription
	tabs  []protocol.TabID

	prepared  bool
	requested bool // a document was asked for
	download  bool // it is to be saved
	stopped   bool
	window    string
	opened    bool
	drag      *input.DragData
	chooser   *cdppage.EventFileChooserOpened
	at        protocol.PageInfo // what the page said of itself when it settled
	out       protocol.Effect
}

// errDialogOpen ends a wait for something that waits for a dialog.
var errDialogOpen = errors.New("a dialog opened")

// beginEffects listens before anything is done.
func (in *Input) beginEffects(id protocol.TabID, p *page.Page, allow func(string) error) *effects {
	fx := &effects{in: in, p: p, tab: id, out: protocol.Effect{Tab: id}}
	for _, t := range in.config.Open.All() {
		fx.tabs = append(fx.tabs, t.ID)
	}
	fx.more = p.Events(
		cdppage.FrameRequestedNavigation.Method, cdppage.FrameStoppedLoading.Method,
		cdppage.WindowOpen.Method, cdppage.JavascriptDialogOpening.Method, cdppage.JavascriptDialogClosed.Method,
		cdppage.FileChooserOpened.Method, input.DragIntercepted.Method,
		runtime.ExceptionThrown.Method, runtime.ConsoleAPICalled.Method,
	)
	fx.root = p.Conn.Root.Events(browser.DownloadWillBegin.Method)
	fx.nav = p.FollowNavigation(allow)
	return fx
}

// prepare makes the browser tell what is listened for, and gives the tab the
// focus, which the end of a film may have taken back. It is done once, before
// anything is done to the page: the browser works through its commands in order.
func (fx *effects) prepare(ctx context.Context) error {
	if fx.prepared {
		return nil
	}
	fx.prepared = true
	return errors.Join(
		devtools.Post(ctx, fx.p.Session, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		fx.nav.Enable(ctx),
	)
}

// listen follows the windows of the frame that is acted on, where another
// process draws it.
func (fx *effects) listen(s *devtools.Session) {
	if s != nil && s != fx.p.Session && fx.inner == nil {
		fx.inner = s.Events(cdppage.WindowOpen.Method, cdppage.FrameRequestedNavigation.Method)
	}
}

func (fx *effects) end(ctx context.Context) {
	fx.in.config.News.KnowsEffect(ctx, &fx.out)
	if fx.inner != nil {
		fx.inner.Release()
	}
	fx.nav.End(ctx)
	fx.more.Release()
	fx.root.Release()
}

// pump takes in events until done is closed or ready, a dialog opens, or ctx
// ends. What arrived before is taken in first.
func (fx *effects) pump(ctx context.Context, done <-chan struct{}, until func() bool) error {
	_, err := fx.hear(ctx, done, nil, until)
	return err
}

// hear is pump that ends with an answer, too.
func (fx *effects) hear(ctx context.Context, done <-chan struct{}, answer <-chan devtools.Reply, until func() bool) (devtools.Reply, error) {
	var inner chan devtools.Event
	if fx.inner != nil {
		inner = fx.inner.C
	}
	for {
		if until != nil && until() {
			return devtools.Reply{}, nil
		}
		if fx.out.Dialog != nil {
			return devtools.Reply{}, errDialogOpen
		}
		select {
		case e, ok := <-fx.nav.Events.C:
			if !ok {
				return devtools.Reply{}, devtools.ErrSessionEnded
			}
			if e.Method != cdppage.JavascriptDialogOpening.Method {
				fx.nav.Event(ctx, e)
			}
		case e, ok := <-fx.more.C:
			if !ok {
				return devtools.Reply{}, devtools.ErrSessionEnded
			}
			fx.event(e)
		case e, ok := <-inner:
			if !ok {
				inner = nil // the frame went, which is an effect
				continue
			}
			fx.event(e)
		case e, ok := <-fx.root.C:
			if !ok {
				return devtools.Reply{}, devtools.ErrPipeEnded
			}
			if v, ok := devtools.Decode(e, browser.DownloadWillBegin); ok && fx.mine(v.FrameID) {
				fx.out.Downloads = append(fx.out.Downloads, v.SuggestedFilename)
			}
		case r := <-answer:
			return r, nil
		case <-done:
			return devtools.Reply{}, nil
		case <-ctx.Done():
			return devtools.Reply{}, context.Cause(ctx)
		}
	}
}

// await waits for the answer to a question and takes in events meanwhile.
func (fx *effects) await(ctx context.Context, q *page.Calls, i int, into any) error {
	r, err := fx.hear(ctx, nil, q.Reply(i), nil)
	if err != nil {
		q.Forget(i)
		return err
	}
	return q.Read(i, r, into)
}

// drain takes in what has arrived already.
func (fx *effects) drain(ctx context.Context) error {
	return fx.pump(ctx, nil, func() bool {
		left := len(fx.nav.Events.C) + len(fx.more.C) + len(fx.root.C)
		if fx.inner != nil {
			left += len(fx.inner.C)
		}
		return left == 0
	})
}

func (fx *effects) mine(id cdp.FrameID) bool {
	return fx.p.Frames.Has(id)
}

const errorsKept = 5

func (fx *effects) event(e devtools.Event) {
	main := cdp.FrameID(fx.p.Target)
	switch e.Method {
	case cdppage.FrameRequestedNavigation.Method:
		v, ok := devtools.Decode(e, cdppage.FrameRequestedNavigation)
		if !ok {
			return
		}
		switch {
		case v.Disposition == cdppage.ClientNavigationDispositionDownload:
			fx.download = true
		case v.FrameID == main && v.Disposition == cdppage.ClientNavigationDispositionCurrentTab && loads(v.URL):
			fx.requested = true
		case v.Disposition != cdppage.ClientNavigationDispositionCurrentTab && fx.window == "" && loads(v.URL):
			// A link that is opened with Control or the middle button says no more.
			fx.opened, fx.window = true, v.URL
		}
	case cdppage.FrameStoppedLoading.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameStoppedLoading); ok && v.FrameID == main {
			fx.stopped = true
		}
	case cdppage.WindowOpen.Method:
		if v, ok := devtools.Decode(e, cdppage.WindowOpen); ok {
			fx.opened, fx.window = true, v.URL
		}
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
			fx.out.Dialog = &protocol.DialogInfo{Type: string(v.Type), Message: v.Message, Default: v.DefaultPrompt, Answered: fx.in.config.DialogPolicy(fx.tab)}
		}
	case cdppage.JavascriptDialogClosed.Method:
		fx.out.Dialog = nil
	case cdppage.FileChooserOpened.Method:
		if v, ok := devtools.Decode(e, cdppage.FileChooserOpened); ok {
			fx.chooser = &v
		}
	case input.DragIntercepted.Method:
		if v, ok := devtools.Decode(e, input.DragIntercepted); ok {
			fx.drag = v.Data
		}
	case runtime.ExceptionThrown.Method, runtime.ConsoleAPICalled.Method:
		if text, _, ok := news.FaultOf(e); ok && len(fx.out.Errors) < errorsKept {
			fx.out.Errors = append(fx.out.Errors, text)
		}
	}
}

// loads says whether an address leads to a document in this tab.
func loads(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	return slices.Contains([]string{"http", "https", "file", "about", "blob", "data"}, u.Scheme)
}

// call waits for a command's answer and takes in events meanwhile.
func (fx *effects) call(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = f(ctx)
	}()
	// On every way out the command has ended before this returns.
	defer func() { cancel(); <-done }()
	if err := fx.pump(ctx, done, nil); err != nil {
		return err
	}
	return err
}

// send writes messages one behind the other and waits for their answers.
func (fx *effects) send(ctx context.Context, s *devtools.Session, messages ...message) error {
	if err := fx.prepare(ctx); err != nil {
		return err
	}
	q := page.NewCalls(s)
	for _, m := range messages {
		if err := q.Send(ctx, m.method, m.params); err != nil {
			return err
		}
	}
	return fx.acknowledged(ctx, q)
}

// acknowledged waits until every message was carried out.
func (fx *effects) acknowledged(ctx context.Context, q *page.Calls) error {
	for i := range q.Len() {
		if err := fx.await(ctx, q, i, nil); err != nil {
			return err
		}
	}
	return nil
}

// message is a command that is sent without its type.
type message struct {
	method string
	params any
}

// settled is what world.js answers with after the input.
type settled struct {
	Change *struct {
		Appeared []string `json:"appeared"`
		Gone     []string `json:"gone"`
		Changed  []string `json:"changed"`
		Focus    string   `json:"focus"`
		URL      string   `json:"url"`
		Said     []string `json:"said"`
		More     int      `json:"more"`
		Any      bool     `json:"any"`
	} `json:"change"`
	Guard *struct {
		OK  *bool  `json:"ok"`
		Met string `json:"met"`
		// Late is how many milliseconds after it was aimed the press came.
		Late float64 `json:"late"`
	} `json:"guard"`
	Value *struct {
		Value   string `json:"value"`
		Matches bool   `json:"matches"`
	} `json:"value"`
	Checked string `json:"checked"`
	// URL and Title are the document's own.
	URL   string `json:"url"`
	Title string `json:"title"`
}

// settle asks a frame what came of the action. A document that went away has
// nothing more to say.
func (fx *effects) settle(ctx context.Context, f *page.Frame, args map[string]any) (settled, error) {
	var s settled
	if args == nil {
		args = map[string]any{}
	}
	err := fx.call(ctx, func(ctx context.Context) error { return fx.p.Ask(ctx, f, "settle", args, &s) })
	return s, fx.learn(f, s, err)
}

// learn takes in what a frame said of the action.
func (fx *effects) learn(f *page.Frame, s settled, err error) error {
	if errors.Is(err, page.ErrReplaced) || errors.Is(err, page.ErrNoFrame) {
		err = nil
	}
	if f.Number == 0 && err == nil {
		fx.at = protocol.PageInfo{URL: s.URL, Title: s.Title}
	}
	if c := s.Change; c != nil {
		fx.out.Appeared = append(fx.out.Appeared, c.Appeared...)
		fx.out.Gone = append(fx.out.Gone, c.Gone...)
		fx.out.Changed = append(fx.out.Changed, c.Changed...)
		fx.out.Said = append(fx.out.Said, c.Said...)
		fx.out.More += c.More
		if c.Focus != "" {
			fx.out.Focus = c.Focus
		}
		fx.out.Within = fx.out.Within || c.URL != "" && f.Number == 0
		fx.out.Nothing = !c.Any
	}
	return err
}
