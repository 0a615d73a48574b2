package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/chat/agentpool"
	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Agents are the agents of conversations. Package agents has those of this machine.
type Agents interface {
	// Starter says how to start an agent of a kind; an empty kind means the agent
	// chosen in Settings. command is the command line of AgentCustom.
	Starter(ctx context.Context, kind protocol.AgentKind, command string) (driver.Starter, error)
	// Folder returns an agent's launch in the folder in which it may start. It may
	// ask the user, and waits for the answer.
	Folder(ctx context.Context, actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error)
	// Tools returns the browser's tools for a conversation. They act as actor,
	// on tab by default. process is the driver.Grant of the agent's process. They are
	// valid until Release.
	Tools(ctx context.Context, actor protocol.Actor, tab protocol.TabID, process string) []driver.ToolServer
	Release(actor protocol.Actor)
	// System returns the text that informs an agent where it works.
	System(tab protocol.TabID) string
	// Settings are read at each use, so that changes apply at once.
	Settings() Settings
}

// Config is what a Manager needs. Dir, Root, Attachments, Agents, Broker, Tabs,
// Events and Logger are required.
type Config struct {
	Session protocol.SessionName
	// Dir is the folder of the conversations. Root is the session's folder: the
	// paths of files in entries are relative to it.
	Dir, Root string
	// Attachments is the folder of the conversations' files, within Root.
	Attachments string
	Agents      Agents
	// Instant is the agent that carries out instant messages. It may be another
	// agent than that of the conversation, or the same. Its driver uses the
	// router's plan in Prompt.Plan.
	Instant protocol.AgentKind
	// Tabs are the open tabs.
	Tabs *opentabs.List
	// Terminal continues a conversation's session in a terminal, and
	// EndTerminal ends that terminal. Both are nil where this is not possible.
	Terminal    func(ctx context.Context, head protocol.Conversation) (protocol.TerminalID, error)
	EndTerminal func(ctx context.Context, id protocol.TerminalID) error
	// Past finds the session of an agent that a request continues, if it continues one.
	Past func(agent protocol.AgentKind, req protocol.ChatStartRequest) (recall.Past, error)
	// Broker asks the user for approvals.
	Broker *policy.Broker
	// Events are the events for the panels. The result of TabAgents may change with each
	// ConversationEvent and ConversationGoneEvent.
	Events *hub.Hub[any]
	Logger *slog.Logger
}

// Settings are the user's settings for Chat.
type Settings struct {
	// Silence is how long an agent may send nothing before Chat offers to end
	// its turn.
	Silence time.Duration
	// WorkDir is the folder that agents work in; it need not exist.
	WorkDir string
	// Router chooses routes; nil sends every message to the conversation's
	// agent.
	Router *routing.Router
}

// Manager holds the conversations of one session. Its methods are safe for
// concurrent use.
type Manager struct {
	config Config
	log    *slog.Logger
	// ctx is the context of every agent and goroutine. Run cancels it when it
	// ends.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	news   *changeSet[*conversation] // heads to publish
	agents *agentpool.Pool

	mu            sync.Mutex
	conversations map[protocol.ConversationID]*conversation
	closing       bool
}

