// Package hub fans events out to bounded subscribers. Publishing never waits
// for a reader: one that falls behind loses what it has not read yet and is
// told so, once, that it must take the whole state again.
package hub

import "sync"

// Hub delivers what is published to every subscription. It is safe for
// concurrent use. All subscribers see the events in the same order.
type Hub[T any] struct {
	queue int

	mu   sync.Mutex
	subs map[*Subscription[T]]struct{}
}

// New returns a hub whose subscribers may each leave up to queue events unread.
// A queue below 1 counts as 1.
func New[T any](queue int) *Hub[T] {
	return &Hub[T]{queue: max(queue, 1), subs: make(map[*Subscription[T]]struct{})}
}

// Subscription is one reader of a hub.
type Subscription[T any] struct {
	hub *Hub[T]
	c   chan T
	gap bool // guarded by hub.mu
}

// Subscribe returns a subscription to everything that is published from now on.
// Its owner closes it.
func (h *Hub[T]) Subscribe() *Subscription[T] {
	s := &Subscription[T]{hub: h, c: make(chan T, h.queue)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[s] = struct{}{}
	return s
}

// Publish hands v to every subscription and returns at once.
func (h *Hub[T]) Publish(v T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		select {
		case s.c <- v:
			continue
		default:
		}
		// The reader has to resynchronise anyway, so nothing that waits is
		// worth keeping: emptying the queue now gives it the longest time
		// before the next loss. Only Publish sends and it holds the lock, so
		// there is room afterwards.
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

// C returns the channel of the events. It is closed by Close.
func (s *Subscription[T]) C() <-chan T { return s.c }

// Gap reports, once per loss, that events before the one received last are
// missing. A reader asks after every event, and when Gap is true it takes the
// whole state instead; events go on as usual afterwards.
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
