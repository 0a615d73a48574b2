package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// turn is one prompt and what the agent does for it. It has exactly one end.
type turn struct {
	c       *conversation
	message protocol.QueuedMessage
	began   time.Time
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when its end is written
	model   string        // the model that the route chose
	plan    any           // if beside: what the router parsed from the message

	// The fields below are guarded by the conversation's mu.
	beside    bool            // the agent for instant messages carries it out
	starter   driver.Starter  // of the agent that carries it out, once that has a session
	prompting bool            // the agent has the prompt
	direct    bool            // if beside: cancelling the context ends it, the agent is not asked
	cancelled bool            // the user ended it
	stopping  bool            // the session ends
	forced    bool            // the agent did not end it in time
	broken    *protocol.Error // why it cannot be written; later output is dropped, since a part before it is missing
	goOn      bool            // the queue continues after a cancel
	asks      int             // questions that wait for the user
	quiet     bool
	last      time.Time // when the agent last sent something
	silence   *time.Timer
	limit     *time.Timer // the deadline of a cancel
	asking    context.Context
	unask     context.CancelFunc
}

var (
	errCancelled = errors.New("the turn was cancelled")
	errGone      = errors.New("the agent ended")
	errStopping  = errors.New("the session ends")
)

// begin begins a turn. also is applied to the state in the same write: if the
// turn cannot begin, the conversation stays as it was. The caller holds mu; no
// turn runs.
func (c *conversation) begin(message protocol.QueuedMessage, also func(*state.State)) error {
	if c.ending {
		return errClosed
	}
	if c.state.Turn != "" {
		// The end of the previous turn could not be written.
		why := c.failure
		if why == nil {
			why = protocol.NewError(protocol.CodeNotWritable, "the conversation could not be written", "send it again")
		}
		if err := c.endCutOff(protocol.EndFailed, why); err != nil {
			return err
		}
	}
	if err := c.entries.Clear(); err != nil {
		return err
	}
	before := c.state
	c.failure = nil
	// The state is written first: after a crash, the next start sees Turn in it
	// and checks whether the turn has an end.
	err := c.change(func(s *state.State) {
		also(s)
		s.Turn, s.Held, s.Head.Updated = message.ID, false, time.Now().UTC()
		if !s.Titled && s.Head.Title == "" {
			s.Head.Title = clip.Line(message.Text, chatTitle)
		}
		if s.Head.Title == "" && len(message.Attachments) > 0 {
			s.Head.Title = message.Attachments[0].Name
		}
	})
	if err != nil {
		return err
	}
	c.rec.Begin(message.ID)
	entry := userEntry(message)
	route, plan := c.route(message, false)
	entry.Route = route
	if _, err := c.rec.Put(entry); err != nil {
		c.state = before // the prompt was not written
		return err
	}
	ctx, cancel := context.WithCancelCause(c.m.ctx)
	t := &turn{c: c, message: message, began: time.Now(), last: time.Now(), ctx: ctx, cancel: cancel, done: make(chan struct{}), plan: plan}
	if route != nil {
		t.model = route.Model
		t.beside = route.Kind == protocol.RouteInstant && c.state.Head.Agent != c.m.config.Instant
	}
	t.asking, t.unask = context.WithCancel(ctx)
	c.turn, c.replaced = t, ""
	c.awake()
	t.watchSilence()
	c.m.news.Touch(c, true)
	c.m.wg.Go(t.run)
	return nil
}

// awake stops the timer that ends an idle agent.
func (c *conversation) awake() {
	if c.idle != nil {
		c.idle.Stop()
	}
}

