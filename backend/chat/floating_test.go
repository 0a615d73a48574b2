package chat

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// beside returns a Manager for the conversations of a folder, with these tabs
// open.
func beside(t *testing.T, open *opentabs.List, dir string) *Manager {
	t.Helper()
	m, err := New(Config{
		Dir: filepath.Join(dir, "chat"), Root: dir, Attachments: filepath.Join(dir, "attachments"), Broker: policy.NewBroker("default", func() {}), Logger: slog.New(slog.DiscardHandler),
		Agents: PlayedAgents{Router: routing.New(routing.Default()), Start: func(_ context.Context, kind protocol.AgentKind, _ string) (driver.Starter, error) {
			return driver.Starter{Launch: driver.Launch{Kind: kind, Name: "Played"}}, nil
		}},
		Tabs: open, Events: hub.New[any](1),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range m.conversations {
			c.close()
		}
	})
	return m
}

// A conversation whose tab was closed has the address that the tab last showed,
// also after the next start. While its tab is open, it has none.
func TestAFloatingConversationKnowsItsPage(t *testing.T) {
	dir, open := t.TempDir(), opentabs.New(protocol.Tab{ID: "t1", URL: "https://example.org/first"})
	m := beside(t, open, dir)
	if _, err := m.Start(t.Context(), protocol.ChatStartRequest{Conversation: "c1", Tab: "t1", Agent: "played"}); err != nil {
		t.Fatal(err)
	}
	c, err := m.find("c1")
	if err != nil {
		t.Fatal(err)
	}
	c.showHead()
	open.Set([]protocol.Tab{{ID: "t1", URL: "https://example.org/prices"}})
	m.TabsChanged()
	if head := c.Head(); head.Tab != "t1" || head.URL != "" {
		t.Errorf("beside its tab: %+v", head)
	}
	open.Set(nil)
	m.TabsChanged()
	open.Set([]protocol.Tab{{ID: "t2", URL: "https://example.org/prices"}})
	for _, m := range []*Manager{m, beside(t, open, dir)} {
		if head := m.List()[0]; head.Tab != "" || head.URL != "https://example.org/prices" {
			t.Errorf("without its tab: %+v", head)
		}
	}
	two := protocol.TabID("t2")
	if head, err := m.Set(t.Context(), protocol.ChatSetRequest{Conversation: "c1", Tab: &two}); err != nil || head.Tab != "t2" || head.URL != "" {
		t.Errorf("beside the tab that has the page now: %+v, %v", head, err)
	}
}

// An element of the conversation's own tab whose ref is in the text is not
// described again. Another element is described after the text, with the page's
// name for it in quotes.
func TestAPickedElementIsSaidOnce(t *testing.T) {
	m := beside(t, opentabs.New(protocol.Tab{ID: "t1", URL: "https://example.org/"}), t.TempDir())
	if _, err := m.Start(t.Context(), protocol.ChatStartRequest{Conversation: "c1", Tab: "t1", Agent: "played"}); err != nil {
		t.Fatal(err)
	}
	c, err := m.find("c1")
	if err != nil {
		t.Fatal(err)
	}
	element := func(tab protocol.TabID) []protocol.ChatAttachment {
		return []protocol.ChatAttachment{{Kind: protocol.AttachElement, Name: `button "Save"`, Tab: tab, Ref: "e3"}}
	}
	for _, test := range []struct {
		text    string
		tab     protocol.TabID
		instant bool
		about   string
	}{
		{`click @e3 button "Save"`, "t1", true, ""},
		{`click it`, "t1", false, `element e3 in tab t1, which the page calls "button \"Save\""`},
		{`click @e3 button "Save"`, "t2", false, "element e3 in tab t2"},
	} {
		c.mu.Lock()
		message := protocol.QueuedMessage{ID: "m", Text: test.text, Attachments: element(test.tab)}
		route, _ := c.route(message, false)
		prompt := c.prompt(message, c.agent.starter, true)
		c.mu.Unlock()
		if got := route.Kind == protocol.RouteInstant; got != test.instant {
			t.Errorf("%q with an element of %s: %+v", test.text, test.tab, route)
		}
		if test.about == "" && prompt.Text != test.text || !strings.Contains(prompt.Text, test.about) {
			t.Errorf("%q with an element of %s: %q", test.text, test.tab, prompt.Text)
		}
	}
}
