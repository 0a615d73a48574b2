package input

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/background"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// droppedWait is how long the browser itself may take to answer while a page shows a
// dialog.
const droppedWait = 5 * time.Second

// windowWait is how long to wait for an announced window or download to begin.
const windowWait = 3 * time.Second

// effects follows, by events, what an action causes.
//
// It knows without waiting for a fixed time that nothing more will happen. The
// browser acknowledges the input when the renderer has run its handlers. From then
// on, or as soon as the page has received the last event (see dispatch), the page settles: a task runs in the page after all queued tasks. If
// nothing has changed, two frames are drawn first. The renderer reports navigations
// and windows on the same channel, so when the answer arrives, all events that the
// input caused have been received. It then waits only for what these events
// announced: for a requested document until it is loaded, for a window until its tab
// exists.
type effects struct {
	config *Config
	p      *page.Page
	by     protocol.Caller
	tab    protocol.TabID
	// Nav is the navigation that the action may start.
	Nav  *page.Navigation
	more *devtools.Subscription // dialogs, windows, errors
	root *devtools.Subscription // downloads
	// inner receives the window events of a frame that another process renders; see
	// Listen.
	inner *devtools.Subscription
	// loads are the tabs that were open, and how many documents each had begun to load.
	loads map[protocol.TabID]int

	// in is the frame that was acted on, and frames are the addresses that frames load.
	in        *page.Frame
	frames    map[cdp.FrameID]string
	lost      bool // the frame did not answer, because it is gone or went to another process
	prepared  bool
	requested bool // a document was requested
	download  bool // what a link leads to will be saved as a file
	stopped   bool
	windows   []string          // the addresses of windows that were opened
	at        protocol.PageInfo // the page's address and title when it settled
	leaving   page.Leaving
	// Acted: something was done to the page, so that it may have closed itself because of
	// that.
	Acted bool

	// Drag is the data of a native drag in the page; nil for none.
	Drag *input.DragData
	// Chooser is a file chooser that opened; nil for none.
	Chooser *cdppage.EventFileChooserOpened
	// Out is the effect that the caller receives.
	Out protocol.Effect
}

// errDialogOpen is returned when a wait ends because a dialog opened.
var errDialogOpen = errors.New("a dialog opened")

// beginEffects subscribes to the events. Call it before the action.
func beginEffects(config *Config, by protocol.Caller, id protocol.TabID, p *page.Page, allow func(string) error) *effects {
	fx := &effects{config: config, p: p, by: by, tab: id, loads: map[protocol.TabID]int{}, frames: map[cdp.FrameID]string{}, Out: protocol.Effect{Tab: id}}
	for _, t := range config.Open.All() {
		known, _ := config.Open.Lookup(t.ID)
		fx.loads[t.ID] = known.Loads
	}
	fx.more = p.Events(
		cdppage.FrameRequestedNavigation.Method, cdppage.FrameStoppedLoading.Method,
		cdppage.WindowOpen.Method, cdppage.JavascriptDialogOpening.Method, cdppage.JavascriptDialogClosed.Method,
		cdppage.FileChooserOpened.Method, input.DragIntercepted.Method,
		runtime.ExceptionThrown.Method, runtime.ConsoleAPICalled.Method,
	)
	fx.root = p.Conn.Root.Events(browser.DownloadWillBegin.Method)
	fx.Nav = p.FollowNavigation(allow)
	return fx
}

