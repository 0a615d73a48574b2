package server

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Conversations is what the routes below /chat do in the conversations of one
// session.
type Conversations interface {
	Start(ctx context.Context, req protocol.ChatStartRequest) (protocol.Conversation, error)
	Send(ctx context.Context, req protocol.ChatSendRequest) (protocol.Conversation, error)
	Cancel(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error)
	// Answer gives a user's answer to a question; place says where they gave it.
	Answer(req protocol.ChatAnswerRequest, place string) error
	Queue(ctx context.Context, req protocol.ChatQueueRequest) (protocol.Conversation, error)
	Set(ctx context.Context, req protocol.ChatSetRequest) (protocol.Conversation, error)
	Restart(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error)
	Delete(ctx context.Context, id protocol.ConversationID) error
	ToTerminal(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error)
	ToChat(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error)
	SignIn(ctx context.Context, req protocol.ChatSignInRequest) (protocol.Conversation, error)

	List() []protocol.Conversation
	History(req protocol.ChatHistoryRequest) (protocol.ChatPage, error)
	Search(ctx context.Context, req protocol.ChatSearchRequest) (protocol.ChatSearchReply, error)
	// Past returns the sessions that agents keep themselves, wherever they were begun.
	Past(ctx context.Context, req protocol.PastSessionsRequest) (protocol.PastSessionsReply, error)
	// Paths completes a mention of a file of the working folder.
	Paths(ctx context.Context, req protocol.ChatPathsRequest) (protocol.ChatPathsReply, error)
	Export(req protocol.ChatExportRequest) (protocol.ChatExportReply, error)
	// Watch returns the events after an index and all new ones, until ctx ends.
	Watch(ctx context.Context, id protocol.ConversationID, after uint64) (iter.Seq2[protocol.ChatEventsEvent, error], error)
}

