package chat

import (
	"context"
	"errors"

	"pilotfish/backend/chat/agentpool"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/protocol"
)

// link is a session of an agent, with the process that serves it.
type link struct {
	session driver.Session // nil before it is opened
	process *agentpool.Share
	sink    *sink          // of session
	starter driver.Starter // of session, or of the previous one
}

// take empties the link and returns its old value. The starter is kept.
func (l *link) take() link {
	was := *l
	*l = link{starter: was.starter}
	return was
}

// connection is a conversation's connection to its agent: the session, its
// process, and the sign-in that the agent asks for. The conversation's mu
// guards its fields.
type connection struct {
	link
	c    *conversation
	side link // to the agent for instant messages (Config.Instant)

	signIn    []protocol.SignInMethod
	signInWhy *protocol.Error // the reason for signIn
	signedIn  chan struct{}   // closed when the sign-in that a turn waits for is done

	opening bool          // set while Restart opens the session
	opener  chan struct{} // a lock for opening the session
}

// open returns the conversation's session. If there is none, it creates or
// loads one. It waits while the agent asks for a sign-in.
func (a *connection) open(ctx context.Context) (driver.Session, error) {
	c := a.c
	// One caller at a time: a restart and a message may both need a session.
	select {
	case a.opener <- struct{}{}:
		defer func() { <-a.opener }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	if a.session != nil {
		defer c.mu.Unlock()
		return a.session, nil
	}
	kind, command, tab := c.state.Head.Agent, c.state.Command, c.state.Head.Tab
	resume, actor, elsewhere, folder := c.state.Head.AgentSession, c.actor(), c.state.Elsewhere, c.state.Folder
	c.mu.Unlock()

	starter, err := c.m.config.Agents.Starter(ctx, kind, command)
	if err != nil {
		return nil, err
	}
	if starter.Launch, err = c.m.config.Agents.Folder(ctx, actor, tab, starter.Launch.In(folder)); err != nil {
		return nil, err
	}
	h, err := c.m.agents.Get(ctx, a, starter, command)
	if err != nil {
		return nil, err
	}
	if !c.m.config.Tabs.Has(tab) {
		tab = ""
	}
	cfg := driver.SessionConfig{
		Resume: resume, Replay: elsewhere && folder != "", Dir: starter.Launch.Dir, System: c.m.config.Agents.System(tab), Actor: actor, Tab: tab, History: a.history,
	}
	if !starter.FromJournal {
		cfg.Tools = c.m.config.Agents.Tools(ctx, actor, tab, h.Grant())
	}
	for again := false; ; again = true {
		s := &sink{c: c, loading: cfg.Resume != "", past: recall.Replay{Keep: elsewhere}}
		if err := a.join(h, s, again); err != nil {
			c.m.config.Agents.Release(actor) // the tools were granted after the conversation had ended
			h.Release()
			return nil, err
		}
		session, err := h.Agent().Open(ctx, cfg, s)
		if err == nil {
			return a.opened(link{session, h, s, starter})
		}
		if needs, ok := errors.AsType[*driver.NeedsSignIn](err); ok {
			err = a.awaitSignIn(ctx, needs, starter, again)
		} else if errors.Is(err, driver.ErrNoResume) && cfg.Resume != "" {
			cfg.Resume = ""
			err = a.forgetSession()
		}
		if err != nil {
			a.dropSession(h)
			return nil, err
		}
	}
}

// join records the process by which a session is opened; again is set when it
// was recorded before. It returns an error if meanwhile the conversation ended
// or the process was released.
func (a *connection) join(h *agentpool.Share, s *sink, again bool) error {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending:
		return errClosed
	case again && a.process != h:
		return errLetGo
	}
	a.sink, a.process = s, h
	return nil
}

// errLetGo is returned when a session is no longer wanted once it is open.
var errLetGo = protocol.NewError(protocol.CodeBusy, "the agent was stopped while it was starting", "try again")

// opened records the session. It closes the session instead if its process was
// taken away meanwhile: the process ended, the conversation ended, or an edit
// removed messages that the session knows.
func (a *connection) opened(l link) (driver.Session, error) {
	c := a.c
	c.mu.Lock()
	if a.process != l.process {
		c.mu.Unlock()
		if l.process.Over() {
			l.session = nil // no process is left to close it
		}
		a.letGo(l)
		return nil, errLetGo
	}
	defer c.mu.Unlock()
	a.session, a.starter, c.failure = l.session, l.starter, nil
	l.sink.loading = false
	head := &c.state.Head
	head.AgentSession, head.Can = l.session.ID(), l.session.Abilities()
	head.Agent, head.AgentName = l.starter.Launch.Kind, l.starter.Launch.Name
	head.Confined = l.starter.Launch.Confine != nil
	if err := c.loadLocked(); err != nil {
		c.broken(err)
	} else if err := a.catchUp(l.sink.past); err != nil {
		c.broken(err)
	}
	l.sink.past = recall.Replay{}
	c.save(true)
	return l.session, nil
}

