package chat

import (
	"encoding/json"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Asked is called when a command of a conversation's agent waits for the user's
// approval. It adds the question to the conversation as an entry.
func (m *Manager) Asked(a protocol.Approval) {
	c, err := m.find(protocol.ConversationID(a.Actor.ID))
	if err != nil {
		return // deleted a moment ago; its questions end with it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	args := map[string]string{}
	for _, arg := range a.Words.Details {
		args[arg.Name] = arg.Value
	}
	input, _ := json.Marshal(args) // strings only: it cannot fail
	e := protocol.ChatEntry{
		Message: c.rec.Message(), Kind: protocol.EntryPermission, Open: true,
		Permission: &protocol.ChatPermission{
			Approval: a.ID, Tool: c.rec.StepEntry(), Tab: a.Tab, Origin: a.Origin, Options: commandOptions(a),
			Subject: protocol.ChatTool{
				Title: a.Words.What, Kind: recorder.KindBrowser, Status: protocol.ToolPending,
				Input: clip.Tool(protocol.Indented(input)), Content: []protocol.ToolContent{},
			},
		},
	}
	if err := c.rec.CloseText(); err != nil {
		c.broken(err)
		return
	}
	id, err := c.rec.Put(e)
	if err != nil {
		c.broken(err)
		return
	}
	if c.asked == nil {
		c.asked = map[string]asked{}
	}
	c.asked[a.ID] = asked{entry: id, turn: c.turn}
	if c.turn != nil {
		c.turn.asks++
	}
	c.m.news.Touch(c, true)
}

// asked is an open question about a command.
type asked struct {
	entry string
	turn  *turn
}

// commandOptions returns the possible answers to a question about a command.
func commandOptions(a protocol.Approval) []protocol.PermissionOption {
	if len(a.Options) > 0 {
		return a.Options
	}
	options := []protocol.PermissionOption{{ID: "once", Name: "Allow once", Kind: protocol.AnswerOnce}}
	if a.Site != "" {
		options = append(options, protocol.PermissionOption{ID: "always", Name: "Always on " + a.Site, Kind: protocol.AnswerAlways, Scope: "agents may " + a.Words.May + " on " + a.Site})
	}
	return append(options, protocol.PermissionOption{ID: "deny", Name: "Deny", Kind: protocol.AnswerDeny})
}

// Answered is called when a question about a command has ended.
func (m *Manager) Answered(a protocol.Approval, v policy.Verdict, err error) {
	c, missing := m.find(protocol.ConversationID(a.Actor.ID))
	if missing != nil {
		return
	}
	c.mu.Lock()
	q, ok := c.asked[a.ID]
	delete(c.asked, a.ID)
	if ok && q.turn != nil {
		q.turn.asks--
		q.turn.said(c)
	}
	c.m.news.Touch(c, true)
	c.mu.Unlock()
	if !ok {
		return
	}
	c.amend(q.entry, func(p *protocol.ChatPermission, e *protocol.ChatEntry) {
		p.Approval, e.Open, p.Outcome = "", false, "cancelled"
		switch {
		case err == nil:
			p.Answer = string(v.Answer)
			p.Outcome = outcomeOf(p.Options, p.Answer, v)
		case protocol.AsError(err).Code == protocol.CodeTimeout:
			p.Outcome = "nobody answered in time"
		}
	})
}
