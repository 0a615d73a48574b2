package server

import (
	"context"
	"encoding/json"
	"sync"

	"pilotfish/backend/protocol"
)

// watches holds what a panel watches, by a key of its messages. Only the panel's
// reader uses it.
type watches[K comparable] struct {
	ends map[K]context.CancelFunc
	all  sync.WaitGroup
}

// watch runs tell until the panel stops watching. If the panel watches the same
// already, tell takes its place.
func (w *watches[K]) watch(ctx context.Context, key K, tell func(context.Context)) {
	w.unwatch(key)
	if len(w.ends) >= maxWatches {
		return
	}
	ctx, end := context.WithCancel(ctx)
	w.ends[key] = end
	w.all.Go(func() { tell(ctx) })
}

// unwatch stops watching.
func (w *watches[K]) unwatch(key K) {
	if end := w.ends[key]; end != nil {
		end()
		delete(w.ends, key)
	}
}

// close stops all watches and returns when their goroutines have ended.
func (w *watches[K]) close() {
	for key := range w.ends {
		w.unwatch(key)
	}
	w.all.Wait()
}

// tellConversation sends the events of a conversation to the panel.
func (p *panelSocket) tellConversation(ctx context.Context, id protocol.ConversationID, after uint64) {
	said, err := p.server.sessions.WatchConversation(ctx, p.grant, id, after)
	if err != nil {
		if protocol.AsError(err).Code == protocol.CodeUnknownConversation { // it has just been deleted
			post(ctx, p.replies, any(protocol.ConversationGoneEvent{Type: protocol.PanelConversationGone, Conversation: id}))
		}
		return // the session ends; the panel gets that as an event
	}
	for event, err := range said {
		if err != nil {
			p.server.log.Warn("a conversation cannot be shown", "conversation", id, "error", err)
			return
		}
		if !post(ctx, p.replies, any(event)) {
			return
		}
	}
}

// tellFeed sends a feed to the panel. The panel learns why a feed ended unless it
// ended it itself.
func (p *panelSocket) tellFeed(ctx context.Context, msg protocol.PanelMessage) {
	end := func(err error) {
		post(ctx, p.replies, any(protocol.FeedEvent{
			Type: protocol.PanelFeed, ID: msg.ID, Error: protocol.AsError(err),
			Batch: protocol.FeedBatch{Items: []json.RawMessage{}, Last: msg.After},
		}))
	}
	batches, err := p.server.sessions.Feed(ctx, p.grant, msg.Feed, msg.Tab, msg.After)
	if err != nil {
		end(err)
		return
	}
	for batch, err := range batches {
		if err != nil {
			end(err)
			return
		}
		if !post(ctx, p.replies, any(protocol.FeedEvent{Type: protocol.PanelFeed, ID: msg.ID, Batch: batch})) {
			return
		}
	}
}
