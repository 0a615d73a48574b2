package input

import (
	"context"
	"testing"
	"time"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// TestSteps: a path without a speed has a few points per part, and one with a speed
// has as many points as that speed leaves time for.
func TestSteps(t *testing.T) {
	way := []page.Point{{X: 0, Y: 0}, {X: 100, Y: 0}, {X: 100, Y: 50}}
	for _, c := range []struct {
		speed float64
		n     int
	}{{0, 10}, {100 / stepTime.Seconds(), 2}, {10 / stepTime.Seconds(), 15}} {
		got := steps(way, c.speed)
		if len(got) != c.n || got[len(got)-1] != way[2] {
			t.Errorf("at %g the way is %v", c.speed, got)
		}
	}
}

func TestReadPoint(t *testing.T) {
	if at, ok, err := readPoint("120,80"); !ok || err != nil || at != (page.Point{X: 120, Y: 80}) {
		t.Errorf("it is %v, %v, %v", at, ok, err)
	}
	if _, ok, _ := readPoint("e5"); ok {
		t.Error("a ref is a point")
	}
}

// TestInTime: an action that would take longer than its command's deadline is refused
// before it begins.
func TestInTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := inTime(ctx, time.Hour, "the drag"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Error(err)
	}
	if err := inTime(ctx, time.Second, "the drag"); err != nil {
		t.Error(err)
	}
	if err := inTime(t.Context(), time.Hour, "the drag"); err != nil {
		t.Error(err)
	}
}
