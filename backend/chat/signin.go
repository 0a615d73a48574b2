package chat

import (
	"context"
	"errors"
	"slices"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// signedInElsewhere is the id of the method for users who sign in outside of
// Pilotfish.
const signedInElsewhere = ""

// ways returns the ways to sign in that the user is shown: those that the agent
// names, or else the one outside of Pilotfish.
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

// promptSignedIn gives the prompt of a turn to the agent. If the agent answers
// that nobody is signed in, it waits for the sign-in and gives the prompt
// again. The agent is started anew for that, so that it sees a sign-in made
// outside of Pilotfish.
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
		t.prompting = false // while it waits for the sign-in, a cancel has no agent to ask
		c.mu.Unlock()
		starter, err := c.m.config.Agents.Starter(t.ctx, kind, command)
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

// signInError returns an error that says why the user has to sign in, with the
// agent's reason, and how. again is set when the user did sign in and the agent
// asks once more.
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

// awaitSignIn waits until the user has signed in or ctx ends.
func (a *connection) awaitSignIn(ctx context.Context, needs *driver.NeedsSignIn, starter driver.Starter, again bool) error {
	c := a.c
	done := make(chan struct{})
	c.mu.Lock()
	a.signIn, a.signedIn, a.signInWhy = some(ways(needs.Methods, starter)), done, signInError(needs, starter, again)
	c.m.news.Touch(c, true)
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

// SignIn signs in to the agent by one of the methods that it offered.
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
		c.m.news.Touch(c, true)
	}
	return c.headLocked(), nil
}

// TrySignIns lets turns that wait for a sign-in try again, if of returns true
// for their agent. The user may have signed in outside of Pilotfish meanwhile.
func (m *Manager) TrySignIns(of func(protocol.AgentKind) bool) {
	m.mu.Lock()
	all := m.allLocked()
	m.mu.Unlock()
	for _, c := range all {
		c.mu.Lock()
		if done := c.agent.signedIn; done != nil && of(c.state.Head.Agent) {
			c.agent.signIn, c.agent.signedIn = nil, nil
			close(done)
			m.news.Touch(c, true)
		}
		c.mu.Unlock()
	}
}
