package pick

import (
	"context"
	"errors"
	"testing"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/snapshot"
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
	ps := New(nil, Config{Snapshots: snapshot.New(noPages{}, nil, nil)})
	if _, err := ps.Pick(t.Context(), "t1", Request{}); !errors.Is(err, errGone) {
		t.Error(err)
	}
}

var errGone = errors.New("gone")

// noPages are tabs whose pages are gone.
type noPages struct{ page.Tabs }

func (noPages) ReadPage(context.Context, protocol.Caller, protocol.TabID, func(context.Context, *page.Page) error) error {
	return errGone
}
