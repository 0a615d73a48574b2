// Package supervise restarts a part that fails, with a backoff, and gives up when it
// fails too often.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"pilotfish/backend/protocol"
)

// ErrGaveUp is returned when a part failed more often than its policy allows. The
// error also wraps the part's last error.
var ErrGaveUp = errors.New("it failed too often and is not started again")

// ErrAgain is what a part returns to be started again on request: it has not failed,
// is started again at once, and the policy does not count it.
var ErrAgain = errors.New("it is started again on request")

// Policy says how often a part may be restarted.
type Policy struct {
	// Burst is how many restarts are allowed within Window.
	Burst  int
	Window time.Duration
	// BackoffMin is the wait before the first restart. Each further wait within
	// Window is twice as long as the one before, up to BackoffMax.
	BackoffMin, BackoffMax time.Duration
}

// DefaultPolicy returns the policy of protocol.Restart*.
func DefaultPolicy() Policy {
	return Policy{
		Burst:      protocol.RestartLimit,
		Window:     protocol.RestartWindow,
		BackoffMin: protocol.RestartBackoffMin,
		BackoffMax: protocol.RestartBackoffMax,
	}
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events of a part, in the order in which they can occur.
const (
	Started EventKind = "started" // the part is about to run
	Failed  EventKind = "failed"  // it returned an error and is started again after Wait
	Again   EventKind = "again"   // it returned ErrAgain and is started again
	GaveUp  EventKind = "gave_up" // it returned an error and is not started again
	Ended   EventKind = "ended"   // it returned without an error, or the context ended
)

// Event tells the owner of a part what happened to it.
type Event struct {
	Kind EventKind
	// Err is why the part failed; nil for Started, Again and Ended.
	Err error
	// Restarts counts the restarts within the policy's window so far.
	Restarts int
	// Wait is the backoff before the next start (Failed).
	Wait time.Duration
}

// Run runs part, and again after each error, until it returns nil, ctx ends or the
// policy is exhausted; ErrAgain does not count for the policy. It returns nil, the
// context's cause, or an error that wraps ErrGaveUp and the part's last error.
// onEvent may be nil; it is called from the caller's goroutine. A panic of part
// counts as an error; a panic in a goroutine that part started cannot be caught and
// ends the program.
func Run(ctx context.Context, policy Policy, part func(context.Context) error, onEvent func(Event)) error {
	if onEvent == nil {
		onEvent = func(Event) {}
	}
	var restarts []time.Time // within the window
	for {
		onEvent(Event{Kind: Started, Restarts: len(restarts)})
		err := call(ctx, part)
		if ctx.Err() != nil {
			onEvent(Event{Kind: Ended})
			return context.Cause(ctx)
		}
		if err == nil {
			onEvent(Event{Kind: Ended})
			return nil
		}
		if errors.Is(err, ErrAgain) {
			onEvent(Event{Kind: Again, Restarts: len(restarts)})
			continue
		}
		now := time.Now()
		restarts = within(restarts, now.Add(-policy.Window))
		if len(restarts) >= policy.Burst {
			onEvent(Event{Kind: GaveUp, Err: err, Restarts: len(restarts)})
			return fmt.Errorf("%w: %w", ErrGaveUp, err)
		}
		wait := policy.backoff(len(restarts))
		restarts = append(restarts, now)
		onEvent(Event{Kind: Failed, Err: err, Restarts: len(restarts), Wait: wait})
		select {
		case <-ctx.Done():
			onEvent(Event{Kind: Ended})
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// within returns the times after since; times are in order.
func within(times []time.Time, since time.Time) []time.Time {
	for len(times) > 0 && !times[0].After(since) {
		times = times[1:]
	}
	return times
}

func (p Policy) backoff(restarts int) time.Duration {
	wait := p.BackoffMin
	for range restarts {
		if wait >= p.BackoffMax/2 {
			return p.BackoffMax
		}
		wait *= 2
	}
	return min(wait, p.BackoffMax)
}

func call(ctx context.Context, part func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return part(ctx)
}
