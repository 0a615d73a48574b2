package overrides

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureRules = "rules"

// networkRules blocks or mocks requests of a tab, and adds headers to those to some
// origins. Requests to URLs that none of this is about cost nothing.
type networkRules struct {
	mu    sync.Mutex
	rules []protocol.NetworkRule
	bound []bound
	// scripts show pages of one origin its user agent.
	scripts map[*devtools.Session]cdppage.ScriptIdentifier
}

// bound are headers for one origin.
type bound struct {
	origin  string
	headers []devtools.Header
}

func (n *networkRules) Begin(ctx context.Context, s *devtools.Session, _ bool) error {
	return errors.Join(n.hold(ctx, s), n.show(ctx, s))
}

// hold makes the browser hold the requests that the rules and headers are about.
func (n *networkRules) hold(ctx context.Context, s *devtools.Session) error {
	n.mu.Lock()
	patterns := make([]*fetch.RequestPattern, 0, len(n.rules))
	for _, r := range n.rules {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: fetchPattern(r.Pattern)})
	}
	for _, b := range n.bound {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: b.origin + "/*"})
	}
	n.mu.Unlock()
	if len(patterns) == 0 {
		return devtools.Post(ctx, s, fetch.Disable, cdp.Empty{})
	}
	return devtools.Post(ctx, s, fetch.Enable, fetch.EnableParams{Patterns: patterns})
}

// show tells the pages of an origin the user agent that their requests have: the
// browser's own override is for pages of every origin.
func (n *networkRules) show(ctx context.Context, s *devtools.Session) error {
	n.mu.Lock()
	script, old := "delete navigator.userAgent", n.scripts[s]
	for _, b := range n.bound {
		for _, h := range b.headers {
			if h.Name == userAgent {
				// A page cannot change what location says.
				script = fmt.Sprintf("if (location.origin === %s) Object.defineProperty(navigator, 'userAgent', { value: %s, configurable: true })", quoted(b.origin), quoted(h.Value))
			}
		}
	}
	n.mu.Unlock()
	if old == "" && strings.HasPrefix(script, "delete") {
		return nil
	}
	if old != "" {
		_ = devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: old})
	}
	// New documents run scripts only while the Page domain is enabled.
	if err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return err
	}
	yes := true
	added, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script, RunImmediately: &yes})
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.scripts == nil {
		n.scripts = make(map[*devtools.Session]cdppage.ScriptIdentifier)
	}
	// Frames of other sites come and go while the tab stays.
	maps.DeleteFunc(n.scripts, func(s *devtools.Session, _ cdppage.ScriptIdentifier) bool { return s.Ended() })
	n.scripts[s] = added.Identifier
	return nil
}

const userAgent = "User-Agent"

// quoted returns a text as a script writes it.
func quoted(text string) string {
	out, _ := json.Marshal(text) // a text always has a form
	return string(out)
}

func (n *networkRules) End(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, fetch.Disable, cdp.Empty{})
	n.mu.Lock()
	n.bound = nil
	n.mu.Unlock()
	_ = n.show(ctx, s)
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
	var headers []*fetch.HeaderEntry
	for _, b := range n.bound {
		if page.OriginOf(v.Request.URL) == b.origin {
			headers = devtools.WithHeaders(v.Request.Headers, b.headers)
			break // they have been put together
		}
	}
	n.mu.Unlock()
	switch {
	case rule == nil:
		_ = devtools.Post(ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID, Headers: headers})
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
	n, ok := watch.Get[*networkRules](o.watched.Kept(id), featureRules)
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

// boundOf returns the headers of an emulation that are for one origin.
func boundOf(e *protocol.Emulation) []bound {
	var out []bound
	if e.HeadersOrigin != "" && len(e.Headers) > 0 {
		b := bound{origin: e.HeadersOrigin}
		for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
			b.headers = append(b.headers, devtools.Header{Name: name, Value: e.Headers[name]})
		}
		out = append(out, b)
	}
	if e.UserAgentOrigin == "" || e.UserAgent == "" {
		return out
	}
	agent := devtools.Header{Name: userAgent, Value: e.UserAgent}
	if len(out) > 0 && e.UserAgentOrigin == e.HeadersOrigin {
		out[0].headers = append([]devtools.Header{agent}, out[0].headers...)
		return out
	}
	return append(out, bound{origin: e.UserAgentOrigin, headers: []devtools.Header{agent}})
}

// bind adds the headers of an emulation that are for one origin.
func (n *networkRules) bind(ctx context.Context, k *watch.Keeper, e *protocol.Emulation) error {
	n.mu.Lock()
	n.bound = boundOf(e)
	n.mu.Unlock()
	return k.Each(n, func(s *devtools.Session, child bool) error { return n.Begin(ctx, s, child) })
}

func (o *Overrides) changeRules(ctx context.Context, id protocol.TabID, change func([]protocol.NetworkRule) ([]protocol.NetworkRule, error)) error {
	k, err := o.watched.Of(ctx, id)
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
	return o.watched.Explain(ctx, id, k.Each(n, func(s *devtools.Session, child bool) error { return n.Begin(ctx, s, child) }))
}
