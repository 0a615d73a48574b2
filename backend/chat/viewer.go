package chat

import (
	"context"
	"iter"
	"sync"

	"pilotfish/backend/protocol"
)

// viewer is one reader of a conversation. What waits for it is bounded and
// coalesced: words that go behind the same text become one event. One that is
// too far behind gets a page instead.
type viewer struct {
	wake chan struct{}

	mu    sync.Mutex
	queue []protocol.ChatEvent
	// tail is the text of the last event of the queue, while it grows.
	tail  []byte
	bytes int
	gap   bool
	ended bool
}

func newViewer() *viewer { return &viewer{wake: make(chan struct{}, 1)} }

// show hands an event to every viewer. The caller holds mu.
func (c *conversation) show(ev protocol.ChatEvent) {
	for v := range c.viewers {
		v.push(ev)
	}
}

// push adds an event and never waits.
func (v *viewer) push(ev protocol.ChatEvent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.signal()
	if v.gap || v.ended {
		return
	}
	size := sizeOf(ev)
	if n := len(v.queue); n > 0 {
		last := &v.queue[n-1]
		same := last.Op == ev.Op
		switch {
		case same && ev.Op == protocol.ChatAppend && last.ID == ev.ID:
			v.tail = append(v.tail, ev.Text...)
			last.Index = ev.Index
			v.bytes += len(ev.Text)
			v.bound()
			return
		case same && ev.Op == protocol.ChatHead,
			same && ev.Op == protocol.ChatPut && last.Entry.ID == ev.Entry.ID:
			v.bytes += size - sizeOf(*last)
			*last = ev
			v.bound()
			return
		}
		v.seal()
	}
	if ev.Op == protocol.ChatAppend {
		v.tail = append(v.tail[:0:0], ev.Text...)
	}
	v.queue = append(v.queue, ev)
	v.bytes += size
	v.bound()
}

// seal gives the last event the text that grew behind it.
func (v *viewer) seal() {
	if n := len(v.queue); n > 0 && v.queue[n-1].Op == protocol.ChatAppend {
		v.queue[n-1].Text = string(v.tail)
	}
	v.tail = nil
}

// bound gives up what waits when it is too much.
func (v *viewer) bound() {
	if len(v.queue) > chatViewerQueue || v.bytes > chatViewerBytes {
		v.queue, v.tail, v.bytes, v.gap = nil, nil, 0, true
	}
}

// sizeOf is about how large an event is in memory.
func sizeOf(ev protocol.ChatEvent) int {
	size := 200 + len(ev.Text)
	if e := ev.Entry; e != nil {
		size += len(e.Text)
		if e.Tool != nil {
			size += len(e.Tool.Input)
			for _, c := range e.Tool.Content {
				size += len(c.Text) + len(c.Old) + len(c.New)
			}
		}
	}
	return size
}

func (v *viewer) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// end tells the viewer that nothing more comes.
func (v *viewer) end() {
	v.mu.Lock()
	v.ended = true
	v.mu.Unlock()
	v.signal()
}

// take returns what waits.
func (v *viewer) take() (events []protocol.ChatEvent, gap, ended bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seal()
	events, gap, ended = v.queue, v.gap, v.ended
	v.queue, v.bytes, v.gap = nil, 0, false
	return events, gap, ended
}

// Watch gives what is said in a conversation after an index, and then everything
// new, until ctx ends, the reader stops or the conversation is closed. A reader
// that comes with nothing, or is too far behind, gets a page first.
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
	v := newViewer()
	c.mu.Lock()
	err := c.loadLocked()
	last, head := c.entries.Last(), c.headLocked()
	if err == nil {
		c.viewers[v] = struct{}{}
	}
	c.mu.Unlock()
	if err != nil {
		yield(nil, nil, err)
		return
	}
	defer func() {
		c.mu.Lock()
		delete(c.viewers, v)
		c.mu.Unlock()
	}()
	first, missed := after == 0 || after > last || last-after > chatReplay, []protocol.ChatEvent(nil)
	if !first {
		if missed, err = c.entries.Events(after, last); err != nil {
			first = true // what cannot be read event by event may be read folded
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
		case <-v.wake:
		case <-ctx.Done():
			return
		}
		events, gap, ended := v.take()
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
