package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/browser"
	"pilotfish/backend/browser/attach"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/desktop"
	"pilotfish/backend/engine"
	"pilotfish/backend/login"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/supervise"
	"pilotfish/backend/tabfiles"
	"pilotfish/backend/terminal"
	"pilotfish/backend/terminal/reader"
	"pilotfish/extension"
)

// begin creates a run and starts it. The caller holds s.mu.
func (s *Session) begin() (*run, error) {
	s.m.mu.Lock()
	owner := s.m.ctx
	s.m.mu.Unlock()
	if owner == nil || owner.Err() != nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, "the app is not running", "")
	}
	r, err := s.newRun()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(owner)
	r.cancel, r.over = cancel, ctx.Done()
	s.run = r
	s.tabs.Set(nil)
	s.recorder.Started()
	s.m.running.Go(func() { s.live(ctx, r) })
	return r, nil
}

// newRun does every part of a run's start that can fail, before anything is
// started.
func (s *Session) newRun() (_ *run, err error) {
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err != nil {
		return nil, err
	}
	settings := s.m.cfg.Settings.Get()
	profile := dirs.Profile
	if settings.ProfileDir != "" && s.name == protocol.DefaultSession {
		profile = settings.ProfileDir
	}
	ready, err := s.identity.Prepare(s.m.ctx, profile, dirs.Root)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			ready.Close()
		}
	}()
	var attached attach.Browser
	var elsewhere engine.Engine
	host, err := s.hostOf(ready.In())
	switch {
	case err != nil || host != nil:
	case engine.Is(ready.Browser):
		elsewhere, err = engine.Parse(ready.Browser, ready.Header, ready.Secret)
	case ready.Browser != "":
		attached, err = attach.Find(ready.Browser)
	}
	if err != nil {
		return nil, err
	}
	if attached.ByHand && s.m.cfg.Headless {
		return nil, protocol.NewError(protocol.CodeBadArgument, "browser: "+protocol.ByHand+" needs the app, and this Pilotfish runs without one", "start the app, or choose another browser")
	}
	layOut := sync.OnceValue(func() error {
		if err := extension.Install(dirs.Extension, string(s.m.Settings().Theme), attached.ByHand); err != nil {
			return fmt.Errorf("laying out the extension: %w", err)
		}
		return nil
	})
	if !s.m.cfg.Headless {
		if err := layOut(); err != nil {
			return nil, err
		}
	}
	own := ready.Browser == ""
	memory := tabfiles.Read(dirs.Memory, s.log).Starting(ready.Pages)
	seen, leftOpen := tabfiles.LeftOpen(dirs.Agent)
	guard := s.m.guard()
	r := &run{
		done: make(chan struct{}), up: make(chan struct{}), reopen: make(chan struct{}, 1),
		policy:    policy.New(policy.Config{OwnPort: s.m.endpoint.Port, Rules: s.approvals.Rules(), Broker: s.approvals.Broker(), Private: attached.Users(), Events: s.events}),
		attention: newAttention(s),
		with:      ready, attach: attached, host: host, memory: memory, files: tabfiles.New(dirs.Agent, dirs.Memory, memory, s.log, s.diskTrouble),
		servers: newServerTools(s, dirs.Work), layOut: layOut,
	}
	r.pairs.Store(!s.m.cfg.Headless && !elsewhere.Set() && host == nil)
	r.terminals, err = terminal.New(terminal.Config{
		Session: s.name, Launch: s.launcher().Launch, Events: s.events, Grace: s.grace, Guard: guard, Logger: s.m.cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	if r.chat, err = (conversations{s}).make(dirs); err != nil {
		return nil, err
	}
	if n := len(memory.Restore(s.startURL())); own && leftOpen && n > 0 {
		r.notices = append(r.notices, *protocol.NewError(protocol.CodeCrashed, endedBefore(seen, n), ""))
	}
	keyring := desktop.KeyringRuns(s.m.ctx)
	if own && !keyring && !s.m.cfg.Headless {
		r.notices = append(r.notices, protocol.Error{
			Code: protocol.CodeNoKeyring, Message: "No keyring is running",
			Hint: "the browser keeps its passwords and cookies in its profile without one; unlock your desktop's keyring and start the session again to change that",
		})
	}
	logins := login.New(login.Config{Secrets: s.m.secrets, Broker: s.approvals.Broker(), Quiet: s.m.cfg.Headless, Events: s.events, Logger: s.plainLog()})
	config := browser.Config{
		Attach: attached, Remote: elsewhere,
		Path: settings.BrowserPath, ProfileDir: ready.Profile, TemporaryDir: s.m.cfg.Dirs.TemporaryDir(), Switches: ready.Switches, Env: ready.Env, Extensions: ready.Extensions, Before: ready.Before, Geolocation: ready.Geolocation, DownloadDir: dirs.Downloads, FilesDir: dirs.Root, ExtensionDir: dirs.Extension,
		StartURL: s.startURL, Restore: restored(memory, s.startURL()), LastTab: memory.LastTab,
		NoSandbox: s.m.cfg.NoSandbox, NoKeyring: !keyring, Headless: s.m.cfg.Headless, Guard: guard, Mask: s.m.secrets.Mask,
		Logins: logins, Events: s.events, Logger: s.plainLog(),
	}
	if host != nil {
		config.In, config.InName = host.browser, ready.In()
	}
	r.cannot = config.Cannot()
	if r.browser, err = browser.New(config); err != nil {
		return nil, err
	}
	r.letGo = func(caller string) { r.browser.ReleaseInput(context.Background(), caller) }
	writable, readOnly := dirs.ForAgents()
	r.uploads = dirs.Uploads
	_ = os.RemoveAll(r.uploads) // of a run that was killed; else the next end removes it
	r.commands = catalogue.New(catalogue.Config{
		Uploads: catalogue.Uploads{Dir: dirs.Uploads, Private: s.m.cfg.Dirs.Hidden(settings), Open: slices.Concat(writable, readOnly)},
		Browser: r.browser, Policy: r.policy, Cannot: r.cannot, Terminals: reader.New(r.terminals), Secrets: s.m.secrets, SignIns: newSignIns(s, r, dirs.Root, keyring, guard), Settings: s.m.cfg.Settings,
	})
	logins.Judge(r.commands)
	return r, nil
}

// endedBefore says what is back after the app has ended without closing a session. seen is
// when it last wrote what was open.
func endedBefore(seen time.Time, tabs int) string {
	back := "Your tab is back"
	if tabs > 1 {
		back = fmt.Sprintf("Your %d tabs are back", tabs)
	}
	return "Pilotfish ended unexpectedly, last seen on " + seen.Local().Format("2 January at 15:04") + ". " + back + "; what ran in terminals has ended, and conversations and tasks can go on."
}

// restored returns the tabs to open again.
func restored(memory tabfiles.Memory, welcome string) []browser.RestoreTab {
	var tabs []browser.RestoreTab
	for _, tab := range memory.Restore(welcome) {
		tabs = append(tabs, browser.RestoreTab(tab))
	}
	return tabs
}

// live runs the terminals and the browser of a run side by side, and returns
// when the run has ended.
func (s *Session) live(ctx context.Context, r *run) {
	var parts sync.WaitGroup
	filesEnd := make(chan struct{})
	var files sync.WaitGroup
	files.Go(func() { r.files.Run(filesEnd) })
	parts.Go(func() {
		if err := r.terminals.Run(ctx); err != nil {
			s.log.Error("terminals ended", "error", err)
		}
	})
	parts.Go(func() {
		if err := r.chat.Run(ctx); err != nil {
			s.log.Error("conversations ended", "error", err)
		}
	})
	parts.Go(func() { s.approvals.Run(ctx, r.terminals) })
	parts.Go(func() { r.attention.Run(ctx) })
	parts.Go(func() { r.servers.Run(ctx) })
	parts.Go(func() { s.pages.Run(ctx, r.browser) })
	parts.Go(func() { s.signs.Run(ctx, r.browser) })
	parts.Go(func() { s.shots.Run(ctx, r.browser) })
	parts.Go(func() { s.tasks.TakeScreenshots(ctx, r.forTasks(s)) })
	parts.Go(func() { s.tasks.Host(ctx, r.forTasks(s)) })
	// The first terminal does not wait for the browser, so that its prompt is
	// ready when the panel opens.
	if !s.m.cfg.Headless && r.with.Browser == "" {
		parts.Go(func() { s.firstTerminal(ctx, r, r.memory.FirstTab()) })
	}
	if r.host != nil {
		parts.Go(func() { r.endsWithHost(ctx, s) })
	}
	s.pair()
	err := s.runBrowser(ctx, r)
	if err == nil {
		err = hostEnded(ctx)
	}

	s.mu.Lock()
	stopping := s.state == protocol.SessionStopping
	s.mu.Unlock()
	if !stopping {
		s.setState(protocol.SessionStopping, nil)
	}
	r.cancel(errStopped) // the terminals end with the browser
	parts.Wait()
	if r.with.Temporary || r.attached() {
		r.files.Forget() // not even which pages were open
	}
	close(filesEnd)
	files.Wait()
	r.with.Close()
	_ = os.RemoveAll(r.uploads) // else the next start removes it
	s.tokens.EndAll()
	s.mu.Lock()
	s.run = nil
	s.tabs.Set(nil)
	s.mu.Unlock()
	if err != nil {
		s.setState(protocol.SessionFailed, err)
	} else {
		s.setState(protocol.SessionStopped, nil)
	}
	close(r.done)
}

// runBrowser keeps the browser running until the session is stopped, or the user
// closes the browser while nothing works; neither is an error. When a browser that has been up ends
// unexpectedly, runBrowser restarts it. It does not retry a browser that cannot
// start: the user has to act.
func (s *Session) runBrowser(ctx context.Context, r *run) error {
	var final error
	err := supervise.Run(ctx, supervise.DefaultPolicy(), func(ctx context.Context) error {
		err := r.browser.Run(ctx)
		for s.goesOn(ctx, r, err) {
			err = r.browser.Run(ctx)
		}
		switch {
		case ctx.Err() != nil, errors.Is(err, browser.ErrClosed):
			err = nil
		case !r.isUp(s):
			final, err = err, nil
		}
		return err
	}, func(e supervise.Event) {
		if e.Kind == supervise.Failed {
			s.crashed(r)
			s.setState(protocol.SessionRestarting, e.Err)
		}
	})
	if final != nil {
		return final
	}
	if errors.Is(err, supervise.ErrGaveUp) {
		cause := protocol.AsError(err)
		return protocol.NewError(protocol.CodeCrashed, "The browser ended too often: "+cause.Message, fmt.Sprintf("`pilotfish sessions start %s` starts it again; the log has the details", s.name))
	}
	return nil
}

// goesOn reports whether a run whose browser has ended with err goes on, and waits until the
// browser is wanted again. A browser of the user ends when the user closes it, or when the
// connection breaks; terminals and conversations go on, and it is not asked again before
// the user wants it.
func (s *Session) goesOn(ctx context.Context, r *run, err error) bool {
	if !r.attached() {
		if !errors.Is(err, browser.ErrClosed) {
			return false
		}
		s.tabs.Set(r.browser.Closed())
		working := r.working()
		if working == "" {
			s.publishTabs() // the next start has the tabs
			return false
		}
		return s.background(ctx, r, desktop.Notification{
			Title: working + " is still at work",
			Body:  "Its session runs on without a window. Click here, or start it in the tray, to open the browser again.",
		})
	}
	if ctx.Err() != nil || !errors.Is(err, browser.ErrClosed) && !r.was {
		return false
	}
	if r.attach.ByHand { // its panel comes back by itself
		s.mu.Lock()
		r.up = make(chan struct{})
		s.mu.Unlock()
		s.setState(protocol.SessionStarting, nil)
		return true
	}
	r.was = true
	s.mu.Lock()
	r.attaching = nil
	if !errors.Is(err, browser.ErrClosed) {
		r.note(*protocol.AsError(err))
	}
	s.mu.Unlock()
	s.tabs.Set(nil)
	return s.background(ctx, r, desktop.Notification{
		Title: "Pilotfish is no longer connected to " + r.attach.Name,
		Body:  "Terminals and conversations go on. Click here, or start the session in the tray, to ask it again.",
	})
}

// attached reports whether the run's browser is the user's own.
func (r *run) attached() bool { return r.attach.Users() }

// background keeps a run alive whose browser has ended, and says so on the desktop. It returns
// true when the browser is wanted again, and false when the session was stopped.
func (s *Session) background(ctx context.Context, r *run, note desktop.Notification) bool {
	s.mu.Lock()
	r.up = make(chan struct{})
	s.mu.Unlock()
	s.setState(protocol.SessionBackground, nil)
	s.publishTabs()
	r.terminals.Regrace()
	defer s.noteBackground(ctx, r, note)()
	select {
	case <-r.reopen:
		s.setState(protocol.SessionStarting, nil)
		r.terminals.Regrace()
		return true
	case <-ctx.Done():
		return false
	}
}

// noteBackground shows on the desktop that a session runs on without its window, until
// the returned function is called. A click opens the browser again.
func (s *Session) noteBackground(ctx context.Context, r *run, note desktop.Notification) (withdraw func()) {
	if s.m.cfg.Headless {
		return func() {}
	}
	shows := new(desktop.Notifier)
	note.Clicked = func() {
		select {
		case r.reopen <- struct{}{}:
		default: // it is asked for already
		}
	}
	if _, err := shows.Notify(ctx, note); err != nil {
		s.log.Debug("nothing could be shown on the desktop", "error", err) // window and tray show it
	}
	return shows.Close
}

// working returns the name of a program or agent of the run that works or waits for the
// user; empty for none.
func (r *run) working() string {
	for _, t := range r.terminals.List() {
		if t.State == protocol.TerminalLive && (t.Status == protocol.AgentWorking || t.Status == protocol.AgentNeedsYou) {
			return t.Name
		}
	}
	for _, c := range r.chat.List() {
		if c.State == protocol.ConversationRunning || c.State == protocol.ConversationNeedsYou {
			return c.AgentName
		}
	}
	return ""
}

// crashed stores, for the user, why the browser ended unexpectedly.
func (s *Session) crashed(r *run) {
	exit := r.browser.Exit()
	how := exit.Signal
	if how == "" {
		how = fmt.Sprintf("exit code %d", exit.Code)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	what := "The browser crashed at " + time.Now().Format("15:04") + " (" + how + ") and was restarted."
	if info := r.browser.Info(); info.Remote {
		what = "The connection to " + info.Name + " broke at " + time.Now().Format("15:04") + " and was opened again."
	}
	if r.host != nil {
		what = r.browser.Info().Name + " ended at " + time.Now().Format("15:04") + " and was started again."
	}
	r.crash = protocol.NewError(protocol.CodeCrashed, what+" Your tabs are back.", "")
	s.recorder.Failed(*r.crash)
}

// isUp reports whether the browser has been up in this run.
func (r *run) isUp(s *Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-r.up:
		return true
	default:
		return false
	}
}

// browserEvent handles an event of the browser. It does not block.
func (s *Session) browserEvent(event any) {
	switch e := event.(type) {
	case protocol.BrowserInfo:
		s.browserReady()
	case []protocol.Tab:
		s.tabsChanged(e)
	case protocol.Attaching:
		s.attaching(e)
	case protocol.Error:
		s.notice(e)
	case protocol.Download:
		if r := s.running(); r != nil && r.recorded(s, e.Tab) {
			s.recorder.Download(e)
		}
	case browser.Pause:
		s.pages.Pause(e.Tab)
	case browser.SignClicked:
		s.m.running.Go(func() { s.openPanel(e.Tab) })
	}
}

// recorded reports whether what happens in a tab goes into the record of activity: of the
// user's own browser only what happens in tabs of which agents may know.
func (r *run) recorded(s *Session, tab protocol.TabID) bool {
	return !r.attached() || slices.ContainsFunc(r.policy.Shown(s.tabs.All()), func(t protocol.Tab) bool { return t.ID == tab })
}

// browserReady is called when the browser responds, at the first start and
// after each restart.
func (s *Session) browserReady() {
	s.mu.Lock()
	r := s.run
	if r != nil && r.crash != nil {
		r.notices = slices.DeleteFunc(r.notices, func(n protocol.Error) bool { return n.Code == protocol.CodeCrashed })
		r.notices = append(r.notices, *r.crash)
		r.crash = nil
	}
	if r != nil {
		r.attaching = nil // an engine was full, or the user had to do something
	}
	if r != nil && r.attached() {
		r.notices = slices.DeleteFunc(r.notices, func(n protocol.Error) bool { // why it was not attached before
			return n.Code == protocol.CodeRefused || n.Code == protocol.CodeBrowserStart
		})
	}
	s.mu.Unlock()
	if r == nil {
		return
	}
	s.setState(protocol.SessionRunning, nil)
	if !r.isUp(s) {
		close(r.up) // only this browser's start does
	}
	s.tasks.BrowserBack()
}

// notice stores a notice for the user that does not end the session.
func (s *Session) notice(e protocol.Error) {
	s.mu.Lock()
	if s.run == nil {
		s.mu.Unlock()
		return
	}
	s.run.note(e)
	s.mu.Unlock()
	s.recorder.Failed(e)
	s.log.Warn("notice of the browser", "code", e.Code, "message", e.Message)
	s.publishInfo()
}

// diskTrouble reports to the window why the session's state cannot be written.
// A nil err clears it.
func (s *Session) diskTrouble(err error) {
	s.mu.Lock()
	r := s.run
	if r == nil {
		s.mu.Unlock()
		return
	}
	r.disk = nil
	if err != nil {
		r.disk = tabfiles.Unsaved(err)
	}
	s.mu.Unlock()
	s.publishInfo()
}

// note stores a notice once, even if it comes several times; the window
// distinguishes notices by their text. The caller holds the session's mu.
func (r *run) note(e protocol.Error) {
	if !slices.ContainsFunc(r.notices, func(n protocol.Error) bool { return n.Code == e.Code && n.Message == e.Message }) {
		r.notices = append(r.notices, e)
	}
}

// attaching records what the session waits for until its browser can be used.
func (s *Session) attaching(a protocol.Attaching) {
	s.mu.Lock()
	if s.run != nil {
		if s.run.attach.ByHand {
			a.Folder, a.Page = s.m.cfg.Dirs.Of(s.name).Extension, s.m.endpoint.URL()+"/welcome"
		}
		s.run.attaching = &a
	}
	s.mu.Unlock()
	s.publishInfo()
}

// panelsWait publishes that panels wait for their codes, or no longer.
func (m *Manager) panelsWait() {
	m.eachSession(func(s *Session) {
		if r := s.running(); r != nil && r.attach.ByHand {
			s.publishInfo()
		}
	})
}
