package catalogue_test

import (
	"context"
	"slices"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// mocking is a browser that records the network rules.
type mocking struct {
	*tabs
	rules []protocol.NetworkRule
}

func (m *mocking) AddNetworkRule(_ context.Context, _ protocol.TabID, rule protocol.NetworkRule) error {
	m.rules = append(m.rules, rule)
	return nil
}

func (m *mocking) NetworkRules(protocol.TabID) []protocol.NetworkRule { return m.rules }

// mock runs network mock, answers each question, and returns the questions and
// the browser.
func mock(t *testing.T, rules []protocol.SiteRule, actor protocol.Actor, answer protocol.ApprovalAnswer, args map[string]any) ([]protocol.Approval, *mocking, protocol.CommandReply) {
	t.Helper()
	var asked []protocol.Approval
	broker := policy.NewBroker("default", func() {})
	watch := command.Watch{Asking: func(q protocol.Approval) {
		asked = append(asked, q)
		if err := broker.Answer(q.ID, answer); err != nil {
			t.Error(err)
		}
	}}
	p := policy.New(policy.Config{OwnPort: func() int { return 4711 }, Rules: policy.NewRules(rules, nil), Broker: broker})
	b := &mocking{tabs: newTabs()}
	args["do"] = "mock"
	reply := catalogue.New(catalogue.Config{Browser: b, Policy: p}).Execute(t.Context(), command.Call{Actor: actor, Scopes: scopes, Tab: "t1", Request: request("network", args), Watch: watch})
	return asked, b, reply
}

// A mock that can run as code is judged like eval on every origin that its
// pattern can match. Without an answer nothing is installed.
func TestAMockThatCanRunAsksLikeEval(t *testing.T) {
	type args = map[string]any
	for name, c := range map[string]struct {
		args   args
		origin string
		site   string
	}{
		"a page":                         {args{"what": "https://other.example/*", "body": "<script>x()</script>"}, "https://other.example", "other.example"},
		"a script without *":             {args{"what": "https://other.example/app.js", "body": "x()", "type": "script"}, "https://other.example", "other.example"},
		"JSON as a script":               {args{"what": "https://other.example/*", "body": "[x()]", "type": "script"}, "https://other.example", "other.example"},
		"JSON as a page":                 {args{"what": "https://other.example:8443/*", "body": "{}", "type": "document"}, "https://other.example:8443", "other.example"},
		"a style":                        {args{"what": "https://one.example/a.css", "body": "*{}", "type": "stylesheet"}, "https://one.example", "one.example"},
		"a redirect":                     {args{"what": "https://one.example/a.js", "status": 302, "headers": []string{"Location: https://other.example/"}}, "https://one.example", "one.example"},
		"a cookie with data":             {args{"what": "https://one.example/api", "body": "{}", "headers": []string{"Set-Cookie: a=b"}}, "https://one.example", "one.example"},
		"any host":                       {args{"what": "*/app.js", "body": "x()"}, "", ""},
		"a part of an address":           {args{"what": "app.js", "body": "x()"}, "", ""},
		"any scheme":                     {args{"what": "*://other.example/*", "body": "x()"}, "", ""},
		"any subdomain":                  {args{"what": "https://*.other.example/*", "body": "x()"}, "", ""},
		"the beginning of a host's name": {args{"what": "https://other.example", "body": "x()"}, "", ""},
	} {
		asked, b, reply := mock(t, nil, agent, protocol.AnswerDeny, c.args)
		if len(asked) != 1 || asked[0].Kind != protocol.ActionEval || asked[0].Origin != c.origin || asked[0].Site != c.site || asked[0].Command != "network" {
			t.Errorf("%s: asked %+v", name, asked)
			continue
		}
		if reply.OK || code(reply) != protocol.CodeDenied || len(b.rules) != 0 {
			t.Errorf("%s, denied: %+v, installed %+v", name, reply, b.rules)
		}
		if _, b, reply = mock(t, nil, agent, protocol.AnswerOnce, c.args); !reply.OK || len(b.rules) != 1 {
			t.Errorf("%s, allowed: %+v, installed %+v", name, reply, b.rules)
		}
		if asked, b, reply = mock(t, nil, user, protocol.AnswerDeny, c.args); !reply.OK || len(b.rules) != 1 || len(asked) != 0 {
			t.Errorf("%s, a user: %+v, asked %+v", name, reply, asked)
		}
	}
}

// A mock of data asks nothing, and it answers only requests for data.
func TestAMockOfDataDoesNotAsk(t *testing.T) {
	for name, c := range map[string]struct {
		args map[string]any
		with string // a type that it answers
	}{
		"JSON":  {map[string]any{"what": "*/api/user", "body": `{"name":"Ann"}`}, "xhr"},
		"fetch": {map[string]any{"what": "*/api/*", "body": "plain", "type": "fetch"}, "fetch"},
		"XHR":   {map[string]any{"what": "https://one.example/api", "body": "plain", "type": "XHR"}, "xhr"},
		"image": {map[string]any{"what": "*.png", "body": "x", "type": "image", "headers": []string{"Content-Type: image/png"}}, "image"},
	} {
		asked, b, reply := mock(t, nil, agent, protocol.AnswerDeny, c.args)
		if !reply.OK || len(asked) != 0 || len(b.rules) != 1 {
			t.Errorf("%s: %+v, asked %+v", name, reply, asked)
			continue
		}
		types := b.rules[0].Types
		if !slices.Contains(types, c.with) || slices.Contains(types, "script") || slices.Contains(types, "document") || slices.Contains(types, "stylesheet") {
			t.Errorf("%s answers %q", name, types)
		}
	}
	// Without a body and headers there is nothing that could run.
	if asked, b, reply := mock(t, nil, agent, protocol.AnswerDeny, map[string]any{"what": "*/api/*", "status": 500}); !reply.OK || len(asked) != 0 || len(b.rules) != 1 {
		t.Errorf("an empty answer: %+v, asked %+v", reply, asked)
	}
	// A user's JSON answers every request, as before.
	if _, b, reply := mock(t, nil, user, protocol.AnswerDeny, map[string]any{"what": "*/data.json", "body": "{}"}); !reply.OK || len(b.rules[0].Types) != 0 {
		t.Errorf("a user's: %+v, %+v", reply, b.rules)
	}
	if _, b, reply := mock(t, nil, agent, protocol.AnswerDeny, map[string]any{"what": "*/x", "body": "{}", "type": "frame"}); code(reply) != protocol.CodeBadArgument || len(b.rules) != 0 {
		t.Errorf("an unknown type: %+v", reply)
	}
}

// The site rules about eval decide about a mock that can run as code: those of
// the mocked site, and for a pattern that can match any site the strictest.
func TestSiteRulesDecideAboutMocks(t *testing.T) {
	one, every := map[string]any{"what": "https://other.example/*", "body": "x()"}, map[string]any{"what": "*/app.js", "body": "x()"}
	rule := func(site string, kind protocol.ActionKind, decision protocol.SiteDecision) protocol.SiteRule {
		return protocol.SiteRule{Site: site, Kind: kind, Decision: decision}
	}
	eval, open := protocol.ActionEval, protocol.ActionOpen
	for name, c := range map[string]struct {
		rules []protocol.SiteRule
		args  map[string]any
		asks  bool
		ok    bool
	}{
		"allowed there":            {[]protocol.SiteRule{rule("other.example", eval, protocol.SiteAllow)}, one, false, true},
		"allowed elsewhere":        {[]protocol.SiteRule{rule("one.example", eval, protocol.SiteAllow)}, one, true, false},
		"denied there":             {[]protocol.SiteRule{rule("other.example", eval, protocol.SiteDeny)}, one, false, false},
		"not to be opened":         {[]protocol.SiteRule{rule("other.example", open, protocol.SiteDeny), rule("*", eval, protocol.SiteAllow)}, one, false, false},
		"any, allowed for one":     {[]protocol.SiteRule{rule("one.example", eval, protocol.SiteAllow)}, every, true, false},
		"any, allowed everywhere":  {[]protocol.SiteRule{rule("*", eval, protocol.SiteAllow)}, every, false, true},
		"any, denied for one":      {[]protocol.SiteRule{rule("*", eval, protocol.SiteAllow), rule("bank.example", eval, protocol.SiteDeny)}, every, false, false},
		"any, sensitive denied":    {[]protocol.SiteRule{rule("*", eval, protocol.SiteAllow), rule("bank.example", protocol.ActionSensitive, protocol.SiteDeny)}, every, false, false},
		"any, one with a question": {[]protocol.SiteRule{rule("*", eval, protocol.SiteAllow), rule("bank.example", eval, protocol.SiteAsk)}, every, true, false},
	} {
		asked, b, reply := mock(t, c.rules, agent, protocol.AnswerDeny, c.args)
		if (len(asked) == 1) != c.asks || reply.OK != c.ok || (len(b.rules) == 1) != c.ok {
			t.Errorf("%s: %+v, asked %+v, installed %+v", name, reply, asked, b.rules)
		}
	}
}

// The answer "for this task" to a question about every site does not allow
// anything later.
func TestAnAnswerAboutEverySiteCountsOnce(t *testing.T) {
	task := protocol.Actor{Kind: protocol.ActorTask, ID: "1", Name: "task “A”"}
	var asked int
	broker := policy.NewBroker("default", func() {})
	watch := command.Watch{Asking: func(q protocol.Approval) {
		asked++
		_ = broker.Answer(q.ID, protocol.AnswerTask)
	}}
	b := &mocking{tabs: newTabs()}
	r := catalogue.New(catalogue.Config{Browser: b, Policy: policy.New(policy.Config{Broker: broker})})
	for range 2 {
		reply := r.Execute(t.Context(), command.Call{Actor: task, Scopes: scopes, Tab: "t1", Request: request("network", map[string]any{"do": "mock", "what": "*/app.js", "body": "x()"}), Watch: watch})
		if !reply.OK {
			t.Fatalf("%+v", reply)
		}
	}
	if asked != 2 || len(b.rules) != 2 {
		t.Errorf("asked %d times, installed %d", asked, len(b.rules))
	}
}