// chatRoutes are the routes below /chat, for the panel and the user's shell.
// Agents cannot use them: an agent must not talk to other agents.
func (s *Server) chatRoutes() []route {
	post := func(path string, body int64, handle func(http.ResponseWriter, *http.Request, call) error, doc routeDoc) route {
		return route{method: http.MethodPost, path: path, capability: auth.CapabilityChat, origin: originNoPage, body: body, handle: handle, doc: doc}
	}
	get := func(path string, handle func(http.ResponseWriter, *http.Request, call) error, doc routeDoc) route {
		return route{method: http.MethodGet, path: path, capability: auth.CapabilityChat, origin: originNoPage, handle: handle, doc: doc}
	}
	type head = protocol.Conversation
	one := func(do func(Conversations, context.Context, protocol.ConversationID) (head, error)) func(http.ResponseWriter, *http.Request, call) error {
		return chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatRequest) (head, error) {
			return do(c, ctx, req.Conversation)
		})
	}
	list := chatted(s, func(_ context.Context, c Conversations, _ struct{}) (protocol.ChatListReply, error) {
		return protocol.ChatListReply{Conversations: c.List()}, nil
	})
	return []route{
		post("/chat/start", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatStartRequest) (head, error) {
			return c.Start(ctx, req)
		}),
			routeDoc{about: "Make a conversation; one that exists is left as it is. The caller makes its id, a UUID.", in: protocol.ChatStartRequest{}, out: head{}}),
		post("/chat/send", protocol.MaxChatBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatSendRequest) (head, error) {
			return c.Send(ctx, req)
		}),
			routeDoc{about: "Send a message: it starts a turn, or is queued (5 at most). The caller makes its id, a UUID; the same one twice is one message.", in: protocol.ChatSendRequest{}, out: head{}}),
		post("/chat/cancel", protocol.MaxBody, one(Conversations.Cancel),
			routeDoc{about: "End the turn that runs.", in: protocol.ChatRequest{}, out: head{}}),
		post("/chat/answer", protocol.MaxBody, s.chatAnswer,
			routeDoc{about: "Answer a question of the agent. The first answer counts. The panel only.", in: protocol.ChatAnswerRequest{}, out: struct{}{}}),
		post("/chat/queue", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatQueueRequest) (head, error) {
			return c.Queue(ctx, req)
		}),
			routeDoc{about: "Edit, move or remove a queued message, or send it now.", in: protocol.ChatQueueRequest{}, out: head{}}),
		post("/chat/set", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatSetRequest) (head, error) {
			return c.Set(ctx, req)
		}),
			routeDoc{about: "Set title, draft, agent, tab, or an option of the agent.", in: protocol.ChatSetRequest{}, out: head{}}),
		post("/chat/restart", protocol.MaxBody, one(Conversations.Restart),
			routeDoc{about: "Start the agent again and load its session.", in: protocol.ChatRequest{}, out: head{}}),
		post("/chat/delete", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatRequest) (struct{}, error) {
			return struct{}{}, c.Delete(ctx, req.Conversation)
		}), routeDoc{about: "Delete a conversation with everything in it.", in: protocol.ChatRequest{}, out: struct{}{}}),
		post("/chat/terminal", protocol.MaxBody, one(Conversations.ToTerminal),
			routeDoc{about: "Continue a conversation in a terminal.", in: protocol.ChatRequest{}, out: head{}}),
		post("/chat/resume", protocol.MaxBody, one(Conversations.ToChat),
			routeDoc{about: "Take a conversation back from its terminal.", in: protocol.ChatRequest{}, out: head{}}),
		post("/chat/sign-in", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatSignInRequest) (head, error) {
			return c.SignIn(ctx, req)
		}),
			routeDoc{about: "Sign in to the agent by one of the ways that it named.", in: protocol.ChatSignInRequest{}, out: head{}}),
		post("/chat/history", protocol.MaxBody, chatted(s, func(_ context.Context, c Conversations, req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
			return c.History(req)
		}),
			routeDoc{about: "The last entries of a conversation before an index.", in: protocol.ChatHistoryRequest{}, out: protocol.ChatPage{}}),
		post("/chat/list", protocol.MaxBody, list,
			routeDoc{about: "The conversations of the session, newest first.", in: struct{}{}, out: protocol.ChatListReply{}}),
		post("/chat/search", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatSearchRequest) (protocol.ChatSearchReply, error) {
			return c.Search(ctx, req)
		}),
			routeDoc{about: "Find words in all conversations of the session.", in: protocol.ChatSearchRequest{}, out: protocol.ChatSearchReply{}}),
		post("/chat/paths", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.ChatPathsRequest) (protocol.ChatPathsReply, error) {
			return c.Paths(ctx, req)
		}),
			routeDoc{about: "Files of the agents' working folder whose path has some words, for a mention.", in: protocol.ChatPathsRequest{}, out: protocol.ChatPathsReply{}}),
		post("/chat/past", protocol.MaxBody, chatted(s, func(ctx context.Context, c Conversations, req protocol.PastSessionsRequest) (protocol.PastSessionsReply, error) {
			return c.Past(ctx, req)
		}),
			routeDoc{about: "The sessions that agents keep themselves, begun here or elsewhere, the one used last first. With an agent, it is asked, too.", in: protocol.PastSessionsRequest{}, out: protocol.PastSessionsReply{}}),
		post("/chat/export", protocol.MaxBody, chatted(s, func(_ context.Context, c Conversations, req protocol.ChatExportRequest) (protocol.ChatExportReply, error) {
			return c.Export(req)
		}),
			routeDoc{about: "A conversation as Markdown or JSON.", in: protocol.ChatExportRequest{}, out: protocol.ChatExportReply{}}),
		{
			method: http.MethodPost, path: "/chat/screenshot", capability: auth.CapabilityPanel, origin: originExtension, body: protocol.MaxBody, handle: s.screenshot,
			doc: routeDoc{about: "A screenshot of a tab, to attach to a message. The panel only.", in: protocol.ChatScreenshotRequest{}, out: protocol.ChatAttachment{}},
		},
		{
			method: http.MethodPost, path: "/chat/route-rule", capability: auth.CapabilityPanel, origin: originExtension, body: protocol.MaxBody, handle: handled(s.routeRule),
			doc: routeDoc{about: "From now on, send messages with a word to the model for hard questions, or no longer. It changes Settings. The panel only.", in: protocol.ChatRouteRuleRequest{}, out: struct{}{}},
		},

		get("/chat/list", chatRead(s, chatList), routeDoc{about: "The conversations of the session, newest first.", query: []string{"session"}, out: protocol.ChatListReply{}}),
		get("/chat/history", chatRead(s, chatHistory), routeDoc{about: "The last entries of a conversation before an index.", query: []string{"conversation", "before", "limit", "session"}, out: protocol.ChatPage{}}),
		get("/chat/export", chatRead(s, chatExport), routeDoc{about: "A conversation as Markdown or JSON.", query: []string{"conversation", "format", "session"}, out: protocol.ChatExportReply{}}),
		get("/chat/stream", s.chatStream, routeDoc{
			about: "A conversation as server-sent events: what was said after an index, and what is new as it is said. `chat` has events to apply in order, or a page that replaces everything. Its id is where a client continues.",
			query: []string{"conversation", "after", "session"}, stream: protocol.ChatEventsEvent{},
		}),
	}
}

