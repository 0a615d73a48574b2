package chat

import (
	"context"
	"errors"
	"slices"

	"pilotfish/backend/chat/agentpool"
	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/protocol"
)

// link is a session of an agent and its process.
type link struct {
	session driver.Session // nil before it is opened
	process *agentpool.Share
	sink    *sink          // of session
	starter driver.Starter // of session, or of the one before
}

// take empties the link and returns what it was.
func (l *link) take() link {
	was := *l
	*l = link{starter: was.starter}
	return was
}

// connection is a conversation's way to its agent: the session, its process, and what
// the user has to do first. Its fields are guarded by the conversation's mu.
type connection struct {
	link
	c    *conversation
	side link // to the agent of instant messages (Config.Instant)

	signIn    []protocol.SignInMethod
	signInWhy *protocol.Error // of signIn
	signedIn  chan struct{}   // closed when the sign-in that a turn waits for is done

	opening bool          // Restart opens the session
	opener  chan struct{} // held by who opens the session
}

// open returns the conversation's session, and makes or loads it when there is
// none. It waits while the agent asks for a sign-in.
func (a *connection) open(ctx context.Context) (driver.Session, error) {
	c := a.c
	// One at a time: a restart and a message may both ask for it.
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
	resume, actor, elsewhere := c.state.Head.AgentSession, c.actor(), c.state.Elsewhere
	c.mu.Unlock()

	starter, err := c.m.config.Agent(ctx, kind, command)
	if err != nil {
		return nil, err
	}
	h, err := c.m.agents.Get(ctx, a, starter, command)
	if err != nil {
		return nil, err
	}
	if !c.m.config.TabOpen(tab) {
		tab = ""
	}
	cfg := driver.SessionConfig{
		Resume: resume, Dir: starter.Launch.Dir, System: c.m.config.System(tab), Actor: actor, Tab: tab, History: a.history,
	}
	if !starter.FromJournal {
		cfg.Tools = c.m.config.Tools(actor, tab)
	}
	for again := false; ; again = true {
		s := &sink{c: c, loading: cfg.Resume != "", past: recall.Replay{Keep: elsewhere}}
		if err := a.join(h, s, again); err != nil {
			c.m.config.Release(actor) // what it may do was given to it after the end
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

// join notes the process that a session is opened by; again is set when it was noted
// before. Meanwhile the conversation may have been deleted, or its agent let go.
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

// errLetGo is the error of a session that is not wanted any more when it is open.
var errLetGo = protocol.NewError(protocol.CodeBusy, "the agent was let go while it started", "try again")

// opened notes the session, and lets it go where its process was taken meanwhile: by the
// end of the process, of the conversation, or by an edit of what the session knows.
func (a *connection) opened(l link) (driver.Session, error) {
	c := a.c
	c.mu.Lock()
	if a.process != l.process {
		c.mu.Unlock()
		if l.process.Over() {
			l.session = nil // nobody is there to close it
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
	if err := c.loadLocked(); err != nil {
		c.broken(err)
	} else if err := a.catchUp(l.sink.past); err != nil {
		c.broken(err)
	}
	l.sink.past = recall.Replay{}
	c.save(true)
	return l.session, nil
}

// history is SessionConfig.History.
func (a *connection) history(limit int) ([]driver.Said, error) {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	return recall.Said(c.entries, c.rec.Message(), limit, func(message protocol.QueuedMessage, images bool) driver.Prompt {
		return c.prompt(message, a.starter, images)
	})
}

// forgetSession says that the agent's session of before cannot be loaded: the
// next prompt tells the new one what was said.
func (a *connection) forgetSession() error {
	c := a.c
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
func (a *connection) promptSignedIn(t *turn, session driver.Session, prompt driver.Prompt) (driver.TurnEnd, error) {
	c := a.c
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
		h, kind, command := a.process, c.state.Head.Agent, c.state.Command
		if !ok || t.cancelled || h == nil {
			c.mu.Unlock()
			return end, err
		}
		t.prompting = false // a cancel has nobody to ask while it waits
		c.mu.Unlock()
		starter, err := c.m.config.Agent(t.ctx, kind, command)
		if err == nil {
			err = a.awaitSignIn(t.ctx, needs, starter, again)
		}
		if err != nil {
			return end, err
		}
		a.dropSession(h)
		if session, err = a.open(t.ctx); err != nil {
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
func (a *connection) awaitSignIn(ctx context.Context, needs *driver.NeedsSignIn, starter driver.Starter, again bool) error {
	c := a.c
	done := make(chan struct{})
	c.mu.Lock()
	a.signIn, a.signedIn, a.signInWhy = some(ways(needs.Methods, starter)), done, signInError(needs, starter, again)
	c.m.news.touch(c, true)
	c.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		a.signIn, a.signedIn = nil, nil
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
	h, done := c.agent.process, c.agent.signedIn
	outside := slices.ContainsFunc(c.agent.signIn, func(m protocol.SignInMethod) bool { return m.ID == signedInElsewhere })
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
	if c.agent.signedIn == done {
		c.agent.signIn, c.agent.signedIn = nil, nil
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
		if done := c.agent.signedIn; done != nil && of(c.state.Head.Agent) {
			c.agent.signIn, c.agent.signedIn = nil, nil
			close(done)
			m.news.touch(c, true)
		}
		c.mu.Unlock()
	}
}

// dropSession takes the conversation off an agent after a session could not be
// opened.
func (a *connection) dropSession(h *agentpool.Share) {
	c := a.c
	c.mu.Lock()
	if a.process == h {
		a.take()
	}
	c.mu.Unlock()
	h.Release()
}

// part lets the session go while no turn runs, and keeps anybody from opening
// the next one meanwhile.
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

// errAtWork refuses what the agent of a running turn would suffer from.
var errAtWork = protocol.NewError(protocol.CodeBusy, "the agent is at work", "end its turn first")

// rest ends the agent of a conversation in which nothing happens, if it can load
// the session again.
func (a *connection) rest() {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != nil || a.session == nil || !c.state.Head.Can.Resume || c.ending {
		return
	}
	// It begins under mu, before ending is set: the end of the Manager waits for it.
	c.m.wg.Go(func() {
		if err := a.part(c.m.ctx); err != nil {
			c.log.Debug("an idle agent was needed again", "error", err)
		}
	})
}

// leave lets the sessions go; their agents end when nobody else talks to them.
func (a *connection) leave() {
	a.c.mu.Lock()
	a.leaveLocked()
}

// leaveLocked is leave for a caller who holds mu, and knows that no turn runs. It
// unlocks mu before it waits: from then on an instant message may open a session beside,
// so that all that is let go is taken before.
func (a *connection) leaveLocked() {
	c := a.c
	gone := []link{a.take(), a.side.take()}
	actor := c.actor()
	c.mu.Unlock()
	c.m.config.Release(actor)
	a.letGo(gone...)
}

// letGo closes sessions and takes the conversation off their agents.
func (a *connection) letGo(gone ...link) {
	c := a.c
	for _, l := range gone {
		if l.session != nil {
			ctx, cancel := context.WithTimeout(c.m.ctx, chatCancelWait)
			// One that cannot be closed ends with its process.
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

// giveUp ends the process of an agent that does not obey. The caller holds mu.
func (a *connection) giveUp(why string) {
	if a.process != nil {
		a.process.End(why)
	}
	a.session, a.sink = nil, nil
}

// AgentGone is called when the agent's process is over: the turn ends, and
// everybody sees why.
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
	c.m.news.touch(c, true)
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
