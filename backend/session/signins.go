package session

import (
	"context"
	"path/filepath"

	"pilotfish/backend/browser"
	"pilotfish/backend/browser/signins"
	"pilotfish/backend/proc"
)

// newSignIns returns what imports sign-ins of other browsers into a run's browser.
func newSignIns(s *Session, r *run, root string, keyring bool, guard *proc.Guard) *signins.SignIns {
	rules := r.policy.Rules()
	return signins.New(signins.Config{
		Dir: filepath.Join(root, "signins-reading"), File: filepath.Join(root, "signins.json"), Into: r.browser, Storage: browser.LocalStorage(r.browser),
		Ask: rules.AskOn, Forget: rules.ForgetOn,
		Keyring: func(context.Context) bool { return keyring }, NoSandbox: s.m.cfg.NoSandbox, Guard: guard, Logger: s.plainLog(),
	})
}
