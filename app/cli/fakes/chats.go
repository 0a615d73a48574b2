package fakes

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"pilotfish/backend/protocol"
)

// chats adds the routes of past sessions and of the conversations that continue them. Two
// sessions are in files; Goose has one more, and Broken cannot be asked.
func (b *Backend) chats(routes *http.ServeMux) {
	head := protocol.Conversation{ID: "C1", Agent: "claude", AgentName: "Claude Code", Tab: "t1", State: protocol.ConversationIdle, Title: "Fix the cart", Entries: 3}
	routes.HandleFunc("GET /chat/list", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, protocol.ChatListReply{Conversations: []protocol.Conversation{head}})
	})
	routes.Handle("POST /chat/past", b.route(func(_ context.Context, body []byte) (any, error) {
		var req protocol.PastSessionsRequest
		if err := json.Unmarshal(body, &req); err != nil {
			return nil, err
		}
		at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
		list := protocol.PastSessionsReply{Sessions: []protocol.PastSession{
			{Agent: "claude", AgentName: "Claude Code", ID: "s-cart", Title: "Fix the cart", Folder: "/src/shop", Updated: at, Conversation: "C1", Chat: true, Terminal: true},
			{Agent: "claude", AgentName: "Claude Code", ID: "s-tests", Title: "Why do the tests hang?", Folder: "/src/shop/tests", Updated: at, Chat: true, Terminal: true},
			{Agent: "codex", AgentName: "Codex", ID: "s-old", Title: "Old", Folder: "/srcs", Updated: at, Terminal: true},
		}}
		switch req.Agent {
		case "goose":
			list.Sessions = append(list.Sessions, protocol.PastSession{Agent: "goose", AgentName: "Goose", ID: "g1", Title: "Bake", Folder: "/kitchen\nC9  faked", Chat: true})
		case "broken":
			list.Problem = protocol.NewError(protocol.CodeAgentMissing, "it is not installed", "install it")
		}
		return list, nil
	}))
	routes.Handle("POST /chat/start", b.route(func(_ context.Context, body []byte) (any, error) {
		var req protocol.ChatStartRequest
		if err := json.Unmarshal(body, &req); err != nil {
			return nil, err
		}
		fresh := protocol.Conversation{ID: "C2", Agent: req.Agent, AgentName: "Claude Code", Tab: req.Tab, State: protocol.ConversationIdle, Title: req.Title, Entries: 2}
		if req.Agent == "goose" {
			fresh.ID, fresh.AgentName, fresh.Entries = "C3", "Goose", 0
		}
		return fresh, nil
	}))
	routes.Handle("POST /chat/restart", b.route(func(context.Context, []byte) (any, error) {
		return protocol.Conversation{ID: "C3", Agent: "goose", AgentName: "Goose", State: protocol.ConversationIdle, Title: "Bake", Entries: 4}, nil
	}))
}
