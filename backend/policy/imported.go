package policy

import (
	"net"
	"slices"

	"pilotfish/backend/protocol"
)

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

// AskOn makes agents ask on a site, unless the user has made a rule for it.
func (r *Rules) AskOn(site string) error {
	for _, kind := range askedKinds() {
		rule := protocol.SiteRule{Site: patternOf(site), Kind: kind, Decision: protocol.SiteAsk}
		if slices.ContainsFunc(r.List(), func(o protocol.SiteRule) bool { return o.Site == rule.Site && o.Kind == kind }) {
			continue
		}
		if err := r.Set(rule); err != nil {
			return err
		}
	}
	return nil
}

// ForgetOn takes back what AskOn did, where the user has not changed it.
func (r *Rules) ForgetOn(site string) error {
	for _, kind := range askedKinds() {
		rule := protocol.SiteRule{Site: patternOf(site), Kind: kind, Decision: protocol.SiteAsk}
		if !slices.Contains(r.List(), rule) {
			continue
		}
		if err := r.Remove(rule.Site, kind); err != nil {
			return err
		}
	}
	return nil
}
