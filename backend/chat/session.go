package chat

import (
	"context"
	"errors"
	"slices"

	"pilotfish/backend/chat/agentpool"
	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// open returns the conversation's session, and makes or loads it when there is
// none. It waits while the agent asks for a sign-in.
func (c *conversation) open(ctx context.Context) (driver.Session, error) {
	// One at a time: a restart and a message may both ask for it.
	select {
	case c.opener <- struct{}{}:
		defer func() { <-c.opener }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	if c.session != nil {
		defer c.mu.Unlock()
		return c.session, nil
	}
	kind, command, tab := c.state.Head.Agent, c.state.Command, c.state.Head.Tab
	resume, actor, elsewhere := c.state.Head.AgentSession, c.actor(), c.state.Elsewhere
	c.mu.Unlock()

	starter, err := c.m.config.Agent(ctx, kind, command)
	if err != nil {
		return nil, err
	}
	h, err := c.m.agents.Get(ctx, c, starter, command)
	if err != nil {
		return nil, err
	}
	if !c.m.config.TabOpen(tab) {
		tab = ""
	}
	cfg := driver.SessionConfig{
		Resume: resume, Dir: starter.Launch.Dir, System: c.m.config.System(tab), Actor: actor, Tab: tab, History: c.history,
	}
	if !starter.FromJournal {
		cfg.Tools = c.m.config.Tools(actor, tab)
	}
	for again := false; ; again = true {
		s := &sink{c: c, loading: cfg.Resume != "", past: past{keep: elsewhere}}
		c.mu.Lock()
		c.sink, c.process = s, h
		c.mu.Unlock()
		session, err := h.Agent().Open(ctx, cfg, s)
		if err == nil {
			return c.opened(session, starter, s), nil
		}
		if needs, ok := errors.AsType[*driver.NeedsSignIn](err); ok {
			err = c.awaitSignIn(ctx, needs, starter, again)
		} else if errors.Is(err, driver.ErrNoResume) && cfg.Resume != "" {
			cfg.Resume = ""
			err = c.forgetSession()
		}
		if err != nil {
			c.dropSession(h)
			return nil, err
		}
	}
}

// opened notes the session.
func (c *conversation) opened(session driver.Session, starter driver.Starter, s *sink) driver.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.starter = session, starter
	s.loading = false
	head := &c.state.Head
	head.AgentSession, head.Can = session.ID(), session.Abilities()
	head.Agent, head.AgentName = starter.Launch.Kind, starter.Launch.Name
	c.failure = nil
	if err := c.loadLocked(); err != nil {
		c.broken(err)
	} else if err := c.catchUp(s.past); err != nil {
		c.broken(err)
	}
	s.past = past{}
	c.save(true)
	return session
}

// forgetSession says that the agent's session of before cannot be loaded: the
// next prompt tells the new one what was said.
func (c *conversation) forgetSession() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Head.AgentSession, c.state.Context = "", true
	return c.rec.Notice(c.state.Head.AgentName + " cannot load the earlier messages. Pilotfish sends them with your next message instead.")
}

// signedInElsewhere is the method of those who sign in outside of Pilotfish and come back.
const signedInElsewhere = ""

// ways are the ways to sign in that a person is shown: those that the agent
// names, or the one outside of Pilotfish.
func ways(methods []protocol.SignInMethod, starter driver.Starter) []protocol.SignInMethod {
	if len(methods) > 0 {
		return methods
	}
	about := "Sign in to " + starter.Launch.Name + " first."
	if starter.SignIn != "" {
		about = "First " + starter.SignIn + "."
	}
	return []protocol.SignInMethod{{ID: signedInElsewhere, Name: "Try again", About: about}}
}

// promptSignedIn gives the agent the prompt of a turn, again when the agent
// found only then that nobody is signed in: an agent that was signed in to
// outside is started anew, so that it sees it.
func (c *conversation) promptSignedIn(t *turn, session driver.Session, prompt driver.Prompt) (driver.TurnEnd, error) {
	for again := false; ; again = true {
		c.mu.Lock()
		if t.cancelled || t.stopping {
			c.mu.Unlock()
			return driver.TurnEnd{}, errCancelled
		}
		t.prompting = true
		c.mu.Unlock()
		end, err := session.Prompt(t.ctx, prompt)
		needs, ok := errors.AsType[*driver.NeedsSignIn](err)
		c.mu.Lock()
		h, kind, command := c.process, c.state.Head.Agent, c.state.Command
		if !ok || t.cancelled || h == nil {
			c.mu.Unlock()
			return end, err
		}
		t.prompting = false // a cancel has nobody to ask while it waits
		c.mu.Unlock()
		starter, err := c.m.config.Agent(t.ctx, kind, command)
		if err == nil {
			err = c.awaitSignIn(t.ctx, needs, starter, again)
		}
		if err != nil {
			return end, err
		}
		c.dropSession(h)
		if session, err = c.open(t.ctx); err != nil {
			return driver.TurnEnd{}, err
		}
	}
}

// signInError says why a person has to sign in, and how: what the agent said of it; again
// is set when they did and the agent asks once more.
func signInError(needs *driver.NeedsSignIn, starter driver.Starter, again bool) *protocol.Error {
	message := starter.Launch.Name + " needs you to sign in"
	if again {
		message = starter.Launch.Name + " is still not signed in"
	}
	if needs.Why != "" {
		message += ": " + clip.Line(needs.Why, 4*protocol.MaxTitle)
	}
	return protocol.NewError(protocol.CodeUnauthorized, message, starter.SignIn)
}

