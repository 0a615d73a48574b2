package server

import (
	"context"
	"sync"

	"pilotfish/backend/protocol"
)

// watches holds the conversations that a panel watches. Only the panel's reader
// uses it.
type watches struct {
	p    *panelSocket
	ends map[protocol.ConversationID]context.CancelFunc
	all  sync.WaitGroup
}

// watch begins to send the events of a conversation to the panel. If the panel
// watches it already, it starts again from the given index.
func (w *watches) watch(ctx context.Context, id protocol.ConversationID, after uint64) {
	w.unwatch(id)
	if w.p.server.chat == nil || len(w.ends) >= maxWatches {
		return
	}
	ctx, end := context.WithCancel(ctx)
	w.ends[id] = end
	w.all.Go(func() {
		conversations, err := w.p.server.chat(w.p.grant)
		if err != nil {
			return // the session ends; the panel gets that as an event
		}
		said, err := conversations.Watch(ctx, id, after)
		if err != nil {
			// The conversation has just been deleted; the panel is notified.
			post(ctx, w.p.replies, any(protocol.ConversationGoneEvent{Type: protocol.PanelConversationGone, Conversation: id}))
			return
		}
		for event, err := range said {
			if err != nil {
				w.p.server.log.Warn("a conversation cannot be shown", "conversation", id, "error", err)
				return
			}
			if !post(ctx, w.p.replies, any(event)) {
				return
			}
		}
	})
}

// unwatch stops watching a conversation.
func (w *watches) unwatch(id protocol.ConversationID) {
	if end := w.ends[id]; end != nil {
		end()
		delete(w.ends, id)
	}
}

// close stops all watches and returns when their goroutines have ended.
func (w *watches) close() {
	for id := range w.ends {
		w.unwatch(id)
	}
	w.all.Wait()
}
