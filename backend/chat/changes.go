package chat

import "sync"

// changeSet is the set of things that changed since they were last taken. Its methods are
// safe for concurrent use.
type changeSet[T comparable] struct {
	wake chan struct{}

	mu      sync.Mutex
	changed map[T]bool
	urgent  bool
}

// newChangeSet returns an empty changeSet.
func newChangeSet[T comparable]() *changeSet[T] {
	return &changeSet[T]{wake: make(chan struct{}, 1), changed: map[T]bool{}}
}

// Wake receives when Take has something to decide: a first change, or a first urgent
// one.
func (s *changeSet[T]) Wake() <-chan struct{} { return s.wake }

// Touch records that a thing changed. An urgent change is taken at once, others when
// Take is called late.
func (s *changeSet[T]) Touch(thing T, urgent bool) {
	s.mu.Lock()
	fresh := !s.changed[thing] || urgent && !s.urgent
	s.changed[thing] = true
	s.urgent = s.urgent || urgent
	s.mu.Unlock()
	if !fresh {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Drop removes a thing from the set.
func (s *changeSet[T]) Drop(thing T) {
	s.mu.Lock()
	delete(s.changed, thing)
	s.mu.Unlock()
}

// Take returns and removes all that changed. Without an urgent change it returns
// nothing unless late is set, and wait says whether there is something to take later.
func (s *changeSet[T]) Take(late bool) (changed []T, wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.urgent && !late {
		return nil, len(s.changed) > 0
	}
	for thing := range s.changed {
		changed = append(changed, thing)
	}
	clear(s.changed)
	s.urgent = false
	return changed, false
}
