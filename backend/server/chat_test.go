package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// conversations is a fake Conversations with one conversation. Its events are those
// that the test puts into said.
type conversations struct {
	fixture *fixture
	grant   auth.Grant

	mu   sync.Mutex
	said chan protocol.ChatEventsEvent
	open int
}

func (h *fixture) conversations(grant auth.Grant) (server.Conversations, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.chat == nil {
		h.chat = &conversations{fixture: h, said: make(chan protocol.ChatEventsEvent)}
	}
	h.chat.grant = grant
	return h.chat, nil
}

func (c *conversations) head(name string) (protocol.Conversation, error) {
	return protocol.Conversation{ID: "c1"}, c.fixture.called(name, c.grant)
}

func (c *conversations) Start(context.Context, protocol.ChatStartRequest) (protocol.Conversation, error) {
	return c.head("start")
}

func (c *conversations) Past(context.Context, protocol.PastSessionsRequest) (protocol.PastSessionsReply, error) {
	_, err := c.head("past")
	return protocol.PastSessionsReply{Sessions: []protocol.PastSession{}}, err
}

func (c *conversations) Send(context.Context, protocol.ChatSendRequest) (protocol.Conversation, error) {
	return c.head("send")
}

func (c *conversations) Cancel(context.Context, protocol.ConversationID) (protocol.Conversation, error) {
	return c.head("cancel")
}

func (c *conversations) Answer(_ protocol.ChatAnswerRequest, place string) error {
	_, err := c.head("answer in the " + place)
	return err
}

func (c *conversations) Queue(context.Context, protocol.ChatQueueRequest) (protocol.Conversation, error) {
	return c.head("queue")
}

func (c *conversations) Set(context.Context, protocol.ChatSetRequest) (protocol.Conversation, error) {
	return c.head("set")
}

func (c *conversations) Restart(context.Context, protocol.ConversationID) (protocol.Conversation, error) {
	return c.head("restart")
}

func (c *conversations) Delete(context.Context, protocol.ConversationID) error {
	_, err := c.head("delete")
	return err
}

func (c *conversations) ToTerminal(context.Context, protocol.ConversationID) (protocol.Conversation, error) {
	return c.head("terminal")
}

func (c *conversations) ToChat(context.Context, protocol.ConversationID) (protocol.Conversation, error) {
	return c.head("resume")
}

func (c *conversations) SignIn(context.Context, protocol.ChatSignInRequest) (protocol.Conversation, error) {
	return c.head("sign in")
}

func (c *conversations) List() []protocol.Conversation { return []protocol.Conversation{{ID: "c1"}} }

func (c *conversations) History(req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
	return protocol.ChatPage{Index: req.Before, Entries: make([]protocol.ChatEntry, req.Limit)}, nil
}

func (c *conversations) Search(context.Context, protocol.ChatSearchRequest) (protocol.ChatSearchReply, error) {
	return protocol.ChatSearchReply{}, nil
}

func (c *conversations) Paths(context.Context, protocol.ChatPathsRequest) (protocol.ChatPathsReply, error) {
	return protocol.ChatPathsReply{Paths: []string{}}, nil
}

func (c *conversations) Export(protocol.ChatExportRequest) (protocol.ChatExportReply, error) {
	return protocol.ChatExportReply{Name: "x.md"}, nil
}

func (c *conversations) Watch(ctx context.Context, id protocol.ConversationID, after uint64) (iter.Seq2[protocol.ChatEventsEvent, error], error) {
	if id != "c1" {
		return nil, protocol.NewError(protocol.CodeUnknownConversation, "there is none", "")
	}
	return func(yield func(protocol.ChatEventsEvent, error) bool) {
		c.count(1)
		defer c.count(-1)
		if !yield(protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: id, Page: &protocol.ChatPage{Index: after}}, nil) {
			return
		}
		for {
			select {
			case ev := <-c.said:
				if !yield(ev, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}, nil
}

func (c *conversations) count(by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open += by
}

// chatTable lists which kinds of token are valid for the routes of
// conversations: an agent's for none, and only the panel's for answering a
// question.
func chatTable() []routeCase {
	user := []auth.Kind{auth.KindPanel, auth.KindCLI}
	panel := []auth.Kind{auth.KindPanel}
	table := []routeCase{{method: "POST", path: "/chat/answer", kinds: panel}}
	for _, path := range []string{"/chat/route-rule", "/chat/screenshot", "/chat/file"} {
		table = append(table, routeCase{method: "POST", path: path, kinds: panel, extension: true})
	}
	for _, name := range []string{"start", "send", "cancel", "queue", "set", "restart", "delete", "terminal", "resume", "sign-in", "history", "list", "search", "past", "paths", "export"} {
		table = append(table, routeCase{method: "POST", path: "/chat/" + name, kinds: user})
	}
	for _, path := range []string{"/chat/list", "/chat/history?conversation=c1&limit=2&before=9", "/chat/export?conversation=c1", "/chat/stream?conversation=c1"} {
		table = append(table, routeCase{method: "GET", path: path, kinds: user})
	}
	return table
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
	w.fixture.chat.said <- protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: "c1", Events: []protocol.ChatEvent{{Index: 8, Op: protocol.ChatAppend, ID: "e1", Text: "hello"}}}
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
	if n := w.fixture.chat.open; n != 0 {
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

// The events of a conversation reach a reader with curl, and the id of each
// says where to continue.
func TestChatStream(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/chat/stream?conversation=c1&after=3", w.port), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	go func() {
		w.fixture.chat.said <- protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: "c1", Events: []protocol.ChatEvent{{Index: 4, Op: protocol.ChatAppend, ID: "e1", Text: "hello"}}}
	}()
	got := events(t, res, 2)
	if len(got) != 2 || !strings.HasPrefix(got[0], "chat 3 ") || !strings.HasPrefix(got[1], "chat 4 ") || !strings.Contains(got[1], "hello") {
		t.Errorf("%q", got)
	}
}
