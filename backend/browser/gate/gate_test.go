package gate

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// source is a browser with one tab, shown by the target T1.
type source struct{ gates *Gates }

func (s source) Gates() (*Gates, error) { return s.gates, nil }

func (s source) OnTarget(_ context.Context, id protocol.TabID, f func(tabs.Entry) error) error {
	return f(tabs.Entry{Tab: protocol.Tab{ID: id}, Target: "T1"})
}

// fenced returns a browser whose tab t1 may load no URL that contains "bad".
func fenced(t *testing.T) (*fake.Browser, *Gates) {
	t.Helper()
	b, c := fake.Connect(t, nil)
	gates := NewGates(c, slog.New(slog.DiscardHandler), nil)
	allow := func(url string, _ bool) error {
		if strings.Contains(url, "bad") {
			return protocol.NewError(protocol.CodeRefused, "not this one", "")
		}
		return nil
	}
	if err := New(source{gates}).Gate(t.Context(), "t1", []string{"*://bad*"}, allow, nil, nil); err != nil {
		t.Fatal(err)
	}
	return b, gates
}

// session returns the id of the gate's session with the tab.
func session(t *testing.T, b *fake.Browser) target.SessionID {
	t.Helper()
	for _, c := range b.Calls() {
		if c.Method == fetch.Enable.Method {
			return c.Session
		}
	}
	t.Fatal("requests are not held")
	return ""
}

func paused(id fetch.RequestID, url string, kind network.ResourceType) map[string]any {
	return map[string]any{"requestId": id, "request": map[string]any{"url": url, "method": "GET", "headers": map[string]any{}, "initialPriority": "High", "referrerPolicy": "origin"}, "frameId": "T1", "resourceType": kind}
}

// An allowed request continues, a refused page is replaced by one of ours, and
// any other refused request fails.
func TestJudge(t *testing.T) {
	b, _ := fenced(t)
	on, refused, failed := b.Await(t, fetch.ContinueRequest.Method), b.Await(t, fetch.FulfillRequest.Method), b.Await(t, fetch.FailRequest.Method)
	s := session(t, b)
	b.Emit(s, fetch.RequestPaused.Method, paused("1", "https://good.example/", network.ResourceTypeDocument))
	b.Emit(s, fetch.RequestPaused.Method, paused("2", "https://bad.example/", network.ResourceTypeDocument))
	b.Emit(s, fetch.RequestPaused.Method, paused("3", "https://bad.example/a.png", network.ResourceTypeImage))
	for id, call := range map[string]func() fake.Call{"1": on, "2": refused, "3": failed} {
		var got struct {
			RequestID string `json:"requestId"`
		}
		if err := json.Unmarshal(call().Params, &got); err != nil || got.RequestID != id {
			t.Errorf("%+v instead of %s, %v", got, id, err)
		}
	}
}

// A command that navigates the tab reports the refusal itself; the tab then does
// not show our page.
func TestCommanded(t *testing.T) {
	b, gates := fenced(t)
	failed := b.Await(t, fetch.FailRequest.Method)
	released := gates.Command("T1")
	b.Emit(session(t, b), fetch.RequestPaused.Method, paused("1", "https://bad.example/", network.ResourceTypeDocument))
	failed()
	if err := gates.Refusal("T1"); err == nil || protocol.AsError(err).Code != protocol.CodeRefused {
		t.Errorf("the command is told %v", err)
	}
	released()
	if err := gates.Refusal("T1"); err != nil {
		t.Errorf("the next command is told %v", err)
	}
}

// A new rule replaces the old one without a second session.
func TestRuleAgain(t *testing.T) {
	b, gates := fenced(t)
	on := b.Await(t, fetch.ContinueRequest.Method)
	err := New(source{gates}).Gate(t.Context(), "t1", []string{"*://other*"}, func(string, bool) error { return nil }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Emit(session(t, b), fetch.RequestPaused.Method, paused("1", "https://bad.example/", network.ResourceTypeDocument))
	on()
	attached := 0
	for _, c := range b.Calls() {
		if c.Method == target.AttachToTarget.Method {
			attached++
		}
	}
	if attached != 1 {
		t.Errorf("the gate has %d sessions with the tab", attached)
	}
}
