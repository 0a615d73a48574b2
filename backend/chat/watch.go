package chat

import (
	"context"
	"iter"

	"pilotfish/backend/protocol"
)

// Watch returns the events of a conversation after an index, and then every new
// one, until ctx ends, the reader stops or the conversation is closed. A reader
// that has no events yet, or is too far behind, receives a page first.
func (m *Manager) Watch(ctx context.Context, id protocol.ConversationID, after uint64) (iter.Seq2[protocol.ChatEventsEvent, error], error) {
	c, err := m.find(id)
	if err != nil {
		return nil, err
	}
	return func(yield func(protocol.ChatEventsEvent, error) bool) {
		c.watch(ctx, after, func(events []protocol.ChatEvent, page *protocol.ChatPage, err error) bool {
			return yield(protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: id, Events: some(events), Page: page}, err)
		})
	}, nil
}

func (c *conversation) watch(ctx context.Context, after uint64, yield func([]protocol.ChatEvent, *protocol.ChatPage, error) bool) {
	c.mu.Lock()
	if err := c.loadLocked(); err != nil {
		c.mu.Unlock()
		yield(nil, nil, err)
		return
	}
	last, head, v := c.entries.Last(), c.headLocked(), c.viewers.Add()
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.viewers.Remove(v)
		c.mu.Unlock()
	}()
	first, missed := after == 0 || after > last || last-after > chatReplay, []protocol.ChatEvent(nil)
	if !first {
		var err error
		if missed, err = c.entries.Events(after, last); err != nil {
			first = true // the single events cannot be read, the compacted entries perhaps can
		}
	}
	again := func() bool {
		page, err := c.page(0, chatPageSize, v)
		if err != nil {
			yield(nil, nil, err)
			return false
		}
		return yield(nil, &page, nil)
	}
	if first {
		if !again() {
			return
		}
	} else if !yield(append(missed, protocol.ChatEvent{Index: last, Op: protocol.ChatHead, Head: &head}), nil, nil) {
		return
	}
	for {
		select {
		case <-v.Wake():
		case <-ctx.Done():
			return
		}
		events, gap, ended := v.Take()
		if gap {
			if !again() {
				return
			}
			continue
		}
		if len(events) > 0 && !yield(events, nil, nil) {
			return
		}
		if ended {
			return
		}
	}
}