// awaitSignIn waits until the person has signed in.
func (c *conversation) awaitSignIn(ctx context.Context, needs *driver.NeedsSignIn, starter driver.Starter, again bool) error {
	done := make(chan struct{})
	c.mu.Lock()
	c.signIn, c.signedIn, c.signInWhy = some(ways(needs.Methods, starter)), done, signInError(needs, starter, again)
	c.m.news.touch(c, true)
	c.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		c.signIn, c.signedIn = nil, nil
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

// SignIn signs in to the agent by one of the methods that it named.
func (m *Manager) SignIn(ctx context.Context, req protocol.ChatSignInRequest) (protocol.Conversation, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.Conversation{}, err
	}
	c.mu.Lock()
	h, done := c.process, c.signedIn
	outside := slices.ContainsFunc(c.signIn, func(m protocol.SignInMethod) bool { return m.ID == signedInElsewhere })
	c.mu.Unlock()
	if h == nil || done == nil {
		return c.Head(), protocol.NewError(protocol.CodeBadArgument, "the agent does not ask for a sign-in", "")
	}
	if !outside || req.Method != signedInElsewhere {
		if err := h.Agent().SignIn(ctx, req.Method); err != nil {
			return c.Head(), err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.signedIn == done {
		c.signIn, c.signedIn = nil, nil
		close(done)
		c.m.news.touch(c, true)
	}
	return c.headLocked(), nil
}

// TrySignIns lets the turns that wait for a sign-in try again: the user may have
// done elsewhere what some agents wait for.
func (m *Manager) TrySignIns(of func(protocol.AgentKind) bool) {
	m.mu.Lock()
	all := m.allLocked()
	m.mu.Unlock()
	for _, c := range all {
		c.mu.Lock()
		if done := c.signedIn; done != nil && of(c.state.Head.Agent) {
			c.signIn, c.signedIn = nil, nil
			close(done)
			m.news.touch(c, true)
		}
		c.mu.Unlock()
	}
}

// dropSession takes the conversation off an agent after a session could not be
// opened.
func (c *conversation) dropSession(h *agentpool.Process) {
	c.mu.Lock()
	if c.process == h {
		c.process, c.session, c.sink = nil, nil, nil
	}
	c.mu.Unlock()
	h.Leave(c)
}

// part lets the session go while no turn runs, and keeps anybody from opening
// the next one meanwhile.
func (c *conversation) part(ctx context.Context) error {
	select {
	case c.opener <- struct{}{}:
		defer func() { <-c.opener }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.mu.Lock()
	// A turn that began a moment ago waits for the opener, and opens the next one.
	busy := c.turn != nil && c.turn.prompting
	c.mu.Unlock()
	if busy {
		return errAtWork
	}
	c.leave()
	return nil
}

// errAtWork refuses what the agent of a running turn would suffer from.
var errAtWork = protocol.NewError(protocol.CodeBusy, "the agent is at work", "end its turn first")

// rest ends the agent of a conversation in which nothing happens, if it can load
// the session again.
func (c *conversation) rest() {
	c.mu.Lock()
	idle := c.turn == nil && c.session != nil && c.state.Head.Can.Resume && !c.ending
	c.mu.Unlock()
	if !idle {
		return
	}
	if err := c.part(c.m.ctx); err != nil {
		c.log.Debug("an idle agent was needed again", "error", err)
	}
}

// leave lets the session go; its agent ends when nobody else talks to it.
func (c *conversation) leave() {
	c.mu.Lock()
	session, h, actor := c.session, c.process, c.actor()
	c.session, c.process, c.sink = nil, nil, nil
	c.mu.Unlock()
	c.letGo(session, h)
	c.leaveSide()
	c.m.config.Release(actor)
}

// letGo closes a session and takes the conversation off its agent.
func (c *conversation) letGo(session driver.Session, h *agentpool.Process) {
	if session != nil {
		ctx, cancel := context.WithTimeout(c.m.ctx, chatCancelWait)
		// One that cannot be closed ends with its process.
		if err := session.Close(ctx); err != nil {
			c.log.Debug("a session could not be closed", "error", err)
		}
		cancel()
	}
	if h != nil {
		h.Leave(c)
	}
}

// giveUp ends the process of an agent that does not obey. The caller holds mu.
func (c *conversation) giveUp(why string) {
	if c.process != nil {
		c.process.End(why)
	}
	c.session, c.sink = nil, nil
}

// AgentGone is called when the agent's process is over: the turn ends, and
// everybody sees why.
func (c *conversation) AgentGone(h *agentpool.Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.side.process == h {
		c.side = side{}
	}
	if c.process != h {
		return
	}
	c.session, c.process, c.sink = nil, nil, nil
	c.failure = h.Reason()
	if t := c.turn; t != nil {
		t.cancel(errGone)
	}
	c.save(true)
}

// Restart starts the agent again and loads the session.
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
	if err := c.part(ctx); err != nil {
		return c.Head(), err
	}
	return c.reopen(ctx)
}

// reopen opens the session outside of a turn.
func (c *conversation) reopen(ctx context.Context) (protocol.Conversation, error) {
	c.mu.Lock()
	c.opening = true
	c.m.news.touch(c, true)
	c.mu.Unlock()
	_, err := c.open(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening = false
	if err != nil && ctx.Err() == nil {
		c.failure = protocol.AsError(err)
	}
	c.save(true)
	return c.headLocked(), err
}
