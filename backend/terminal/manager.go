//go:build unix

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
	"unicode/utf8"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Launch says what a terminal runs.
type Launch struct {
	Path string
	// Args are without the program's name.
	Args []string
	// Env is the whole environment; TERM and COLORTERM are set over it.
	Env []string
	Dir string
	// Kind and Name are what a person is shown; Kind is never AgentAuto.
	Kind protocol.AgentKind
	Name string
	// Missing, if set, is an agent that is not installed: nothing is started.
	Missing *protocol.AgentInfo
}

// Config is what a Manager needs. Launch is required.
type Config struct {
	Session protocol.SessionName
	// Launch decides what a terminal runs, each time a process starts.
	Launch func(ctx context.Context, id protocol.TerminalID, tab protocol.TabID, kind protocol.AgentKind, command string) (Launch, error)
	// OnChange is told what a terminal has become. Changes that come quickly
	// are told as one; the last one always is. It may call the Manager.
	OnChange func(protocol.TerminalInfo)
	// OnGone is told when a terminal is forgotten, after its last change.
	OnGone func(protocol.TerminalID)
	// OnDrawn is told when a viewer has drawn something for the first time. It
	// must not wait or call the Manager.
	OnDrawn func(protocol.TerminalID)
	// Grace is how long a terminal lives without a viewer; 0 keeps it. It is
	// asked when a viewer leaves and by Regrace. Nil is
	// protocol.DefaultTerminalGrace.
	Grace  func() time.Duration
	Guard  *proc.Guard
	Logger *slog.Logger
}

// Manager holds the terminals of one session. Its methods are safe for
// concurrent use.
type Manager struct {
	config Config
	log    *slog.Logger
	// ctx is the life of every process and goroutine of the terminals. It ends
	// with Run.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu        sync.Mutex
	terminals map[protocol.TerminalID]*terminal
	order     []protocol.TerminalID
	closing   bool

	news newsBoard
}

// New returns a Manager without terminals.
func New(c Config) (*Manager, error) {
	if c.Launch == nil {
		return nil, errors.New("terminal: no Launch")
	}
	if c.OnChange == nil {
		c.OnChange = func(protocol.TerminalInfo) {}
	}
	if c.OnGone == nil {
		c.OnGone = func(protocol.TerminalID) {}
	}
	if c.OnDrawn == nil {
		c.OnDrawn = func(protocol.TerminalID) {}
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
		news:      newNewsBoard(),
	}, nil
}

// Run tells of changes until ctx ends; then it ends all terminals, by the
// ladder, and returns when nothing of them is left.
func (m *Manager) Run(ctx context.Context) error {
	told := make(chan struct{})
	quiet := make(chan struct{})
	go func() {
		defer close(told)
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
	<-told
	return nil
}

// Start starts a new terminal. The errors carry a protocol.Code.
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

// Close ends a terminal and forgets it. It returns when its processes are gone.
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

// Beginning is all that a terminal's process has written since its start, empty
// where that is more than most bytes, or no text; and the picture that its last
// viewer told of it, empty where something was written since.
func (m *Manager) Beginning(id protocol.TerminalID, most int) (written, picture string) {
	t, err := m.find(id)
	if err != nil {
		return "", ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	picture = t.stream.Picture()
	text, ok := t.stream.Whole(most)
	if !ok || !utf8.Valid(text) {
		return "", picture
	}
	return string(text), picture
}

// SetStatus is what an agent's hook says that its agent does. The message goes
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

// SetTab puts a terminal beside another tab: its own was closed, or the person
// moved it. The running program's environment keeps the old one.
func (m *Manager) SetTab(id protocol.TerminalID, tab protocol.TabID) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	t.setTab(tab)
	return nil
}

// Regrace asks Grace again for every terminal without a viewer; for when the
// person has changed it.
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

// environment sets what programs ask for before they use colours, and tells the
// user's own shell which terminal it has. Its prompt names one folder of a path
// where it is bash and the user has not decided otherwise: a panel is narrow.
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
