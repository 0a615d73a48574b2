package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"pilotfish/backend/chat/acp/wire"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/stdio"
	"pilotfish/backend/protocol"
)

// agent is a process that speaks ACP.
type agent struct {
	cfg     Config
	launch  driver.Launch
	log     *slog.Logger
	conn    *conn
	process *stdio.Process

	// life ends with the process, and with it the open questions.
	life    context.Context
	endLife context.CancelCauseFunc
	running sync.WaitGroup // the sessions' goroutines
	done    chan struct{}

	initialized chan struct{} // closed when can or initErr is set
	can         wire.Initialized
	initErr     error

	mu       sync.Mutex
	sessions map[string]*session
	opening  int                   // sessions whose id is not known yet
	held     map[string][]*message // messages for session ids that are not known yet
	heldSize int
	closed   bool
}

// initialize asks the agent for its capabilities.
func (a *agent) initialize() {
	defer close(a.initialized)
	ctx, cancel := context.WithTimeoutCause(a.life, protocol.AgentHandshake,
		protocol.NewError(protocol.CodeTimeout, a.launch.Name+" does not answer", "it may not be an agent that speaks ACP; look at its command line in Settings"))
	defer cancel()
	// We offer neither files nor terminals: agents have their own, and ask for
	// permission to use them.
	err := a.conn.request(ctx, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "pilotfish", Title: new("Pilotfish"), Version: a.cfg.Version},
	}, &a.can)
	switch {
	case err != nil:
		a.initErr = a.explained(err)
	case a.can.ProtocolVersion != sdk.ProtocolVersionNumber:
		a.initErr = protocol.NewError(protocol.CodeInternal,
			fmt.Sprintf("%s speaks version %d of the Agent Client Protocol, Pilotfish speaks %d", a.launch.Name, a.can.ProtocolVersion, sdk.ProtocolVersionNumber),
			"install a version that fits")
	}
}

// explained converts an error of the agent into one for the user.
func (a *agent) explained(err error) error {
	if rpc, ok := errors.AsType[*rpcError](err); ok {
		if rpc.Code == codeAuthRequired {
			return &driver.NeedsSignIn{Methods: a.can.Methods(), Why: rpc.Error()}
		}
		return protocol.NewError(protocol.CodeInternal, a.launch.Name+": "+rpc.Error(), "")
	}
	if ours, ok := errors.AsType[*protocol.Error](err); ok {
		return ours
	}
	return err
}

// ready waits until the agent's capabilities are known.
func (a *agent) ready(ctx context.Context) error {
	select {
	case <-a.initialized:
		return a.initErr
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s: %w", a.launch.Name, context.Cause(ctx))
	}
}

// Shared returns true: every agent that speaks ACP serves many sessions.
func (a *agent) Shared() bool { return true }

// SignIn signs in by a method.
func (a *agent) SignIn(ctx context.Context, method string) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	err := a.conn.request(ctx, sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: method}, nil)
	if err != nil {
		return a.explained(err)
	}
	return nil
}

// Open creates a session, or continues the session cfg.Resume.
func (a *agent) Open(ctx context.Context, cfg driver.SessionConfig, sink driver.Sink) (driver.Session, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	s := newSession(a, cfg, sink)
	if cfg.Resume == "" {
		return a.create(ctx, cfg, s)
	}
	return a.takeUp(ctx, cfg, s)
}

