package session

import (
	"context"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// use counts the running commands and records when the last one started or
// ended.
type use struct {
	mu      sync.Mutex
	running int
	last    time.Time
	changed chan struct{} // closed at the next change; nil when nobody waits
}

// begin adds a running command. The returned function removes it.
func (u *use) begin() (end func()) {
	u.count(1)
	return func() { u.count(-1) }
}

func (u *use) count(by int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running += by
	u.last = time.Now()
	if u.changed != nil {
		close(u.changed)
		u.changed = nil
	}
}

// left returns how long there must be no activity until idle is reached, and a
// channel that is closed at the next activity. The duration is negative while a
// command runs.
func (u *use) left(idle time.Duration, since time.Time) (time.Duration, <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.changed == nil {
		u.changed = make(chan struct{})
	}
	if u.running > 0 {
		return -1, u.changed
	}
	last := u.last
	if last.Before(since) {
		last = since
	}
	return max(0, idle-time.Since(last)), u.changed
}

// WaitIdle returns when no command has run for idle, or with the error of ctx.
func (m *Manager) WaitIdle(ctx context.Context, idle time.Duration) error {
	since := time.Now()
	for {
		left, changed := m.use.left(idle, since)
		if left == 0 {
			return nil
		}
		// A timer that is not needed any more is left to the garbage collector.
		var over <-chan time.Time
		if left > 0 {
			over = time.After(left)
		}
		select {
		case <-changed:
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ready waits until the session's browser is up and has a tab. Without it, a
// caller that starts a session and acts at once would get the error that there
// is no tab.
func (r *run) ready(ctx context.Context, s *Session, timeoutMS int) error {
	timeout := time.Duration(timeoutMS) * time.Millisecond
	if timeout <= 0 || timeout > protocol.MaxCommandTimeout {
		timeout = protocol.CommandTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := r.wait(limited, s)
	if err == nil {
		if err = r.browser.FirstTab(limited); limited.Err() == nil {
			err = nil // no browser at the moment: a command that needs one returns the error
		}
	}
	if err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			return protocol.NewError(protocol.CodeTimeout, "the browser has not started in time", "try again; the log has the details")
		}
		return err
	}
	return nil
}
