package policy

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"pilotfish/backend/protocol"
)

// Rules are the site rules of a session. They outlive its runs. Their methods
// are safe for concurrent use.
type Rules struct {
	save func([]protocol.SiteRule) error

	saving sync.Mutex // one change at a time, so that the disk has the newest
	mu     sync.Mutex
	rules  []protocol.SiteRule
}

// NewRules returns rules that start with those given; invalid ones are dropped.
// save stores the rules at each change; nil keeps them in memory only.
func NewRules(rules []protocol.SiteRule, save func([]protocol.SiteRule) error) *Rules {
	r := &Rules{save: save}
	for _, rule := range rules {
		if checked, err := checkRule(rule); err == nil && len(r.rules) < maxSiteRules {
			r.rules = replace(r.rules, checked)
		}
	}
	return r
}

// DefaultRules returns the decisions where the user made none: agents may open
// and use pages, and must ask before anything sensitive.
func DefaultRules() []protocol.SiteRule {
	return []protocol.SiteRule{
		{Site: "*", Kind: protocol.ActionOpen, Decision: protocol.SiteAllow, Default: true},
		{Site: "*", Kind: protocol.ActionAct, Decision: protocol.SiteAllow, Default: true},
		{Site: "*", Kind: protocol.ActionSensitive, Decision: protocol.SiteAsk, Default: true},
	}
}

// List returns the user's rules, by site, and after them the defaults that none
// of them replaces.
func (r *Rules) List() []protocol.SiteRule {
	r.mu.Lock()
	list := slices.Clone(r.rules)
	r.mu.Unlock()
	slices.SortFunc(list, func(a, b protocol.SiteRule) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(slices.Index(protocol.ActionKinds(), a.Kind), slices.Index(protocol.ActionKinds(), b.Kind)))
	})
	for _, d := range DefaultRules() {
		if !slices.ContainsFunc(list, func(o protocol.SiteRule) bool { return o.Site == d.Site && o.Kind == d.Kind }) {
			list = append(list, d)
		}
	}
	return list
}

// Set adds a rule and replaces the one for the same site and kind. It returns
// CodeBadArgument for an invalid rule.
func (r *Rules) Set(rule protocol.SiteRule) error {
	checked, err := checkRule(rule)
	if err != nil {
		return err
	}
	return r.change(func(rules []protocol.SiteRule) ([]protocol.SiteRule, error) {
		rules = replace(rules, checked)
		if len(rules) > maxSiteRules {
			return nil, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("there are %d rules, and no more can be kept", maxSiteRules), "remove some")
		}
		return rules, nil
	})
}

// Remove removes a rule; the default applies again.
func (r *Rules) Remove(site string, kind protocol.ActionKind) error {
	p, err := parsePattern(site)
	if err != nil {
		return err
	}
	return r.change(func(rules []protocol.SiteRule) ([]protocol.SiteRule, error) {
		left := slices.DeleteFunc(rules, func(o protocol.SiteRule) bool { return o.Site == p.String() && o.Kind == kind })
		if len(left) == len(rules) {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no rule for %s on %s", kind, p), "", protocol.Try("lists them", "rules"))
		}
		return left, nil
	})
}

// change applies a change only if it could be saved.
func (r *Rules) change(f func([]protocol.SiteRule) ([]protocol.SiteRule, error)) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	rules := slices.Clone(r.rules)
	r.mu.Unlock()
	rules, err := f(rules)
	if err != nil {
		return err
	}
	if r.save != nil {
		if err := r.save(rules); err != nil {
			return fmt.Errorf("saving the site rules: %w", err)
		}
	}
	r.mu.Lock()
	r.rules = rules
	r.mu.Unlock()
	return nil
}

func replace(rules []protocol.SiteRule, rule protocol.SiteRule) []protocol.SiteRule {
	for i, o := range rules {
		if o.Site == rule.Site && o.Kind == rule.Kind {
			rules[i] = rule
			return rules
		}
	}
	return append(rules, rule)
}

func checkRule(rule protocol.SiteRule) (protocol.SiteRule, error) {
	p, err := parsePattern(rule.Site)
	if err != nil {
		return rule, err
	}
	if !slices.Contains(protocol.ActionKinds(), rule.Kind) {
		return rule, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a kind of action", rule.Kind), fmt.Sprintf("use one of %v", protocol.ActionKinds()))
	}
	switch rule.Decision {
	case protocol.SiteAllow, protocol.SiteAsk, protocol.SiteDeny:
	default:
		return rule, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a decision", rule.Decision), "use allow, ask or deny")
	}
	return protocol.SiteRule{Site: p.String(), Kind: rule.Kind, Decision: rule.Decision}, nil
}

// sensitive reports whether a rule about ActionSensitive covers a kind.
func sensitive(kind protocol.ActionKind) bool {
	return kind != protocol.ActionOpen && kind != protocol.ActionAct
}

// Decide returns the rule that applies to an action on a page: the most
// specific site wins, then a rule for the exact kind before one for
// "sensitive".
func (r *Rules) Decide(kind protocol.ActionKind, page string) protocol.SiteRule {
	u := siteOf(page)
	best, rank := protocol.SiteRule{Decision: protocol.SiteDeny}, -1
	for _, rule := range r.List() {
		if rule.Kind != kind && (rule.Kind != protocol.ActionSensitive || !sensitive(kind)) {
			continue
		}
		p, err := parsePattern(rule.Site)
		if err != nil || !p.matches(u) {
			continue
		}
		at := 2 * p.closeness()
		if rule.Kind == kind {
			at++
		}
		if at > rank {
			best, rank = rule, at
		}
	}
	return best
}

// Strictest returns the strictest of the rules that apply to a kind of action on
// any site.
func (r *Rules) Strictest(kind protocol.ActionKind) protocol.SiteRule {
	order := []protocol.SiteDecision{protocol.SiteAllow, protocol.SiteAsk, protocol.SiteDeny}
	list := r.List()
	exact := make(map[string]bool) // the sites with a rule for this kind itself
	for _, rule := range list {
		exact[rule.Site] = exact[rule.Site] || rule.Kind == kind
	}
	var best protocol.SiteRule
	for _, rule := range list {
		if rule.Kind != kind && (rule.Kind != protocol.ActionSensitive || !sensitive(kind) || exact[rule.Site]) {
			continue
		}
		if slices.Index(order, rule.Decision) > slices.Index(order, best.Decision) {
			best = rule
		}
	}
	return best
}

// named reports whether a user's rule allows exactly this host to be opened.
func (r *Rules) named(u *url.URL) bool {
	rule := r.Decide(protocol.ActionOpen, u.String())
	p, err := parsePattern(rule.Site)
	return err == nil && rule.Decision == protocol.SiteAllow && !p.any && !p.below
}
