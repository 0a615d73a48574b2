package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"golang.org/x/sync/errgroup"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/downloads"
	"pilotfish/backend/browser/gate"
	"pilotfish/backend/browser/httpauth"
	"pilotfish/backend/browser/overrides"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// run is one run of the browser process, from launch to end.
type run struct {
	b    *Browser
	log  *slog.Logger
	proc *chromium.Process // nil: somebody else started it
	pipe devtools.Transport
	conn *devtools.Conn

	ours    ours                 // what is taken away when we leave a browser of the user
	profile cdp.BrowserContextID // of a browser of the user; empty: every tab counts

	gates       *gate.Gates
	workers     chan *devtools.Session // the newest session of our worker
	ask         chan struct{}          // signals that the worker should be asked about a tab
	panelWanted atomic.Bool
	panelPaired atomic.Bool // a panel was paired before a worker ran
	taskPage    taskPage
	beside      beside // has the task page of a browser elsewhere
	clickable   bool   // a click on the toolbar icon opens the panel before the worker has run
	ready       atomic.Bool
	silent      atomic.Bool   // it has not answered in time
	back        atomic.Bool   // the tabs of the run before are back
	tabbed      chan struct{} // closed once Events has received a first tab

	mu      sync.Mutex
	session *devtools.Session // of the worker, while it reports
	pages   map[target.ID]*page.Page
	last    []protocol.Tab // the tabs as last reported
	before  []protocol.Tab // the tabs before those were closed that closed last
	closed  time.Time      // when a tab was last closed

	dialogs *page.Dialogs // of all tabs
	watches *watch.Tabs   // tabs with an active watch or an override
	files   *downloads.List
	logins  *httpauth.Handler // nil: the browser asks

	data siteData // of the browser of an engine
}

// newRun returns a run of a process, nil for a browser that somebody else started. saves: the
// browser may name the files of downloads, except of those that commands cause.
func newRun(b *Browser, pipe devtools.Transport, p *chromium.Process, clickable, saves bool) *run {
	r := &run{
		b:         b,
		log:       b.log,
		proc:      p,
		pipe:      pipe,
		clickable: clickable,
		workers:   make(chan *devtools.Session, 1),
		ask:       make(chan struct{}, 1),
		tabbed:    make(chan struct{}),
		pages:     make(map[target.ID]*page.Page),
		dialogs:   page.NewDialogs(),
	}
	r.beside.connected, r.beside.cut = context.WithCancel(context.Background())
	r.conn = devtools.New(pipe, b.log, b.panels.GiveBackAfter)
	r.gates = gate.NewGates(r.conn, b.log, b.config.Lookup)
	r.files = downloads.NewList(downloads.Config{
		Conn: r.conn, Open: b.tabs, Dir: b.config.DownloadDir, Shared: saves, Elsewhere: b.config.otherMachine(), Context: b.config.In != nil, Events: b.config.Events, Log: b.log,
		Begins: func(frame cdp.FrameID, address, name string, stop func()) {
			r.gates.Begins(frame, r.shows(frame), address, name, stop)
		},
	})
	r.watches = watch.New(watch.Config{
		Conn: r.conn, Tabs: b.tabs, Log: b.log,
		Target: func(ctx context.Context, id protocol.TabID, f func(tabs.Entry) error) error {
			return b.onTarget(ctx, r, id, f)
		},
		Explain: func(ctx context.Context, id protocol.TabID, err error) error { return b.explain(ctx, id, nil, err) },
	})
	if b.config.Logins != nil {
		r.logins = httpauth.New(httpauth.Config{
			Conn: r.conn, Answers: b.config.Logins, Logger: b.log,
			Shown: func(frame cdp.FrameID) (target.ID, protocol.TabID) {
				shown := r.shows(frame)
				t, _ := b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == shown })
				return shown, t.ID
			},
		})
	}
	r.panelWanted.Store(b.config.ExtensionDir != "")
	return r
}

// attached reports whether the browser is the user's own.
func (r *run) attached() bool { return r.b.config.Attach.Dir != "" }