// history implements SessionConfig.History.
func (a *connection) history(limit int) ([]driver.Said, error) {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	return recall.Said(c.entries, c.rec.Message(), limit, func(message protocol.QueuedMessage, images bool) driver.Prompt {
		return c.prompt(message, a.starter, images)
	})
}

// forgetSession handles an earlier session that the agent cannot load: the
// first prompt of the new session quotes the conversation.
func (a *connection) forgetSession() error {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Head.AgentSession, c.state.Context = "", true
	return c.rec.Notice(c.state.Head.AgentName + " cannot load the earlier messages. Pilotfish sends them with your next message instead.")
}

// dropSession releases a process after a session could not be opened.
func (a *connection) dropSession(h *agentpool.Share) {
	c := a.c
	c.mu.Lock()
	if a.process == h {
		a.take()
	}
	c.mu.Unlock()
	h.Release()
}

// part closes the session if no turn runs, and keeps others from opening the
// next one meanwhile.
func (a *connection) part(ctx context.Context) error {
	c := a.c
	select {
	case a.opener <- struct{}{}:
		defer func() { <-a.opener }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.mu.Lock()
	if c.turn != nil {
		c.mu.Unlock()
		return errAtWork
	}
	a.leaveLocked()
	return nil
}

// errAtWork is returned for a change that would disturb the agent of a running
// turn.
var errAtWork = protocol.NewError(protocol.CodeBusy, "the agent is at work", "end its turn first")

// rest ends the agent of an idle conversation, if the agent can load the
// session again.
func (a *connection) rest() {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != nil || a.session == nil || !c.state.Head.Can.Resume || c.ending {
		return
	}
	// It begins under mu, before ending is set, so that the end of the Manager
	// waits for it.
	c.m.wg.Go(func() {
		if err := a.part(c.m.ctx); err != nil {
			c.log.Debug("an idle agent was needed again", "error", err)
		}
	})
}

// leave closes the sessions. Their processes end when no other conversation
// uses them.
func (a *connection) leave() {
	a.c.mu.Lock()
	a.leaveLocked()
}

// leaveLocked is leave for a caller that holds mu and knows that no turn runs.
// It unlocks mu before it waits. From then on an instant message may open a new
// side session, so both links are taken before.
func (a *connection) leaveLocked() {
	c := a.c
	gone := []link{a.take(), a.side.take()}
	actor := c.actor()
	c.mu.Unlock()
	c.m.config.Agents.Release(actor)
	a.letGo(gone...)
}

// letGo closes sessions and releases their processes.
func (a *connection) letGo(gone ...link) {
	c := a.c
	for _, l := range gone {
		if l.session != nil {
			ctx, cancel := context.WithTimeout(c.m.ctx, chatCancelWait)
			// A session that cannot be closed ends with its process.
			if err := l.session.Close(ctx); err != nil {
				c.log.Debug("a session could not be closed", "error", err)
			}
			cancel()
		}
		if l.process != nil {
			l.process.Release()
		}
	}
}

// giveUp ends the process of an agent that does not respond to a cancel. The
// caller holds mu.
func (a *connection) giveUp(why string) {
	if a.process != nil {
		a.process.End(why)
	}
	a.session, a.sink = nil, nil
}

// AgentGone is called when the agent's process has ended. The turn ends, and
// the head shows the reason.
func (a *connection) AgentGone(h *agentpool.Share) {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.side.process == h {
		a.side.take()
	}
	if a.process != h {
		return
	}
	a.take()
	c.failure = h.Reason()
	if t := c.turn; t != nil && !t.beside {
		t.cancel(errGone)
	}
	c.save(true)
}

// Restart restarts the agent and loads the session.
func (m *Manager) Restart(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error) {
	c, err := m.find(id)
	if err != nil {
		return protocol.Conversation{}, err
	}
	c.mu.Lock()
	if err := c.mayTalk(); err != nil {
		defer c.mu.Unlock()
		return c.headLocked(), err
	}
	if c.turn != nil {
		defer c.mu.Unlock()
		return c.headLocked(), errAtWork
	}
	c.mu.Unlock()
	if err := c.agent.part(ctx); err != nil {
		return c.Head(), err
	}
	return c.agent.reopen(ctx)
}

// reopen opens the session outside of a turn.
func (a *connection) reopen(ctx context.Context) (protocol.Conversation, error) {
	c := a.c
	c.mu.Lock()
	a.opening = true
	c.m.news.Touch(c, true)
	c.mu.Unlock()
	_, err := a.open(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	a.opening = false
	if err != nil && ctx.Err() == nil {
		c.failure = protocol.AsError(err)
	}
	c.save(true)
	return c.headLocked(), err
}