func (t *turn) run() {
	c := t.c
	if t.beside {
		if end, err := t.instant(); err != nil || !end.Declined {
			t.finish(end, err)
			return
		}
	}
	session, err := c.agent.open(t.ctx)
	if err != nil {
		t.finish(driver.TurnEnd{}, err)
		return
	}
	c.mu.Lock()
	if t.cancelled || t.stopping {
		c.mu.Unlock()
		t.finish(driver.TurnEnd{}, errCancelled)
		return
	}
	t.starter = c.agent.starter
	prompt := c.prompt(t.message, t.starter, c.state.Head.Can.Images)
	prompt.Model = t.model
	if t.starter.FromJournal {
		c.state.Aside, c.state.Context = nil, false
	}
	prompt.Text = c.state.TakeAside(prompt.Text)
	if c.state.Context {
		if prompt.Text, err = recall.Quote(c.entries, c.rec.Message(), prompt.Text); err != nil {
			c.log.Warn("the history of a conversation cannot be read", "error", err)
		}
		c.state.Context = false
	}
	c.mu.Unlock()
	end, err := c.agent.promptSignedIn(t, session, prompt)
	t.finish(end, err)
}

// finish writes the end of a turn and continues with the queue.
func (t *turn) finish(end driver.TurnEnd, err error) {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(t.done)
	t.stop()
	reason, why := t.outcome(end, err)
	c.turn = nil
	c.agent.signIn, c.agent.signedIn = nil, nil
	if err := c.rec.End(reason, why, end.Usage, time.Since(t.began)); err != nil {
		// The turn stays open on disk. Its end is written before the next turn,
		// or at the next start.
		c.state.Held = true
		c.broken(err)
		return
	}
	if reason == protocol.EndCrashed {
		// The turn learns of the crash before the process has exited. The next
		// turn must not begin with the dying process.
		if dying := t.link().take().process; dying != nil {
			dying.Retire()
			dying.Release()
		}
	}
	if t.forced {
		c.agent.giveUp("it did not end a turn that was cancelled")
	}
	c.state.Turn = ""
	if end.Usage != nil {
		c.state.Head.Usage = end.Usage
	}
	if reason == protocol.EndFailed || reason == protocol.EndCrashed {
		c.failure = why
	}
	// After an unexpected end the queue waits for the user.
	switch reason {
	case protocol.EndDone, protocol.EndMaxTokens, protocol.EndMaxTurns, protocol.EndRefused:
		c.state.Held = false
	case protocol.EndCancelled:
		c.state.Held = !t.goOn
	case protocol.EndFailed, protocol.EndCrashed, protocol.EndRestarted:
		c.state.Held = true
	}
	c.state.Head.Updated = time.Now().UTC()
	c.save(true)
	c.idle = time.AfterFunc(chatIdle, c.agent.rest)
	c.next()
}

// link returns the link to the agent that carries out the turn.
func (t *turn) link() *link {
	if t.beside {
		return &t.c.agent.side
	}
	return &t.c.agent.link
}

// stop ends the timers and the context of a turn.
func (t *turn) stop() {
	t.unask()
	t.cancel(nil)
	t.silence.Stop()
	if t.limit != nil {
		t.limit.Stop()
	}
}

// outcome returns how a turn ended, and the error if it failed.
func (t *turn) outcome(end driver.TurnEnd, err error) (protocol.EndReason, *protocol.Error) {
	c := t.c
	switch {
	case t.stopping:
		return protocol.EndRestarted, protocol.NewError(protocol.CodeNotRunning, "Pilotfish was closed before the answer was complete", "send it again")
	case t.broken != nil:
		return protocol.EndFailed, t.broken
	case err == nil && end.Reason != "":
		return end.Reason, nil
	case t.cancelled:
		return protocol.EndCancelled, nil
	case err == nil:
		return protocol.EndDone, nil
	case errors.Is(context.Cause(t.ctx), errGone):
		return protocol.EndCrashed, c.failure
	}
	if process := t.link().process; process != nil && process.Over() {
		return protocol.EndCrashed, process.Reason()
	}
	if e := protocol.AsError(err); e.Code == protocol.CodeCrashed {
		return protocol.EndCrashed, e
	}
	return protocol.EndFailed, protocol.AsError(err)
}

