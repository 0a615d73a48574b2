package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"pilotfish/backend/auth"
	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/caller"
	"pilotfish/backend/clients"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/confine"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/desktop"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/hub"
	"pilotfish/backend/inventory"
	"pilotfish/backend/llm"
	"pilotfish/backend/logs"
	"pilotfish/backend/pairing"
	"pilotfish/backend/peer"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
	"pilotfish/backend/schedule"
	"pilotfish/backend/secret"
	"pilotfish/backend/storeddata"
	"pilotfish/backend/trust"
	"pilotfish/backend/webhook"
)

// Config is what a Manager needs. All fields are required unless they say
// otherwise.
type Config struct {
	// Version is the app's version, shown to users and in /health.
	Version string
	Dirs    config.Dirs
	// Settings are read at each use, so that a change takes effect at the next
	// start of what it concerns.
	Settings *config.Store
	// Program is the path of the `pilotfish` command line. Its folder is added to
	// the agents' PATH, and the program runs as the guard.
	Program string
	// Headless runs browsers without windows, and so without side panels.
	Headless bool
	// Isolated gives each client of MCP over HTTP a session of its own in the browser of this one;
	// empty for none.
	Isolated protocol.SessionName
	// NoSandbox runs Chromium without its sandbox when we are root.
	NoSandbox bool
	// Models gives access to the models that carry out tasks; nil for none.
	Models *llm.Manager
	// Notice is shown to the user from the start; nil for none.
	Notice *protocol.Error
	// NotifyURL takes the place of the setting with this name; nil for the setting.
	NotifyURL *url.URL
	// Pages are the files of the window's interface, for the control page; nil for none.
	Pages fs.FS
	// Log is what Logger writes to, for the control page; nil for none.
	Log    *logs.Log
	Logger *slog.Logger
}

// Manager owns the sessions and what they share.
type Manager struct {
	cfg     Config
	log     *slog.Logger
	auth    *auth.Authority
	callers *caller.Resolver
	clients *clients.Clients
	// storedData is what is stored on this computer.
	storedData *storeddata.Data
	endpoint   *endpoint.Endpoint
	agents     *inventory.Inventory
	confine    *confine.Probe
	stateDir   fs.FileInfo // of the folder of the state when the app started
	folders    *trust.Folders
	secrets    *secret.Store
	offers     *pairing.Offers // panels that wait for the user to enter their codes
	schedules  *schedule.Scheduler
	webhook    *webhook.Webhook
	control    *controlpage.Page
	// known are the browser's commands: each call looks several times.
	known command.Table

	changes *hub.Hub[struct{}]
	// first opens when the session that starts with the app has begun to start, or
	// when none does. firstPanel opens when the first panel of this run has
	// connected, firstScreen when a panel first shows a terminal, and begun when
	// the start no longer waits for either.
	first, firstPanel, firstScreen, begun hub.Latch
	use                                   hub.Use // of the commands, by all callers

	work  atomic.Uint64 // counts changes of tasks and routines; see protocol.WindowState
	count atomic.Int64  // of sessions; sessions read it while mu is held

	mu       sync.Mutex
	ctx      context.Context    // of Run; the sessions' contexts derive from it
	running  sync.WaitGroup     // the sessions' goroutines
	guard    func() *proc.Guard // blocks until the guard is ready
	sessions map[protocol.SessionName]*Session
	tray     protocol.TrayHost
	problem  *protocol.Error
	onShow   func(protocol.WindowShow)
	onQuit   func()
	// modelChanges counts changes of the model profiles; see protocol.WindowState.
	modelChanges uint64
}

// New returns a Manager. It opens and starts nothing; Run does.
func New(cfg Config) (*Manager, error) {
	m := &Manager{
		cfg:      cfg,
		log:      cfg.Logger.With("component", "session"),
		changes:  hub.New[struct{}](1),
		sessions: map[protocol.SessionName]*Session{},
		first:    hub.NewLatch(), firstPanel: hub.NewLatch(), firstScreen: hub.NewLatch(), begun: hub.NewLatch(),
		tray:    protocol.TrayStarting,
		problem: cfg.Notice,
		onShow:  func(protocol.WindowShow) {},
		onQuit:  func() {},
	}
	m.auth = auth.New(auth.Config{})
	m.callers = caller.New(caller.Config{Auth: m.auth, Started: peer.Started, Logger: cfg.Logger})
	if cfg.Models != nil {
		cfg.Models.OnChange(m.modelsChanged)
	}
	m.known = catalogue.Table()
	if cfg.Settings != nil { // in tests of other parts
		cfg.Settings.OnChange(m.settingsChanged)
	}
	m.agents = inventory.New(inventory.Config{Logger: cfg.Logger, Models: cfg.Models, Program: cfg.Program})
	m.confine = confine.NewProbe()
	if info, err := os.Stat(cfg.Dirs.State); err == nil { // else nothing is there yet
		m.stateDir = info
	}
	m.folders = trust.NewFolders(trust.NewStore(cfg.Dirs.TrustFile(), cfg.Logger))
	m.secrets = secret.New(secret.Config{File: cfg.Dirs.SecretsFile(), Keyring: desktop.KeyringRuns})
	m.offers = pairing.New(m.panelsWait)
	m.endpoint = newEndpoint(m)
	m.clients = newClients(m)
	m.control = controlpage.New(controlpage.Config{Auth: m.auth, Pages: cfg.Pages, Log: cfg.Log, Changes: m.changes, Changed: m.controlChanged, Logger: cfg.Logger})
	m.storedData = storeddata.New(storeddata.Config{Dir: cfg.Dirs.State, Sessions: forStored{m}, Logger: cfg.Logger})
	m.webhook = webhook.New(webhook.Config{URL: cfg.NotifyURL, Settings: cfg.Settings, Logger: cfg.Logger})
	m.schedules = newSchedules(m)
	m.schedules.OnChange(m.changed)
	names, err := cfg.Dirs.Sessions()
	if err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	for _, name := range append([]protocol.SessionName{protocol.DefaultSession}, names...) {
		if m.sessions[name] == nil {
			m.sessions[name] = newSession(m, name)
		}
	}
	m.count.Store(int64(len(m.sessions)))
	return m, nil
}

