package overrides

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/protocol"
)

// The first rule whose pattern matches a URL applies; a request that matches no
// rule continues.
func TestRules(t *testing.T) {
	b, c := fake.Connect(t, nil)
	s, err := c.Attach(t.Context(), "T1")
	if err != nil {
		t.Fatal(err)
	}
	n := &networkRules{rules: []protocol.NetworkRule{
		{Pattern: "*example*", Types: []string{"fetch", "preflight"}, Status: 200, Body: "not for XHR"},
		{Pattern: "*ads*", Block: true},
		{Pattern: "*/api/*", Status: 200, Body: `{"a":1}`},
		{Pattern: "*ads.api*", Status: 500},
	}}
	if err := n.Begin(t.Context(), s, false); err != nil {
		t.Fatal(err)
	}
	for id, url := range map[string]string{"1": "https://ads.example.com/", "2": "https://example.com/api/x", "3": "https://example.com/"} {
		params := `{"requestId":"` + id + `","request":{"url":"` + url + `","method":"GET","headers":{},"initialPriority":"High","referrerPolicy":"origin"},"frameId":"T1","resourceType":"XHR"}`
		n.Event(t.Context(), s, devtools.Event{Method: fetch.RequestPaused.Method, Params: jsonv2.Value(params)})
	}
	if err := s.Call(t.Context(), "Runtime.enable", nil, nil); err != nil { // its answer comes after the others
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, call := range b.Calls() {
		var of struct {
			RequestID string `json:"requestId"`
		}
		if err := json.Unmarshal(call.Params, &of); err == nil && of.RequestID != "" {
			got[of.RequestID] = call.Method
		}
	}
	want := map[string]string{"1": fetch.FailRequest.Method, "2": fetch.FulfillRequest.Method, "3": fetch.ContinueRequest.Method}
	if !maps.Equal(got, want) {
		t.Errorf("they were answered by %v", got)
	}
	if n.rules[0].Hits != 0 || n.rules[1].Hits != 1 || n.rules[2].Hits != 1 || n.rules[3].Hits != 0 {
		t.Errorf("the rules were met %+v", n.rules)
	}
}

// A page of another origin may read a mocked response, and a header marks it as
// mocked.
func TestAnswerOf(t *testing.T) {
	rule := &protocol.NetworkRule{Status: 201, Body: " [1]", Headers: map[string]string{"X-Own": "yes"}}
	v := &fetch.EventRequestPaused{RequestID: "1", Request: &network.Request{Method: "OPTIONS", Headers: network.Headers{"Origin": "https://a.example"}}}
	got := map[string]string{}
	answer := answerOf(rule, v)
	for _, h := range answer.ResponseHeaders {
		got[h.Name] = h.Value
	}
	for name, want := range map[string]string{
		"access-control-allow-origin": "https://a.example", "access-control-allow-credentials": "true", "access-control-allow-methods": "*",
		"content-type": "application/json", "x-own": "yes", "x-pilotfish-mock": "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, not %q", name, got[name], want)
		}
	}
	if answer.ResponseCode != 201 || string(answer.Body) != " [1]" {
		t.Errorf("the answer is %+v", answer)
	}
}

// A rule for some types of request leaves requests of other types alone.
func TestRuleOfType(t *testing.T) {
	for _, c := range []struct {
		types []string
		kind  string
		want  bool
	}{
		{nil, "Script", true},
		{[]string{"fetch", "xhr"}, "XHR", true},
		{[]string{"fetch", "xhr"}, "Script", false},
		{[]string{"fetch"}, "Document", false},
		{[]string{"fetch"}, "", false},
	} {
		if got := ofType(c.types, c.kind); got != c.want {
			t.Errorf("%q for %q: %v", c.types, c.kind, got)
		}
	}
}

func TestSizeOf(t *testing.T) {
	got := SizeOf(&protocol.EmulatedViewport{Width: 390, Height: 844, Scale: 3, Mobile: true})
	if got.Width != 390 || got.ScreenHeight != 844 || got.DeviceScaleFactor != 3 || !got.Mobile {
		t.Errorf("it is %+v", got)
	}
}

// What is kept for a session goes when the session has ended.
func TestEndedSessionsAreForgotten(t *testing.T) {
	b, c := fake.Connect(t, nil)
	b.Answer(cdppage.AddScriptToEvaluateOnNewDocument.Method, func(fake.Call) (any, error) {
		return cdppage.AddScriptToEvaluateOnNewDocumentResult{Identifier: "1"}, nil
	})
	n := &networkRules{bound: []bound{{origin: "https://a.test", headers: []devtools.Header{{Name: userAgent, Value: "x"}}}}}
	for _, id := range []target.ID{"T1", "T2", "T3"} {
		s, err := c.Attach(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Begin(t.Context(), s, true); err != nil {
			t.Fatal(err)
		}
		if _, has := n.scripts[s]; !has || len(n.scripts) != 1 {
			t.Errorf("at %s %d sessions are kept", id, len(n.scripts))
		}
		b.Emit("", target.DetachedFromTarget.Method, target.EventDetachedFromTarget{SessionID: s.ID})
		<-s.Done
	}
}