// create creates a new session.
func (a *agent) create(ctx context.Context, cfg driver.SessionConfig, s *session) (driver.Session, error) {
	a.mu.Lock()
	a.opening++
	a.mu.Unlock()
	done := make(chan error, 1)
	take := func(result json.RawMessage, err error) {
		var reply wire.SessionReply
		if err == nil {
			err = wire.Lenient(result, &reply)
		}
		if err == nil && reply.SessionID == "" {
			err = protocol.NewError(protocol.CodeInternal, a.launch.Name+" returned a session without an id", "")
		}
		waiting := a.begin(s, reply.SessionID, err == nil && ctx.Err() == nil)
		if err == nil && ctx.Err() == nil {
			s.announce(&reply)
		}
		done <- err
		// What arrived before the response is delivered only now, so that Open
		// can return.
		for _, m := range waiting {
			a.deliver(s, m)
		}
	}
	err := a.conn.call(sdk.AgentMethodSessionNew, sdk.NewSessionRequest{
		Cwd: cfg.Dir, McpServers: servers(s.tools), Meta: a.meta(cfg),
	}, take)
	if err != nil {
		a.begin(s, "", false)
		return nil, a.explained(err)
	}
	select {
	case err = <-done:
	case <-ctx.Done():
		return nil, fmt.Errorf("opening a session of %s: %w", a.launch.Name, context.Cause(ctx))
	}
	if err != nil {
		return nil, a.explained(err)
	}
	return s, nil
}

// begin gives a session its id and returns the messages that arrived for it
// before. If ok is false, the session was not created.
func (a *agent) begin(s *session, id string, ok bool) []*message {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opening--
	var waiting []*message
	if ok && !a.closed {
		waiting = a.held[id]
		s.id = id
		a.start(s)
	}
	delete(a.held, id)
	if a.opening == 0 {
		a.heldSize = 0
		clear(a.held)
	}
	return waiting
}

// start registers a session and runs its inbox. The caller holds mu, and a is
// not closed.
func (a *agent) start(s *session) {
	a.sessions[s.id] = s
	a.running.Go(s.inbox.run)
}

// takeUp continues an earlier session.
func (a *agent) takeUp(ctx context.Context, cfg driver.SessionConfig, s *session) (driver.Session, error) {
	loads := a.can.Can.Load
	resumes := a.can.Can.Session.Resume.Yes() && (!cfg.Replay || !loads)
	if !resumes && !loads {
		return nil, driver.ErrNoResume
	}
	s.id = cfg.Resume
	a.mu.Lock()
	if a.closed || a.sessions[s.id] != nil {
		a.mu.Unlock()
		return nil, protocol.NewError(protocol.CodeBusy, "this session is open already", "")
	}
	a.start(s)
	a.mu.Unlock()
	var err error
	if resumes {
		err = s.reopen(ctx, sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{
			SessionId: sdk.SessionId(cfg.Resume), Cwd: cfg.Dir, McpServers: servers(s.tools), Meta: a.meta(cfg),
		})
		// Qwen Code 0.15 announces this method but does not implement it.
		if unknown, ok := errors.AsType[*rpcError](err); loads && ok && unknown.Code == codeNoMethod {
			resumes = false
		}
	}
	if !resumes {
		// The agent repeats the whole history; the conversation has it already.
		err = s.reopen(ctx, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{
			SessionId: sdk.SessionId(cfg.Resume), Cwd: cfg.Dir, McpServers: servers(s.tools), Meta: a.meta(cfg),
		})
		if err == nil && !s.replayed.Load() {
			// Qwen Code creates an empty session for an id that it does not
			// know.
			a.forget(s)
			return nil, fmt.Errorf("%w: %s has no history of it", driver.ErrNoResume, a.launch.Name)
		}
	}
	if err == nil {
		return s, nil
	}
	a.forget(s)
	explained := a.explained(err)
	if _, refused := errors.AsType[*rpcError](err); refused {
		if _, signIn := errors.AsType[*driver.NeedsSignIn](explained); !signIn {
			return nil, fmt.Errorf("%w: %w", driver.ErrNoResume, explained)
		}
	}
	return nil, explained
}

