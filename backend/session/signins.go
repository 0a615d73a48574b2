package session

import (
	"context"
	"path/filepath"

	"pilotfish/backend/browser/signins"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// showSignIns opens the picker of sign-ins in the panel beside the front tab of a
// session, for the user at the window. It imports nothing: the user does, in the panel.
func (m *Manager) showSignIns(ctx context.Context, name protocol.SessionName) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	r, err := s.current()
	if err != nil {
		return err
	}
	if why := r.cannot[protocol.CapabilitySignIns]; why != "" {
		return protocol.NewError(protocol.CodeRefused, "sign-ins are not imported into your own browser: "+why, "use a session with a browser of its own")
	}
	tab := s.tabs.Front()
	if tab == "" {
		return protocol.NewError(protocol.CodeUnknownTab, "the session has no tab beside which the panel could open", "open one in the browser")
	}
	event := protocol.ShowEvent{Type: protocol.PanelShow, Tab: tab, SignIns: true}
	s.panels.Show(event)
	return s.show(ctx, event)
}

// newSignIns returns what imports sign-ins of other browsers into a run's browser.
func newSignIns(s *Session, r *run, root string, keyring bool, guard *proc.Guard) *signins.SignIns {
	rules := r.policy.Rules()
	return signins.New(signins.Config{
		TemporaryDir: s.m.cfg.Dirs.TemporaryDir(),
		Dir:          filepath.Join(root, "signins-reading"), File: filepath.Join(root, "signins.json"), Into: r.browser,
		Ask: rules.AskOn, Forget: rules.ForgetOn,
		Keyring: keyring, NoSandbox: s.m.cfg.NoSandbox, Guard: guard, Logger: s.plainLog(),
	})
}
