package terminal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/confine"
	"pilotfish/backend/hub"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Launch describes the program that a terminal runs.
type Launch struct {
	Path string
	// Args does not include the program's name.
	Args []string
	// Env is the whole environment, except that the terminal sets TERM and COLORTERM.
	Env []string
	Dir string
	// Kind and Name are shown to the user. Kind is never AgentAuto.
	Kind protocol.AgentKind
	Name string
	// Missing, if set, is an agent that is not installed. Then nothing is started.
	Missing *protocol.AgentInfo
	// Confine lists what is hidden from the program. With nil, the program sees
	// everything that its user sees.
	Confine *confine.Folders
	// Keeper is the program that adopts what a program without confinement leaves
	// behind; see confine.Prepare. Empty for none.
	Keeper string
	// Wait, if set, waits for the user and returns what to start then. Until it
	// returns, the terminal is TerminalStarting and only Kind, Name and Confine count. It
	// ends with ctx, at the latest when the terminal is restarted or closed.
	Wait func(ctx context.Context) (Launch, error)
}

// Request describes what a terminal should run.
type Request struct {
	Terminal protocol.TerminalID
	Tab      protocol.TabID
	// Agent is empty for the default agent of Settings.
	Agent protocol.AgentKind
	// Command is the command line when Agent is AgentCustom.
	Command string
	// Resume is the id of a session of the agent, which is continued.
	Resume string
	// Confined asks for a shell that runs confined, as agents do.
	Confined bool
}

// Config holds the dependencies and callbacks of a Manager. Launch is required.
type Config struct {
	Session protocol.SessionName
	// Launch decides what a terminal runs, each time a process starts.
	Launch func(ctx context.Context, r Request) (Launch, error)
	// Events gets a TerminalEvent with the new state of a terminal, and a
	// TerminalGoneEvent when it is removed. Changes in quick succession are merged into
	// one event; the last change is always reported. Events receives Drawn, too. nil for
	// no events.
	Events *hub.Hub[any]
	// Grace returns how long a terminal without a viewer keeps running; 0 means
	// without limit. It is called when a viewer leaves and by Regrace. Nil means
	// protocol.DefaultTerminalGrace.
	Grace  func() time.Duration
	Guard  *proc.Guard
	Logger *slog.Logger
}

// Drawn is the event that a viewer acknowledges drawn output for the first time. Who gets it
// must not call the Manager.
type Drawn struct{ Terminal protocol.TerminalID }

// Manager holds the terminals of one session. Its methods are safe for
// concurrent use.
type Manager struct {
	config Config
	log    *slog.Logger
	// ctx limits every process and goroutine of the terminals. Run cancels it when it
	// ends.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu        sync.Mutex
	terminals map[protocol.TerminalID]*terminal
	order     []protocol.TerminalID
	closing   bool

	news changes
}

// New returns a Manager without terminals.
func New(c Config) (*Manager, error) {
	if c.Launch == nil {
		return nil, errors.New("terminal: no Launch")
	}
	if c.Grace == nil {
		c.Grace = func() time.Duration { return protocol.DefaultTerminalGrace }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Manager{
		config:    c,
		log:       c.Logger.With("component", "terminal", "session", c.Session),
		ctx:       ctx,
		cancel:    cancel,
		terminals: make(map[protocol.TerminalID]*terminal),
		news:      newChanges(),
	}, nil
}

// Run reports changes until ctx ends. Then it ends all terminals with the stop
// ladder, and returns when no process or goroutine of theirs is left.
func (m *Manager) Run(ctx context.Context) error {
	reported := make(chan struct{})
	quiet := make(chan struct{})
	go func() {
		defer close(reported)
		m.tell(quiet)
	}()
	<-ctx.Done()

	m.mu.Lock()
	m.closing = true
	all := make([]*terminal, 0, len(m.terminals))
	for _, t := range m.terminals {
		all = append(all, t)
	}
	m.mu.Unlock()
	var ends sync.WaitGroup
	for _, t := range all {
		ends.Go(func() { t.close("the app ended", goingAway) })
	}
	ends.Wait()
	m.cancel()
	m.wg.Wait()
	close(quiet)
	<-reported
	return nil
}

// Start starts a new terminal. Its errors carry a protocol.Code.
func (m *Manager) Start(ctx context.Context, req protocol.PtySessionRequest) (protocol.TerminalInfo, error) {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return protocol.TerminalInfo{}, err
	}
	t := newTerminal(m, protocol.TerminalID(hex.EncodeToString(id)), req)
	m.mu.Lock()
	switch {
	case m.closing:
		m.mu.Unlock()
		return protocol.TerminalInfo{}, protocol.NewError(protocol.CodeNotRunning, "the session is ending", "")
	case len(m.terminals) >= maxTerminals:
		m.mu.Unlock()
		return protocol.TerminalInfo{}, protocol.NewError(protocol.CodeBusy, "there are too many terminals", "close one that you do not need")
	}
	m.terminals[t.id] = t
	m.order = append(m.order, t.id)
	m.mu.Unlock()
	if err := t.start(ctx); err != nil {
		m.forget(t.id)
		return protocol.TerminalInfo{}, err
	}
	return t.snapshot(), nil
}

