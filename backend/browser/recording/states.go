package recording

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// states holds which tabs are recorded now. It can be followed.
type states struct {
	mu      sync.Mutex
	of      map[protocol.TabID]protocol.RecordingState
	n       uint64
	changed chan struct{} // closed by the next change; nil while nobody asks
}

// set keeps the state of a tab's recording.
func (s *states) set(one protocol.RecordingState) {
	s.change(func() bool {
		if s.of == nil {
			s.of = make(map[protocol.TabID]protocol.RecordingState)
		}
		s.of[one.Tab] = one
		return true
	})
}

// end keeps that a tab's recording has ended, if there is one.
func (s *states) end(id protocol.TabID) {
	s.change(func() bool {
		one, ok := s.of[id]
		if ok {
			one.Held = true
			s.of[id] = one
		}
		return ok
	})
}

// drop forgets the state of a tab.
func (s *states) drop(id protocol.TabID) {
	s.change(func() bool {
		_, ok := s.of[id]
		delete(s.of, id)
		return ok
	})
}

func (s *states) change(does func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !does() {
		return
	}
	s.n++
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// RecordingStates returns the recordings of all tabs, the number of changes so far,
// and a channel that is closed at the next one.
func (rs *Recordings) RecordingStates() (all []protocol.RecordingState, n uint64, changed <-chan struct{}) {
	s := &rs.states
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	all = slices.SortedFunc(maps.Values(s.of), func(a, b protocol.RecordingState) int {
		return strings.Compare(string(a.Tab), string(b.Tab))
	})
	return all, s.n, s.changed
}