// chatted makes a route's handler from a function on a session's conversations.
func chatted[In, Out any](s *Server, do func(ctx context.Context, c Conversations, in In) (Out, error)) func(http.ResponseWriter, *http.Request, call) error {
	return func(w http.ResponseWriter, r *http.Request, c call) error {
		conversations, err := s.conversations(r, c)
		if err != nil {
			return err
		}
		return handled(func(ctx context.Context, _ auth.Grant, in In) (Out, error) {
			return do(ctx, conversations, in)
		})(w, r, c)
	}
}

func (s *Server) conversations(r *http.Request, c call) (Conversations, error) {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return nil, err
	}
	return s.chat(grant)
}

// chatAnswer accepts a user's answer to a question, from the panel only. A
// shell may not answer: an agent may be running in it.
func (s *Server) chatAnswer(w http.ResponseWriter, r *http.Request, c call) error {
	if c.grant.Kind != auth.KindPanel {
		return protocol.NewError(protocol.CodeForbidden, "questions are answered in Pilotfish", "answer in the panel, the window or the tray")
	}
	return chatted(s, func(_ context.Context, conversations Conversations, req protocol.ChatAnswerRequest) (struct{}, error) {
		return struct{}{}, conversations.Answer(req, "panel")
	})(w, r, c)
}

// routeRule changes Settings, for the panel only. A shell may not do this: an
// agent may be running in it, and would choose its own model.
func (s *Server) routeRule(ctx context.Context, _ auth.Grant, req protocol.ChatRouteRuleRequest) (struct{}, error) {
	return struct{}{}, s.sessions.RouteRule(ctx, req)
}

// chatRead makes the handler of a GET route from a function on a session's
// conversations and the query.
func chatRead[Out any](s *Server, read func(c Conversations, query url.Values) (Out, error)) func(http.ResponseWriter, *http.Request, call) error {
	return func(w http.ResponseWriter, r *http.Request, c call) error {
		conversations, err := s.conversations(r, c)
		if err != nil {
			return err
		}
		out, err := read(conversations, r.URL.Query())
		if err != nil {
			return err
		}
		return reply(w, out)
	}
}

func chatList(c Conversations, _ url.Values) (protocol.ChatListReply, error) {
	return protocol.ChatListReply{Conversations: c.List()}, nil
}

func chatHistory(c Conversations, query url.Values) (page protocol.ChatPage, err error) {
	req := protocol.ChatHistoryRequest{Conversation: protocol.ConversationID(query.Get("conversation"))}
	if text := query.Get("before"); text != "" {
		if req.Before, err = strconv.ParseUint(text, 10, 64); err != nil {
			return page, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("before is an index, not %.40q", text), "")
		}
	}
	if text := query.Get("limit"); text != "" {
		if req.Limit, err = strconv.Atoi(text); err != nil || req.Limit < 1 || req.Limit > protocol.ChatPageMax {
			return page, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("limit is from 1 to %d", protocol.ChatPageMax), "")
		}
	}
	return c.History(req)
}

func chatExport(c Conversations, query url.Values) (protocol.ChatExportReply, error) {
	return c.Export(protocol.ChatExportRequest{Conversation: protocol.ConversationID(query.Get("conversation")), Format: query.Get("format")})
}

// chatStream sends a conversation as server-sent events.
func (s *Server) chatStream(w http.ResponseWriter, r *http.Request, c call) error {
	conversations, err := s.conversations(r, c)
	if err != nil {
		return err
	}
	after, _, err := position(r)
	if err != nil {
		return err
	}
	ctx, release := s.lasting(r, c)
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	said, err := conversations.Watch(ctx, protocol.ConversationID(r.URL.Query().Get("conversation")), after)
	if err != nil {
		return err
	}
	streamEvents(ctx, cancel, w, "a conversation", said, chatEvent)
	return nil
}

// chatEvent formats events of a conversation as one server-sent event. Its id
// is where a client continues.
func chatEvent(said protocol.ChatEventsEvent) string {
	last := uint64(0)
	if said.Page != nil {
		last = said.Page.Index
	}
	if n := len(said.Events); n > 0 {
		last = said.Events[n-1].Index
	}
	b, err := json.Marshal(said)
	if err != nil {
		b = []byte("{}") // cannot happen: it was valid JSON when it was stored
	}
	return fmt.Sprintf("id: %d\nevent: chat\ndata: %s\n\n", last, b)
}
