//go:build unix

package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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

	// life ends with the process; questions that are open then are over.
	life    context.Context
	endLife context.CancelCauseFunc
	running sync.WaitGroup // the sessions' goroutines
	done    chan struct{}

	initialized chan struct{} // closed when can or initErr is known
	can         wire.Initialized
	initErr     error

	mu       sync.Mutex
	sessions map[string]*session
	opening  int                   // sessions whose id we do not know yet
	held     map[string][]*message // what came for ids that we do not know
	heldSize int
	closed   bool
}

// initialize asks what the agent can do.
func (a *agent) initialize() {
	defer close(a.initialized)
	ctx, cancel := context.WithTimeoutCause(a.life, protocol.AgentHandshake,
		protocol.NewError(protocol.CodeTimeout, a.launch.Name+" does not answer", "it may not be an agent that speaks ACP; look at its command line in Settings"))
	defer cancel()
	// We offer neither files nor terminals: agents have their own, and what they
	// do with them is theirs to ask for.
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

// explained makes an error that a person is told of what the agent answered.
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

// ready waits until it is known what the agent can do.
func (a *agent) ready(ctx context.Context) error {
	select {
	case <-a.initialized:
		return a.initErr
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s: %w", a.launch.Name, context.Cause(ctx))
	}
}

// Shared is true: every agent that speaks ACP serves many sessions.
func (a *agent) Shared() bool { return true }

// SignIn signs in.
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

// Open makes a session, or takes up the one of cfg.Resume.
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

// create makes a new session.
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
			err = protocol.NewError(protocol.CodeInternal, a.launch.Name+" gave its session no id", "")
		}
		waiting := a.begin(s, reply.SessionID, err == nil && ctx.Err() == nil)
		if err == nil && ctx.Err() == nil {
			s.announce(&reply)
		}
		done <- err
		// Only now that Open can return what came before the reply is delivered.
		for _, m := range waiting {
			a.deliver(s, m)
		}
	}
	err := a.conn.call(sdk.AgentMethodSessionNew, sdk.NewSessionRequest{
		Cwd: cfg.Dir, McpServers: servers(cfg.Tools), Meta: a.meta(cfg),
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

// begin gives a session its id and returns what came for it before; without ok
// there is no session.
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

// start lets a session run. The caller holds mu, and a is not closed.
func (a *agent) start(s *session) {
	a.sessions[s.id] = s
	a.running.Go(s.inbox.run)
}

// takeUp goes on with a session of before.
func (a *agent) takeUp(ctx context.Context, cfg driver.SessionConfig, s *session) (driver.Session, error) {
	resumes, loads := a.can.Can.Session.Resume.Yes(), a.can.Can.Load
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
			SessionId: sdk.SessionId(cfg.Resume), Cwd: cfg.Dir, McpServers: servers(cfg.Tools), Meta: a.meta(cfg),
		})
		// Qwen Code 0.15 announces this method and does not know it.
		if unknown, ok := errors.AsType[*rpcError](err); loads && ok && unknown.Code == codeNoMethod {
			resumes = false
		}
	}
	if !resumes {
		// The agent says the whole history again; the conversation has it.
		err = s.reopen(ctx, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{
			SessionId: sdk.SessionId(cfg.Resume), Cwd: cfg.Dir, McpServers: servers(cfg.Tools), Meta: a.meta(cfg),
		})
		if err == nil && !s.replayed.Load() {
			// Qwen Code makes an empty session of an id that it does not know.
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

// reopen asks the agent for a session of before by one of the two methods.
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
		ended(err) // behind the history that came before the answer
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

// forget lets a session go.
func (a *agent) forget(s *session) {
	a.mu.Lock()
	if a.sessions[s.id] == s {
		delete(a.sessions, s.id)
	}
	a.mu.Unlock()
	s.inbox.close()
}

// meta is how Claude's adapter takes a system prompt; see session.framed for the
// others.
func (a *agent) meta(cfg driver.SessionConfig) map[string]any {
	if cfg.System == "" || !a.takesSystem() {
		return nil
	}
	return map[string]any{"systemPrompt": map[string]any{"append": cfg.System}}
}

// takesSystem reports whether the agent takes a system prompt beside a session.
func (a *agent) takesSystem() bool { return a.launch.Kind == protocol.AgentClaude }

// incoming takes a request or a notification of the agent.
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
		// The reply that names its session is still under way.
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

// watch ends everything when the process is gone.
func (a *agent) watch() {
	<-a.process.Done()
	// Turns end in the inboxes, behind the last updates.
	a.conn.end(a.process.Err())
	a.closeInboxes()
	a.endLife(errors.New("the agent ended"))
	<-a.initialized
	a.running.Wait()
	close(a.done)
}

// closeInboxes lets nothing more into any session.
func (a *agent) closeInboxes() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for _, s := range a.sessions {
		s.inbox.close()
	}
}

// Done is closed when the process is gone and its last word was handed on.
func (a *agent) Done() <-chan struct{} { return a.done }

// Err says why the process ended.
func (a *agent) Err() error { return a.process.Err() }

// Close ends the process. It must not be called from a Sink.
func (a *agent) Close(ctx context.Context) error {
	if err := a.process.Close(ctx); err != nil {
		return err
	}
	return stdio.Await(ctx, a.done, a.launch.Name)
}

// servers are the browser's tools as ACP names them.
func servers(tools []driver.ToolServer) []sdk.McpServer {
	out := make([]sdk.McpServer, 0, len(tools))
	for _, tool := range tools {
		env := make([]sdk.EnvVariable, 0, len(tool.Env))
		for _, pair := range tool.Env {
			name, value, _ := strings.Cut(pair, "=")
			env = append(env, sdk.EnvVariable{Name: name, Value: value})
		}
		args := tool.Args
		if args == nil {
			args = []string{}
		}
		out = append(out, sdk.McpServer{Stdio: &sdk.McpServerStdio{Name: tool.Name, Command: tool.Command, Args: args, Env: env}})
	}
	return out
}
