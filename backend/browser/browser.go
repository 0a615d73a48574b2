package browser

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/browser/attach"
	"pilotfish/backend/browser/background"
	"pilotfish/backend/browser/capture"
	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/details"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/downloads"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/gate"
	"pilotfish/backend/browser/history"
	"pilotfish/backend/browser/httpauth"
	"pilotfish/backend/browser/input"
	"pilotfish/backend/browser/inspect"
	"pilotfish/backend/browser/live"
	"pilotfish/backend/browser/measure"
	"pilotfish/backend/browser/observe"
	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/overrides"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/pick"
	"pilotfish/backend/browser/recording"
	"pilotfish/backend/browser/sitedata"
	"pilotfish/backend/browser/snapshot"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/wait"
	"pilotfish/backend/engine"
	"pilotfish/backend/hub"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// ErrClosed is returned by Run when the user closed the browser: the browser
// process exited normally, and Run's context had not ended.
var ErrClosed = errors.New("the browser was closed")

// Config configures a Browser.
type Config struct {
	// Path is the browser's executable; empty means the preferred browser of this
	// machine.
	Path string
	// Attach is the browser of the user that Run attaches to, with the user's consent,
	// instead of launching one; the zero value launches one. Then Path, ProfileDir and
	// everything else that a browser is started with have no meaning, no tab is restored, and
	// nothing is changed for the whole browser.
	Attach attach.Browser
	// Remote is the engine elsewhere that gives the browser; the zero value launches one.
	// Then what a browser is started with is for the one in which tasks run, and there is no
	// other extension. Files of downloads are copied into DownloadDir.
	Remote engine.Engine
	// In is the browser of the session InName, in which Run makes a browser context instead of
	// launching one. Then what a browser is started with is for the one in which tasks run, and
	// nothing is stored when Run has returned.
	In     *Browser
	InName protocol.SessionName
	// KeepEvery is how often what a browser of Remote or In stores is read, for one that replaces
	// it when it is lost; 0 means 20 s.
	KeepEvery time.Duration
	// ProfileDir is the user data folder; it is created with mode 0700.
	ProfileDir string
	// TemporaryDir is as in chromium.Options.
	TemporaryDir string
	// DownloadDir is where downloads go; empty leaves it to the browser.
	DownloadDir string
	// FilesDir is where commands write their files (screenshots, HARs, traces,
	// recordings, saved states). Each kind has a folder of its own with mode
	// 0700.
	FilesDir string
	// ExtensionDir is the built extension; empty runs without it.
	ExtensionDir string
	// StartURL returns the first page's URL. It is called at each start that
	// restores no tabs.
	StartURL func() string
	// Restore are the tabs to open at the first start. After a crash, the next
	// start of the same Browser restores the tabs that were open then.
	Restore []tabs.RestoreTab
	// LastTab is the number of the last tab id that the session assigned earlier;
	// new ids continue after it.
	LastTab uint64
	// NoSandbox runs Chromium without its sandbox. It is meant for root in a
	// container.
	NoSandbox bool
	// NoKeyring keeps passwords and cookies in the profile instead of asking the
	// system's keyring for a key. It is meant for a machine without a keyring.
	NoKeyring bool
	// Headless runs without a window, and without the extension until a task needs its page.
	Headless bool
	Guard    *proc.Guard
	// Switches, Env and Extensions are as in chromium.Options.
	Switches, Env, Extensions []string
	// Before is called before each start, when nothing uses the profile; nil for
	// nothing.
	Before func(context.Context) error
	// Geolocation is what pages get; nil for that of the machine.
	Geolocation *protocol.Geolocation
	// Lookup finds the addresses of names for the rules over tabs; nil asks the
	// system.
	Lookup gate.Lookup

	// Mask replaces the values of the user's secrets in the files of commands; nil for
	// none.
	Mask func(string) string

	// Logins answers servers that ask for a login, and adds headers to requests; nil
	// leaves logins to the browser.
	Logins httpauth.Answers

	// Events receives what happens, from several goroutines; nil for no events. They are:
	//   - protocol.BrowserInfo: the browser has answered on its pipe
	//   - []protocol.Tab: all tabs after a change; changes during a call are combined
	//     into one later event
	//   - protocol.Error: a problem that the user should know about and that does not end
	//     the browser
	//   - protocol.Attaching: what Attach or Remote waits for
	//   - protocol.CarryEvent: what a panel is asked to carry out, where there is no other way
	//   - protocol.Download: it has begun or ended
	//   - Panel, recording.RoutineSaved, Pause and SignClicked
	Events *hub.Hub[any]
	Logger *slog.Logger
}

