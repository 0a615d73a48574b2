package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

// script is what a played agent does for a prompt.
type script func(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error)

// played is an agent in this process. It tests package chat without an agent
// protocol.
type played struct {
	shared   bool
	noResume bool
	steer    bool
	script   script
	replay   []driver.Update
	// Called in Start, Open and Session.Close; nil for nothing.
	starting func()
	opening  func()
	closing  func(context.Context)
	signIn   []protocol.SignInMethod

	mu       sync.Mutex
	signed   bool
	started  int
	agents   []*playedAgent
	prompts  []driver.Prompt
	resumed  []string
	dirs     []string
	canceled int
	steered  int
	refused  error // of Steer
}

type playedAgent struct {
	p    *played
	done chan struct{}
	once sync.Once
	err  error
}

type playedSession struct {
	a       *playedAgent
	id      string
	sink    driver.Sink
	cancels chan struct{}
	steers  chan string
}

func (p *played) Start(life context.Context, _ driver.Launch) (driver.Agent, error) {
	if p.starting != nil {
		p.starting()
	}
	a := &playedAgent{p: p, done: make(chan struct{})}
	p.mu.Lock()
	p.started++
	p.agents = append(p.agents, a)
	p.mu.Unlock()
	context.AfterFunc(life, func() { a.die(errors.New("its life ended")) })
	return a, nil
}

// last returns the agent that was started last.
func (p *played) last() *playedAgent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agents[len(p.agents)-1]
}

func (a *playedAgent) die(err error) { a.once.Do(func() { a.err = err; close(a.done) }) }

func (a *playedAgent) Shared() bool          { return a.p.shared }
func (a *playedAgent) Done() <-chan struct{} { return a.done }
func (a *playedAgent) Err() error            { return a.err }

func (a *playedAgent) Close(context.Context) error { a.die(errors.New("it was closed")); return nil }

func (a *playedAgent) Past(context.Context) ([]protocol.PastSession, error) { return nil, nil }
func (a *playedAgent) SignIn(_ context.Context, method string) error {
	if method != "key" {
		return errors.New("no such method")
	}
	a.p.mu.Lock()
	defer a.p.mu.Unlock()
	a.p.signed = true
	return nil
}

func (a *playedAgent) Open(_ context.Context, cfg driver.SessionConfig, sink driver.Sink) (driver.Session, error) {
	if a.p.opening != nil {
		a.p.opening()
	}
	a.p.mu.Lock()
	defer a.p.mu.Unlock()
	if len(a.p.signIn) > 0 && !a.p.signed {
		return nil, &driver.NeedsSignIn{Methods: a.p.signIn}
	}
	if cfg.Resume != "" && a.p.noResume {
		return nil, driver.ErrNoResume
	}
	a.p.resumed = append(a.p.resumed, cfg.Resume)
	a.p.dirs = append(a.p.dirs, cfg.Dir)
	id := cfg.Resume
	if id == "" {
		id = fmt.Sprintf("session-%d", len(a.p.resumed))
	} else {
		for _, u := range a.p.replay {
			sink.Update(u)
		}
	}
	return &playedSession{a: a, id: id, sink: sink, cancels: make(chan struct{}, 1), steers: make(chan string, 1)}, nil
}

func (s *playedSession) ID() string { return s.id }
func (s *playedSession) Abilities() protocol.ChatAbilities {
	return protocol.ChatAbilities{Images: true, Resume: !s.a.p.noResume, Steer: s.a.p.steer, Terminal: true}
}

func (s *playedSession) Prompt(ctx context.Context, p driver.Prompt) (driver.TurnEnd, error) {
	s.a.p.mu.Lock()
	s.a.p.prompts = append(s.a.p.prompts, p)
	s.a.p.mu.Unlock()
	s.a.p.mu.Lock()
	play := s.a.p.script
	s.a.p.mu.Unlock()
	return play(ctx, s, p)
}

func (s *playedSession) Steer(_ context.Context, p driver.Prompt) error {
	s.a.p.mu.Lock()
	defer s.a.p.mu.Unlock()
	if s.a.p.steered++; s.a.p.refused != nil {
		return s.a.p.refused
	}
	s.steers <- p.Text
	return nil
}