// reopen asks the agent to continue an earlier session by one of the two
// methods.
func (s *session) reopen(ctx context.Context, method string, params any) error {
	done := make(chan error, 1)
	s.inbox.put(0, func() { s.replays = true })
	ended := func(err error) { s.inbox.put(0, func() { s.replays = false; done <- err }) }
	err := s.agent.conn.call(method, params, func(result json.RawMessage, err error) {
		var reply wire.SessionReply
		if err == nil {
			err = wire.Lenient(result, &reply)
		}
		if err == nil {
			s.announce(&reply)
		}
		ended(err) // after the history that came before the response
	})
	if err != nil {
		return err
	}
	select {
	case err = <-done:
		return err
	case <-s.gone:
		return protocol.NewError(protocol.CodeGone, "the session was closed", "")
	case <-s.agent.done:
		return protocol.NewError(protocol.CodeCrashed, s.agent.launch.Name+" has ended", "start it again")
	case <-ctx.Done():
		return fmt.Errorf("loading a session of %s: %w", s.agent.launch.Name, context.Cause(ctx))
	}
}

// forget removes a session.
func (a *agent) forget(s *session) {
	a.mu.Lock()
	if a.sessions[s.id] == s {
		delete(a.sessions, s.id)
	}
	a.mu.Unlock()
	s.inbox.close()
}

// meta returns the system prompt in the form of claude's adapter; see framed
// for the other agents.
func (a *agent) meta(cfg driver.SessionConfig) map[string]any {
	if cfg.System == "" || !a.takesSystem() {
		return nil
	}
	return map[string]any{"systemPrompt": map[string]any{"append": cfg.System}}
}

// takesSystem reports whether the agent accepts a system prompt as metadata of
// a session.
func (a *agent) takesSystem() bool { return a.launch.Kind == protocol.AgentClaude }

// incoming handles a request or a notification of the agent.
func (a *agent) incoming(m *message) {
	switch {
	case m.Method == sdk.ClientMethodSessionUpdate && len(m.ID) == 0,
		m.Method == sdk.ClientMethodSessionRequestPermission && len(m.ID) > 0:
	case len(m.ID) > 0:
		a.conn.refuse(m.ID, codeNoMethod, "Pilotfish does not offer "+m.Method)
		return
	default:
		a.log.Debug("a notification of no use", "method", m.Method)
		return
	}
	a.mu.Lock()
	s := a.sessions[m.Params.Session]
	if s == nil && a.opening > 0 && a.heldSize+m.size <= agentInbox {
		// The response that names its session has not arrived yet.
		a.held[m.Params.Session] = append(a.held[m.Params.Session], m)
		a.heldSize += m.size
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	if s == nil {
		a.log.Debug("a message for no session", "method", m.Method, "session", m.Params.Session)
		if len(m.ID) > 0 {
			a.conn.reply(m.ID, cancelled())
		}
		return
	}
	a.deliver(s, m)
}

// deliver puts a message into its session's inbox.
func (a *agent) deliver(s *session, m *message) {
	if len(m.ID) > 0 {
		s.inbox.put(m.size, func() { s.ask(m) })
		return
	}
	s.inbox.put(m.size, func() { s.update(&m.Params.Update) })
}

// watch ends everything when the process has ended.
func (a *agent) watch() {
	<-a.process.Done()
	// Turns end in the inboxes, after the last updates.
	a.conn.end(a.process.Err())
	a.closeInboxes()
	a.endLife(errors.New("the agent ended"))
	<-a.initialized
	a.running.Wait()
	close(a.done)
}

// closeInboxes closes the inboxes of all sessions.
func (a *agent) closeInboxes() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for _, s := range a.sessions {
		s.inbox.close()
	}
}

// Done is closed when the process has ended and its last message was handled.
func (a *agent) Done() <-chan struct{} { return a.done }

// Err returns why the process ended.
func (a *agent) Err() error { return a.process.Err() }

// Close ends the process. It must not be called from a Sink.
func (a *agent) Close(ctx context.Context) error {
	if err := a.process.Close(ctx); err != nil {
		return err
	}
	return stdio.Await(ctx, a.done, a.launch.Name)
}