type (
	// Panel is the event that the first side panel has opened or the last one has closed.
	Panel struct{ Open bool }
	// Pause is the event that the user asks to pause the task on a tab with an overlay.
	Pause struct{ Tab protocol.TabID }
	// SignClicked is the event that the user has clicked on the sign of an agent in a tab.
	SignClicked struct{ Tab protocol.TabID }
)

// Browser is one browser profile. Run launches it, any number of times; the other
// methods work while it runs and return CodeNotRunning otherwise.
type Browser struct {
	groups
	*capture.Capture
	*details.Reader
	*downloads.Waits
	*gate.Rules
	*history.History
	*input.Input
	*inspect.Inspector
	*live.Views
	*overlay.Marks
	*overlay.Overlays
	*measure.Measure
	*observe.Observer
	*overrides.Overrides
	*pick.Picks
	*recording.Recordings
	*sitedata.Sites
	*snapshot.Snapshots
	*wait.Waiter

	config Config
	log    *slog.Logger
	tabs   *tabs.Registry
	queue  *queues
	panels *focus.Panels
	events *background.Events
	hand   *hand // of a browser without a pipe
	// unloaded is the extension of a headless browser, which is loaded when a task needs it; that
	// of a browser elsewhere is loaded into one of ours.
	unloaded string

	mu      sync.Mutex
	run     *run
	data    siteData                // by the browser of the last run, as leased
	leased  given                   // of the last run, whose connection has broken; or of the one that runs
	mute    bool                    // its connection ended before the browser answered
	made    map[protocol.TabID]bool // the tabs that commands opened in it
	info    protocol.BrowserInfo
	paired  *protocol.Pairing
	restore []tabs.RestoreTab
	closed  []protocol.Tab                 // the tabs when the user closed the browser
	crashed bool                           // the last run ended unexpectedly, with restore open
	spaces  map[protocol.TabID]*page.Space // ref numbers of each tab
	exit    protocol.Exit                  // of the last run
}

