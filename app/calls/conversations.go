package calls

import (
	"context"
	"sync"

	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// ConversationsOf is where the conversations of sessions are.
type ConversationsOf interface {
	// Conversations returns the conversations of a running session.
	Conversations(name protocol.SessionName) (server.Conversations, error)
	// ConversationFile reads an image or file of a conversation.
	ConversationFile(ctx context.Context, name protocol.SessionName, path string) (protocol.ChatAttachment, error)
	// ShowConversation brings a conversation to the front in the browser.
	ShowConversation(ctx context.Context, name protocol.SessionName, id protocol.ConversationID) error
	// OpenLink opens a web page in a session's browser.
	OpenLink(ctx context.Context, name protocol.SessionName, link string) error
}

// ConversationCalls are the calls about conversations. The window shows one at a time.
type ConversationCalls struct {
	ctx     context.Context
	of      ConversationsOf
	reading reading
}

// NewConversationCalls returns the calls; their readers end with ctx.
func NewConversationCalls(ctx context.Context, of ConversationsOf) *ConversationCalls {
	return &ConversationCalls{ctx: ctx, of: of}
}

// reading holds the conversation that the window shows. There is one at a time.
type reading struct {
	mu     sync.Mutex
	last   int
	reader *reader
}

// reader delivers the events of a conversation, one batch for each request of
// the page. A slow page receives larger batches, and loses nothing.
type reader struct {
	number int
	said   chan protocol.ChatEventsEvent // closed when no more events follow
	done   <-chan struct{}
	end    context.CancelFunc
}

// begin replaces the reader and ends the previous one.
func (r *reading) begin(ctx context.Context) (context.Context, *reader) {
	ctx, end := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader != nil {
		r.reader.end()
	}
	r.last++
	r.reader = &reader{number: r.last, said: make(chan protocol.ChatEventsEvent), done: ctx.Done(), end: end}
	return ctx, r.reader
}

// end ends the current reader.
func (r *reading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader != nil {
		r.reader.end()
	}
}

// of returns the reader with a number, or nil when another has replaced it.
func (r *reading) of(number int) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.number != number {
		return nil
	}
	return r.reader
}

// WatchConversation starts to read a conversation after an index; 0 starts with
// one page of its end. It returns the number that the page passes to NextSaid.
// It ends the previous reader.
func (c *ConversationCalls) WatchConversation(session protocol.SessionName, id protocol.ConversationID, after uint64) (int, error) {
	chat, err := c.of.Conversations(session)
	if err != nil {
		return 0, err
	}
	ctx, r := c.reading.begin(c.ctx)
	said, err := chat.Watch(ctx, id, after)
	if err != nil {
		r.end()
		return 0, err
	}
	go func() {
		defer close(r.said)
		for event, err := range said {
			if err != nil {
				return
			}
			select {
			case r.said <- event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return r.number, nil
}

// NextSaid waits for the next events of the conversation that is read. It
// returns CodeNotRunning when no more events follow: the conversation was
// deleted, its session ended, or another conversation is read.
func (c *ConversationCalls) NextSaid(number int) (protocol.ChatEventsEvent, error) {
	over := protocol.NewError(protocol.CodeNotRunning, "this conversation is no longer open in the window", "")
	r := c.reading.of(number)
	if r == nil {
		return protocol.ChatEventsEvent{}, over
	}
	select {
	case event, more := <-r.said:
		if !more {
			return protocol.ChatEventsEvent{}, over
		}
		return event, nil
	case <-r.done:
		return protocol.ChatEventsEvent{}, over
	}
}

// StopReading ends the current reader, because the window closed. It is no call of the
// page: nothing happens when nobody reads.
func StopReading(c *ConversationCalls) { c.reading.end() }

// UnwatchConversation ends the reader.
func (c *ConversationCalls) UnwatchConversation(number int) {
	if r := c.reading.of(number); r != nil {
		r.end()
	}
}

// ConversationHistory returns a part of a conversation before an index.
func (c *ConversationCalls) ConversationHistory(session protocol.SessionName, req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
	chat, err := c.of.Conversations(session)
	if err != nil {
		return protocol.ChatPage{}, err
	}
	return chat.History(req)
}

// AnswerQuestion passes on the user's answer to an agent's question in a
// conversation: one of the options that the agent offers.
func (c *ConversationCalls) AnswerQuestion(session protocol.SessionName, req protocol.ChatAnswerRequest) error {
	chat, err := c.of.Conversations(session)
	if err != nil {
		return err
	}
	return chat.Answer(req, "window")
}

// StopTurn cancels the running turn of a conversation.
func (c *ConversationCalls) StopTurn(session protocol.SessionName, id protocol.ConversationID) error {
	chat, err := c.of.Conversations(session)
	if err != nil {
		return err
	}
	_, err = chat.Cancel(c.ctx, id)
	return err
}

// RestartAgent restarts a conversation's agent.
func (c *ConversationCalls) RestartAgent(session protocol.SessionName, id protocol.ConversationID) error {
	chat, err := c.of.Conversations(session)
	if err != nil {
		return err
	}
	_, err = chat.Restart(c.ctx, id)
	return err
}

// ConversationFile reads an image or file of a conversation.
func (c *ConversationCalls) ConversationFile(session protocol.SessionName, path string) (protocol.ChatAttachment, error) {
	return c.of.ConversationFile(c.ctx, session, path)
}

// ShowConversation brings a conversation to the front in the browser, in the
// panel beside its tab.
func (c *ConversationCalls) ShowConversation(session protocol.SessionName, id protocol.ConversationID) error {
	return c.of.ShowConversation(c.ctx, session, id)
}

// OpenLink opens a page that a conversation links to in its session's browser.
func (c *ConversationCalls) OpenLink(session protocol.SessionName, link string) error {
	return c.of.OpenLink(c.ctx, session, link)
}
