// Package changes collects what changed until somebody publishes it, so that several
// changes of one thing are published as one.
package changes

import "sync"

// Set is the set of things that changed since they were last taken. Its methods are
// safe for concurrent use.
type Set[T comparable] struct {
	wake chan struct{}

	mu      sync.Mutex
	changed map[T]bool
	urgent  bool
}

// New returns an empty Set.
func New[T comparable]() *Set[T] {
	return &Set[T]{wake: make(chan struct{}, 1), changed: map[T]bool{}}
}

// Wake receives when Take has something to decide: a first change, or a first urgent
// one.
func (s *Set[T]) Wake() <-chan struct{} { return s.wake }

// Touch records that a thing changed. An urgent change is taken at once, others when
// Take is called late.
func (s *Set[T]) Touch(thing T, urgent bool) {
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
func (s *Set[T]) Drop(thing T) {
	s.mu.Lock()
	delete(s.changed, thing)
	s.mu.Unlock()
}

// Take returns and removes all that changed. Without an urgent change it returns
// nothing unless late is set, and wait says whether there is something to take later.
func (s *Set[T]) Take(late bool) (changed []T, wait bool) {
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
