package main

import (
	"context"
	"sync"

	"pilotfish/backend/protocol"
)

// reading is the conversation that the window shows: there is one at a time.
type reading struct {
	mu     sync.Mutex
	last   int
	reader *reader
}

// reader hands out what is said in a conversation, one piece for each question of
// the page: a page that is slow gets more at once, and never loses anything.
type reader struct {
	number int
	said   chan protocol.ChatEventsEvent // closed when there is nothing more to read
	done   <-chan struct{}
	end    context.CancelFunc
}

// begin replaces the reader.
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

// end reads no further.
func (r *reading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader != nil {
		r.reader.end()
	}
}

// of is the reader of a number; nil when another has taken its place.
func (r *reading) of(number int) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.number != number {
		return nil
	}
	return r.reader
}

// WatchConversation begins to read a conversation after an index, 0 for a page of
// its end, and returns the number by which NextSaid goes on. What was read before
// is read no further.
func (a *App) WatchConversation(session protocol.SessionName, id protocol.ConversationID, after uint64) (int, error) {
	chat, err := a.backend.Conversations(session)
	if err != nil {
		return 0, err
	}
	ctx, r := a.reading.begin(a.ctx)
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

// NextSaid waits for what is said next in the conversation that is read. It
// returns CodeNotRunning when there is nothing more to come: the conversation was
// deleted, its session ended, or another is read.
func (a *App) NextSaid(number int) (protocol.ChatEventsEvent, error) {
	over := protocol.NewError(protocol.CodeNotRunning, "this conversation is not read any more", "")
	r := a.reading.of(number)
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

// UnwatchConversation reads no further.
func (a *App) UnwatchConversation(number int) {
	if r := a.reading.of(number); r != nil {
		r.end()
	}
}

// ConversationHistory is a part of a conversation before an index.
func (a *App) ConversationHistory(session protocol.SessionName, req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
	chat, err := a.backend.Conversations(session)
	if err != nil {
		return protocol.ChatPage{}, err
	}
	return chat.History(req)
}

// AnswerQuestion gives the person's word about what an agent asks in a
// conversation, by one of the options that it offers.
func (a *App) AnswerQuestion(session protocol.SessionName, req protocol.ChatAnswerRequest) error {
	chat, err := a.backend.Conversations(session)
	if err != nil {
		return err
	}
	return chat.Answer(req, "window")
}

// StopTurn ends the turn that runs in a conversation.
func (a *App) StopTurn(session protocol.SessionName, id protocol.ConversationID) error {
	chat, err := a.backend.Conversations(session)
	if err != nil {
		return err
	}
	_, err = chat.Cancel(a.ctx, id)
	return err
}

// RestartAgent starts a conversation's agent again.
func (a *App) RestartAgent(session protocol.SessionName, id protocol.ConversationID) error {
	chat, err := a.backend.Conversations(session)
	if err != nil {
		return err
	}
	_, err = chat.Restart(a.ctx, id)
	return err
}

// ConversationFile is a picture or file of a conversation.
func (a *App) ConversationFile(session protocol.SessionName, path string) (protocol.ChatAttachment, error) {
	return a.backend.ConversationFile(a.ctx, session, path)
}

// ShowConversation brings a conversation forward in the browser, in the panel
// beside its tab.
func (a *App) ShowConversation(session protocol.SessionName, id protocol.ConversationID) error {
	return a.backend.ShowConversation(a.ctx, session, id)
}

// OpenLink opens a page that a conversation links to in its session's browser.
func (a *App) OpenLink(session protocol.SessionName, link string) error {
	return a.backend.OpenLink(a.ctx, session, link)
}
