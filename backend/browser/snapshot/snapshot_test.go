package snapshot

import (
	"slices"
	"testing"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// TestHandles: a handle of a child frame names its frame.
func TestHandles(t *testing.T) {
	lines := []string{"f2e1 list", "  … 12 more h3", "text … 12 more h3"}
	want := []string{"f2e1 list", "  … 12 more f2h3", "text … 12 more h3"}
	if got := handles(slices.Clone(lines), &page.Frame{Number: 2}); !slices.Equal(got, want) {
		t.Errorf("they are %q", got)
	}
	if got := handles(slices.Clone(lines), &page.Frame{}); !slices.Equal(got, lines) {
		t.Errorf("the page's own are %q", got)
	}
}

// TestAdd: the result of a child frame is below its line, and below its item.
func TestAdd(t *testing.T) {
	out := part{
		lines: []string{"e1 iframe"}, refs: 1,
		items: []*protocol.SnapshotItem{{Ref: "e5", Children: []*protocol.SnapshotItem{{Ref: "e1"}}}},
	}
	out.add(part{lines: []string{"f1e1 button"}, refs: 1, more: 2, items: []*protocol.SnapshotItem{{Ref: "f1e1"}}}, frameLine{Ref: "e1", Indent: 4})
	if !slices.Equal(out.lines, []string{"e1 iframe", "    f1e1 button"}) || out.refs != 2 || out.more != 2 {
		t.Errorf("it is %+v", out)
	}
	if in := find(out.items, "f1e1"); in == nil || find(out.items, "e9") != nil {
		t.Errorf("the items are %+v", out.items)
	}
}

func TestLength(t *testing.T) {
	if split("") != nil || length(split("ä\nbc")) != 5 {
		t.Errorf("it is %d", length(split("ä\nbc")))
	}
}
