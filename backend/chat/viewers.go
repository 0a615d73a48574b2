package chat

import (
	"sync"

	"pilotfish/backend/protocol"
)

// How much may be queued for a viewer before it gets a page instead: events,
// and approximate bytes.
const (
	maxViewerEvents = 1024
	maxViewerBytes  = 4 << 20
)

// viewerSet is the set of viewers of one conversation. It has no lock: its owner must
// make one call at a time.
type viewerSet struct{ all map[*viewer]struct{} }

// Add adds a new viewer, which receives the events from now on.
func (s *viewerSet) Add() *viewer {
	v := &viewer{wake: make(chan struct{}, 1)}
	if s.all == nil {
		s.all = map[*viewer]struct{}{}
	}
	s.all[v] = struct{}{}
	return v
}

// Remove removes a viewer.
func (s *viewerSet) Remove(v *viewer) { delete(s.all, v) }

// Show queues an event for every viewer. It never waits.
func (s *viewerSet) Show(ev protocol.ChatEvent) {
	for v := range s.all {
		v.push(ev)
	}
}

// End tells every viewer that no more events follow.
func (s *viewerSet) End() {
	for v := range s.all {
		v.end()
	}
}

// viewer is one viewer of a conversation. Its queue is bounded and coalesced:
// consecutive additions to one text become one event. A viewer that is too far
// behind gets a page instead. Its methods are safe for concurrent use.
type viewer struct {
	wake chan struct{}

	mu    sync.Mutex
	queue []protocol.ChatEvent
	// tail is the text of the last event of the queue while more text is being
	// added.
	tail  []byte
	bytes int
	gap   bool
	ended bool
}

// Wake receives a value when Take has something new.
func (v *viewer) Wake() <-chan struct{} { return v.wake }

// push queues an event and never waits.
func (v *viewer) push(ev protocol.ChatEvent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.signal()
	if v.gap || v.ended {
		return
	}
	size := sizeOfEvent(ev)
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
			v.bytes += size - sizeOfEvent(*last)
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

// seal stores the collected text in the last event.
func (v *viewer) seal() {
	if n := len(v.queue); n > 0 && v.queue[n-1].Op == protocol.ChatAppend {
		v.queue[n-1].Text = string(v.tail)
	}
	v.tail = nil
}

// bound discards the queue when it is too large.
func (v *viewer) bound() {
	if len(v.queue) > maxViewerEvents || v.bytes > maxViewerBytes {
		v.queue, v.tail, v.bytes, v.gap = nil, nil, 0, true
	}
}

// sizeOfEvent returns the approximate size of an event in memory, in bytes.
func sizeOfEvent(ev protocol.ChatEvent) int {
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

// end tells the viewer that no more events follow.
func (v *viewer) end() {
	v.mu.Lock()
	v.ended = true
	v.mu.Unlock()
	v.signal()
}

// Take returns and empties the queue. gap means that the queue was too large
// and was discarded; the caller must read a page instead. ended means that no
// more events follow.
func (v *viewer) Take() (events []protocol.ChatEvent, gap, ended bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seal()
	events, gap, ended = v.queue, v.gap, v.ended
	v.queue, v.bytes, v.gap = nil, 0, false
	return events, gap, ended
}
