package inprocess

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

func TestATurnEnds(t *testing.T) {
	mine := errors.New("mine")
	for name, test := range map[string]struct {
		end  func(s *Session, life context.CancelFunc, turn context.CancelCauseFunc)
		want error
	}{
		"by the user":      {func(s *Session, _ context.CancelFunc, _ context.CancelCauseFunc) { _ = s.Cancel(t.Context()) }, ErrStopped},
		"with its session": {func(s *Session, _ context.CancelFunc, _ context.CancelCauseFunc) { _ = s.Close(t.Context()) }, ErrStopped},
		"with its caller":  {func(_ *Session, _ context.CancelFunc, turn context.CancelCauseFunc) { turn(mine) }, mine},
		"with the life":    {func(_ *Session, life context.CancelFunc, _ context.CancelCauseFunc) { life() }, context.Canceled},
	} {
		life, endLife := context.WithCancel(t.Context())
		caller, endCaller := context.WithCancelCause(t.Context())
		a := NewAgent(life)
		s := a.NewSession("", "x-")
		turn, end := s.Begin(caller)
		if turn.Err() != nil || a.Over() {
			t.Errorf("%s: it is over before", name)
		}
		test.end(s, endLife, endCaller)
		<-turn.Done()
		if got := context.Cause(turn); !errors.Is(got, test.want) {
			t.Errorf("%s: the cause is %v", name, got)
		}
		end()
		if err := s.Cancel(t.Context()); err != nil {
			t.Errorf("%s: cancelling no turn: %v", name, err)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		endLife()
		endCaller(nil)
	}
}

// Close waits for the turns, and a turn that begins after Close ends at once.
func TestCloseWaitsForTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAgent(t.Context())
		s := a.NewSession("", "x-")
		turn, end := s.Begin(t.Context())
		impatient, giveUp := context.WithCancel(t.Context())
		giveUp()
		if err := a.Close(impatient); !errors.Is(err, context.Canceled) {
			t.Errorf("Close says %v", err)
		}
		<-turn.Done()
		closed := make(chan error, 1)
		go func() { closed <- a.Close(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Errorf("it did not wait: %v", err)
		default:
		}
		end()
		if err := <-closed; err != nil {
			t.Error(err)
		}
		<-a.Done()
		late, end := s.Begin(t.Context())
		defer end()
		if late.Err() == nil {
			t.Error("a turn runs in an agent that is over")
		}
	})
}

func TestSessionsHaveIDs(t *testing.T) {
	a := NewAgent(t.Context())
	one, two := a.NewSession("", "x-"), a.NewSession("", "x-")
	if one.ID() == two.ID() || !strings.HasPrefix(one.ID(), "x-") {
		t.Errorf("%q and %q", one.ID(), two.ID())
	}
	if again := a.NewSession(one.ID(), "x-"); again.ID() != one.ID() {
		t.Errorf("it came back as %q", again.ID())
	}
}
