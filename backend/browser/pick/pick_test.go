package pick

import (
	"context"
	"errors"
	"testing"

	"pilotfish/backend/browser/focus"
	"pilotfish/backend/protocol"
)

// TestPickable: elements with a ref can be picked, in the order of the page.
func TestPickable(t *testing.T) {
	got := pickable(nil, []*protocol.SnapshotItem{
		{Role: "main", Children: []*protocol.SnapshotItem{{Ref: "e1", Role: "button", Name: "Go"}, {Ref: "f1e2", Role: "link", Name: "Home"}}},
		{Ref: "e3", Role: "textbox"},
	})
	if len(got) != 3 || got[0].Ref != "e1" || got[0].Name != "Go" || got[1].Ref != "f1e2" || got[2].Role != "textbox" {
		t.Errorf("they are %+v", got)
	}
}

// TestNoSnapshot: if no snapshot of the page can be taken, the picker is not switched on.
func TestNoSnapshot(t *testing.T) {
	gone := errors.New("gone")
	ps := New(nil, Config{
		Snapshot: func(context.Context, protocol.Caller, protocol.TabID, protocol.SnapshotRequest, func(string) error) (protocol.Snapshot, error) {
			return protocol.Snapshot{}, gone
		},
		Panel: func() *focus.Panel { return nil },
	})
	if _, err := ps.Pick(t.Context(), "t1", Request{}); !errors.Is(err, gone) {
		t.Error(err)
	}
}
