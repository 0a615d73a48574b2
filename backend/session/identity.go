package session

import (
	"context"
	"strings"

	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// startAs starts a session, with what the request changes of its identity for this run,
// or that of a work tree. It makes the session if there is none, and returns its name.
func startAs(ctx context.Context, m *Manager, name protocol.SessionName, req protocol.AppRequest) (protocol.SessionName, error) {
	id := req.Identity
	if req.Project != "" {
		var err error
		if name, id, err = project(ctx, m, req.Project); err != nil {
			return "", err
		}
	}
	if err := usable(m, id); err != nil {
		return "", err
	}
	s, err := m.Session(name)
	if err != nil {
		made := m.Create(ctx, name)
		if s, err = m.Session(name); err != nil {
			err = made
		}
	}
	if err == nil && (req.Project == "" || s.running() == nil) { // a work tree's session may run already
		err = s.identity.Give(id)
	}
	if err != nil {
		return "", err
	}
	return name, s.Start(ctx)
}

// usable returns an error for an identity with which no session could start. It is asked before a
// session is made.
func usable(m *Manager, id *protocol.SessionIdentity) error {
	if id == nil {
		return nil
	}
	if err := identity.Check(*id); err != nil {
		return identity.AsError(err)
	}
	host, in := strings.CutPrefix(id.Browser, protocol.BrowserIn)
	if !in {
		return nil
	}
	_, err := m.Session(protocol.SessionName(host))
	return err
}

// keeping makes a session, which keeps id; nil for none. It makes none for an id that cannot
// be used.
func keeping(m *Manager, id *protocol.SessionIdentity, create func() (protocol.SessionName, error)) (protocol.SessionName, error) {
	if id == nil {
		return create()
	}
	if err := usable(m, id); err != nil {
		return "", err
	}
	name, err := create()
	if err != nil {
		return "", err
	}
	s, err := m.Session(name)
	if err != nil {
		return "", err
	}
	return name, s.identity.Keep(*id)
}

// testProxy tries the proxy of a session: that of id, else that of the settings.
func testProxy(ctx context.Context, m *Manager, name protocol.SessionName, id *protocol.SessionIdentity) (*protocol.ProxyTest, error) {
	s, err := m.Session(name)
	if err != nil {
		return nil, err
	}
	return s.identity.Test(ctx, id, "")
}

// project returns the session of a work tree and what its file says, when the user
// trusts that.
func project(ctx context.Context, m *Manager, file string) (protocol.SessionName, *protocol.SessionIdentity, error) {
	asker, err := m.Session(protocol.DefaultSession)
	if err != nil {
		return "", nil, err
	}
	var user question.Asker = asker.approvals.Broker()
	if m.cfg.Headless {
		user = identity.Nobody{}
	}
	name, id, err := identity.Project(ctx, file, m.folders, user)
	if err != nil {
		return "", nil, err
	}
	return name, id, nil
}
