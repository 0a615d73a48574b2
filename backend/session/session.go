package session

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/activity/shots"
	"pilotfish/backend/agentsign"
	"pilotfish/backend/approval"
	"pilotfish/backend/attention"
	"pilotfish/backend/browser"
	"pilotfish/backend/browser/attach"
	"pilotfish/backend/browser/recording"
	"pilotfish/backend/caller"
	"pilotfish/backend/chat/past"
	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/identity"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/peer"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/saved"
	"pilotfish/backend/tabfiles"
	"pilotfish/backend/task/control"
	"pilotfish/backend/task/view"
	"pilotfish/backend/terminal"
	"pilotfish/backend/tokens"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/client"
)

// Session is one browser profile with its browser, terminals, conversations and
// tasks.
type Session struct {
	name   protocol.SessionName
	title  string // chosen by the user; empty: the name is shown
	m      *Manager
	log    *slog.Logger
	events *hub.Hub[any] // events for the panels
	tokens *tokens.Tokens
	// approvals hold the requests that wait for the user.
	approvals *approval.Manager
	offer     *toolservers.Offer // of the user's own MCP servers

	publishing sync.Mutex         // keeps the order: what is published later is newer
	recorder   *recorder.Recorder // runs commands and records them
	shots      *shots.Shots
	saved      *saved.Files
	tasks      *control.Tasks
	pages      *view.Pages // what the browser shows of tasks
	pickers    *pickers
	signs      *agentsign.Signs   // where a page says that an agent works there
	tools      approval.ToolCalls // what agents of terminals ask about their own tools
	tabs       opentabs.List      // of the browser that runs now
	programs   caller.Programs
	panels     connectedPanels
	identity   *identity.Session

	mu        sync.Mutex
	state     protocol.SessionState
	startedAt time.Time
	err       *protocol.Error
	run       *run                              // nil while stopped
	wanting   map[protocol.TaskID]protocol.Task // tasks of this run of the app that need the user
}

// run is what exists while a session is not stopped.
type run struct {
	cancel    context.CancelCauseFunc
	done      chan struct{} // closed when nothing of the run is left
	up        chan struct{} // closed while the browser runs, or restarts after a crash; the session's mu guards it
	was       bool          // the user's own browser has been attached to in this run; only runBrowser uses it
	reopen    chan struct{} // asks for the browser that the user closed
	terminals *terminal.Manager
	attention *attention.Manager // of terminals that want the user
	chat      past.Conversations
	commands  *command.Registry
	servers   *client.Client // the user's MCP servers, for tasks
	policy    *policy.Policy
	browser   *browser.Browser
	letGo     func(caller string) // releases the keys and buttons that a caller holds down; it does not wait for a reply, so it has no context
	files     *tabfiles.Files
	memory    tabfiles.Memory                // of the previous run
	over      <-chan struct{}                // closed when the run begins to end
	host      *run                           // in whose browser this one is a browser context; nil for none
	attach    attach.Browser                 // the user's own browser; the zero value for one that is started
	cannot    map[protocol.Capability]string // what the browser cannot do, with why
	with      *identity.Ready                // what the browser was started with
	uploads   string                         // has copies of the files that agents gave to pages
	layOut    func() error                   // writes the extension's files, once
	pairs     atomic.Bool                    // the session has a panel, or its task page has been opened
	notices   []protocol.Error
	attaching *protocol.Attaching // what the user has to do until the browser can be used; nil for nothing
	crash     *protocol.Error     // the last browser crash; becomes a notice when the browser is back
	disk      *protocol.Error     // why the state cannot be written; nil if it can
}

// gone drops what an ended actor owned, and releases its keys and buttons.
func (r *run) gone(actor protocol.Actor) {
	r.policy.Forget(actor)
	r.policy.Over(actor)
	r.letGo(command.CallerName(actor))
}

func newSession(m *Manager, name protocol.SessionName) *Session {
	s := &Session{
		name: name, title: config.ReadTitle(m.cfg.Dirs, name), m: m, log: m.log.With("session", name),
		events: hub.New[any](protocol.SubscriberQueue), state: protocol.SessionStopped, wanting: map[protocol.TaskID]protocol.Task{},
	}
	s.events.Observe(s.published)
	s.tokens = tokens.New(name, m.auth)
	s.identity = identity.New(identity.Config{Name: name, Settings: m.cfg.Settings, Secrets: m.secrets, Started: peer.Started, Logger: s.log})
	s.approvals = newApprovals(s)
	s.offer = newOffer(s)
	s.recorder, s.shots, s.saved = newRecorder(s)
	s.tasks, s.pages = newTasks(s)
	s.signs = agentsign.New(s.plainLog())
	s.pickers = newPickers(s.events, &m.running, s.log)
	return s
}

// plainLog returns a logger for a part that adds its own component name.
func (s *Session) plainLog() *slog.Logger { return s.m.cfg.Logger.With("session", s.name) }