// OnShow sets the function that brings the window to the front when a second
// instance, the panel, the tray or the command line asks for it. Call it before Run.
func (m *Manager) OnShow(show func(protocol.WindowShow)) { m.onShow = show }

// OnQuit sets the function that ends the program when the command line asks for
// it. Call it before Run.
func (m *Manager) OnQuit(quit func()) { m.onQuit = quit }

// Window returns everything that the app window shows.
func (m *Manager) Window() protocol.WindowState {
	m.mu.Lock()
	problem, changes := m.cfg.Settings.Problem()
	settings := m.cfg.Settings.Get()
	state := protocol.WindowState{
		Theme: cmp.Or(settings.Theme, protocol.ThemeSystem), TextSize: settings.TextSize, Settings: changes, SettingsProblem: problem,
		Version: m.cfg.Version, Agents: m.agents.List(), Tray: m.tray, Problem: m.problem, Port: m.endpoint.Port(), Browsers: m.agents.Browsers(), BrowserInstall: chromium.InstallCommand(),
		StateDir: m.cfg.Dirs.State, LogDir: m.cfg.Dirs.LogDir(), Models: m.modelChanges, Work: m.work.Load(), Schedules: m.schedules.Changes(), Confinement: m.Confinement(),
	}
	sessions := m.sortedLocked()
	m.mu.Unlock()
	state.Sessions = make([]protocol.SessionInfo, 0, len(sessions))
	state.Conversations = []protocol.WindowConversation{}
	for _, s := range sessions {
		info := s.Info()
		state.Sessions = append(state.Sessions, info)
		state.Questions = append(state.Questions, questions(info)...)
		state.Conversations = append(state.Conversations, conversations{s}.forWindow()...)
	}
	return state
}

// sortedLocked returns the sessions, the default one first.
func (m *Manager) sortedLocked() []*Session {
	sessions := make([]*Session, 0, len(m.sessions))
	for _, s := range m.sessions {
		sessions = append(sessions, s)
	}
	slices.SortFunc(sessions, func(a, b *Session) int { return protocol.CompareSessions(a.name, b.name) })
	return sessions
}

// Begun returns a channel that is closed when the first panel of this run shows
// a terminal, or when there is nothing to wait for. Until then the browser
// should have the machine to itself.
func (m *Manager) Begun() <-chan struct{} { return m.begun.Opened() }

// Changes returns a subscription that reports changes of Window. Several
// changes may arrive as one.
func (m *Manager) Changes() *hub.Subscription[struct{}] { return m.changes.Subscribe() }

// changed reports that Window has changed.
func (m *Manager) changed() { m.changes.Publish(struct{}{}) }

// SetTray records whether the desktop shows the tray icon.
func (m *Manager) SetTray(host protocol.TrayHost) {
	m.mu.Lock()
	m.tray = host
	m.mu.Unlock()
	m.changed()
}

// setProblem records an error of the app itself, for the window.
func (m *Manager) setProblem(err error) {
	m.mu.Lock()
	m.problem = protocol.AsError(err)
	m.mu.Unlock()
	m.changed()
}

// Session returns a session by name.
func (m *Manager) Session(name protocol.SessionName) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[name]; s != nil {
		return s, nil
	}
	return nil, protocol.NewError(protocol.CodeUnknownSession, fmt.Sprintf("there is no session %q", name), "`pilotfish status` lists the sessions")
}