// New returns a Browser that is not running yet. It returns an error when the
// configuration cannot work on any machine.
func New(c Config) (*Browser, error) {
	if c.ProfileDir == "" && !c.Attach.Users() && !c.given() {
		return nil, errors.New("browser: no profile folder is given")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	unloaded := ""
	if c.Headless = c.Headless || c.given(); c.Headless {
		unloaded, c.ExtensionDir = c.ExtensionDir, ""
	}
	if c.Attach.Users() {
		c.Restore, c.DownloadDir, c.Logins, c.Geolocation = nil, "", nil, nil
	}
	if c.In != nil {
		c.Logins = nil
	}
	folder := files.Folder{Path: c.FilesDir, Mask: c.Mask}
	b := &Browser{
		config:  c,
		log:     c.Logger.With("component", "browser"),
		tabs:    tabs.New(c.LastTab),
		queue:   newQueues(),
		restore: slices.Clone(c.Restore),
		hand:    newHand(),

		unloaded: unloaded,
	}
	b.groups, b.panels = groups{b}, focus.New(b.log)
	b.History = history.New(work{b}, b.tabs, b.panels)
	b.Waits = downloads.New(work{b})
	b.events = background.New(work{b}, b.Waits)
	b.Rules = gate.New(work{b})
	b.Overlays = overlay.New(work{b}, b.tabs)
	b.Marks = overlay.NewMarks(work{b}, b.tabs, func(id protocol.TabID) { c.Events.Report(SignClicked{id}) })
	b.Inspector = inspect.New(work{b}, b.tabs)
	b.Reader = details.New(work{b})
	b.Observer = observe.New(work{b}, observe.Config{Folder: folder, History: b.History, Info: b.Info, Open: b.tabs, Pages: work{b}, Background: b.events})
	b.Input = input.New(work{b}, input.Config{
		Open: b.tabs, Background: b.events, Observer: b.Observer, Downloads: b.Waits, Front: b.front,
		Overlays: b.Overlays, Panels: b.panels, Elsewhere: c.otherMachine(), Log: b.log,
	})
	b.Overrides = overrides.New(work{b}, work{b})
	b.Sites = sitedata.New(work{b}, sitedata.Config{Folder: folder, Open: b.tabs, Watches: work{b}})
	b.Capture = capture.New(work{b}, capture.Config{
		Open: b.tabs, Folder: folder, Overrides: b.Overrides, Overlays: b.Overlays, Marks: b.Marks, Inspector: b.Inspector,
	})
	b.Recordings = recording.New(work{b}, recording.Config{Folder: folder, History: b.History, Capture: b.Capture, Events: c.Events})
	b.Snapshots = snapshot.New(work{b}, b.events, b.Marks)
	b.Waiter = wait.New(work{b}, wait.Config{Open: b.tabs, Observer: b.Observer, Downloads: b.Waits})
	b.Views = live.New(work{b})
	b.Measure = measure.New(work{b}, folder)
	b.Picks = pick.New(work{b}, pick.Config{Snapshots: b.Snapshots, Panels: b.panels})
	return b, nil
}

// Info returns the browser that is running, or that ran last.
func (b *Browser) Info() protocol.BrowserInfo {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.info
}

// Exit returns how the previous run of the browser ended.
func (b *Browser) Exit() protocol.Exit {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.exit
}

// Tabs returns the tabs, ordered by window and position; none while the browser
// is not running.
func (b *Browser) Tabs() []protocol.Tab { return b.tabs.All() }

// WasOpen reports whether a tab of this id was open, and no longer is.
func (b *Browser) WasOpen(id protocol.TabID) bool { return b.tabs.Closed(id) }

// Pair sends the pairing to the extension, now and to every worker that starts,
// until the next Pair. It does not wait for a worker.
func (b *Browser) Pair(ctx context.Context, p protocol.Pairing) error {
	b.mu.Lock()
	b.paired = &p
	r := b.run
	b.mu.Unlock()
	if r == nil {
		return nil
	}
	if s := r.worker(); s != nil {
		err := r.pair(ctx, s, &p)
		if errors.Is(err, devtools.ErrSessionEnded) {
			return nil // the next worker gets it
		}
		return err
	}
	switch {
	case b.config.given():
		return r.beside.pair(ctx, &p)
	case b.unloaded != "":
		return r.taskPage.givePairing(ctx, &p)
	}
	return nil
}

func (b *Browser) pairing() *protocol.Pairing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paired
}

// running returns the current run, or an error that says why there is none.
func (b *Browser) running() (*run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.config.Attach.ByHand {
		return nil, errByHand()
	}
	if b.run == nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, "the browser is not running", "start the session")
	}
	return b.run, nil
}

// Run launches the browser, or attaches to the user's, and serves it until the browser or
// ctx ends. It returns when no process or goroutine of the run is left. It returns nil when
// ctx ended, ErrClosed when the user closed the browser, or it was the user's own and has ended, and otherwise a
// protocol.Error: why the browser did not start, or CodeCrashed.
func (b *Browser) Run(ctx context.Context) error {
	switch {
	case b.config.Attach.ByHand:
		return b.runByHand(ctx)
	case b.config.Attach.Users():
		return b.attach(ctx)
	}
	if b.config.given() {
		return b.elsewhere(ctx)
	}
	return b.launch(ctx)
}