// New reads the list of conversations from disk. It starts nothing.
func New(c Config) (*Manager, error) {
	if c.Dir == "" || c.Agents == nil || c.Broker == nil || c.Logger == nil {
		return nil, errors.New("chat: Dir, Agents, Broker or Logger is missing")
	}
	if c.Past == nil {
		c.Past = func(protocol.AgentKind, protocol.ChatStartRequest) (recall.Past, error) { return recall.Past{}, nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{
		config: c, log: c.Logger.With("component", "chat", "session", c.Session), ctx: ctx, cancel: cancel,
		conversations: map[protocol.ConversationID]*conversation{}, news: newChangeSet[*conversation](),
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		cancel()
		return nil, fmt.Errorf("making the folder of the conversations: %w", err)
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("reading the conversations: %w", err)
	}
	for _, e := range entries {
		id := protocol.ConversationID(e.Name())
		if !e.IsDir() || !state.Pattern().MatchString(e.Name()) {
			continue
		}
		conv, err := readConversation(m, id)
		if err != nil {
			// One unreadable conversation must not hide the others.
			m.log.Warn("a conversation could not be read", "conversation", id, "error", err)
			continue
		}
		m.conversations[id] = conv
	}
	m.agents = agentpool.New(m.log)
	return m, nil
}

// Run publishes changes until ctx ends. Then it ends every turn and every
// agent, and returns when all of them have ended.
func (m *Manager) Run(ctx context.Context) error {
	published := make(chan struct{})
	quiet := make(chan struct{})
	go func() {
		defer close(published)
		m.tell(quiet)
	}()
	m.mend()
	<-ctx.Done()
	m.mu.Lock()
	m.closing = true
	all := m.allLocked()
	m.mu.Unlock()
	var ends sync.WaitGroup
	for _, c := range all {
		ends.Go(c.stop)
	}
	ends.Wait()
	m.agents.Close()
	m.cancel()
	m.wg.Wait()
	m.agents.Wait()
	for _, c := range all {
		c.close()
	}
	close(quiet)
	<-published
	return nil
}

// mend writes the missing ends of turns that were running when the process
// ended.
func (m *Manager) mend() {
	m.mu.Lock()
	all := m.allLocked()
	m.mu.Unlock()
	for _, c := range all {
		c.mu.Lock()
		if c.state.Turn != "" {
			if err := c.loadLocked(); err != nil {
				m.log.Warn("a conversation could not be read", "conversation", c.id, "error", err)
			}
		}
		c.mu.Unlock()
	}
}

func (m *Manager) allLocked() []*conversation {
	all := make([]*conversation, 0, len(m.conversations))
	for _, c := range m.conversations {
		all = append(all, c)
	}
	return all
}

// find returns a conversation, or an error with CodeUnknownConversation.
func (m *Manager) find(id protocol.ConversationID) (*conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.conversations[id]; c != nil {
		return c, nil
	}
	return nil, unknown(id)
}

func unknown(id protocol.ConversationID) error {
	return protocol.NewError(protocol.CodeUnknownConversation, fmt.Sprintf("there is no conversation %.80q", id), "`pilotfish chat list` lists them")
}

// Start creates a conversation, or returns the existing one with that id
// unchanged.
func (m *Manager) Start(ctx context.Context, req protocol.ChatStartRequest) (protocol.Conversation, error) {
	if err := state.CheckID(string(req.Conversation), "conversation"); err != nil {
		return protocol.Conversation{}, err
	}
	if c, err := m.find(req.Conversation); err == nil {
		return c.Head(), nil
	}
	started, err := m.config.Agents.Starter(ctx, req.Agent, req.Command)
	if err != nil {
		return protocol.Conversation{}, err
	}
	past, err := m.config.Past(started.Launch.Kind, req)
	if err != nil {
		return protocol.Conversation{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return protocol.Conversation{}, protocol.NewError(protocol.CodeNotRunning, "the session is ending", "")
	}
	if c := m.conversations[req.Conversation]; c != nil {
		return c.Head(), nil // a concurrent call created it
	}
	c := newConversation(m, req.Conversation)
	now := time.Now().UTC()
	c.state.Head = protocol.Conversation{
		ID: req.Conversation, Title: clip.Cut(req.Title, protocol.MaxTitle), Tab: req.Tab,
		Agent: started.Launch.Kind, AgentName: started.Launch.Name, Created: now, Updated: now,
	}
	c.state.Titled = req.Title != ""
	c.state.Command = req.Command
	if err := c.create(past); err != nil {
		return protocol.Conversation{}, err
	}
	m.conversations[c.id] = c
	m.news.Touch(c, true)
	return c.Head(), nil
}

// List returns the heads of all conversations, newest first.
func (m *Manager) List() []protocol.Conversation {
	m.mu.Lock()
	all := m.allLocked()
	m.mu.Unlock()
	heads := make([]protocol.Conversation, len(all))
	for i, c := range all {
		heads[i] = c.Head()
	}
	slices.SortFunc(heads, func(a, b protocol.Conversation) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return heads
}

// TabsChanged is called when tabs were opened or closed. A conversation whose
// tab was closed no longer belongs to a tab.
func (m *Manager) TabsChanged() {
	m.mu.Lock()
	all := m.allLocked()
	m.mu.Unlock()
	for _, c := range all {
		c.mu.Lock()
		shown := c.shownTab
		head := c.headLocked()
		changed := head.Tab != shown
		if changed && head.Tab == "" {
			// The last address of its tab is saved: by it the conversation is
			// found when the page is opened again.
			if err := c.saveLocked(); err != nil && !c.closed {
				m.log.Warn("a conversation could not be written", "conversation", c.id, "error", err)
			}
		}
		c.mu.Unlock()
		if changed {
			m.news.Touch(c, true)
		}
	}
}

// Delete ends a conversation and removes all its files.
func (m *Manager) Delete(_ context.Context, id protocol.ConversationID) error {
	m.mu.Lock()
	c := m.conversations[id]
	delete(m.conversations, id)
	m.mu.Unlock()
	if c == nil {
		return unknown(id)
	}
	c.stop()
	c.close()
	m.news.Drop(c)
	m.config.Events.Publish(protocol.ConversationGoneEvent{Type: protocol.PanelConversationGone, Conversation: id})
	if err := os.RemoveAll(filepath.Join(m.config.Dir, string(id))); err != nil {
		return fmt.Errorf("removing a conversation: %w", err)
	}
	return c.files.Remove()
}
