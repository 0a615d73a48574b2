package session

import (
	"context"
	"sync"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// ofConversations are the operations about conversations.
func (m *Manager) ofConversations() []op.Operation {
	return append(inConversations(m.Conversations),
		// ConversationFile reads an image or a file of a conversation by its path.
		op.New("ConversationFile", func(_ context.Context, call op.Call, path string) (protocol.ChatAttachment, error) {
			return m.conversationFile(call.Session, path)
		}),
		op.Do("ShowConversation", func(ctx context.Context, call op.Call, req protocol.ChatRequest) error {
			return m.showConversation(ctx, call.Session, req.Conversation)
		}),
	)
}

// inConversations are the operations within a session's conversations, which find returns.
// The window reads one conversation at a time.
func inConversations(find func(protocol.SessionName) (server.Conversations, error)) []op.Operation {
	r := &reading{}
	return []op.Operation{
		// WatchConversation ends the reader before. It returns a number for NextSaid.
		op.Of(find, "WatchConversation", func(ctx context.Context, chat server.Conversations, _ op.Call, req protocol.ConversationWatchRequest) (int, error) {
			return r.watch(ctx, chat, req)
		}),
		op.New("NextSaid", func(_ context.Context, _ op.Call, number int) (protocol.ChatEventsEvent, error) {
			return r.next(number)
		}),
		// UnwatchConversation ends a reader; 0 ends the one that there is.
		op.Do("UnwatchConversation", func(_ context.Context, _ op.Call, number int) error {
			r.end(number)
			return nil
		}),
		op.Of(find, "ConversationHistory", func(_ context.Context, chat server.Conversations, _ op.Call, req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
			return chat.History(req)
		}),
		op.Of(find, "AnswerQuestion", func(_ context.Context, chat server.Conversations, call op.Call, req protocol.ChatAnswerRequest) (op.None, error) {
			return op.None{}, chat.Answer(req, call.Place)
		}),
		op.Of(find, "StopTurn", func(ctx context.Context, chat server.Conversations, _ op.Call, req protocol.ChatRequest) (op.None, error) {
			_, err := chat.Cancel(ctx, req.Conversation)
			return op.None{}, err
		}),
		op.Of(find, "RestartAgent", func(ctx context.Context, chat server.Conversations, _ op.Call, req protocol.ChatRequest) (op.None, error) {
			_, err := chat.Restart(ctx, req.Conversation)
			return op.None{}, err
		}),
	}
}

// reading has the conversation that the window shows. There is one at a time.
type reading struct {
	mu     sync.Mutex
	last   int
	reader *conversationReader
}

// conversationReader delivers the events of a conversation, one batch for each request of
// the page. A slow page receives larger batches, and loses nothing.
type conversationReader struct {
	number int
	said   chan protocol.ChatEventsEvent // closed when no more events follow
	done   <-chan struct{}
	end    context.CancelFunc
}

// begin replaces the reader and ends the previous one.
func (r *reading) begin(ctx context.Context) (context.Context, *conversationReader) {
	ctx, end := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader != nil {
		r.reader.end()
	}
	r.last++
	r.reader = &conversationReader{number: r.last, said: make(chan protocol.ChatEventsEvent), done: ctx.Done(), end: end}
	return ctx, r.reader
}

// end ends the reader with a number, or with 0 the current one.
func (r *reading) end(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader != nil && (number == 0 || r.reader.number == number) {
		r.reader.end()
	}
}

// of returns the reader with a number, or nil when another has replaced it.
func (r *reading) of(number int) *conversationReader {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.number != number {
		return nil
	}
	return r.reader
}

// watch starts to read a conversation, until ctx ends.
func (r *reading) watch(ctx context.Context, chat server.Conversations, req protocol.ConversationWatchRequest) (int, error) {
	ctx, one := r.begin(ctx)
	said, err := chat.Watch(ctx, req.Conversation, req.After)
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
