package claude

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/stdio"
	"pilotfish/backend/protocol"
)

// session is claude's one session. Its updates are passed on in the reader, so
// a conversation that is slow to write slows claude down.
type session struct {
	agent   *agent
	log     *slog.Logger
	sink    driver.Sink
	process *stdio.Process
	id      string

	// life ends with the process, and with it the open questions.
	life    context.Context //nolint:containedctx // it is handed to questions
	endLife context.CancelFunc

	options options

	// The fields below are used only by the reader.
	rubbish  int
	streamed string          // the id of the message that arrives in pieces
	pieces   map[int]string  // the kinds of its blocks, by index
	edits    map[string]bool // calls whose content is a diff
	context  protocol.ChatUsage
	servers  map[string]bool // the MCP servers it was given, but those that it could not use

	mu        sync.Mutex
	said      []string // its error output while it starts
	controls  map[string]func(json.RawMessage, error)
	questions map[string]*question
	turn      *turn
	closed    bool
	lacks     string // a notice about servers that claude does not get, until it was shown
	end       error  // why claude has ended; nil while it runs
}

// turn is a prompt that claude is working on.
type turn struct {
	id        string // of our message
	ended     chan turnResult
	sent      bool
	begun     bool // claude has started with it
	cancelled bool
	givenUp   bool
	waiting   []string // ids of messages added to the turn that claude has not started with
	problem   string   // the error that claude reported
}

type turnResult struct {
	end driver.TurnEnd
	err error
}

func newSession(a *agent, cfg driver.SessionConfig, sink driver.Sink) *session {
	s := &session{
		agent: a, log: a.cfg.Logger, sink: sink, id: cfg.Resume,
		pieces: map[int]string{}, edits: map[string]bool{}, servers: map[string]bool{},
		controls: map[string]func(json.RawMessage, error){}, questions: map[string]*question{},
	}
	if s.id == "" {
		s.id = newID()
	}
	s.life, s.endLife = context.WithCancel(a.life)
	return s
}

// heard keeps the first lines of the error output.
func (s *session) heard(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.said) < protocol.AgentStderr {
		s.said = append(s.said, line)
	}
}

// emit passes an update to the sink.
func (s *session) emit(u driver.Update) {
	s.mu.Lock()
	quiet := s.closed
	s.mu.Unlock()
	if !quiet {
		s.sink.Update(u)
	}
}

// ID returns claude's own id of the session.
func (s *session) ID() string { return s.id }

// Abilities returns what claude can do.
func (s *session) Abilities() protocol.ChatAbilities {
	return protocol.ChatAbilities{Images: true, Resume: true, Steer: true, Terminal: true}
}

// Prompt runs one turn.
func (s *session) Prompt(ctx context.Context, p driver.Prompt) (driver.TurnEnd, error) {
	t := &turn{id: newID(), ended: make(chan turnResult, 1)}
	s.mu.Lock()
	if s.turn != nil {
		s.mu.Unlock()
		return driver.TurnEnd{Reason: protocol.EndFailed}, driver.ErrStuck
	}
	if s.end != nil {
		defer s.mu.Unlock()
		return driver.TurnEnd{Reason: protocol.EndCrashed}, s.end
	}
	s.turn = t
	notice := s.lacks
	s.lacks = ""
	s.mu.Unlock()
	if notice != "" {
		s.emit(driver.Update{Notice: &notice})
	}

	if err := s.useModel(ctx, p.Model); err != nil {
		s.drop(t)
		return s.failed(err), err
	}
	s.mu.Lock()
	if t.cancelled {
		s.turn = nil
		s.mu.Unlock()
		return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
	}
	err := s.send(userMessage(t.id, p))
	t.sent = err == nil
	s.mu.Unlock()
	if err != nil {
		s.drop(t)
		return s.failed(err), err
	}
	select {
	case r := <-t.ended:
		return r.end, r.err
	case <-ctx.Done():
	}
	s.mu.Lock()
	t.givenUp = true
	s.mu.Unlock()
	s.endQuestions(true)
	return driver.TurnEnd{Reason: protocol.EndCancelled}, fmt.Errorf("giving up a turn of %s: %w", s.agent.launch.Name, context.Cause(ctx))
}

func (s *session) failed(err error) driver.TurnEnd {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.end != nil:
		return driver.TurnEnd{Reason: protocol.EndCrashed}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return driver.TurnEnd{Reason: protocol.EndCancelled}
	}
	return driver.TurnEnd{Reason: protocol.EndFailed}
}

// drop removes a turn that was not sent.
func (s *session) drop(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == t {
		s.turn = nil
	}
}

