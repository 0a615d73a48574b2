package session

import (
	"context"
	"errors"
	"fmt"

	"pilotfish/backend/protocol"
)

// A session may be a browser context in the browser of another one, its host: cookies, storage
// and tabs of its own in that browser's processes. It starts its host, and ends with it.

// startHost starts the session in whose browser s is a browser context, if there is one.
func (s *Session) startHost(ctx context.Context) error {
	name := s.identity.In()
	if name == "" {
		return nil
	}
	host, err := s.m.Session(name)
	if err != nil {
		return err
	}
	if other := host.identity.In(); other != "" || host == s {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("session %s has no browser of its own", name), "name a session that has one")
	}
	if err := host.Start(ctx); err != nil {
		return fmt.Errorf("starting session %s, whose browser %s uses: %w", name, s.name, err)
	}
	return nil
}

// hostOf returns the run in whose browser the session is a browser context; nil for none.
func (s *Session) hostOf(name protocol.SessionName) (*run, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // most sessions have none
	}
	host, err := s.m.Session(name)
	if err != nil {
		return nil, err
	}
	r, err := host.current()
	if err != nil {
		return nil, err
	}
	if r.host != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("session %s is itself in the browser of %s", name, r.with.In()), fmt.Sprintf("name session %s", r.with.In()))
	}
	if r.attached() {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the browser of session %s is yours, and no other session is opened in it", name), "name a session with a browser of its own")
	}
	return r, nil
}

// endsWithHost ends a run when its host begins to end.
func (r *run) endsWithHost(ctx context.Context, s *Session) {
	select {
	case <-r.host.over:
		name := r.with.In()
		r.cancel(protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s has ended, and with it the browser that this session used", name), fmt.Sprintf("`pilotfish sessions start %s --in %s` starts both", s.name, name)))
	case <-ctx.Done():
	}
}

// hostEnded returns the error of a run that has ended with its host; nil for another one.
func hostEnded(ctx context.Context) error {
	if e, ok := errors.AsType[*protocol.Error](context.Cause(ctx)); ok {
		return e
	}
	return nil
}

// hold returns when ctx or the run of a session ends, and deletes the session.
func (m *Manager) hold(ctx context.Context, name protocol.SessionName) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-s.ended():
	}
	return m.Delete(context.WithoutCancel(ctx), name)
}
