package session

import (
	"context"
	"net"
	"path/filepath"
	"slices"

	"pilotfish/backend/browser"
	"pilotfish/backend/browser/signins"
	"pilotfish/backend/policy"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// newSignIns returns what imports sign-ins of other browsers into a run's browser.
func newSignIns(s *Session, r *run, root string, keyring bool, guard *proc.Guard) *signins.SignIns {
	rules := r.policy.Rules()
	return signins.New(signins.Config{
		Dir: filepath.Join(root, "signins-reading"), File: filepath.Join(root, "signins.json"), Into: r.browser, Storage: browser.LocalStorage(r.browser),
		Ask: func(site string) error { return askOn(rules, site) }, Forget: func(site string) error { return forgetOn(rules, site) },
		Keyring: func(context.Context) bool { return keyring }, NoSandbox: s.m.cfg.NoSandbox, Guard: guard, Logger: s.plainLog(),
	})
}

// askedKinds are what agents ask about on a site with imported sign-ins. The rule for
// everything that is sensitive asks by itself.
func askedKinds() []protocol.ActionKind {
	return []protocol.ActionKind{protocol.ActionOpen, protocol.ActionAct}
}

// patternOf returns the pattern of a site rule for a site and what is below it.
func patternOf(site string) string {
	if net.ParseIP(site) != nil {
		return site
	}
	return "*." + site
}

// askOn makes agents ask on a site, unless the user has made a rule for it.
func askOn(rules *policy.Rules, site string) error {
	for _, kind := range askedKinds() {
		rule := protocol.SiteRule{Site: patternOf(site), Kind: kind, Decision: protocol.SiteAsk}
		if slices.ContainsFunc(rules.List(), func(o protocol.SiteRule) bool { return o.Site == rule.Site && o.Kind == kind }) {
			continue
		}
		if err := rules.Set(rule); err != nil {
			return err
		}
	}
	return nil
}

// forgetOn takes back what askOn did, where the user has not changed it.
func forgetOn(rules *policy.Rules, site string) error {
	for _, kind := range askedKinds() {
		rule := protocol.SiteRule{Site: patternOf(site), Kind: kind, Decision: protocol.SiteAsk}
		if !slices.Contains(rules.List(), rule) {
			continue
		}
		if err := rules.Remove(rule.Site, kind); err != nil {
			return err
		}
	}
	return nil
}