// State returns the session's state.
func (s *Session) State() protocol.SessionState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Info returns what window, tray and panel show of the session. It queries the
// parts without holding the session's lock, because they call back into the
// session.
func (s *Session) Info() protocol.SessionInfo {
	s.mu.Lock()
	r := s.run
	info := protocol.SessionInfo{
		Name: s.name, Title: s.title, State: s.state, Error: s.err, Alone: s.m.count.Load() == 1, Panel: protocol.PanelAbsent,
		Warnings: []protocol.Error{}, Tabs: s.tabs.All(), Terminals: []protocol.TerminalInfo{}, Tasks: slices.Collect(maps.Values(s.wanting)),
	}
	if s.panels.Connected() {
		info.Panel = protocol.PanelConnected
	}
	if !s.startedAt.IsZero() {
		started := s.startedAt
		info.StartedAt = &started
	}
	if r != nil {
		info.Attaching = r.attaching
		if r.attaching != nil && r.attach.ByHand && s.m.offers.Waiting() > 0 {
			shows := *r.attaching
			shows.Step = protocol.AttachCode
			info.Attaching = &shows
		}
		info.Warnings = append(info.Warnings, r.notices...)
		if r.disk != nil {
			info.Warnings = append(info.Warnings, *r.disk)
		}
	}
	s.mu.Unlock()
	info.Approvals, info.Identity = s.approvals.Pending(), s.identity.Facts()
	if r == nil {
		info.Tabs = []protocol.Tab{}
		return info
	}
	info.Terminals = append(info.Terminals, r.terminals.List()...)
	info.Tabs = r.policy.Marked(tabfiles.WithAgents(info.Tabs, info.Terminals, r.chat.TabAgents()))
	if b := r.browser.Info(); b.Name != "" {
		info.Browser = &b
		if !b.Sandbox {
			info.Warnings = append(info.Warnings, protocol.Error{
				Code: protocol.CodeNoSandbox, Message: "The browser runs without its sandbox",
				Hint: "this happens because Pilotfish runs as root with " + protocol.EnvSandbox + "=1; start it as an ordinary user for everyday work",
			})
		}
	}
	return info
}

// setState sets the session's state and publishes it.
func (s *Session) setState(state protocol.SessionState, err error) {
	s.mu.Lock()
	s.state, s.err = state, protocol.AsError(err)
	switch state {
	case protocol.SessionRunning:
		if s.startedAt.IsZero() {
			s.startedAt = time.Now()
		}
	case protocol.SessionStopped, protocol.SessionFailed:
		s.startedAt = time.Time{}
	case protocol.SessionStarting, protocol.SessionStopping, protocol.SessionRestarting, protocol.SessionBackground:
	}
	s.mu.Unlock()
	s.log.Info("session changed", "state", state)
	s.publishInfo()
}

// publishInfo publishes the session's state to panels and window.
func (s *Session) publishInfo() {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.events.Publish(protocol.SessionEvent{Type: protocol.PanelSession, Session: s.Info()})
	s.m.changed()
}

// published follows the events that parts publish for the panels, or report to the session
// alone. It does not block.
func (s *Session) published(event any) {
	switch e := event.(type) {
	case protocol.ConversationEvent:
		s.publishTabs() // with their agents
	case protocol.ConversationGoneEvent:
		if r := s.running(); r != nil {
			r.gone(protocol.Actor{Kind: protocol.ActorChat, ID: string(e.Conversation)})
		}
		s.publishTabs()
	case protocol.TerminalEvent:
		s.terminalChanged(e.Terminal)
	case protocol.TerminalGoneEvent:
		s.terminalGone(e.Terminal)
	case protocol.TaskChangedEvent:
		s.recorder.Task(e.Task)
		s.taskChanged(e.Task)
		s.workChanged()
	case protocol.TaskGoneEvent:
		s.taskChanged(protocol.Task{ID: e.Task})
		s.workChanged()
	case control.RoutinesChanged, recording.RoutineSaved:
		s.workChanged()
	case control.Stepped:
		s.recorder.TaskStep(e.Head, e.Step, e.Goal)
	case recorder.Done:
		s.saved.Keep(e.Actor, e.Command, e.Reply)
	case recorder.Step:
		conversations{s}.step(e)
	case approval.Changed:
		if r := s.running(); r != nil {
			r.attention.Again()
		}
		s.publishInfo()
	case approval.Question:
		conversations{s}.question(e.Approval, e.Over)
		s.pages.Question(e.Approval, e.Over)
		s.recorder.Question(e.Approval, e.Over)
	case protocol.WindowShow:
		s.m.onShow(e)
	case terminal.Drawn:
		s.m.firstScreen.Open()
	case attention.Clicked:
		s.m.running.Go(func() { s.showTerminal(e) })
	case policy.Owned:
		s.publishTabs()
	default:
		s.browserEvent(event)
	}
}