// pick returns the session that a call means: the one it names, else the only
// one that runs, else the default one. It returns an error when several run and
// the default one does not.
func (m *Manager) pick(name protocol.SessionName) (*Session, error) {
	if name != "" {
		return m.Session(name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var running []*Session
	for _, s := range m.sortedLocked() {
		if s.State() == protocol.SessionRunning {
			running = append(running, s)
		}
	}
	switch {
	case len(running) == 1:
		return running[0], nil
	case len(running) > 1 && running[0].name == protocol.DefaultSession:
		return running[0], nil
	case len(running) > 1:
		return nil, protocol.NewError(protocol.CodeBadArgument, "several sessions are running", "name one with --session")
	}
	return m.sessions[protocol.DefaultSession], nil
}

// Start starts a session and returns when its browser runs, or with the error.
func (m *Manager) Start(ctx context.Context, name protocol.SessionName) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	return s.Start(ctx)
}

// Stop stops a session and returns when all its parts have ended.
func (m *Manager) Stop(ctx context.Context, name protocol.SessionName) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	return s.Stop(ctx)
}

// Restart stops a session and starts it again.
func (m *Manager) Restart(ctx context.Context, name protocol.SessionName) error {
	if err := m.Stop(ctx, name); err != nil {
		return err
	}
	return m.Start(ctx, name)
}

// Create creates a new, stopped session.
func (m *Manager) Create(_ context.Context, name protocol.SessionName) error {
	name, err := protocol.ParseSessionName(string(name))
	if err != nil {
		return err
	}
	m.mu.Lock()
	if m.sessions[name] != nil {
		m.mu.Unlock()
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is a session %q already", name), "choose another name")
	}
	if _, err := m.cfg.Dirs.Session(name); err != nil {
		m.mu.Unlock()
		return fmt.Errorf("making the session's folder: %w", err)
	}
	m.sessions[name] = newSession(m, name)
	m.mu.Unlock()
	m.counted()
	return nil
}

// counted handles that there are more or fewer sessions: each shows whether it is
// the only one.
func (m *Manager) counted() {
	m.mu.Lock()
	m.count.Store(int64(len(m.sessions)))
	m.mu.Unlock()
	m.eachSession((*Session).publishInfo)
	m.changed()
}

// Delete stops a session and removes everything that it has on disk.
func (m *Manager) Delete(ctx context.Context, name protocol.SessionName) error {
	if name == protocol.DefaultSession {
		return protocol.NewError(protocol.CodeBadArgument, "the default session cannot be deleted", "stop it instead")
	}
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	if err := s.Stop(ctx); err != nil {
		return err
	}
	s.recorder.Close()
	m.mu.Lock()
	delete(m.sessions, name)
	m.mu.Unlock()
	m.counted()
	return m.cfg.Dirs.RemoveSession(name)
}

// ShowTab brings a tab and the panel beside it to the front. The user asks for
// it in the window or the tray.
func (m *Manager) ShowTab(ctx context.Context, name protocol.SessionName, tab protocol.TabID) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	return s.showTab(ctx, tab)
}

// Settings returns the settings, see config.Shown.
func (m *Manager) Settings() protocol.Settings { return config.Shown(m.cfg.Settings.Get()) }

// SaveSettings checks and stores settings.
func (m *Manager) SaveSettings(_ context.Context, settings protocol.Settings) (protocol.Settings, error) {
	saved, err := m.cfg.Settings.Save(settings)
	return config.Shown(saved), err
}

// settingsChanged sends changed settings to the panels and the window.
func (m *Manager) settingsChanged(saved protocol.Settings) {
	m.eachSession(func(s *Session) {
		s.events.Publish(protocol.SettingsEvent{Type: protocol.PanelSettings, Settings: m.panelView(saved)})
		if r, err := s.current(); err == nil {
			r.terminals.Regrace() // also for terminals that have had no viewer since before
			r.attention.Again()
		}
	})
	m.changed()
}

// panelView is the part of the settings that the panel shows.
func (m *Manager) panelView(s protocol.Settings) protocol.PanelView {
	return protocol.PanelView{Theme: cmp.Or(s.Theme, protocol.ThemeSystem), AppVersion: m.cfg.Version, Agent: s.Agent, Command: s.AgentCommand, FontSize: s.FontSize, TextSize: s.TextSize, EveryTab: s.EveryTab, Confinement: m.Confinement(), ChatAgent: s.ChatAgent}
}

func (m *Manager) eachSession(do func(*Session)) {
	m.mu.Lock()
	sessions := m.sortedLocked()
	m.mu.Unlock()
	for _, s := range sessions {
		do(s)
	}
}

// ProbeAgents searches again for installed agents, and publishes the result to
// the panels, agents.json and the window.
func (m *Manager) ProbeAgents(ctx context.Context) protocol.AgentsFile {
	found := m.agents.Probe(ctx)
	m.eachSession(func(s *Session) {
		s.events.Publish(protocol.AgentsEvent{Type: protocol.PanelAgents, Agents: m.agents.List()})
		s.writeAgents(found)
	})
	m.changed()
	return m.agents.List()
}

// errStopped is the cause of a run's context when the session is stopped.
var errStopped = errors.New("the session was stopped")
