package session

import (
	"context"
	"fmt"
	"time"

	"pilotfish/backend/protocol"
)

// WaitIdle returns when no command has run for idle, or with the error of ctx.
func (m *Manager) WaitIdle(ctx context.Context, idle time.Duration) error {
	return m.use.WaitIdle(ctx, idle)
}

// ready waits until the session's browser is up and has a tab. Without it, a
// caller that starts a session and acts at once would get the error that there
// is no tab.
func (r *run) ready(ctx context.Context, s *Session, timeoutMS int) error {
	if s.State() == protocol.SessionBackground {
		return protocol.NewError(protocol.CodeNotRunning, "the user has closed the browser, so it is not running", fmt.Sprintf("`pilotfish sessions start %s` opens it again", s.name))
	}
	s.mu.Lock()
	attaching := r.attaching
	s.mu.Unlock()
	if attaching != nil {
		return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s is %s", s.name, attaching.Ask()), "")
	}
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