// serve runs all goroutines of one run and returns why it ended.
func (r *run) serve(ctx context.Context) error {
	// The goroutines below end with the pipe or with ctx, whichever ends first. In a browser
	// of the user they end later than ctx: they report what leave waits for.
	inner, cancel := context.WithCancel(ctx)
	if r.attached() {
		cancel()
		inner, cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	defer cancel()
	var g errgroup.Group
	events := r.conn.Root.Events(
		target.TargetCreated.Method, target.TargetInfoChanged.Method,
		target.TargetDestroyed.Method, target.TargetCrashed.Method,
	)
	r.conn.Root.Follow(func(e devtools.Event) {
		r.crash(e)
		r.files.Begin(e)
	})
	g.Go(func() error { defer cancel(); return r.conn.Serve(context.WithoutCancel(ctx)) })
	g.Go(func() error { return r.watchTargets(inner, events) })
	g.Go(func() error { return r.holdNewPages(inner) })
	g.Go(func() error { return r.settleTabs(inner) })
	saved := r.conn.Root.Events(browser.DownloadProgress.Method)
	g.Go(func() error { r.files.Follow(inner, saved); return nil })
	g.Go(func() error { return r.publishTabs(inner) })
	if r.logins != nil {
		if err := r.logins.Begin(inner); err != nil {
			r.log.WarnContext(ctx, "logins are left to the browser", "error", err)
		}
		g.Go(func() error { r.logins.Run(inner); return nil })
	}
	if r.b.config.ExtensionDir != "" {
		g.Go(func() error { extension{r}.watchWorkers(inner); return nil })
		g.Go(func() error { extension{r}.supervise(inner); return nil })
	}
	if r.b.config.Geolocation != nil {
		g.Go(func() error { overrides.FollowGeolocation(inner, r.conn, *r.b.config.Geolocation, r.log); return nil })
	}
	// These commands are written before the browser reads its pipe for the first
	// time, so that its first read finds all of them.
	g.Go(func() error {
		err := r.greet(inner)
		r.failStart(err)
		if err == nil && r.b.config.given() {
			r.keepData(inner)
		}
		return err
	})

	select {
	case <-inner.Done():
	case <-ctx.Done():
	}
	stopped := ctx.Err() != nil
	r.beside.ends() // at once: its tasks cannot go on
	if stopped && r.proc == nil && r.b.config.In == nil {
		r.leave(context.WithoutCancel(ctx))
	}
	cancel() // else the extension would be put back
	r.stop(context.WithoutCancel(ctx), stopped)
	r.conn.Fail(devtools.ErrPipeEnded)
	_ = r.pipe.Close()
	err := g.Wait()
	r.watches.Wait()
	return r.verdict(stopped, err)
}

// failStart stops a browser that did not answer, with the error of greet.
func (r *run) failStart(err error) {
	if !r.ready.Load() {
		r.silent.Store(errors.Is(err, context.DeadlineExceeded))
		_ = r.pipe.Close()
	}
}

// greet sends the first commands: it turns on target discovery and asks for the
// browser's version.
func (r *run) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, protocol.BrowserStartTimeout)
	defer cancel()
	root := r.conn.Root
	if r.attached() {
		if err := r.learnProfile(ctx); err != nil {
			return fmt.Errorf("asking for the browser's profile: %w", err)
		}
		r.closeLeft(ctx)
	}
	if r.b.config.given() {
		if err := r.firstPage(ctx); err != nil {
			return fmt.Errorf("opening a first page: %w", err)
		}
	}
	filter := target.Filter{{Type: "tab"}, {Type: "page"}, {Type: "other"}, {Exclude: true}}
	if err := devtools.Post(ctx, root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true, Filter: filter}); err != nil {
		return err
	}
	r.files.Begun()
	v, err := cdp.Call(ctx, root, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("waiting for the browser: %w", err)
	}
	r.ready.Store(true)
	r.b.mu.Lock()
	crashed, again := r.b.crashed, chromium.Restorable(r.b.restore)
	r.b.mu.Unlock()
	if crashed {
		if r.b.config.given() {
			if err := r.bringData(ctx); err != nil {
				r.log.WarnContext(ctx, "not all that the lost browser had stored is there", "error", err)
			}
		}
		r.comeBack(ctx)
	}
	if r.b.config.Headless {
		if !crashed && len(again) > 0 {
			r.openRestored(ctx, again[1:])
		}
		// A command without a tab means the tab in front. It must not run before
		// that tab is in front.
		if err := r.activateRestored(ctx); err != nil {
			return err
		}
	}
	r.back.Store(!r.conn.Ended()) // else some may be missing
	r.b.mu.Lock()
	_, version, _ := strings.Cut(v.Product, "/")
	r.b.info.Version = version
	info := r.b.info
	r.b.mu.Unlock()
	r.log.InfoContext(ctx, "browser ready", "name", info.Name, "version", info.Version, "browser_pid", info.PID)
	r.b.config.Events.Report(info)
	if r.b.config.Headless {
		return nil
	}
	return r.activateRestored(ctx)
}