// Start starts the session and returns when its browser runs, or with the
// error. It opens the browser of a session that runs in the background, and does
// nothing to one whose browser runs.
func (s *Session) Start(ctx context.Context) error {
	if s.running() == nil {
		if err := s.startHost(ctx); err != nil {
			s.setState(protocol.SessionFailed, err)
			return err
		}
	}
	s.mu.Lock()
	if s.run != nil {
		r := s.run
		state := s.state
		s.mu.Unlock()
		if state == protocol.SessionStopping {
			return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("session %s is stopping", s.name), "try again when it has stopped")
		}
		if state == protocol.SessionBackground {
			select {
			case r.reopen <- struct{}{}:
			default: // it is asked for already
			}
		}
		return r.wait(ctx, s)
	}
	r, err := s.begin() //nolint:contextcheck // a session outlives the call that starts it
	s.mu.Unlock()
	if s.name == protocol.DefaultSession {
		s.m.first.Open()
	}
	if err != nil {
		s.setState(protocol.SessionFailed, err)
		return err
	}
	s.setState(protocol.SessionStarting, nil)
	return r.wait(ctx, s)
}

// wait returns when the run is up or has ended, or when ctx has ended.
func (r *run) wait(ctx context.Context, s *Session) error {
	s.mu.Lock()
	up := r.up
	s.mu.Unlock()
	select {
	case <-up:
		return nil
	case <-r.done:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err != nil {
			return s.err
		}
		return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s was stopped while it started", s.name), "")
	case <-ctx.Done():
		return fmt.Errorf("starting session %s: %w", s.name, ctx.Err())
	}
}

// Stop stops the session and returns when all its parts have ended.
func (s *Session) Stop(ctx context.Context) error {
	s.beginStop()
	select {
	case <-s.ended():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stopping session %s: %w", s.name, ctx.Err())
	}
}

// beginStop begins to stop a session and does not wait.
func (s *Session) beginStop() {
	r := s.running()
	if r == nil {
		return
	}
	s.setState(protocol.SessionStopping, nil)
	r.cancel(errStopped)
}

// ended returns a channel that is closed when the session has no run.
func (s *Session) ended() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	return s.run.done
}

// running returns the run; nil when there is none.
func (s *Session) running() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// current returns the run, or an error that says why there is none.
func (s *Session) current() (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		hint := fmt.Sprintf("`pilotfish sessions start %s` starts it", s.name)
		if s.err != nil {
			hint = s.err.Error()
		}
		return nil, protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s is not running", s.name), hint)
	}
	return s.run, nil
}

// tabsChanged stores the browser's tabs and publishes them.
func (s *Session) tabsChanged(tabs []protocol.Tab) {
	s.mu.Lock()
	if s.run == nil || s.state == protocol.SessionStopping || s.state == protocol.SessionBackground {
		s.mu.Unlock()
		return // a browser that closes loses its tabs one by one; they are to be restored
	}
	s.tabs.Set(tabs)
	r := s.run
	s.mu.Unlock()
	s.recorder.Tabs(r.policy.Shown(tabs))
	s.publishTabs()
	r.chat.TabsChanged()
}

// publishTabs sends the tabs and their agents to panels, window and files.
func (s *Session) publishTabs() {
	s.mu.Lock()
	r, tabs := s.run, s.tabs.All()
	s.mu.Unlock()
	if r == nil {
		return
	}
	shown := r.policy.Marked(tabfiles.WithAgents(tabs, r.terminals.List(), r.chat.TabAgents()))
	r.files.Write(shown, r.policy.Shown(shown))
	s.signs.Tabs(shown)
	s.events.Publish(protocol.TabsEvent{Type: protocol.PanelTabs, Tabs: shown})
	s.m.changed()
}

// terminalChanged follows a terminal's new state; its tab's agent may have changed too.
func (s *Session) terminalChanged(info protocol.TerminalInfo) {
	if r := s.running(); r != nil {
		s.tools.Changed(r.terminals, info.ID)
		r.attention.Changed(info)
	}
	if info.State == protocol.TerminalEnded {
		s.approvals.Gone(protocol.Actor{Kind: protocol.ActorTerminal, ID: string(info.ID)})
		conversations{s}.terminalEnded(info.ID)
	}
	if info.Viewers > 0 {
		s.mu.Lock()
		if s.run != nil {
			s.run.files.Size(info.Cols, info.Rows)
		}
		s.mu.Unlock()
	}
	s.publishTabs()
}

func (s *Session) terminalGone(id protocol.TerminalID) {
	s.launcher().Ended(id)
	conversations{s}.terminalEnded(id)
	r := s.running()
	if r != nil {
		r.attention.Gone(id)
		r.gone(protocol.Actor{Kind: protocol.ActorTerminal, ID: string(id)})
	}
	s.publishTabs()
}

// showTab brings a tab and the panel beside it to the front.
func (s *Session) showTab(ctx context.Context, tab protocol.TabID) error {
	return s.show(ctx, protocol.ShowEvent{Type: protocol.PanelShow, Tab: tab})
}

// show brings a tab to the front, and shows in the panel beside it what the
// event names.
func (s *Session) show(ctx context.Context, event protocol.ShowEvent) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	if s.State() == protocol.SessionBackground {
		if err := s.Start(ctx); err != nil {
			return err
		}
	}
	if err := r.browser.ShowTab(ctx, event.Tab); err != nil {
		return err
	}
	if err := r.browser.OpenPanel(ctx, event.Tab); err != nil {
		return err
	}
	s.events.Publish(event)
	return nil
}