func (s *playedSession) Cancel(context.Context) error {
	s.a.p.mu.Lock()
	s.a.p.canceled++
	s.a.p.mu.Unlock()
	select {
	case s.cancels <- struct{}{}:
	default:
	}
	return nil
}
func (s *playedSession) SetOption(context.Context, string, string) error { return nil }

func (s *playedSession) Close(ctx context.Context) error {
	if s.a.p.closing != nil {
		s.a.p.closing(ctx)
	}
	return nil
}

func (s *playedSession) say(text string) {
	s.sink.Update(driver.Update{Text: &driver.Chunk{Text: text}})
}

// echo answers with the prompt.
func echo(_ context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
	s.say("You said: ")
	s.say(p.Text)
	return driver.TurnEnd{Reason: protocol.EndDone}, nil
}

// untilCancelled sends one text, answers what is put into the turn, and waits until it is
// cancelled.
func untilCancelled(ctx context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
	s.say("working")
	for {
		select {
		case text := <-s.steers:
			s.say("steered: " + text)
		case <-s.cancels:
			return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
		case <-s.a.done:
			return driver.TurnEnd{}, errors.New("the pipe is closed")
		case <-ctx.Done():
			return driver.TurnEnd{}, context.Cause(ctx)
		}
	}
}

// PlayedAgents are the agents of a test: those that Start returns.
type PlayedAgents struct {
	Start   func(ctx context.Context, kind protocol.AgentKind, command string) (driver.Starter, error)
	Router  *routing.Router
	folder  func(actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error) // nil: every folder is right
	tooled  func()                                                                                      // called by Tools
	release func()                                                                                      // called by Release
}

// Starter implements Agents, as the methods below do.
func (a PlayedAgents) Starter(ctx context.Context, kind protocol.AgentKind, command string) (driver.Starter, error) {
	return a.Start(ctx, kind, command)
}

func (a PlayedAgents) Folder(_ context.Context, actor protocol.Actor, tab protocol.TabID, launch driver.Launch) (driver.Launch, error) {
	if a.folder == nil {
		return launch, nil
	}
	return a.folder(actor, tab, launch)
}

func (a PlayedAgents) Tools(context.Context, protocol.Actor, protocol.TabID, string) []driver.ToolServer {
	if a.tooled != nil {
		a.tooled()
	}
	return nil
}

func (a PlayedAgents) Release(protocol.Actor) {
	if a.release != nil {
		a.release()
	}
}

func (PlayedAgents) System(protocol.TabID) string { return "" }
func (a PlayedAgents) Settings() Settings {
	return Settings{Silence: protocol.ChatSilence, Router: a.Router}
}

// withAgents changes the agents of a configuration.
func withAgents(change func(*PlayedAgents)) func(*Config) {
	return func(c *Config) {
		agents := c.Agents.(PlayedAgents)
		change(&agents)
		c.Agents = agents
	}
}

// fixture is a running Manager with what it needs.
type fixture struct {
	*Manager
	t      *testing.T
	dir    string
	broker *policy.Broker
	stop   func()

	mu   sync.Mutex
	seen []any
}

// opened returns a fixture whose conversations have a played agent.
func opened(t *testing.T, p *played, dir string) *fixture {
	t.Helper()
	return openedWith(t, p, dir, func(*Config) {})
}

// openedWith is opened with a changed configuration.
func openedWith(t *testing.T, p *played, dir string, change func(*Config)) *fixture {
	t.Helper()
	h := &fixture{t: t, dir: dir, broker: policy.NewBroker("default", func() {})}
	if h.dir == "" {
		h.dir = t.TempDir()
	}
	config := Config{
		Session: "default", Dir: filepath.Join(h.dir, "chat"), Root: h.dir, Attachments: filepath.Join(h.dir, "attachments"), Broker: h.broker,
		Agents: PlayedAgents{Start: func(_ context.Context, kind protocol.AgentKind, _ string) (driver.Starter, error) {
			if kind == "" {
				kind = "played"
			}
			return driver.Starter{Driver: p, Launch: driver.Launch{Kind: kind, Name: "Played", Dir: h.dir}}, nil
		}},
		Tabs: opentabs.New(protocol.Tab{ID: "t1"}), Events: hub.New[any](1), Logger: slog.New(slog.DiscardHandler),
	}
	config.Events.Observe(func(ev any) { h.mu.Lock(); h.seen = append(h.seen, ev); h.mu.Unlock() })
	change(&config)
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	h.Manager = m
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := m.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	h.stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(h.stop)
	return h
}

