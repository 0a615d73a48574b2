package chat

import (
	"slices"
	"testing"
)

// wakes says whether the set has woken its reader since the last call.
func wakes(s *changeSet[string]) bool {
	select {
	case <-s.Wake():
		return true
	default:
		return false
	}
}

func TestChangesAreTakenAsOne(t *testing.T) {
	s := newChangeSet[string]()
	s.Touch("a", false)
	s.Touch("a", false)
	s.Touch("b", false)
	if !wakes(s) || wakes(s) {
		t.Error("several changes are one wake")
	}
	if changed, wait := s.Take(false); changed != nil || !wait {
		t.Errorf("before they are due: %v, %v", changed, wait)
	}
	s.Drop("b")
	if changed, wait := s.Take(true); !slices.Equal(changed, []string{"a"}) || wait {
		t.Errorf("when they are due: %v, %v", changed, wait)
	}
	if changed, wait := s.Take(true); changed != nil || wait {
		t.Errorf("taken twice: %v, %v", changed, wait)
	}
}

// An urgent change takes along what waits, and wakes the reader once more.
func TestAnUrgentChangeDoesNotWait(t *testing.T) {
	s := newChangeSet[string]()
	s.Touch("a", false)
	wakes(s)
	s.Touch("a", true)
	if !wakes(s) {
		t.Error("an urgent change of the same thing does not wake")
	}
	if changed, wait := s.Take(false); !slices.Equal(changed, []string{"a"}) || wait {
		t.Errorf("%v, %v", changed, wait)
	}
	s.Touch("a", false)
	if changed, _ := s.Take(false); changed != nil {
		t.Errorf("the next change is urgent, too: %v", changed)
	}
}
