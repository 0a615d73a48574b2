package tasks

import (
	"slices"
	"testing"
)

// Events between the marks are counted, in both processes. A trace without the
// control timer is invalid.
func TestIdleCounts(t *testing.T) {
	events := []traced{
		{"bench-page-control", "R", 1, 1e6},
		{"TimerFire", "X", 1, 1.5e6},
		{"bench-page-begin", "R", 1, 2e6},
		{"bench-extension-control", "R", 2, 1e6},
		{"TimerFire", "X", 2, 1.5e6},
		{"bench-extension-begin", "R", 2, 2e6},
		{"TimerFire", "X", 1, 5e6},
		{"WebSocketReceive", "I", 2, 6e6},
		{"FunctionCall", "X", 3, 6e6},
		{"Paint", "X", 1, 6e6},
		{"bench-end", "R", 1, 9e6},
		{"FunctionCall", "X", 1, 10e6},
	}
	got, err := idleCounts(events)
	if err != nil || len(got) != 2 || got["page TimerFire"] != 1 || got["extension WebSocketReceive"] != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := idleCounts(slices.Delete(slices.Clone(events), 4, 5)); err == nil {
		t.Error("a recorder that sees no timer was believed")
	}
	if _, err := idleCounts(events[1:]); err != nil {
		t.Error(err)
	}
	if _, err := idleCounts(events[3:]); err == nil {
		t.Error("a record without its marks was believed")
	}
}
