package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"pilotfish/backend/chat/acp/wire"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// session is one session of an agent.
type session struct {
	agent *agent
	log   *slog.Logger
	sink  driver.Sink
	inbox *inbox
	id    string
	tools []driver.ToolServer // the servers that the agent gets

	gone     chan struct{} // closed by Close
	replayed atomic.Bool   // the agent has repeated some of the history

	options options

	// The fields below are used only by what runs in the inbox.
	replays   bool // the agent is repeating the history
	streaming stream
	shown     map[string]bool // the tool calls whose content was sent
	asked     map[string]bool // the tool calls whose input was sent
	plans     bool            // it sends its plans as the protocol says
	used      *wire.Tokens    // by the turn, as far as the agent has reported it

	mu        sync.Mutex
	turn      *turn // the one that the agent is working on
	questions map[*question]struct{}
	closed    bool
	unsaid    string // the system prompt, until it was sent with a prompt
	lacks     string // a notice about servers that the agent does not get, until it was shown
}

// turn is a prompt that the agent is working on.
type turn struct {
	ended     chan turnResult // has room for the one result
	givenUp   bool            // nobody waits for it any more
	cancelled bool            // its end was requested
	sent      bool
}

type turnResult struct {
	end driver.TurnEnd
	err error
}

func newSession(a *agent, cfg driver.SessionConfig, sink driver.Sink) *session {
	s := &session{
		agent: a, log: a.log, sink: sink, inbox: newInbox(), gone: make(chan struct{}),
		shown: map[string]bool{}, asked: map[string]bool{}, questions: map[*question]struct{}{},
	}
	s.tools, s.lacks = driver.Usable(a.launch.Name, cfg.Tools, a.can.Can.MCP.HTTP)
	if !a.takesSystem() {
		s.unsaid = cfg.System
	}
	return s
}

// announce handles what the session announced about itself.
func (s *session) announce(reply *wire.SessionReply) {
	s.options.begin(reply)
	s.inbox.put(0, s.emitOptions)
}

// emit passes an update to the sink. It runs in the inbox.
func (s *session) emit(u driver.Update) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if !closed {
		s.sink.Update(u)
	}
}

func (s *session) emitOptions() { s.emit(driver.Update{Options: s.options.shown()}) }

// ID returns the agent's own id of the session.
func (s *session) ID() string { return s.id }

// Abilities returns what the agent announced.
func (s *session) Abilities() protocol.ChatAbilities {
	can := &s.agent.can.Can
	return protocol.ChatAbilities{
		Images: can.Prompt.Image,
		Resume: can.Load || can.Session.Resume.Yes(),
		// The sessions of claude's ACP adapter are claude's own, so claude can
		// continue them in a terminal.
		Terminal: s.agent.launch.Kind == protocol.AgentClaude,
	}
}

