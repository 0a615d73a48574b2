// Package hub delivers events to bounded subscribers. Publishing never waits for a
// reader: a reader that falls behind loses its unread events and is notified once that it
// must fetch the whole state again.
package hub

import "sync"

// Hub delivers every published event to every subscription. It is safe for concurrent
// use. All subscribers receive the events in the same order.
type Hub[T any] struct {
	queue   int
	observe func(T) // may be nil

	mu   sync.Mutex
	subs map[*Subscription[T]]struct{}
}

// New returns a hub whose subscribers may each have up to queue unread events. A
// queue below 1 counts as 1.
func New[T any](queue int) *Hub[T] {
	return &Hub[T]{queue: max(queue, 1), subs: make(map[*Subscription[T]]struct{})}
}

// Subscription is one reader of a hub.
type Subscription[T any] struct {
	hub *Hub[T]
	c   chan T
	gap bool // guarded by hub.mu
}

// Subscribe returns a subscription to everything that is published from now on. Its
// owner must close it.
func (h *Hub[T]) Subscribe() *Subscription[T] {
	s := &Subscription[T]{hub: h, c: make(chan T, h.queue)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[s] = struct{}{}
	return s
}

// Observe makes Publish call a function with every event, after it was sent, and Report
// with the others. Unlike a subscriber it misses none. It must not block; it may publish. Observe is called before
// the first Publish.
func (h *Hub[T]) Observe(f func(T)) { h.observe = f }

// Publish sends v to every subscription and returns at once. A nil Hub has none, and Report
// does nothing then.
func (h *Hub[T]) Publish(v T) {
	if h != nil {
		h.send(v)
		h.Report(v)
	}
}

// Report calls the function of Observe with an event that is for no subscriber.
func (h *Hub[T]) Report(v T) {
	if h != nil && h.observe != nil {
		h.observe(v)
	}
}

func (h *Hub[T]) send(v T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		select {
		case s.c <- v:
			continue
		default:
		}
		// The reader has to fetch the state anyway, so the queued events are not
		// needed. Emptying the queue now gives the reader the most room before the
		// next loss. Only Publish sends, and it holds the lock, so there is room
		// afterwards.
		s.empty()
		s.gap = true
		s.c <- v
	}
}

func (s *Subscription[T]) empty() {
	for {
		select {
		case <-s.c:
		default:
			return
		}
	}
}

// C returns the channel of the events. Close closes it.
func (s *Subscription[T]) C() <-chan T { return s.c }

// Gap reports, once per loss, that events before the last received one are missing. A
// reader must call it after every event. When it returns true, the reader fetches the
// whole state instead; after that, events continue as usual.
func (s *Subscription[T]) Gap() bool {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	gap := s.gap
	s.gap = false
	return gap
}

// Close ends the subscription and closes C. It may be called more than once.
func (s *Subscription[T]) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if _, ok := s.hub.subs[s]; !ok {
		return
	}
	delete(s.hub.subs, s)
	close(s.c)
}
