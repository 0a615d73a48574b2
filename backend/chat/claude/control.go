package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// send writes one message.
func (s *session) send(m any) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	return s.process.Send(line)
}

// control sends a control request; take is called in the reader with the
// response. When control returns an error, take is not called.
func (s *session) control(request map[string]any, take func(json.RawMessage, error)) error {
	id := newID()
	s.mu.Lock()
	if s.end != nil {
		s.mu.Unlock()
		return s.end
	}
	s.controls[id] = take
	s.mu.Unlock()
	err := s.send(map[string]any{"type": "control_request", "request_id": id, "request": request})
	if err == nil {
		return nil
	}
	s.mu.Lock()
	_, waiting := s.controls[id]
	delete(s.controls, id)
	s.mu.Unlock()
	if !waiting {
		return nil // ended has called take already
	}
	return err
}

// ask sends a control request and waits for the response.
func (s *session) ask(ctx context.Context, request map[string]any) (json.RawMessage, error) {
	type answer struct {
		raw json.RawMessage
		err error
	}
	done := make(chan answer, 1)
	if err := s.control(request, func(raw json.RawMessage, err error) { done <- answer{raw, err} }); err != nil {
		return nil, err
	}
	select {
	case a := <-done:
		return a.raw, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for %s: %w", s.agent.launch.Name, context.Cause(ctx))
	}
}

// answered handles the response to a control request of ours.
func (s *session) answered(r *controlResponse) {
	s.mu.Lock()
	take := s.controls[r.RequestID]
	delete(s.controls, r.RequestID)
	s.mu.Unlock()
	switch {
	case take == nil: // claude repeats our own responses, too
	case r.Subtype == "error":
		take(nil, protocol.NewError(protocol.CodeInternal, s.agent.launch.Name+": "+r.Error, ""))
	default:
		take(r.Response, nil)
	}
}

// initialize asks for the commands and models. The response shows that claude
// has started.
func (s *session) initialize(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, protocol.AgentHandshake,
		protocol.NewError(protocol.CodeTimeout, s.agent.launch.Name+" does not answer", "try it in a terminal"))
	defer cancel()
	raw, err := s.ask(ctx, map[string]any{"subtype": "initialize", "hooks": nil})
	if err != nil {
		return err
	}
	var can initialized
	_ = json.Unmarshal(raw, &can) // what cannot be read is not offered
	s.options.begin(&can)
	commands := make([]protocol.ChatCommand, 0, len(can.Commands))
	for _, c := range can.Commands {
		commands = append(commands, protocol.ChatCommand{Name: c.Name, About: c.Description, Hint: c.Hint})
	}
	s.emit(driver.Update{Options: s.options.shown()})
	s.emit(driver.Update{Commands: commands})
	return nil
}

// explained returns why a session did not begin. If claude does not know a
// session, it says so on its standard error.
func (s *session) explained(err error) error {
	s.mu.Lock()
	unknown := slices.ContainsFunc(s.said, func(line string) bool { return strings.Contains(line, "No conversation found") })
	s.mu.Unlock()
	if unknown {
		return fmt.Errorf("%w: %w", driver.ErrNoResume, err)
	}
	if ours, ok := errors.AsType[*protocol.Error](err); ok {
		return ours
	}
	return err
}

// question is a permission request that claude is waiting for.
type question struct {
	session     *session
	id          string
	input       json.RawMessage
	suggestions []json.RawMessage
	end         context.CancelFunc
}

// The ids of the answers that we offer.
const (
	answerOnce   = "once"
	answerAlways = "always"
	answerDeny   = "deny"
)

// requested handles a control request of claude.
func (s *session) requested(m *message) {
	if m.Request.Subtype != "can_use_tool" {
		s.reply(m.RequestID, map[string]any{"subtype": "error", "error": "Pilotfish does not offer " + m.Request.Subtype})
		return
	}
	r := &m.Request
	ctx, end := context.WithCancel(s.life)
	q := &question{session: s, id: m.RequestID, input: r.Input, suggestions: r.Suggestions, end: end}
	ask := driver.Ask{Tool: *describe(r.ToolUseID, r.ToolName, r.Input), Options: []protocol.PermissionOption{
		{ID: answerOnce, Name: "Allow", Kind: protocol.AnswerOnce},
	}}
	if len(r.Suggestions) > 0 && !r.NoAlways {
		ask.Options = append(ask.Options, protocol.PermissionOption{ID: answerAlways, Name: "Always allow", Kind: protocol.AnswerAlways, Scope: scope(r.Suggestions)})
	}
	ask.Options = append(ask.Options, protocol.PermissionOption{ID: answerDeny, Name: "Deny", Kind: protocol.AnswerDeny})
	s.mu.Lock()
	over := s.turn != nil && (s.turn.cancelled || s.turn.givenUp)
	if !over {
		s.questions[q.id] = q
	}
	s.mu.Unlock()
	if over {
		end()
		s.reply(m.RequestID, denied("The turn was cancelled.", true))
		return
	}
	s.sink.Ask(ctx, ask, q.answer)
}