// endCutOff writes the end of a turn that could not be written because the
// process ended or the disk was full, unless the end is in the journal already.
func (c *conversation) endCutOff(reason protocol.EndReason, why *protocol.Error) error {
	c.rec.Begin(c.state.Turn)
	ended := false
	for e := range c.entries.Heads() {
		ended = ended || e.Kind == protocol.EntryEnd && e.Message == c.state.Turn
	}
	if c.entries.Held() == 0 {
		// Either the prompt was never written, or the end was compacted
		// already.
		ended = true
	}
	if !ended {
		if err := c.rec.End(reason, why, nil, 0); err != nil {
			return transcript.Unwritable(err)
		}
	}
	c.state.Turn, c.state.Held = "", true
	return nil
}

// next begins the turn of the first queued message, if no turn runs and the
// queue is not held.
func (c *conversation) next() {
	queue := c.state.Head.Queue
	if c.turn != nil || c.state.Held || len(queue) == 0 || c.ending {
		return
	}
	rest := slices.Clone(queue[1:])
	if err := c.begin(queue[0], func(s *state.State) { s.Head.Queue = rest }); err != nil {
		c.state.Held = true
		c.broken(err)
	}
}

// broken shows that the conversation cannot be written, and ends its turn:
// nothing is shown that is not on disk.
func (c *conversation) broken(err error) {
	if c.closed {
		return
	}
	c.log.Error("a conversation cannot be written", "error", err)
	c.failure = protocol.AsError(err)
	if c.turn != nil && c.turn.broken == nil {
		c.turn.broken = c.failure
	}
	c.saveLater()
	c.m.news.Touch(c, true)
	c.cancelLocked()
}

// Cancel ends the running turn and its open questions, and nothing else.
func (m *Manager) Cancel(_ context.Context, id protocol.ConversationID) (protocol.Conversation, error) {
	c, err := m.find(id)
	if err != nil {
		return protocol.Conversation{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancelLocked()
	return c.headLocked(), nil
}

func (c *conversation) cancelLocked() {
	t := c.turn
	if t == nil || t.cancelled {
		return
	}
	t.cancelled = true
	t.unask()
	// The questions of its commands end, too. The broker calls back, so this
	// runs in its own goroutine.
	actor := c.actor()
	c.m.wg.Go(func() { c.m.config.Broker.Gone(actor) })
	if !t.prompting || t.direct {
		t.cancel(errCancelled)
		return
	}
	session := c.agent.session
	if session == nil {
		t.cancel(errCancelled)
		return
	}
	t.limit = time.AfterFunc(chatCancelWait, func() { t.force() })
	c.m.wg.Go(func() {
		if err := session.Cancel(t.ctx); err != nil && t.ctx.Err() == nil {
			c.log.Info("an agent did not take a cancel", "error", err)
			t.force()
		}
	})
}

// force ends a turn that the agent did not end.
func (t *turn) force() {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == t {
		t.forced = true
		t.cancel(errCancelled)
	}
}

// stop ends the turn and closes the session, because the session of Pilotfish
// ends or the conversation is deleted.
func (c *conversation) stop() {
	c.mu.Lock()
	c.ending = true
	t := c.turn
	if t != nil {
		t.stopping = true
		t.cancel(errStopping)
	}
	c.mu.Unlock()
	if t != nil {
		<-t.done
	}
	c.agent.leave()
}

// watchSilence marks the turn as quiet when the agent sends nothing for long;
// the user is then offered to end it.
func (t *turn) watchSilence() {
	c := t.c
	limit := c.m.config.Agents.Settings().Silence
	t.silence = time.AfterFunc(limit, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.turn != t {
			return
		}
		left := limit - time.Since(t.last)
		switch {
		case t.asks > 0 || c.agent.signIn != nil:
			left = limit // it is the user who is silent
		case left <= 0 && !t.quiet:
			t.quiet = true
			c.m.news.Touch(c, true)
			left = limit
		case left <= 0:
			left = limit
		}
		t.silence.Reset(left)
	})
}
