package supervise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errBroken = errors.New("broken")

func TestGivesUpAfterTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		var last Event
		runs := 0
		begin := time.Now()
		err := Run(t.Context(), DefaultPolicy(), func(context.Context) error {
			runs++
			return errBroken
		}, func(e Event) {
			if e.Kind == Failed {
				waits = append(waits, e.Wait)
			}
			last = e
		})
		if !errors.Is(err, ErrGaveUp) || !errors.Is(err, errBroken) {
			t.Fatalf("Run = %v", err)
		}
		ms := time.Millisecond
		if want := []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms}; !slices.Equal(waits, want) {
			t.Errorf("waited %v, want %v", waits, want)
		}
		if runs != 6 || last.Kind != GaveUp {
			t.Errorf("%d runs, last event %q", runs, last.Kind)
		}
		if took := time.Since(begin); took != 3100*ms {
			t.Errorf("took %v", took)
		}
	})
}

func TestFailuresFarApartAreForgiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		err := Run(t.Context(), DefaultPolicy(), func(context.Context) error {
			runs++
			if runs == 50 {
				return nil
			}
			time.Sleep(10 * time.Second)
			return errBroken
		}, nil)
		if err != nil || runs != 50 {
			t.Errorf("Run = %v after %d runs", err, runs)
		}
	})
}

func TestBackoffIsCapped(t *testing.T) {
	p := DefaultPolicy()
	if got := p.backoff(60); got != p.BackoffMax {
		t.Errorf("backoff(60) = %v", got)
	}
}

func TestContextEndsTheBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		begin := time.Now()
		err := Run(ctx, DefaultPolicy(), func(context.Context) error { return errBroken }, nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 50*time.Millisecond {
			t.Errorf("Run = %v after %v", err, time.Since(begin))
		}
	})
}

func TestPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		var seen error
		err := Run(t.Context(), DefaultPolicy(), func(context.Context) error {
			if runs++; runs == 1 {
				panic("no such luck")
			}
			return nil
		}, func(e Event) {
			if e.Kind == Failed {
				seen = e.Err
			}
		})
		if err != nil || seen == nil || !strings.Contains(seen.Error(), "no such luck") {
			t.Errorf("Run = %v, failure %v", err, seen)
		}
	})
}

func TestAgainIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, again := 0, 0
		begin := time.Now()
		err := Run(t.Context(), Policy{Burst: 1, Window: time.Hour, BackoffMin: time.Minute, BackoffMax: time.Minute}, func(context.Context) error {
			runs++
			switch {
			case runs < 50:
				return fmt.Errorf("asked for: %w", ErrAgain)
			case runs == 50:
				return errBroken // the first one that counts
			}
			return nil
		}, func(e Event) {
			if e.Kind == Again {
				again++
			}
		})
		if err != nil || runs != 51 || again != 49 {
			t.Errorf("Run = %v after %d runs, %d of them on request", err, runs, again)
		}
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("took %v", took)
		}
	})
}
