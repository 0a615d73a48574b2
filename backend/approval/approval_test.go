package approval

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// asked is a Manager without a session. It records what the Manager shows.
type asked struct {
	*Manager
	gone error // the error for a tab that cannot be shown

	mu    sync.Mutex
	shown []string
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	a := &asked{}
	events := hub.New[any](1)
	events.Observe(func(event any) {
		if show, is := event.(protocol.WindowShow); is {
			a.note("page " + string(show.Page))
		}
	})
	a.Manager = New(Config{
		Session: protocol.DefaultSession, Quiet: true, Events: events, RulesFile: filepath.Join(t.TempDir(), "rules.json"),
		AllowsByBus: func(protocol.Actor) bool { return true },
		ShowTab:     func(_ context.Context, tab protocol.TabID) error { a.note("tab " + string(tab)); return a.gone }, Logger: slog.New(slog.DiscardHandler),
	})
	return a
}

func (a *asked) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown = append(a.shown, text)
}

// terminals are fake terminals, by their status.
type terminals struct {
	mu  sync.Mutex
	all map[protocol.TerminalID]protocol.TerminalInfo
}

func (l *terminals) Get(id protocol.TerminalID) (protocol.TerminalInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, is := l.all[id]
	if !is {
		return info, errors.New("there is no such terminal")
	}
	return info, nil
}

func (l *terminals) SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	info := l.all[id]
	info.Status, info.Message = status, message
	l.all[id] = info
	return nil
}

// The terminal of a waiting agent has the status "needs you", and its earlier
// status once nothing waits any more. What still waits at the end of the run is
// ended.
func TestTerminalsSayThatTheyWait(t *testing.T) {
	for before, after := range map[protocol.AgentStatus]protocol.AgentStatus{
		protocol.AgentIdle: protocol.AgentIdle, protocol.AgentWorking: protocol.AgentWorking, protocol.AgentStarting: protocol.AgentWorking,
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newAsked(t)
			list := &terminals{all: map[protocol.TerminalID]protocol.TerminalInfo{"p1": {ID: "p1", Status: before}, "p2": {ID: "p2", Status: before}}}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); a.Run(ctx, list) }()
			ask := func(terminal string) chan error {
				said := make(chan error, 1)
				go func() {
					_, err := a.Broker().Ask(t.Context(), protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: terminal}, Command: "eval", Kind: protocol.ActionSensitive})
					said <- err
				}()
				synctest.Wait()
				return said
			}
			said := ask("p1")
			if info, _ := list.Get("p1"); info.Status != protocol.AgentNeedsYou || info.Message == "" {
				t.Errorf("the terminal of the agent that waits says %+v", info)
			}
			if info, _ := list.Get("p2"); info.Status != before {
				t.Errorf("another terminal says %+v", info)
			}
			if err := a.Answer(a.Pending()[0].ID, protocol.AnswerOnce, "window"); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if err := <-said; err != nil {
				t.Error(err)
			}
			if info, _ := list.Get("p1"); info.Status != after {
				t.Errorf("it was %s, and then says %+v", before, info)
			}
			if a.Answer("guessed", protocol.AnswerOnce, "window") == nil {
				t.Error("a question that nobody asked was answered")
			}
			// One question whose process ends, and one that waits when the session
			// stops.
			said = ask("p1")
			a.Gone(protocol.Actor{Kind: protocol.ActorTerminal, ID: "p1"})
			if <-said == nil {
				t.Error("an agent that ended was answered")
			}
			said = ask("p2")
			cancel()
			<-ended
			if <-said == nil || len(a.Pending()) != 0 {
				t.Errorf("%d questions wait when the session has stopped", len(a.Pending()))
			}
		})
	}
}

// A question is shown in the panel beside its tab, or, where that is not
// possible, on the window's page.
func TestWhereAQuestionIsShown(t *testing.T) {
	for _, c := range []struct {
		tab  protocol.TabID
		gone error
		over bool
		want []string
	}{
		{tab: "t1", want: []string{"tab t1"}},
		{tab: "t1", gone: errors.New("there is no such tab"), want: []string{"tab t1", "page approvals"}},
		{want: []string{"page approvals"}},
		{tab: "t1", over: true, want: []string{"page approvals"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newAsked(t)
			a.gone = c.gone
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, _ = a.Broker().Ask(ctx, protocol.Approval{Tab: c.tab, Command: "eval", Kind: protocol.ActionSensitive})
			}()
			synctest.Wait()
			id := a.Pending()[0].ID
			if c.over {
				cancel()
				synctest.Wait()
			}
			a.Show(t.Context(), id)
			if !slices.Equal(a.shown, c.want) {
				t.Errorf("%+v: shown %q", c, a.shown)
			}
			cancel()
			synctest.Wait()
		})
	}
}

// A changed rule is on the disk, where only the user can read it, and a Manager
// of another run loads it.
func TestRulesAreKept(t *testing.T) {
	a := newAsked(t)
	rules := a.Rules()
	rule := protocol.SiteRule{Site: "example.com", Kind: protocol.ActionClipboard, Decision: protocol.SiteAllow}
	if err := rules.Set(rule); err != nil {
		t.Fatal(err)
	}
	if a.Rules() != rules {
		t.Error("the rules are made anew")
	}
	if info, err := os.Stat(a.cfg.RulesFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("rules.json: %v, %v", info, err)
	}
	if kept := readRules(a.cfg.RulesFile, slog.New(slog.DiscardHandler)); !slices.Equal(kept, []protocol.SiteRule{rule}) {
		t.Errorf("the disk has %+v", kept)
	}
}

func TestRulesThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.json")
	for _, text := range []string{"{", `{"version": 99, "rules": [{"site":"*","kind":"eval","decision":"allow"}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if rules := readRules(path, slog.New(slog.DiscardHandler)); rules != nil {
			t.Errorf("%s: %+v", text, rules)
		}
		if _, err := os.Stat(path + ".bad"); err != nil {
			t.Errorf("%s was not put aside: %v", text, err)
		}
	}
}