// FirstTab returns when Events has received the first tab of this start,
// or when ctx or the browser ends. Chromium answers on its pipe before its first
// page exists.
func (b *Browser) FirstTab(ctx context.Context) error {
	r, err := b.running()
	if err != nil {
		return err
	}
	return r.firstTab(ctx)
}

func (r *run) firstTab(ctx context.Context) error {
	select {
	case <-r.tabbed:
		return nil
	case <-r.conn.Done:
		return protocol.NewError(protocol.CodeNotRunning, "the browser ended", "start the session")
	case <-ctx.Done():
		return fmt.Errorf("waiting for the first tab: %w", ctx.Err())
	}
}

// openRestored opens the tabs that the browser did not restore by itself, in
// order. It returns when the registry knows all of them and their pages have begun to load,
// so that no command runs in between.
func (r *run) openRestored(ctx context.Context, known []tabs.RestoreTab) {
	if len(known) == 0 || r.firstTab(ctx) != nil {
		return
	}
	background := true
	loading, cancel := context.WithTimeout(ctx, comeBackPatience)
	defer cancel()
	var loads sync.WaitGroup
	defer loads.Wait()
	for _, old := range known {
		r.b.tabs.Expects(old.ID)
		res, err := cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: old.URL, Background: &background})
		if err == nil {
			err = r.b.tabs.Await(ctx, func() bool {
				_, ok := r.b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == res.TargetID })
				return ok
			})
		}
		if err != nil {
			r.log.WarnContext(ctx, "a tab was not opened again", "tab", old.ID, "error", err)
			continue
		}
		loads.Go(func() { r.begun(loading, old, res.TargetID) })
	}
	r.b.tabs.Expects("")
}

