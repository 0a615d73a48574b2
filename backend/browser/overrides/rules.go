package overrides

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureRules = "rules"

// networkRules blocks or mocks requests of a tab. Requests to URLs that no rule
// names cost nothing.
type networkRules struct {
	mu    sync.Mutex
	rules []protocol.NetworkRule
}

func (n *networkRules) Begin(ctx context.Context, s *devtools.Session, _ bool) error {
	n.mu.Lock()
	patterns := make([]*fetch.RequestPattern, 0, len(n.rules))
	for _, r := range n.rules {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: fetchPattern(r.Pattern)})
	}
	n.mu.Unlock()
	if len(patterns) == 0 {
		return devtools.Post(ctx, s, fetch.Disable, cdp.Empty{})
	}
	return devtools.Post(ctx, s, fetch.Enable, fetch.EnableParams{Patterns: patterns})
}

func (n *networkRules) End(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, fetch.Disable, cdp.Empty{})
}

// fetchPattern converts a rule's pattern to the browser's form, in which an
// unescaped ? means one character.
func fetchPattern(p string) string { return strings.ReplaceAll(p, "?", `\?`) }

func (n *networkRules) Event(ctx context.Context, s *devtools.Session, e devtools.Event) {
	if e.Method != fetch.RequestPaused.Method {
		return
	}
	v, ok := devtools.Decode(e, fetch.RequestPaused)
	if !ok || v.Request == nil {
		return
	}
	n.mu.Lock()
	var rule *protocol.NetworkRule
	for i := range n.rules {
		if page.Glob(n.rules[i].Pattern, v.Request.URL) && ofType(n.rules[i].Types, string(v.ResourceType)) {
			n.rules[i].Hits++
			one := n.rules[i]
			rule = &one
			break
		}
	}
	n.mu.Unlock()
	switch {
	case rule == nil:
		_ = devtools.Post(ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
	case rule.Block:
		_ = devtools.Post(ctx, s, fetch.FailRequest, fetch.FailRequestParams{RequestID: v.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
	default:
		_ = devtools.Post(ctx, s, fetch.FulfillRequest, answerOf(rule, &v))
	}
}

// ofType reports whether a rule for these types of request is for this one. The
// rule's empty list means all.
func ofType(types []string, one string) bool {
	return len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return strings.EqualFold(t, one) })
}

// answerOf returns the response to a mocked request. Pages of other origins may
// read it, too, because the caller wrote the response and not that site.
func answerOf(rule *protocol.NetworkRule, v *fetch.EventRequestPaused) fetch.FulfillRequestParams {
	headers := map[string]string{"access-control-allow-origin": "*", "x-pilotfish-mock": "1"}
	for name, value := range v.Request.Headers {
		if text, ok := value.(string); ok && strings.EqualFold(name, "origin") {
			headers["access-control-allow-origin"] = text
			headers["access-control-allow-credentials"] = "true"
		}
	}
	if v.Request.Method == "OPTIONS" {
		headers["access-control-allow-methods"] = "*"
		headers["access-control-allow-headers"] = "*"
	}
	headers["content-type"] = "text/plain; charset=utf-8"
	if body := strings.TrimSpace(rule.Body); strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		headers["content-type"] = "application/json"
	}
	for name, value := range rule.Headers {
		headers[strings.ToLower(name)] = value
	}
	p := fetch.FulfillRequestParams{RequestID: v.RequestID, ResponseCode: int64(rule.Status), Body: []byte(rule.Body)}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		p.ResponseHeaders = append(p.ResponseHeaders, &fetch.HeaderEntry{Name: name, Value: headers[name]})
	}
	return p
}

// NetworkRules returns the rules for blocked and mocked requests of a tab.
func (o *Overrides) NetworkRules(id protocol.TabID) []protocol.NetworkRule {
	n, ok := watch.Get[*networkRules](o.tabs.Kept(id), featureRules)
	if !ok {
		return []protocol.NetworkRule{}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]protocol.NetworkRule{}, n.rules...)
}

// AddNetworkRule blocks or mocks the URLs that match a pattern, and replaces a
// rule with the same pattern, which protocol.AddressPattern explains.
func (o *Overrides) AddNetworkRule(ctx context.Context, id protocol.TabID, rule protocol.NetworkRule) error {
	rule.Pattern = protocol.AddressPattern(rule.Pattern)
	return o.changeRules(ctx, id, func(rules []protocol.NetworkRule) ([]protocol.NetworkRule, error) {
		rules = slices.DeleteFunc(rules, func(r protocol.NetworkRule) bool { return r.Pattern == rule.Pattern })
		if len(rules) >= protocol.NetworkRules {
			return nil, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("a tab has at most %d rules", protocol.NetworkRules), "", protocol.Try("removes some", "network", "unblock"))
		}
		return append(rules, rule), nil
	})
}

// RemoveNetworkRules removes the rule with a pattern, or all rules (empty
// pattern). It returns how many it removed.
func (o *Overrides) RemoveNetworkRules(ctx context.Context, id protocol.TabID, pattern string) (int, error) {
	removed := 0
	err := o.changeRules(ctx, id, func(rules []protocol.NetworkRule) ([]protocol.NetworkRule, error) {
		before := len(rules)
		rules = slices.DeleteFunc(rules, func(r protocol.NetworkRule) bool {
			return pattern == "" || r.Pattern == pattern || r.Pattern == protocol.AddressPattern(pattern)
		})
		removed = before - len(rules)
		return rules, nil
	})
	return removed, err
}

func (o *Overrides) changeRules(ctx context.Context, id protocol.TabID, change func([]protocol.NetworkRule) ([]protocol.NetworkRule, error)) error {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return err
	}
	n, err := watch.Use(ctx, k, featureRules, func() *networkRules { return &networkRules{} })
	if err != nil {
		return err
	}
	release, err := k.Change(ctx)
	if err != nil {
		return err
	}
	defer release()
	n.mu.Lock()
	rules, err := change(slices.Clone(n.rules))
	if err == nil {
		n.rules = rules
	}
	n.mu.Unlock()
	if err != nil {
		return err
	}
	o.changed()
	return o.tabs.Explain(ctx, id, k.Each(func(s *devtools.Session, child bool) error { return n.Begin(ctx, s, child) }))
}
