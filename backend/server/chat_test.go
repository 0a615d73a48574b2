package server_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// WatchConversation watches the fixture's only conversation. Its events are those that the
// test puts into said.
func (h *fixture) WatchConversation(ctx context.Context, _ auth.Grant, id protocol.ConversationID, after uint64) (iter.Seq2[protocol.ChatEventsEvent, error], error) {
	if id != "c1" {
		return nil, protocol.NewError(protocol.CodeUnknownConversation, "there is none", "")
	}
	return func(yield func(protocol.ChatEventsEvent, error) bool) {
		h.set(func(h *fixture) { h.open++ })
		defer h.set(func(h *fixture) { h.open-- })
		if !yield(protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: id, Page: &protocol.ChatPage{Index: after}}, nil) {
			return
		}
		for {
			select {
			case ev := <-h.said:
				if !yield(ev, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}, nil
}

// A panel gets the events of the conversations that it watches, and of no
// others.
func TestPanelWatchesConversations(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	conn, _, err := w.upgrade(t.Context(), "/panel", token, protocol.ExtensionOrigin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	read := func() string {
		t.Helper()
		_, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write := func(m protocol.PanelMessage) {
		t.Helper()
		b, err := json.Marshal(m)
		if err == nil {
			err = conn.Write(t.Context(), websocket.MessageText, b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if hello := read(); !strings.Contains(hello, `"hello"`) {
		t.Fatal(hello)
	}
	write(protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: "c1", After: 7})
	if got := read(); !strings.Contains(got, `"page"`) || !strings.Contains(got, `"index":7`) {
		t.Error(got)
	}
	w.fixture.said <- protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: "c1", Events: []protocol.ChatEvent{{Index: 8, Op: protocol.ChatAppend, ID: "e1", Text: "hello"}}}
	if got := read(); !strings.Contains(got, `"hello"`) {
		t.Error(got)
	}
	// Watched again from another index: the earlier watch ends.
	write(protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: "c1", After: 8})
	if got := read(); !strings.Contains(got, `"index":8`) {
		t.Error(got)
	}
	write(protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: "none"})
	if got := read(); !strings.Contains(got, `"conversation_gone"`) {
		t.Error(got)
	}
	write(protocol.PanelMessage{Type: protocol.PanelUnwatch, Conversation: "c1"})
	write(protocol.PanelMessage{Type: protocol.PanelPing, ID: 5})
	if got := read(); !strings.Contains(got, `"pong"`) {
		t.Error(got)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if n := w.fixture.open; n != 0 {
		t.Errorf("%d watchers are left", n)
	}
}

// A panel gets the feeds that it follows, each under the id that it chose, and learns
// why one ends.
func TestPanelFollowsFeeds(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	conn, _, err := w.upgrade(t.Context(), "/panel", token, protocol.ExtensionOrigin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	read := func() string {
		t.Helper()
		_, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, step := range []struct {
		say  protocol.PanelMessage
		hear string
	}{
		{protocol.PanelMessage{Type: protocol.PanelPing, ID: 1}, `"hello"`},
		{protocol.PanelMessage{}, `"pong"`},
		{protocol.PanelMessage{Type: protocol.PanelFollow, ID: 4, Feed: protocol.FeedConsole, Tab: "t1", After: 8}, `{"type":"feed","id":4,"batch":{"items":[9],"last":9}}`},
		{protocol.PanelMessage{Type: protocol.PanelUnfollow, ID: 4}, ""},
		{protocol.PanelMessage{Type: protocol.PanelFollow, ID: 5, Feed: "nothing"}, `"there is no such feed"`},
		{protocol.PanelMessage{Type: protocol.PanelFollow, ID: 6, Feed: protocol.FeedConsole, Tab: "t2"}, `"there is no tab t2"`},
		{protocol.PanelMessage{Type: protocol.PanelFollow, ID: 7, Feed: protocol.FeedConsole, Tab: "t1", After: 8}, `"id":7`},
	} {
		b, err := json.Marshal(step.say)
		if err == nil && step.say.Type != "" {
			err = conn.Write(t.Context(), websocket.MessageText, b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if step.hear == "" {
			continue
		}
		if got := read(); !strings.Contains(got, step.hear) {
			t.Errorf("%s, want %s", got, step.hear)
		}
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if n := w.fixture.feeds.Load(); n != 0 {
		t.Errorf("%d feeds are open", n)
	}
}
