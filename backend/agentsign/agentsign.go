// Package agentsign decides in which tabs the page shows its user that an agent works
// there, and in which words, and which colour such a tab has in the tab strip.
package agentsign

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	"pilotfish/backend/protocol"
)

const (
	// linger is how long a tab keeps its sign after the last command of an agent
	// that reports no state of its own, as one does that is connected by MCP.
	linger = 8 * time.Second
	// timeout bounds the update of one tab.
	timeout = 5 * time.Second
	// nameMost is the greatest length of an agent's name, in characters.
	nameMost = 32
)

// Browser draws the signs, and groups tabs. A group 0 is a new one; its id is
// returned.
type Browser interface {
	SetAgent(ctx context.Context, tab protocol.TabID, sign *protocol.AgentSign) error
	Groups(ctx context.Context) ([]protocol.TabGroup, error)
	GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error)
	UngroupTabs(ctx context.Context, tabs []protocol.TabID) error
	SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error
}

// Signs are the signs in the tabs of a session. Callers report what happens; one
// goroutine, Run, draws. Its methods are safe for concurrent use.
type Signs struct {
	log  *slog.Logger
	wake chan struct{}

	mu    sync.Mutex
	tabs  map[protocol.TabID]*tab
	known map[protocol.TabID]seen // the open tabs
}

// seen is what is known of an open tab: whether the user sees it, and the state of its
// agent.
type seen struct {
	front  bool
	status protocol.AgentStatus
}

// tab is what is known of one tab in which an agent has run a command.
type tab struct {
	who     string
	kind    protocol.ActorKind
	running int       // commands that run now
	last    time.Time // when the last one ended
	status  protocol.AgentStatus
	open    bool
	front   bool // the user sees it
	drawn   *protocol.AgentSign
	again   time.Time // when drawing is tried again, after it failed
	strip   strip
}

// New returns Signs for no tab.
func New(log *slog.Logger) *Signs {
	return &Signs{log: log.With("component", "agent_sign"), wake: make(chan struct{}, 1), tabs: make(map[protocol.TabID]*tab)}
}

// Began reports that an actor's command on a tab began. The caller calls ended when it
// has ended. Commands of a user or a shell are nobody's work, and the pages of a task
// have an overlay.
func (s *Signs) Began(actor protocol.Actor, id protocol.TabID) (ended func()) {
	switch actor.Kind {
	case protocol.ActorTerminal, protocol.ActorChat, protocol.ActorMCP:
	case protocol.ActorUser, protocol.ActorShell, protocol.ActorTask:
		return func() {}
	}
	if id == "" {
		return func() {}
	}
	s.mu.Lock()
	t := s.tabs[id]
	if t == nil {
		of, known := s.known[id]
		t = &tab{open: true, front: of.front || !known, status: of.status}
		s.tabs[id] = t
	}
	t.who, t.kind = name(actor), actor.Kind
	t.running++
	s.mu.Unlock()
	s.stir()
	return func() {
		s.mu.Lock()
		t.running--
		t.last = time.Now()
		s.mu.Unlock()
		s.stir()
	}
}

// name returns what an actor is called in a sign. An agent may choose it.
func name(a protocol.Actor) string {
	text := a.Agent
	if text == "" {
		text = a.Name
	}
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)), " ")
	if runes := []rune(text); len(runes) > nameMost {
		text = string(runes[:nameMost-1]) + "…"
	}
	if text == "" {
		return "An agent"
	}
	return text
}

// Tabs reports the open tabs with the states of their agents. The sign of an agent that
// reports its state ends with its work, in whatever way that ends: it is done, was
// stopped, has failed, or its terminal is closed.
func (s *Signs) Tabs(open []protocol.Tab) {
	s.mu.Lock()
	s.known = make(map[protocol.TabID]seen, len(open))
	worked := make(map[*tab]bool)
	for _, t := range s.tabs {
		worked[t] = t.kind != protocol.ActorMCP && busy(t.status)
		t.open, t.status = false, ""
	}
	for _, o := range open {
		of := seen{front: o.Active}
		if o.Agent != nil {
			of.status = o.Agent.Status
		}
		s.known[o.ID] = of
		if t := s.tabs[o.ID]; t != nil {
			t.open, t.front, t.status = true, of.front, of.status
		}
	}
	for t := range worked {
		if worked[t] && !busy(t.status) {
			t.last = time.Time{}
		}
	}
	s.mu.Unlock()
	s.stir()
}

// busy reports whether an agent of this state works, or waits in its work for the user.
func busy(status protocol.AgentStatus) bool {
	return status == protocol.AgentWorking || status == protocol.AgentNeedsYou
}

func (s *Signs) stir() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// wanted returns the sign of a tab at a time, and when it ends by itself; zero for
// never.
func (t *tab) wanted(now time.Time) (*protocol.AgentSign, time.Time) {
	works := &protocol.AgentSign{Words: t.who + " works in this tab"}
	switch {
	case t.status == protocol.AgentNeedsYou:
		return &protocol.AgentSign{Words: t.who + " needs you", Asks: true}, time.Time{}
	case t.running > 0 || t.status == protocol.AgentWorking:
		return works, time.Time{}
	}
	if ends := t.last.Add(linger); now.Before(ends) {
		return works, ends
	}
	return nil, time.Time{}
}

// Run draws the signs until ctx ends.
func (s *Signs) Run(ctx context.Context, b Browser) {
	s.mu.Lock()
	clear(s.tabs) // from a previous run: its browser has ended
	s.mu.Unlock()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		next := s.draw(ctx, b)
		s.colour(ctx, b)
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
	}
}

// draw draws what has changed, and returns when the next sign ends by itself.
func (s *Signs) draw(ctx context.Context, b Browser) (next time.Time) {
	type change struct {
		id        protocol.TabID
		t         *tab
		sign, was *protocol.AgentSign
	}
	var changes []change
	s.mu.Lock()
	for id, t := range s.tabs {
		if !t.open {
			if t.running == 0 {
				delete(s.tabs, id)
			}
			continue
		}
		sign, ends := t.wanted(time.Now())
		if !ends.IsZero() && (next.IsZero() || ends.Before(next)) {
			next = ends
		}
		if t.again.After(time.Now()) {
			if next.IsZero() || t.again.Before(next) {
				next = t.again
			}
			continue
		}
		if !same(sign, t.drawn) {
			changes = append(changes, change{id, t, sign, t.drawn})
			t.drawn = sign
		}
		if sign == nil && t.strip.color == "" {
			delete(s.tabs, id)
		}
	}
	s.mu.Unlock()
	for _, c := range changes {
		timed, cancel := context.WithTimeout(ctx, timeout)
		if err := b.SetAgent(timed, c.id, c.sign); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "the sign of an agent could not be drawn", "tab", c.id, "error", err)
			// A page that is busy has the old sign, which would stay.
			s.mu.Lock()
			if s.tabs[c.id] == nil {
				s.tabs[c.id] = c.t
			}
			c.t.drawn, c.t.again = c.was, time.Now().Add(linger)
			if next.IsZero() || c.t.again.Before(next) {
				next = c.t.again
			}
			s.mu.Unlock()
		}
		cancel()
	}
	return next
}

func same(a, b *protocol.AgentSign) bool {
	return a == b || a != nil && b != nil && *a == *b
}