// Prompt runs one turn.
func (s *session) Prompt(ctx context.Context, p driver.Prompt) (driver.TurnEnd, error) {
	if len(p.Images) > 0 && !s.agent.can.Can.Prompt.Image {
		return driver.TurnEnd{Reason: protocol.EndFailed},
			protocol.NewError(protocol.CodeBadArgument, s.agent.launch.Name+" does not accept images", "send the message without them, or choose another agent")
	}
	t := &turn{ended: make(chan turnResult, 1)}
	s.mu.Lock()
	if s.turn != nil {
		s.mu.Unlock()
		return driver.TurnEnd{Reason: protocol.EndFailed}, driver.ErrStuck
	}
	s.turn = t
	s.mu.Unlock()

	if err := s.useModel(ctx, p.Model); err != nil {
		s.drop(t)
		return s.failed(t, err)
	}
	s.mu.Lock()
	if t.cancelled {
		s.turn = nil
		s.mu.Unlock()
		return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
	}
	if notice := s.lacks; notice != "" {
		s.lacks = ""
		s.inbox.put(0, func() { s.emit(driver.Update{Notice: &notice}) })
	}
	t.sent = true // from here on Cancel notifies the agent, after the prompt
	err := s.agent.conn.call(sdk.AgentMethodSessionPrompt,
		sdk.PromptRequest{SessionId: sdk.SessionId(s.id), Prompt: s.blocks(p)},
		func(result json.RawMessage, err error) { s.inbox.put(0, func() { s.endTurn(t, result, err) }) })
	if err == nil {
		s.unsaid = ""
	}
	s.mu.Unlock()
	if err != nil {
		s.drop(t)
		return s.failed(t, err)
	}
	select {
	case r := <-t.ended:
		return r.end, r.err
	case <-s.gone:
		return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	t.givenUp = true
	s.mu.Unlock()
	s.endQuestions()
	return driver.TurnEnd{Reason: protocol.EndCancelled}, fmt.Errorf("giving up a turn of %s: %w", s.agent.launch.Name, context.Cause(ctx))
}

// drop removes a turn that was not sent.
func (s *session) drop(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == t {
		s.turn = nil
	}
}

// endTurn handles the response to a prompt. It runs in the inbox, after the
// turn's updates.
func (s *session) endTurn(t *turn, result json.RawMessage, err error) {
	s.flush()
	clear(s.shown)
	used := s.used
	s.used = nil
	// Ends questions that the agent asked without waiting for their answers.
	s.endQuestions()
	var reply wire.PromptReply
	if err == nil {
		err = wire.Lenient(result, &reply)
	}
	s.mu.Lock()
	s.turn = nil
	s.mu.Unlock()
	if err != nil {
		end, err := s.failed(t, err)
		t.ended <- turnResult{end, err}
		return
	}
	t.ended <- turnResult{reply.TurnEnd(used), nil}
}

// failed returns how a turn ended that failed.
func (s *session) failed(t *turn, err error) (driver.TurnEnd, error) {
	s.mu.Lock()
	cancelled := t.cancelled
	s.mu.Unlock()
	if _, answer := errors.AsType[*rpcError](err); answer {
		if cancelled {
			// Some agents answer a cancelled turn with the error of the work
			// that was interrupted.
			return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
		}
		return driver.TurnEnd{Reason: protocol.EndFailed}, s.agent.explained(err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return driver.TurnEnd{Reason: protocol.EndCancelled}, err
	}
	select {
	case <-s.agent.process.Done():
		return driver.TurnEnd{Reason: protocol.EndCrashed}, err
	default:
		return driver.TurnEnd{Reason: protocol.EndFailed}, err
	}
}

// stale reports whether the running turn was abandoned, so that the agent's
// updates must be dropped.
func (s *session) stale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && s.turn.givenUp
}

// useModel makes the turn run with model, or, if that is empty, with the model
// that the user chose.
func (s *session) useModel(ctx context.Context, model string) error {
	o, ok := s.options.model()
	if !ok {
		return nil // an agent without a choice of models has only one
	}
	if model == "" {
		model = o.chosen
	}
	if o.Value == model || !slices.ContainsFunc(o.Choices, func(c protocol.ChatChoice) bool { return c.Value == model }) {
		return nil
	}
	return s.set(ctx, o, model, false)
}

// SetOption sets one of the options.
func (s *session) SetOption(ctx context.Context, id, value string) error {
	o, ok := s.options.find(id)
	if !ok {
		return protocol.NewError(protocol.CodeBadArgument, s.agent.launch.Name+" has no option \""+id+"\"", "")
	}
	if !slices.ContainsFunc(o.Choices, func(c protocol.ChatChoice) bool { return c.Value == value }) {
		return protocol.NewError(protocol.CodeBadArgument, "\""+value+"\" is not a valid value for "+o.Name, "")
	}
	if err := s.set(ctx, o, value, true); err != nil {
		return s.agent.explained(err)
	}
	return nil
}

// set asks the agent to change an option and waits for the new options.
func (s *session) set(ctx context.Context, o option, value string, chosen bool) error {
	done := make(chan error, 1)
	if !chosen {
		s.options.ask(o.ID, value)
	}
	err := s.agent.conn.call(o.method, o.setRequest(s.id, value), func(result json.RawMessage, err error) {
		if err != nil {
			s.options.ask(o.ID, "")
			done <- err
			return
		}
		s.inbox.put(len(result), func() {
			s.options.set(o.ID, value, chosen)
			var reply wire.SessionReply
			if wire.Lenient(result, &reply) == nil && reply.ConfigOptions != nil {
				s.options.configure(reply.ConfigOptions)
			}
			s.emitOptions()
			done <- nil
		})
	})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-s.gone:
		return protocol.NewError(protocol.CodeGone, "the session was closed", "")
	case <-s.agent.done:
		return protocol.NewError(protocol.CodeCrashed, s.agent.launch.Name+" has ended", "start it again")
	case <-ctx.Done():
		return fmt.Errorf("setting %s: %w", o.Name, context.Cause(ctx))
	}
}

// Steer returns an error: the protocol has nothing for it.
func (s *session) Steer(context.Context, driver.Prompt) error {
	return protocol.NewError(protocol.CodeBadArgument, s.agent.launch.Name+" takes no message into a running turn", "")
}

// Cancel asks the agent to end the turn. It does not wait.
func (s *session) Cancel(context.Context) error {
	s.mu.Lock()
	t := s.turn
	tell := t != nil && t.sent
	if t != nil {
		t.cancelled = true
	}
	s.mu.Unlock()
	if !tell {
		return nil
	}
	// In this order, as the protocol requires: an agent that learns of the
	// cancelled question first may ask the next one.
	err := s.agent.conn.notify(sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: sdk.SessionId(s.id)})
	s.endQuestions()
	if err != nil {
		return fmt.Errorf("cancelling a turn of %s: %w", s.agent.launch.Name, err)
	}
	return nil
}

// Close closes the session. If the agent supports closing a session, Close
// waits until it has done so: Kimi Code saves the last messages then, and loses
// them when its process ends before.
func (s *session) Close(ctx context.Context) error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if was {
		return nil
	}
	err := s.Cancel(ctx)
	s.endQuestions()
	close(s.gone)
	s.agent.forget(s)
	if err != nil || !s.agent.can.Can.Session.Close.Yes() {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, chatCloseWait)
	defer cancel()
	err = s.agent.conn.request(ctx, sdk.AgentMethodSessionClose, sdk.CloseSessionRequest{SessionId: sdk.SessionId(s.id)}, new(sdk.CloseSessionResponse))
	if err != nil {
		return fmt.Errorf("closing a session of %s: %w", s.agent.launch.Name, err)
	}
	return nil
}
