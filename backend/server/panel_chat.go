package server

import (
	"context"
	"sync"

	"pilotfish/backend/protocol"
)

// watches are the conversations that a panel watches. Its reader owns them.
type watches struct {
	p    *panelSocket
	ends map[protocol.ConversationID]context.CancelFunc
	all  sync.WaitGroup
}

// watch begins to hand what is said in a conversation to the panel; a
// conversation that is watched already begins anew, from another index.
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
			return // the session ends; the panel is told so
		}
		said, err := conversations.Watch(ctx, id, after)
		if err != nil {
			// Deleted a moment ago: the panel is told so, too.
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

// unwatch ends it.
func (w *watches) unwatch(id protocol.ConversationID) {
	if end := w.ends[id]; end != nil {
		end()
		delete(w.ends, id)
	}
}

// close ends all of them and returns when their goroutines have.
func (w *watches) close() {
	for id := range w.ends {
		w.unwatch(id)
	}
	w.all.Wait()
}
