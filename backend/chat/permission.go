package chat

import (
	"context"
	"encoding/json"
	"fmt"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Ask asks the user for a permission. It returns when the question is in the
// journal.
func (s *sink) Ask(ctx context.Context, ask driver.Ask, answer func(option string)) {
	c := s.c
	c.mu.Lock()
	t := c.turn
	if c.agent.sink != s || t == nil || t.cancelled || t.stopping {
		c.mu.Unlock()
		answer("")
		return
	}
	t.said(c)
	e, err := c.rec.Question(ask)
	if err != nil {
		c.broken(err)
		c.mu.Unlock()
		answer("")
		return
	}
	t.asks++
	request := approval(c, e, ask)
	c.m.news.Touch(c, true)
	c.mu.Unlock()
	// The question ends when the agent or the turn ends it, whichever comes
	// first.
	asking, cancel := context.WithTimeout(ctx, chatAnswerWait)
	stop := context.AfterFunc(t.asking, cancel)
	c.m.wg.Go(func() {
		defer cancel()
		defer stop()
		option := c.await(asking, e.ID, ask, request)
		c.mu.Lock()
		t.asks--
		t.said(c)
		c.m.news.Touch(c, true)
		c.mu.Unlock()
		answer(option)
	})
}

// approval returns the question as the broker needs it.
func approval(c *conversation, e protocol.ChatEntry, ask driver.Ask) protocol.Approval {
	subject := e.Permission.Subject
	a := protocol.Approval{
		Actor: c.actor(), Tab: e.Permission.Tab, Command: subject.Title, Kind: protocol.ActionTool,
		Conversation: c.id, Options: ask.Options,
	}
	if a.Command == "" {
		a.Command = subject.Kind
	}
	var input map[string]json.RawMessage
	if json.Unmarshal([]byte(subject.Input), &input) == nil {
		for name, raw := range input {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			a.Args = append(a.Args, protocol.ApprovalArg{Name: name, Value: text})
		}
	}
	return a
}

// await asks the user through the broker and writes the outcome. It returns the
// chosen option, or "" for none.
func (c *conversation) await(ctx context.Context, entry string, ask driver.Ask, request protocol.Approval) string {
	verdict, err := c.m.config.Broker.AskVerdict(ctx, request, func(a protocol.Approval) {
		c.amend(entry, func(p *protocol.ChatPermission, _ *protocol.ChatEntry) { p.Approval = a.ID })
	})
	option := verdict.Option
	if err == nil && option == "" {
		option = optionOf(ask.Options, verdict.Answer)
	}
	c.amend(entry, func(p *protocol.ChatPermission, e *protocol.ChatEntry) {
		p.Approval, p.Answer, e.Open = "", option, false
		switch {
		case err == nil && option == "" && verdict.Answer != protocol.AnswerDeny:
			// A wider permission is never chosen instead of the user's answer.
			p.Outcome = "cancelled: the agent does not offer this answer"
		case err == nil:
			p.Outcome = outcomeOf(ask.Options, option, verdict)
		case protocol.AsError(err).Code == protocol.CodeTimeout && context.Cause(ctx) == context.DeadlineExceeded: //nolint:errorlint // the context's own
			p.Outcome = "nobody answered"
		default:
			p.Outcome = "cancelled"
		}
	})
	return option
}

// amend changes the entry of a question that is still open.
func (c *conversation) amend(id string, change func(*protocol.ChatPermission, *protocol.ChatEntry)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if err := c.rec.Amend(id, change); err != nil {
		c.broken(err)
	}
}

// optionOf returns the agent's option for a general answer (once, always,
// deny), which the user gives where the agent's own options are not shown (the
// tray, a notification).
func optionOf(options []protocol.PermissionOption, answer protocol.ApprovalAnswer) string {
	for _, o := range options {
		if o.Kind == answer {
			return o.ID
		}
	}
	return ""
}

// outcomeOf describes the outcome of a question for the user.
func outcomeOf(options []protocol.PermissionOption, option string, v policy.Verdict) string {
	words := map[protocol.ApprovalAnswer]string{
		protocol.AnswerOnce: "allowed once", protocol.AnswerAlways: "allowed always", protocol.AnswerDeny: "denied",
	}[v.Answer]
	for _, o := range options {
		if o.ID == option && o.Scope != "" && o.Kind == protocol.AnswerAlways {
			words += " (" + o.Scope + ")"
		}
	}
	if v.Place == "" {
		return words + " by you"
	}
	return fmt.Sprintf("%s by you in the %s", words, v.Place)
}

// Answer gives the user's answer to a question of a conversation.
func (m *Manager) Answer(req protocol.ChatAnswerRequest, place string) error {
	c, err := m.find(req.Conversation)
	if err != nil {
		return err
	}
	c.mu.Lock()
	var found *protocol.PermissionOption
	for e := range c.entries.Heads() {
		if p := e.Permission; p != nil && p.Approval == req.Approval && p.Approval != "" {
			for _, o := range p.Options {
				if o.ID == req.Option {
					found = &o
				}
			}
		}
	}
	c.mu.Unlock()
	if found == nil {
		return protocol.NewError(protocol.CodeBadArgument, "this question was answered already, or is over", "")
	}
	return m.config.Broker.AnswerOption(req.Approval, found.Kind, found.ID, place)
}
