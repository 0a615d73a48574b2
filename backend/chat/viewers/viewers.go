// Package viewers has the readers of a conversation and what waits for each: a bounded
// queue, so that showing something never waits for a reader.
package viewers

import (
	"sync"

	"pilotfish/backend/protocol"
)

// How much waits for a viewer before it gets a page instead: events, and about how
// many bytes.
const (
	maxQueue = 1024
	maxBytes = 4 << 20
)

// Set are the viewers of one conversation. It has no lock: its owner makes one call
// at a time.
type Set struct{ all map[*Viewer]struct{} }

// Add returns a new viewer, which is shown what comes from now on.
func (s *Set) Add() *Viewer {
	v := &Viewer{wake: make(chan struct{}, 1)}
	if s.all == nil {
		s.all = map[*Viewer]struct{}{}
	}
	s.all[v] = struct{}{}
	return v
}

// Remove takes a viewer off.
func (s *Set) Remove(v *Viewer) { delete(s.all, v) }

// Show hands an event to every viewer. It never waits.
func (s *Set) Show(ev protocol.ChatEvent) {
	for v := range s.all {
		v.push(ev)
	}
}

// End tells every viewer that nothing more comes.
func (s *Set) End() {
	for v := range s.all {
		v.end()
	}
}

// Viewer is one reader of a conversation. What waits for it is bounded and
// coalesced: words that go behind the same text become one event. One that is
// too far behind gets a page instead. Its methods are safe for concurrent use.
type Viewer struct {
	wake chan struct{}

	mu    sync.Mutex
	queue []protocol.ChatEvent
	// tail is the text of the last event of the queue, while it grows.
	tail  []byte
	bytes int
	gap   bool
	ended bool
}

// Wake is sent to when Take has something new.
func (v *Viewer) Wake() <-chan struct{} { return v.wake }

// push adds an event and never waits.
func (v *Viewer) push(ev protocol.ChatEvent) {
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
func (v *Viewer) seal() {
	if n := len(v.queue); n > 0 && v.queue[n-1].Op == protocol.ChatAppend {
		v.queue[n-1].Text = string(v.tail)
	}
	v.tail = nil
}

// bound gives up what waits when it is too much.
func (v *Viewer) bound() {
	if len(v.queue) > maxQueue || v.bytes > maxBytes {
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

func (v *Viewer) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// end tells the viewer that nothing more comes.
func (v *Viewer) end() {
	v.mu.Lock()
	v.ended = true
	v.mu.Unlock()
	v.signal()
}

// Take returns what waits. gap: too much waited and was given up; a page is read
// instead. ended: nothing more comes.
func (v *Viewer) Take() (events []protocol.ChatEvent, gap, ended bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seal()
	events, gap, ended = v.queue, v.gap, v.ended
	v.queue, v.bytes, v.gap = nil, 0, false
	return events, gap, ended
}
