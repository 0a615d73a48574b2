package session

import (
	"testing"

	"pilotfish/backend/browser"
	"pilotfish/backend/browser/attach"
	"pilotfish/backend/protocol"
)

// The picker of sign-ins needs a session that runs, and a tab beside which it can be.
func TestSignInsThatCannotBeShown(t *testing.T) {
	p := plant(t)
	refused := func(name protocol.SessionName, want protocol.Code) {
		t.Helper()
		if e := protocol.AsError(p.s.m.showSignIns(t.Context(), name)); e == nil || e.Code != want || e.Hint == "" {
			t.Errorf("%s: %+v, want %s", name, e, want)
		}
	}
	refused("nowhere", protocol.CodeUnknownSession)
	refused(protocol.DefaultSession, protocol.CodeUnknownTab)
	run := p.s.run
	run.cannot = (&browser.Config{Attach: attach.Browser{Dir: "x"}}).Cannot()
	refused(protocol.DefaultSession, protocol.CodeRefused)
	p.s.mu.Lock()
	p.s.run = nil
	p.s.mu.Unlock()
	refused(protocol.DefaultSession, protocol.CodeNotRunning)
	p.s.mu.Lock()
	p.s.run = run
	p.s.mu.Unlock()
	if _, is := p.s.panels.Pending(); is {
		t.Error("a panel that opens later shows the picker")
	}
}