// Restart ends the process of a terminal, whatever its state, and starts the
// next one under the same id.
func (m *Manager) Restart(ctx context.Context, req protocol.PtyRestartRequest) (protocol.TerminalInfo, error) {
	t, err := m.find(req.Terminal)
	if err != nil {
		return protocol.TerminalInfo{}, err
	}
	if err := t.restart(ctx, req); err != nil {
		return protocol.TerminalInfo{}, err
	}
	return t.snapshot(), nil
}

// Close ends a terminal and removes it. It returns when the terminal's processes are
// gone.
func (m *Manager) Close(_ context.Context, id protocol.TerminalID) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	t.close("closed by you", gone)
	return nil
}

// List returns the terminals in the order in which they were started.
func (m *Manager) List() []protocol.TerminalInfo {
	m.mu.Lock()
	all := make([]*terminal, 0, len(m.order))
	for _, id := range m.order {
		all = append(all, m.terminals[id])
	}
	m.mu.Unlock()
	infos := make([]protocol.TerminalInfo, len(all))
	for i, t := range all {
		infos[i] = t.snapshot()
	}
	return infos
}

// Get returns one terminal.
func (m *Manager) Get(id protocol.TerminalID) (protocol.TerminalInfo, error) {
	t, err := m.find(id)
	if err != nil {
		return protocol.TerminalInfo{}, err
	}
	return t.snapshot(), nil
}

// SetStatus sets the status that an agent's hook reports. The message is used only
// with AgentNeedsYou.
func (m *Manager) SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	switch status {
	case protocol.AgentIdle, protocol.AgentWorking, protocol.AgentNeedsYou:
	default:
		return protocol.NewError(protocol.CodeBadArgument, "an agent is idle, working or needs_you", "")
	}
	t.setStatus(status, message)
	return nil
}

// Regrace applies the current Grace to every terminal without a viewer. Call it when
// the user has changed that setting.
func (m *Manager) Regrace() {
	grace := m.config.Grace()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.terminals {
		t.lease.renew(grace)
	}
}

func (m *Manager) find(id protocol.TerminalID) (*terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.terminals[id]; t != nil {
		return t, nil
	}
	return nil, protocol.NewError(protocol.CodeUnknownTerminal, "this terminal does not exist any more", "start a new one")
}

func (m *Manager) forget(id protocol.TerminalID) {
	m.mu.Lock()
	delete(m.terminals, id)
	m.order = slices.DeleteFunc(m.order, func(other protocol.TerminalID) bool { return other == id })
	m.mu.Unlock()
}

// environment returns the launch environment with the variables that programs check
// before they use colours. For the user's own shell it also sets which terminal the
// shell has, and PROMPT_DIRTRIM=1 unless the user has set that variable: a panel is
// narrow, so bash's prompt shows only one folder of a path.
func environment(launch Launch, tty string) []string {
	out := make([]string, 0, len(launch.Env)+4)
	for _, v := range launch.Env {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "TERM", "COLORTERM", "COLUMNS", "LINES", protocol.EnvTTY:
		default:
			out = append(out, v)
		}
	}
	out = append(out, "TERM=xterm-256color", "COLORTERM=truecolor")
	if launch.Kind == protocol.AgentShell {
		out = append(out, protocol.EnvTTY+"="+tty)
		if !slices.ContainsFunc(out, func(v string) bool { return strings.HasPrefix(v, "PROMPT_DIRTRIM=") }) {
			out = append(out, "PROMPT_DIRTRIM=1")
		}
	}
	return out
}
