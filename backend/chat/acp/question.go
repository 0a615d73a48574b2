package acp

import (
	"context"
	"encoding/json"
	"slices"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// question is a permission request that the agent is waiting for.
type question struct {
	session *session
	id      json.RawMessage // of the agent's request
	options []protocol.PermissionOption
	end     context.CancelFunc
}

// ask handles a session/request_permission. It runs in the session's inbox, so
// that the sink has the updates before it, and not those after it.
func (s *session) ask(m *message) {
	id, p := m.ID, &m.Params
	s.flush()
	ask := driver.Ask{Tool: *s.toolUpdate(&p.ToolCall, false), Options: make([]protocol.PermissionOption, 0, len(p.Options))}
	for _, o := range p.Options {
		ask.Options = append(ask.Options, permissionOption(o.ID, o.Name, o.Kind))
	}
	ctx, end := context.WithCancel(s.agent.life)
	q := &question{session: s, id: id, options: ask.Options, end: end}
	s.mu.Lock()
	over := s.closed || s.turn != nil && (s.turn.cancelled || s.turn.givenUp)
	if !over {
		s.questions[q] = struct{}{}
	}
	s.mu.Unlock()
	if over {
		end()
		s.agent.conn.reply(id, cancelled())
		return
	}
	s.sink.Ask(ctx, ask, q.answer)
}

// permissionOption converts one answer that an agent offers.
func permissionOption(id, name, kind string) protocol.PermissionOption {
	o := protocol.PermissionOption{ID: id, Name: named(name, id)}
	// Agents name the scope of "always" in the option's name; Goose does not.
	scope := o.Name
	if plain := plainNames()[kind]; plain != "" && o.Name == kind {
		o.Name, scope = plain, "whatever the agent counts as the same"
	}
	switch kind {
	case "allow_once":
		o.Kind = protocol.AnswerOnce
	case "allow_always":
		o.Kind, o.Scope = protocol.AnswerAlways, scope
	case "reject_always":
		o.Kind, o.Scope = protocol.AnswerDeny, scope
	default:
		// An unknown kind counts as a denial.
		o.Kind = protocol.AnswerDeny
	}
	return o
}

// plainNames are the names of the answers for an agent that uses the protocol's
// kinds as names.
func plainNames() map[string]string {
	return map[string]string{
		"allow_once": "Allow once", "allow_always": "Always allow", "reject_once": "Deny", "reject_always": "Always deny",
	}
}

// answer sends the user's answer to the agent. Only the first one counts.
func (q *question) answer(option string) {
	if !q.take() {
		return
	}
	if !slices.ContainsFunc(q.options, func(o protocol.PermissionOption) bool { return o.ID == option }) {
		q.session.agent.conn.reply(q.id, cancelled())
		return
	}
	q.session.agent.conn.reply(q.id, map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": option}})
}

// take marks the question as answered; it returns false if it was answered
// already.
func (q *question) take() bool {
	q.session.mu.Lock()
	_, open := q.session.questions[q]
	delete(q.session.questions, q)
	q.session.mu.Unlock()
	q.end()
	return open
}

// endQuestions answers every open question as cancelled.
func (s *session) endQuestions() {
	s.mu.Lock()
	open := make([]*question, 0, len(s.questions))
	for q := range s.questions {
		open = append(open, q)
	}
	s.mu.Unlock()
	for _, q := range open {
		if q.take() {
			s.agent.conn.reply(q.id, cancelled())
		}
	}
}

// cancelled is the outcome of a question that was not answered.
func cancelled() any {
	return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}
}