// launch is Run for a browser of our own.
func (b *Browser) launch(ctx context.Context) error {
	found, err := chromium.Find(b.config.Path)
	if err != nil {
		return err
	}
	b.mu.Lock()
	c := b.config
	o := chromium.Options{
		ProfileDir: c.ProfileDir, TemporaryDir: c.TemporaryDir, ExtensionDir: c.ExtensionDir, StartURL: c.StartURL,
		Restore: b.restore, Crashed: b.crashed,
		NoSandbox: c.NoSandbox, NoKeyring: c.NoKeyring, Headless: c.Headless, Guard: c.Guard,
		Switches: c.Switches, Env: c.Env, Extensions: c.Extensions,
	}
	b.mu.Unlock()
	if err := chromium.Preflight(&o); err != nil {
		return err
	}
	b.tabs.Reset(o.Restore, o.Crashed)
	b.LoseHeld()
	if again := chromium.Restorable(o.Restore); o.Headless && !o.Crashed && len(again) > 0 {
		b.tabs.Expects(again[0].ID)
	}
	if !chromium.Unload(o.ProfileDir) {
		b.log.WarnContext(ctx, "the extension that a task needed is loaded at the start")
	}
	first := !o.Headless && chromium.Clickable(o.ProfileDir) && o.ExtensionDir != ""
	if c.Before != nil {
		if err := c.Before(ctx); err != nil {
			return err
		}
	}
	saves := false
	if c.DownloadDir != "" {
		if err := downloads.Tidy(c.DownloadDir); err != nil {
			b.log.WarnContext(ctx, "the folder for downloads is not ready", "error", err)
		}
		saves = !o.Headless && chromium.SavesInto(o.ProfileDir, c.DownloadDir)
	}
	// serve asks the browser to close and then stops it. A signal sent at the
	// same moment would keep Chromium from writing its profile, including the
	// window's position (observed).
	p, err := chromium.Launch(context.WithoutCancel(ctx), &o, found.Path, b.log)
	if err != nil {
		return err
	}
	r := newRun(b, p.Pipe, p, first, saves) //nolint:contextcheck // what a download waits for ends with the session
	b.mu.Lock()
	b.run = r
	b.info = protocol.BrowserInfo{Name: found.Name, Path: found.Path, PID: p.PID(), Sandbox: !c.NoSandbox}
	b.mu.Unlock()

	err = r.serve(ctx)
	if left := p.Tidy(); left != nil {
		b.log.WarnContext(ctx, "temporary files of the browser could not be removed", "error", left)
	}

	b.mu.Lock()
	b.run, b.exit = nil, p.Exit()
	// It starts again with the tabs it had.
	b.crashed = err != nil && !errors.Is(err, ErrClosed) && r.back.Load() && len(r.last) > 0
	if errors.Is(err, ErrClosed) {
		b.closed = r.openTabs()
		b.restore = restoreOf(b.closed)
	} else if b.crashed {
		b.restore = restoreOf(r.last)
	}
	b.mu.Unlock()
	b.tabs.Reset(nil, false)
	return err
}

// Closed returns the tabs that were open until the user closed the browser, after Run
// returned ErrClosed.
func (b *Browser) Closed() []protocol.Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// RestoreTab is a tab to open again at the start.
type RestoreTab = tabs.RestoreTab

func restoreOf(open []protocol.Tab) []tabs.RestoreTab {
	out := make([]tabs.RestoreTab, 0, len(open))
	for _, t := range open {
		out = append(out, tabs.RestoreTab{ID: t.ID, URL: t.URL, Active: t.Focused})
	}
	return out
}