// answer sends the user's answer to claude. Only the first one counts.
func (q *question) answer(option string) {
	if !q.session.take(q.id) {
		return
	}
	switch option {
	case answerOnce, answerAlways:
		allow := map[string]any{"behavior": "allow", "updatedInput": q.input}
		if option == answerAlways {
			allow["updatedPermissions"] = q.suggestions
		}
		q.session.reply(q.id, map[string]any{"subtype": "success", "response": allow})
	case answerDeny:
		q.session.reply(q.id, denied("The person does not allow this.", false))
	default:
		q.session.reply(q.id, denied("The turn was cancelled.", true))
	}
}

// denied is a denial. With interrupt it also ends the turn.
func denied(why string, interrupt bool) map[string]any {
	return map[string]any{"subtype": "success", "response": map[string]any{"behavior": "deny", "message": why, "interrupt": interrupt}}
}

// reply answers a control request. A failed write means that claude is ending,
// which is reported elsewhere.
func (s *session) reply(id string, response map[string]any) {
	response["request_id"] = id
	if err := s.send(map[string]any{"type": "control_response", "response": response}); err != nil {
		s.log.Warn("an answer was not sent", "error", err)
	}
}

// take marks a question as answered; it returns false if it was answered
// already.
func (s *session) take(id string) bool {
	s.mu.Lock()
	q := s.questions[id]
	delete(s.questions, id)
	s.mu.Unlock()
	if q == nil {
		return false
	}
	q.end()
	return true
}

// endQuestions ends every open question; reply says whether claude is still
// waiting for the answers.
func (s *session) endQuestions(reply bool) {
	s.mu.Lock()
	open := make([]string, 0, len(s.questions))
	for id := range s.questions {
		open = append(open, id)
	}
	s.mu.Unlock()
	for _, id := range open {
		if s.take(id) && reply {
			s.reply(id, denied("The turn was cancelled.", true))
		}
	}
}

// scope describes in words what "always" applies to.
func scope(suggestions []json.RawMessage) string {
	var words []string
	for _, raw := range suggestions {
		var u struct {
			Type  string `json:"type"`
			Mode  string `json:"mode"`
			Rules []struct {
				Tool string `json:"toolName"`
				Rule string `json:"ruleContent"`
			} `json:"rules"`
			Directories []string `json:"directories"`
			Destination string   `json:"destination"`
		}
		if json.Unmarshal(raw, &u) != nil {
			continue
		}
		var what []string
		switch u.Type {
		case "addRules", "replaceRules":
			for _, r := range u.Rules {
				name := r.Tool
				if r.Rule != "" {
					name += " " + r.Rule
				}
				what = append(what, name)
			}
		case "addDirectories":
			what = append(what, "work in "+strings.Join(u.Directories, ", "))
		case "setMode":
			what = append(what, "mode \""+modeName(u.Mode)+"\"")
		}
		if len(what) == 0 {
			continue
		}
		line := strings.Join(what, ", ")
		switch u.Destination {
		case "session":
			line += " in this session"
		case "localSettings", "projectSettings":
			line += " in this folder, for good"
		case "userSettings":
			line += " everywhere, for good"
		}
		words = append(words, line)
	}
	return strings.Join(words, "; ")
}

// line handles one line of claude.
func (s *session) line(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var m message
	err := json.Unmarshal(line, &m)
	if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); line[0] != '{' || err != nil && !wrongType || m.Type == "" {
		s.rubbish++
		if s.rubbish >= protocol.AgentRubbish {
			return fmt.Errorf("it wrote %d lines in a row that are no messages", s.rubbish)
		}
		s.log.Debug("a line that is no message", "bytes", len(line))
		return nil
	}
	s.rubbish = 0
	s.message(&m)
	return nil
}