// Prepare enables the events and gives the tab the focus, which the end of a video
// recording may have removed. It runs once, before anything is done to the page: the
// browser executes its commands in order.
func (fx *effects) Prepare(ctx context.Context) error {
	if fx.prepared {
		return nil
	}
	fx.prepared = true
	return errors.Join(
		devtools.Post(ctx, fx.p.Session, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		fx.Nav.Enable(ctx),
	)
}

// Listen also subscribes to the events of windows and file choosers of the frame that is acted on, where
// another process renders it.
func (fx *effects) Listen(s *devtools.Session) {
	if s != nil && s != fx.p.Session && fx.inner == nil {
		fx.inner = s.Events(cdppage.WindowOpen.Method, cdppage.FrameRequestedNavigation.Method, cdppage.FileChooserOpened.Method)
	}
}

// End unsubscribes, and records what the caller now knows.
func (fx *effects) End(ctx context.Context) {
	fx.config.Background.KnowsEffect(fx.by, &fx.Out)
	if fx.inner != nil {
		fx.inner.Release()
	}
	fx.Nav.End(ctx)
	fx.more.Release()
	fx.root.Release()
}

// Pump processes events until done is closed, until returns true, a dialog opens, or
// ctx ends. Events that arrived earlier are processed first.
func (fx *effects) Pump(ctx context.Context, done <-chan struct{}, until func() bool) error {
	_, err := fx.hear(ctx, done, nil, until)
	return err
}

// hear is Pump that also ends with an answer.
func (fx *effects) hear(ctx context.Context, done <-chan struct{}, answer <-chan devtools.Reply, until func() bool) (devtools.Reply, error) {
	var inner chan devtools.Event
	if fx.inner != nil {
		inner = fx.inner.C
	}
	for {
		if until != nil && until() {
			return devtools.Reply{}, nil
		}
		if d := page.Interrupted(ctx); d != nil && !fx.Asked() {
			fx.Out.Dialog = &d.DialogInfo
		}
		if fx.Asked() {
			fx.earlier(ctx)
			return devtools.Reply{}, errDialogOpen
		}
		select {
		case e, ok := <-fx.Nav.Events.C:
			if !ok {
				return devtools.Reply{}, devtools.ErrSessionEnded
			}
			fx.navigated(ctx, e)
		case e, ok := <-fx.more.C:
			if !ok {
				return devtools.Reply{}, devtools.ErrSessionEnded
			}
			fx.event(e)
		case e, ok := <-inner:
			if !ok {
				inner = nil // the frame is gone, which is an effect
				continue
			}
			fx.event(e)
		case e, ok := <-fx.root.C:
			if !ok {
				return devtools.Reply{}, devtools.ErrPipeEnded
			}
			if v, ok := devtools.Decode(e, browser.DownloadWillBegin); ok && fx.mine(v.FrameID) {
				fx.Out.Downloads = append(fx.Out.Downloads, fx.config.Downloads.FileName(v.GUID))
			}
		case r := <-answer:
			return r, nil
		case <-done:
			return devtools.Reply{}, nil
		case <-ctx.Done():
			if page.Interrupted(ctx) != nil {
				continue
			}
			return devtools.Reply{}, context.Cause(ctx)
		}
	}
}

// Asked reports whether the page shows a dialog that waits for an answer.
func (fx *effects) Asked() bool { return fx.Out.Dialog != nil && fx.Out.Dialog.Answered == "" }

// earlier processes what is known of the navigation that led to a page with a dialog.
func (fx *effects) earlier(ctx context.Context) {
	for len(fx.Nav.Events.C) > 0 {
		e, ok := <-fx.Nav.Events.C
		if !ok {
			return
		}
		fx.navigated(ctx, e)
	}
}

// navigated applies an event of the navigation. Its questions whether to leave are
// reported, and not answered.
func (fx *effects) navigated(ctx context.Context, e devtools.Event) {
	if e.Method != cdppage.JavascriptDialogOpening.Method {
		fx.Nav.Event(ctx, e)
	}
}

// Await waits for the answer to call i and processes events meanwhile.
func (fx *effects) Await(ctx context.Context, q *page.Calls, i int, into any) error {
	r, err := fx.hear(ctx, nil, q.Reply(i), nil)
	if err != nil {
		q.Forget(i)
		return err
	}
	return q.Read(i, r, into)
}

// Drain processes the events that have already arrived.
func (fx *effects) Drain(ctx context.Context) error {
	return fx.Pump(ctx, nil, func() bool {
		left := len(fx.Nav.Events.C) + len(fx.more.C) + len(fx.root.C)
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
		case v.FrameID != main && v.Disposition == cdppage.ClientNavigationDispositionCurrentTab && loads(v.URL):
			fx.frames[v.FrameID] = v.URL
		case v.Disposition != cdppage.ClientNavigationDispositionCurrentTab && len(fx.windows) == 0 && loads(v.URL):
			// For a link opened with Control or the middle button, this is the only
			// event.
			fx.windows = append(fx.windows, v.URL)
		}
	case cdppage.FrameStoppedLoading.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameStoppedLoading); ok && v.FrameID == main {
			fx.stopped = true
		}
	case cdppage.WindowOpen.Method:
		if v, ok := devtools.Decode(e, cdppage.WindowOpen); ok {
			fx.windows = append(fx.windows, v.URL)
		}
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
			d := page.InfoOf(v)
			d.Tab, d.Answered = fx.tab, fx.config.Observer.DialogPolicy(fx.tab)
			fx.Out.Dialog = &d
		}
	case cdppage.JavascriptDialogClosed.Method:
		if fx.Asked() {
			fx.Out.Dialog = nil
		}
	case cdppage.FileChooserOpened.Method:
		if v, ok := devtools.Decode(e, cdppage.FileChooserOpened); ok {
			fx.Chooser = &v
		}
	case input.DragIntercepted.Method:
		if v, ok := devtools.Decode(e, input.DragIntercepted); ok {
			fx.Drag = v.Data
		}
	case runtime.ExceptionThrown.Method, runtime.ConsoleAPICalled.Method:
		if text, _, ok := background.FaultOf(e); ok && len(fx.Out.Errors) < errorsKept {
			fx.Out.Errors = append(fx.Out.Errors, text)
		}
	}
}

