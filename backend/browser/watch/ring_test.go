package watch

import (
	"slices"
	"testing"
)

// The newest items stay, in order, and the dropped ones are counted.
func TestRing(t *testing.T) {
	r := Ring[int]{Limit: 20}
	for i := range 50 {
		r.Add(i)
		if len(r.Items) > r.Limit {
			t.Fatalf("after %d it has %d", i, len(r.Items))
		}
	}
	if r.Items[len(r.Items)-1] != 49 || !slices.IsSorted(r.Items) || r.Dropped+len(r.Items) != 50 {
		t.Errorf("it has %v, and %d are gone", r.Items, r.Dropped)
	}
}
