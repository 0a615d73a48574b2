package feed_test

import (
	"context"
	"testing"

	"pilotfish/backend/feed"
)

// TestLatest: the state comes at once and after each change, until the reader goes.
func TestLatest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changed := make(chan struct{})
	state, n := []string{"a"}, uint64(7)
	source := feed.Latest(func() ([]string, uint64, <-chan struct{}) { return state, n, changed })
	var got []string
	for batch, err := range source(ctx, "", 99) {
		if err != nil || batch.Last != n || batch.Gap {
			t.Fatalf("%+v, %v", batch, err)
		}
		for _, item := range batch.Items {
			got = append(got, string(item))
		}
		if n == 8 {
			cancel()
			continue
		}
		state, n = []string{"b", "c"}, 8
		close(changed)
		changed = make(chan struct{})
	}
	if len(got) != 3 || got[2] != `"c"` {
		t.Errorf("%v", got)
	}
	for _, err := range feed.Latest(func() ([]string, uint64, <-chan struct{}) { return nil, 0, nil })(t.Context(), "", 0) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}