// loads reports whether an address leads to a document in this tab.
func loads(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	return slices.Contains([]string{"http", "https", "file", "about", "blob", "data"}, u.Scheme)
}

// Call waits for f to return and processes events meanwhile.
func (fx *effects) Call(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = f(ctx)
	}()
	// On every path, f has returned before Call returns.
	defer func() { cancel(); <-done }()
	if err := fx.Pump(ctx, done, nil); err != nil {
		return err
	}
	return err
}

// Send sends messages without waiting in between, and then waits for their answers.
func (fx *effects) Send(ctx context.Context, s *devtools.Session, messages ...message) error {
	if err := fx.Prepare(ctx); err != nil {
		return err
	}
	fx.Acted = true
	q := page.NewCalls(s)
	for _, m := range messages {
		if err := q.Send(ctx, m.Method, m.Params); err != nil {
			return err
		}
	}
	return fx.Acknowledged(ctx, q)
}

// Acknowledged waits until every message was carried out.
func (fx *effects) Acknowledged(ctx context.Context, q *page.Calls) error {
	for i := range q.Len() {
		if err := fx.Await(ctx, q, i, nil); err != nil {
			if fx.p.OpenDialog() != nil {
				fx.repeatDropped(context.WithoutCancel(ctx), q, i+1)
			}
			return err
		}
	}
	return nil
}

// repeatDropped sends the messages from the index from on once more, when the dialog is
// answered that the message before them has opened, if Chromium dropped them. It drops
// input that it reads while a dialog is open, and acknowledges it at once. Input that it
// read before waits for the page, without an acknowledgement.
func (fx *effects) repeatDropped(ctx context.Context, q *page.Calls, from int) {
	opened := fx.p.OpenDialog()
	limit, cancel := context.WithTimeout(ctx, droppedWait)
	defer cancel()
	// Chromium reads its pipe in order: it has read all of the messages before it answers.
	_, err := cdp.Call(limit, fx.p.Conn.Root, browser.GetVersion, cdp.Empty{})
	var dropped []int
	for i := from; i < q.Len(); i++ {
		if q.Answered(i) {
			dropped = append(dropped, i)
		}
	}
	if err != nil || fx.p.OpenDialog() != opened || len(dropped) == 0 {
		return
	}
	fx.p.AfterDialog(func() {
		for _, i := range dropped {
			_ = q.Again(ctx, i) // a page that has ended needs no input
		}
	})
}

// settled is the answer of world.js after the input.
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
		Saves    bool     `json:"saves"`
	} `json:"change"`
	Guard *struct {
		OK  *bool  `json:"ok"`
		Met string `json:"met"`
		// Opaque: the target keeps its events to itself, so no event means a hit.
		Opaque bool `json:"opaque"`
		// Late is the time in milliseconds from aiming until the press arrived.
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
	// Leaving is about the tab, Opener only as the page itself knows it.
	page.Leaving
}

// Settle requests the effect of the action from a frame. A document that is gone
// yields no further effect and no error.
func (fx *effects) Settle(ctx context.Context, f *page.Frame, args map[string]any) (settled, error) {
	var s settled
	if args == nil {
		args = map[string]any{}
	}
	err := fx.Call(ctx, func(ctx context.Context) error { return fx.p.Ask(ctx, f, "settle", args, &s) })
	return s, fx.Learn(f, s, err)
}

// Learn adds a frame's answer to the effect.
func (fx *effects) Learn(f *page.Frame, s settled, err error) error {
	if f.Number != 0 && (fx.in == nil || fx.in == f) { // the documents around it are asked after it
		fx.in, fx.lost = f, errors.Is(err, page.ErrNoFrame)
	}
	if errors.Is(err, page.ErrReplaced) || errors.Is(err, page.ErrNoFrame) {
		err = nil
	}
	if f.Number == 0 && err == nil {
		fx.at = protocol.PageInfo{URL: s.URL, Title: s.Title}
	}
	fx.leaving.Closing = fx.leaving.Closing || s.Closing
	fx.leaving.Opener = fx.leaving.Opener || s.Opener
	if c := s.Change; c != nil {
		fx.Out.Appeared = append(fx.Out.Appeared, c.Appeared...)
		fx.Out.Gone = append(fx.Out.Gone, c.Gone...)
		fx.Out.Changed = append(fx.Out.Changed, c.Changed...)
		fx.Out.Said = append(fx.Out.Said, c.Said...)
		fx.Out.More += c.More
		if c.Focus != "" {
			fx.Out.Focus = c.Focus
		}
		fx.Out.Within = fx.Out.Within || c.URL != "" && f.Number == 0
		fx.Out.Nothing = !c.Any
		fx.download = fx.download || c.Saves
	}
	return err
}
