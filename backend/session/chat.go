package session

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/agent/history"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/agents"
	"pilotfish/backend/chat/past"
	"pilotfish/backend/config"
	"pilotfish/backend/confine"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// conversations connects a session with its conversations. With agents.Agents it is a
// chat.Agents.
type conversations struct{ s *Session }

// make returns the chat manager of a run.
func (c conversations) make(dirs config.SessionDirs) (past.Conversations, error) {
	s := c.s
	started, err := agents.New(agents.Config{
		Session: s.name, Version: s.m.cfg.Version, Program: s.m.cfg.Program, WorkDir: dirs.Work, StateDir: dirs.Agent,
		Settings: s.m.cfg.Settings, Machine: s.m.agents, Models: s.m.cfg.Models, Guard: s.m.guard(),
		Confine: func(ctx context.Context, kind protocol.AgentKind) (*confine.Folders, error) {
			return s.confinement(ctx, kind, false)
		},
		Tokens: s.tokens, Endpoint: s.m.endpoint, Caller: gateway{s.m}.mcpFor, Offer: s.offer, User: s.approvals.Broker(), Logger: s.m.cfg.Logger,
	})
	if err != nil {
		return past.Conversations{}, err
	}
	all := struct {
		*agents.Agents
		conversations
	}{started, c}
	sessions := past.New(past.Config{Files: s.m.agents.Past, Agents: all, Dir: dirs.Work, Found: s.m.agents.List})
	manager, err := chat.New(chat.Config{
		Session: s.name, Dir: filepath.Join(dirs.Root, "chat"), Root: dirs.Root, Attachments: dirs.Attachments,
		Agents: all, Instant: protocol.AgentPilot, Past: sessions.Find, Terminal: c.toTerminal, EndTerminal: c.endTerminal,
		Tabs: &s.tabs, Broker: s.approvals.Broker(), Events: s.events, Logger: s.m.cfg.Logger,
	})
	return past.Conversations{Manager: manager, Sessions: sessions}, err
}

// Release revokes the tokens of a conversation's agent and ends its approvals,
// because the agent's session has ended. The tabs that the agent opened still
// belong to it.
func (c conversations) Release(actor protocol.Actor) {
	c.s.tokens.EndActor(actor)
	c.s.approvals.Gone(actor)
}

// heads returns the heads of the session's conversations, newest first.
func (c conversations) heads() []protocol.Conversation {
	r := c.s.running()
	if r == nil {
		return []protocol.Conversation{}
	}
	return slices.Clip(r.chat.List())
}

// forWindow returns the session's conversations for the window.
func (c conversations) forWindow() []protocol.WindowConversation {
	var list []protocol.WindowConversation
	for _, head := range c.heads() {
		idle := head.State == protocol.ConversationIdle || head.State == protocol.ConversationFailed
		if head.Entries == 0 && idle || head.Tab == "" && idle {
			continue
		}
		list = append(list, protocol.WindowConversation{
			Session: c.s.name, ID: head.ID, Tab: head.Tab, Title: head.Title, Agent: head.Agent, AgentName: head.AgentName, State: head.State, Waiting: len(head.Queue),
		})
	}
	return list
}

// toTerminal starts the terminal in which a conversation continues.
func (c conversations) toTerminal(ctx context.Context, head protocol.Conversation) (protocol.TerminalID, error) {
	r, err := c.s.current()
	if err != nil {
		return "", err
	}
	args, ok := history.Args(head.Agent, head.AgentSession)
	if head.Agent != protocol.AgentClaude || !ok {
		return "", protocol.NewError(protocol.CodeBadArgument, head.AgentName+" cannot continue this conversation in a terminal", "")
	}
	if head.Tab == "" {
		return "", protocol.NewError(protocol.CodeUnknownTab, "the conversation has no tab for a terminal", "put it beside a tab first")
	}
	info, err := r.terminals.Start(ctx, protocol.PtySessionRequest{
		Tab: head.Tab, Agent: head.Agent, Command: args,
		Cols: cmp.Or(r.memory.Cols, firstCols), Rows: cmp.Or(r.memory.Rows, firstRows),
	})
	if err != nil {
		return "", err
	}
	if info.State == protocol.TerminalMissing {
		err := protocol.NewError(protocol.CodeAgentMissing, head.AgentName+" has no program for terminals here", "")
		return "", errors.Join(err, r.terminals.Close(ctx, info.ID))
	}
	c.s.events.Publish(protocol.ShowEvent{Type: protocol.PanelShow, Tab: head.Tab, Terminal: info.ID})
	return info.ID, nil
}

// endTerminal ends a terminal. Its conversation continues in Chat.
func (c conversations) endTerminal(ctx context.Context, id protocol.TerminalID) error {
	r, err := c.s.current()
	if err != nil {
		return err
	}
	return r.terminals.Close(ctx, id)
}

// terminalEnded releases the conversation that continued in a terminal.
func (c conversations) terminalEnded(id protocol.TerminalID) {
	c.s.mu.Lock()
	r, stopping := c.s.run, c.s.state == protocol.SessionStopping
	c.s.mu.Unlock()
	if r != nil && !stopping {
		r.chat.TerminalEnded(id)
	}
}

// question shows in the conversation a question about one of its browser
// commands. A question about a tool of the agent itself is already there.
func (c conversations) question(question protocol.Approval, over *policy.Over) {
	if question.Actor.Kind != protocol.ActorChat || question.Conversation != "" {
		return
	}
	r := c.s.running()
	switch {
	case r == nil:
	case over == nil:
		r.chat.Asked(question)
	default:
		r.chat.Answered(question, over.Verdict, over.Err)
	}
}

// step records in a conversation what its agent did in the browser.
func (c conversations) step(step recorder.Step) {
	if step.Actor.Kind != protocol.ActorChat {
		return
	}
	if r := c.s.running(); r != nil {
		r.chat.Step(protocol.ConversationID(step.Actor.ID), agents.Step(step.Entry, step.Data))
	}
}