func (h *fixture) start(id protocol.ConversationID) {
	h.t.Helper()
	if _, err := h.Start(h.t.Context(), protocol.ChatStartRequest{Conversation: id, Tab: "t1"}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) say(id protocol.ConversationID, message protocol.MessageID, text string) {
	h.t.Helper()
	if _, err := h.Send(h.t.Context(), protocol.ChatSendRequest{Conversation: id, Message: message, Text: text}); err != nil {
		h.t.Fatal(err)
	}
}

// patience ends a test that hangs; no test takes this long, on a busy machine either.
const patience = 3 * time.Minute

// until watches a conversation until the page that a viewer builds from the
// events fulfils want, and returns the page.
func (h *fixture) until(id protocol.ConversationID, want func(protocol.ChatPage) bool) protocol.ChatPage {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	events, err := h.Watch(ctx, id, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	var v view2
	for ev, err := range events {
		if err != nil {
			h.t.Fatal(err)
		}
		v.take(h.t, ev)
		if want(v.page) {
			return v.page
		}
	}
	h.t.Fatalf("it never came to it: %+v", v.page)
	return v.page
}

// idle waits until a conversation is idle.
func (h *fixture) idle(id protocol.ConversationID) protocol.ChatPage {
	h.t.Helper()
	return h.until(id, func(p protocol.ChatPage) bool {
		return p.Head.Message == "" && len(p.Entries) > 0 && p.Entries[len(p.Entries)-1].Kind == protocol.EntryEnd
	})
}

// view2 is a viewer: it applies events as the panel does.
type view2 struct {
	page protocol.ChatPage
	last uint64
}

func (v *view2) take(t *testing.T, ev protocol.ChatEventsEvent) {
	t.Helper()
	if ev.Page != nil {
		v.page = *ev.Page
		v.last = ev.Page.Index
	}
	for _, e := range ev.Events {
		if e.Op == protocol.ChatHead {
			v.page.Head = *e.Head
			continue
		}
		if e.Index <= v.last {
			t.Errorf("event %d after %d", e.Index, v.last)
		}
		v.last = e.Index
		at := func(id string) int {
			return slices.IndexFunc(v.page.Entries, func(x protocol.ChatEntry) bool { return x.ID == id })
		}
		switch e.Op {
		case protocol.ChatPut:
			if i := at(e.Entry.ID); i >= 0 {
				v.page.Entries[i] = *e.Entry
			} else {
				v.page.Entries = append(v.page.Entries, *e.Entry)
			}
		case protocol.ChatAppend:
			if i := at(e.ID); i >= 0 {
				v.page.Entries[i].Text += e.Text
			} else {
				t.Errorf("words for an entry %s that is not there", e.ID)
			}
		case protocol.ChatRemove:
			if i := at(e.ID); i >= 0 {
				v.page.Entries = v.page.Entries[:i]
			}
		case protocol.ChatHead:
		}
	}
	v.page.Index = v.last
}

// texts are the entries in short form: "user hello", "text You said: hello",
// "end done".
func texts(entries []protocol.ChatEntry) []string {
	var out []string
	for _, e := range entries {
		line := string(e.Kind)
		switch {
		case e.End != nil:
			line += " " + string(e.End.Reason)
		case e.Tool != nil:
			line += " " + e.Tool.Title + " " + string(e.Tool.Status)
		case e.Permission != nil:
			line += " " + e.Permission.Outcome
		case e.Text != "":
			line += " " + e.Text
		}
		out = append(out, line)
	}
	return out
}

func wantTexts(t *testing.T, got []protocol.ChatEntry, want ...string) {
	t.Helper()
	if !slices.Equal(texts(got), want) {
		t.Errorf("entries are\n%q\nand not\n%q", texts(got), want)
	}
}

func code(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}
