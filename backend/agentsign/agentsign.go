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
	front map[protocol.TabID]bool // of each open tab: whether the user sees it
}

// tab is what is known of one tab in which an agent has run a command.
type tab struct {
	who     string
	running int       // commands that run now
	last    time.Time // when the last one ended
	status  protocol.AgentStatus
	open    bool
	front   bool // the user sees it
	drawn   *protocol.AgentSign
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
		front, known := s.front[id]
		t = &tab{open: true, front: front || !known}
		s.tabs[id] = t
	}
	t.who = name(actor)
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

// Tabs reports the open tabs with the states of their agents.
func (s *Signs) Tabs(open []protocol.Tab) {
	s.mu.Lock()
	s.front = make(map[protocol.TabID]bool, len(open))
	for _, t := range s.tabs {
		t.open, t.status = false, ""
	}
	for _, o := range open {
		s.front[o.ID] = o.Active
		if t := s.tabs[o.ID]; t != nil {
			t.open, t.front = true, o.Active
			if o.Agent != nil {
				t.status = o.Agent.Status
			}
		}
	}
	s.mu.Unlock()
	s.stir()
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
		id   protocol.TabID
		sign *protocol.AgentSign
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
		if !same(sign, t.drawn) {
			t.drawn = sign
			changes = append(changes, change{id, sign})
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
		}
		cancel()
	}
	return next
}

func same(a, b *protocol.AgentSign) bool {
	return a == b || a != nil && b != nil && *a == *b
}