// userMessage returns a prompt in claude's format. id must be new for each
// message: claude ignores a message with an id that it has seen.
func userMessage(id string, p driver.Prompt) any {
	content := make([]map[string]any, 0, 1+len(p.Images)+len(p.Files))
	for _, image := range p.Images {
		content = append(content, map[string]any{"type": "image", "source": map[string]string{
			"type": "base64", "media_type": image.Mime, "data": base64.StdEncoding.EncodeToString(image.Data),
		}})
	}
	for _, file := range p.Files {
		content = append(content, map[string]any{"type": "text", "text": "The person attached the file " + file.Path})
	}
	if p.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": p.Text})
	}
	return map[string]any{
		"type": "user", "uuid": id, "session_id": "", "parent_tool_use_id": nil,
		"message": map[string]any{"role": "user", "content": content},
	}
}

// Steer adds a message to the running turn: claude reads it after the next tool
// call, or, if there is none, before the turn would end.
func (s *session) Steer(_ context.Context, p driver.Prompt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	if t == nil || !t.sent || t.cancelled || t.givenUp {
		return protocol.NewError(protocol.CodeBadArgument, "no turn runs", "send the message as usual")
	}
	id := newID()
	if err := s.send(userMessage(id, p)); err != nil {
		return err
	}
	t.waiting = append(t.waiting, id)
	return nil
}

// Cancel asks claude to end the turn. It does not wait. An interrupt before
// claude has started with the message would have no effect, so then takenUp
// sends it.
func (s *session) Cancel(context.Context) error {
	s.mu.Lock()
	t := s.turn
	interrupt := t != nil && t.begun && !t.cancelled
	if t != nil {
		t.cancelled = true
	}
	s.mu.Unlock()
	if !interrupt {
		return nil
	}
	return s.interrupt()
}

func (s *session) interrupt() error {
	err := s.control(map[string]any{"subtype": "interrupt"}, func(_ json.RawMessage, err error) {
		if err != nil {
			s.log.Warn("claude was not interrupted", "error", err)
		}
	})
	s.endQuestions(true)
	if err != nil {
		return fmt.Errorf("interrupting %s: %w", s.agent.launch.Name, err)
	}
	return nil
}

// takenUp records that claude has started with a message, and sends a delayed
// interrupt.
func (s *session) takenUp(id string) {
	s.mu.Lock()
	t := s.turn
	interrupt := false
	if t != nil {
		if id == t.id && !t.begun {
			t.begun = true
			interrupt = t.cancelled || t.givenUp
		}
		t.waiting = slices.DeleteFunc(t.waiting, func(one string) bool { return one == id })
	}
	s.mu.Unlock()
	if interrupt {
		if err := s.interrupt(); err != nil {
			s.log.Warn("claude was not interrupted", "error", err)
		}
	}
}

// useModel makes the turn run with model, or, if that is empty, with the model
// that the user chose.
func (s *session) useModel(ctx context.Context, model string) error {
	if model == "" {
		model = s.options.chosenModel()
	}
	if !s.options.changes(optionModel, model) {
		return nil
	}
	if err := s.setModel(ctx, model); err != nil {
		return err
	}
	s.options.run(model)
	return nil
}

func (s *session) setModel(ctx context.Context, model string) error {
	_, err := s.ask(ctx, map[string]any{"subtype": "set_model", "model": model})
	return err
}

// SetOption sets the model or the mode.
func (s *session) SetOption(ctx context.Context, id, value string) error {
	if !s.options.has(id, value) {
		return protocol.NewError(protocol.CodeBadArgument, "\""+value+"\" is not a valid value for "+id, "")
	}
	var err error
	if id == optionModel {
		if err = s.setModel(ctx, value); err == nil {
			s.options.run(value)
		}
	} else {
		_, err = s.ask(ctx, map[string]any{"subtype": "set_permission_mode", "mode": value})
	}
	if err != nil {
		return err
	}
	s.options.choose(id, value)
	return nil
}

// Close closes the session by ending the process.
func (s *session) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.agent.Close(ctx)
}

// ended calls all waiting callbacks with an error, because claude has ended. It
// is called after the last line.
func (s *session) ended(err error) {
	if err == nil {
		err = protocol.NewError(protocol.CodeCrashed, s.agent.launch.Name+" was ended", "start it again")
	}
	s.mu.Lock()
	s.end = err
	controls := s.controls
	s.controls = map[string]func(json.RawMessage, error){}
	t := s.turn
	s.turn = nil
	s.mu.Unlock()
	s.endLife()
	s.endQuestions(false)
	for _, take := range controls {
		take(nil, err)
	}
	if t != nil {
		t.ended <- turnResult{driver.TurnEnd{Reason: protocol.EndCrashed}, err}
	}
}
