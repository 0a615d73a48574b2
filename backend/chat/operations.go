package chat

import (
	"context"
	"iter"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the user, the panel and the user's programs may ask of conversations;
// find returns those of a session. Agents cannot: an agent must not talk to other agents.
func Operations(find func(protocol.SessionName) (*Manager, error)) []op.Operation {
	const chat = auth.CapabilityChat
	type none = op.None
	// one declares an operation on one conversation.
	one := func(name string, do func(*Manager, context.Context, protocol.ConversationID) (protocol.Conversation, error)) op.Operation {
		return op.Of(find, name, func(ctx context.Context, m *Manager, _ op.Call, req protocol.ChatRequest) (protocol.Conversation, error) {
			return do(m, ctx, req.Conversation)
		})
	}
	r := &reading{readers: map[string]*conversationReader{}}
	return []op.Operation{
		op.On(find, "StartConversation", (*Manager).Start).At(op.Route{Path: "/chat/start", Capability: chat, About: "Make a conversation; one that exists is left as it is. The caller makes its id, a UUID."}),
		op.On(find, "SendMessage", (*Manager).Send).At(op.Route{Path: "/chat/send", Capability: chat, Body: protocol.MaxChatBody, About: "Send a message: it starts a turn, or is queued (5 at most). The caller makes its id, a UUID; the same one twice is one message."}),
		one("StopTurn", (*Manager).Cancel).At(op.Route{Path: "/chat/cancel", Capability: chat, Window: true, About: "End the turn that runs."}),
		// A shell may not answer: an agent may be running in it.
		op.Of(find, "AnswerQuestion", func(_ context.Context, m *Manager, call op.Call, req protocol.ChatAnswerRequest) (none, error) {
			if call.Grant.Kind != auth.KindPanel {
				return none{}, protocol.NewError(protocol.CodeForbidden, "questions are answered in Pilotfish", "answer in the panel, the window or the tray")
			}
			return none{}, m.Answer(req, call.Place)
		}).At(op.Route{Path: "/chat/answer", Capability: chat, Window: true, About: "Answer a question of the agent. The first answer counts. The panel only."}),
		op.On(find, "ChangeQueue", (*Manager).Queue).At(op.Route{Path: "/chat/queue", Capability: chat, About: "Edit, move or remove a queued message, or send it now."}),
		op.On(find, "SetConversation", (*Manager).Set).At(op.Route{Path: "/chat/set", Capability: chat, About: "Set title, draft, agent, tab, or an option of the agent."}),
		one("RestartAgent", (*Manager).Restart).At(op.Route{Path: "/chat/restart", Capability: chat, Window: true, About: "Start the agent again and load its session."}),
		op.Of(find, "DeleteConversation", func(ctx context.Context, m *Manager, _ op.Call, req protocol.ChatRequest) (none, error) {
			return none{}, m.Delete(ctx, req.Conversation)
		}).At(op.Route{Path: "/chat/delete", Capability: chat, About: "Delete a conversation with everything in it."}),
		one("ContinueInTerminal", (*Manager).ToTerminal).At(op.Route{Path: "/chat/terminal", Capability: chat, About: "Continue a conversation in a terminal."}),
		one("ContinueInChat", (*Manager).ToChat).At(op.Route{Path: "/chat/resume", Capability: chat, About: "Take a conversation back from its terminal."}),
		op.On(find, "SignInToAgent", (*Manager).SignIn).At(op.Route{Path: "/chat/sign-in", Capability: chat, About: "Sign in to the agent by one of the ways that it named."}),

		op.Of(find, "Conversations", func(_ context.Context, m *Manager, _ op.Call, _ none) (protocol.ChatListReply, error) {
			return protocol.ChatListReply{Conversations: m.List()}, nil
		}).At(op.Route{Path: "/chat/list", Capability: chat, GetToo: true, About: "The conversations of the session, newest first."}),
		op.Of(find, "ConversationHistory", func(_ context.Context, m *Manager, _ op.Call, req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
			return m.History(req)
		}).At(op.Route{Path: "/chat/history", Capability: chat, Window: true, GetToo: true, About: "The last entries of a conversation before an index."}),
		op.On(find, "SearchConversations", (*Manager).Search).At(op.Route{Path: "/chat/search", Capability: chat, About: "Find words in all conversations of the session."}),
		op.On(find, "CompletePath", (*Manager).Paths).At(op.Route{Path: "/chat/paths", Capability: chat, About: "Files of the agents' working folder whose path has some words, for a mention."}),
		op.Of(find, "ExportConversation", func(_ context.Context, m *Manager, _ op.Call, req protocol.ChatExportRequest) (protocol.ChatExportReply, error) {
			return m.Export(req)
		}).At(op.Route{Path: "/chat/export", Capability: chat, GetToo: true, About: "A conversation as Markdown or JSON."}),

		op.Streamed("FollowConversation", func(ctx context.Context, call op.Call, req protocol.ConversationWatchRequest) (iter.Seq2[protocol.ChatEventsEvent, error], error) {
			m, err := find(call.Session)
			if err != nil {
				return nil, err
			}
			return m.Watch(ctx, req.Conversation, req.After)
		}, event).At(op.Route{Path: "/chat/stream", Capability: chat, Get: true, About: "A conversation as server-sent events: what was said after an index, and what is new as it is said. `chat` has events to apply in order, or a page that replaces everything. Its id is where a client continues."}),
		// The window and each control page read one conversation at a time. WatchConversation
		// ends the reader before, and returns a number for NextSaid.
		op.Of(find, "WatchConversation", func(ctx context.Context, m *Manager, call op.Call, req protocol.ConversationWatchRequest) (int, error) {
			return r.watch(ctx, m, call.Place, req)
		}),
		op.New("NextSaid", func(_ context.Context, _ op.Call, number int) (protocol.ChatEventsEvent, error) {
			return r.next(number)
		}),
		// UnwatchConversation ends a reader; 0 ends the one that the caller has.
		op.Do("UnwatchConversation", func(_ context.Context, call op.Call, number int) error {
			r.end(call.Place, number)
			return nil
		}),
	}
}

// event returns what was said as an event of a stream.
func event(said protocol.ChatEventsEvent) op.Event {
	last := uint64(0)
	if said.Page != nil {
		last = said.Page.Index
	}
	if n := len(said.Events); n > 0 {
		last = said.Events[n-1].Index
	}
	return op.Event{ID: last, Name: "chat", Data: said}
}

// reading has the conversations that the window and control pages show: one in each place.
type reading struct {
	mu      sync.Mutex
	last    int
	readers map[string]*conversationReader // by op.Call.Place
}

// conversationReader delivers the events of a conversation, one batch for each request of
// the page. A slow page receives larger batches, and loses nothing.
type conversationReader struct {
	number int
	said   chan protocol.ChatEventsEvent // closed when no more events follow
	done   <-chan struct{}
	end    context.CancelFunc
}

// begin replaces the reader of a place and ends the previous one.
func (r *reading) begin(ctx context.Context, place string) (context.Context, *conversationReader) {
	ctx, end := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if before := r.readers[place]; before != nil {
		before.end()
	}
	r.last++
	one := &conversationReader{number: r.last, said: make(chan protocol.ChatEventsEvent), done: ctx.Done(), end: end}
	r.readers[place] = one
	return ctx, one
}

// end ends the reader of a place with a number, or with 0 its current one.
func (r *reading) end(place string, number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.readers[place]; one != nil && (number == 0 || one.number == number) {
		one.end()
		delete(r.readers, place)
	}
}

// of returns the reader with a number, or nil when another has replaced it.
func (r *reading) of(number int) *conversationReader {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.readers {
		if one.number == number {
			return one
		}
	}
	return nil
}

// watch starts to read a conversation, until ctx ends.
func (r *reading) watch(ctx context.Context, m *Manager, place string, req protocol.ConversationWatchRequest) (int, error) {
	ctx, one := r.begin(ctx, place)
	said, err := m.Watch(ctx, req.Conversation, req.After)
	if err != nil {
		one.end()
		return 0, err
	}
	go func() {
		defer close(one.said)
		for event, err := range said {
			if err != nil {
				return
			}
			select {
			case one.said <- event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return one.number, nil
}

// next waits for the next events of the conversation that is read. It returns
// CodeNotRunning when no more follow: the conversation was deleted, its session ended, or
// another conversation is read.
func (r *reading) next(number int) (protocol.ChatEventsEvent, error) {
	over := protocol.NewError(protocol.CodeNotRunning, "this conversation is no longer open in the window", "")
	one := r.of(number)
	if one == nil {
		return protocol.ChatEventsEvent{}, over
	}
	select {
	case event, more := <-one.said:
		if !more {
			return protocol.ChatEventsEvent{}, over
		}
		return event, nil
	case <-one.done:
		return protocol.ChatEventsEvent{}, over
	}
}