// begun waits until the page of a tab that was opened again has begun to load.
func (r *run) begun(ctx context.Context, old tabs.RestoreTab, page target.ID) {
	s, err := r.conn.Attach(ctx, page)
	if err == nil {
		f := restoredTab{session: s, front: true, url: old.URL}
		err = f.load(ctx, old.URL)
		_ = devtools.Post(context.WithoutCancel(ctx), r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	}
	if err != nil {
		r.log.InfoContext(ctx, "a tab that was opened again is still loading", "tab", old.ID, "error", err)
	}
}

// activateRestored brings the tab to the front that was in front before. Chromium
// shows the first tab of its command line, and after a crash the tab that was in
// front 2.5 s before the crash.
func (r *run) activateRestored(ctx context.Context) error {
	r.b.mu.Lock()
	restore, crashed := r.b.restore, r.b.crashed
	r.b.mu.Unlock()
	for i, old := range restore {
		if !old.Active || i == 0 && !crashed {
			continue
		}
		if err := r.b.tabs.Await(ctx, func() bool { _, ok := r.b.tabs.Lookup(old.ID); return ok }); err != nil {
			return nil //nolint:nilerr // its page did not come back: the first stays in front
		}
		if err := r.b.ActivateTab(ctx, old.ID); err != nil {
			r.log.WarnContext(ctx, "the restored tab is not in front", "error", err)
		}
	}
	return nil
}

// stop ends the process. It lets the browser close normally if it is still
// running; proc's stop ladder ends whatever is left.
func (r *run) stop(ctx context.Context, asked bool) {
	if r.proc == nil {
		switch l, lent := r.pipe.(given); {
		case !asked:
		case lent:
			l.End(ctx)
		default:
			r.unload(ctx)
		}
		return
	}
	if asked {
		ctx, cancel := context.WithTimeout(ctx, browserStopTimeout)
		if r.conn.Root.Post(ctx, browser.Close.Method, nil) == nil {
			select {
			case <-r.proc.Exited():
			case <-ctx.Done():
			}
		}
		cancel()
	} else {
		// The pipe ended. When the user closed the browser, the process exits by
		// itself.
		select {
		case <-r.proc.Exited():
		case <-time.After(browserStopTimeout):
		}
	}
	if err := r.proc.Stop("the session ended"); err != nil {
		r.log.Error("the browser was not ended", "error", err)
	}
}

// verdict turns the way a run ended into the error that Run returns.
func (r *run) verdict(stopped bool, cause error) error {
	switch {
	case stopped:
		return nil
	case r.b.config.given():
		return r.cut(cause)
	case r.attached():
		r.log.Info("the user's browser has ended, or its connection", "cause", cause)
		return ErrClosed
	}
	exit := r.proc.Exit()
	switch {
	case !r.ready.Load():
		return r.startError(exit)
	case exit.Code == 0 && exit.Signal == "":
		return ErrClosed
	}
	how := fmt.Sprintf("the browser ended with code %d", exit.Code)
	if exit.Signal != "" {
		how = "the browser was ended by " + exit.Signal
	}
	r.log.Error("the browser ended by itself", "code", exit.Code, "signal", exit.Signal, "cause", cause, "stderr", r.proc.Said())
	return protocol.NewError(protocol.CodeCrashed, how, "its tabs come back with the next start")
}

// startError returns why a browser ended before it answered.
func (r *run) startError(exit protocol.Exit) error {
	last := r.proc.Said()
	switch {
	case strings.Contains(last, "Missing X server") || strings.Contains(last, "cannot open display") || strings.Contains(last, "Unable to open X display"):
		return protocol.NewError(protocol.CodeNoDisplay, "the browser cannot open the display", "start Pilotfish from a desktop, or run `pilotfish serve --headless`")
	case strings.Contains(last, "no-sandbox") || strings.Contains(last, "No usable sandbox"):
		return chromium.SandboxError()
	case strings.Contains(last, "ProcessSingleton") || strings.Contains(last, "profile appears to be in use"):
		return protocol.NewError(protocol.CodeProfileInUse, "another browser uses the profile "+r.b.config.ProfileDir, "close that browser, or choose another profile folder in Settings")
	case exit.Code == 0 && exit.Signal == "":
		// Chromium passed its pages to another instance on the same profile and
		// exited.
		if err := chromium.CheckProfile(r.b.config.ProfileDir); err != nil {
			return err
		}
	}
	how := fmt.Sprintf("the browser ended while it started (code %d)", exit.Code)
	if exit.Signal != "" {
		how = "the browser was ended by " + exit.Signal + " while it started"
	}
	if last != "" {
		how += ". It said:\n" + last
	}
	return protocol.NewError(protocol.CodeBrowserStart, how, "`pilotfish doctor` checks the installation")
}

// shows returns the target whose page has a frame; "" for none that is known.
func (r *run) shows(frame cdp.FrameID) target.ID {
	if t, ok := r.b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == target.ID(frame) }); ok {
		return t.Target
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, p := range r.pages {
		if p.IsOpen() && p.Frames.Has(frame) { // the frames of another one are not known
			return id
		}
	}
	return ""
}

// crash records that a tab crashed. The connection's reader calls it, in the
// order of events: a later call could mark a tab as crashed for good that has
// already recovered.
func (r *run) crash(e devtools.Event) {
	if e.Method != target.TargetCrashed.Method {
		return
	}
	if v, ok := devtools.Decode(e, target.TargetCrashed); ok {
		r.b.tabs.Crashed(v.TargetID, true)
		r.taskPage.crashed(v.TargetID)
	}
}

func (r *run) worker() *devtools.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

func (r *run) setWorker(s *devtools.Session) {
	r.mu.Lock()
	r.session = s
	r.mu.Unlock()
	r.b.tabs.Touch() // wakes everything that waits for the worker
}

// errEventsLost ends a run whose event reader fell too far behind. A restart is
// better than a list of tabs that may be wrong.
var errEventsLost = errors.New("events of the browser were lost")
