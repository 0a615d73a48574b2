package inspector_test

import (
	"context"
	"iter"
	"testing"

	"pilotfish/backend/inspector"
	"pilotfish/backend/protocol"
)

type browser struct{}

func (browser) Tabs() []protocol.Tab { return []protocol.Tab{{ID: "t1"}} }

func (browser) InspectorEvents(_ context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.InspectorEvent, bool] {
	return func(yield func(protocol.InspectorEvent, bool) bool) {
		_ = yield(protocol.InspectorEvent{Index: after + 3, Kind: protocol.InspectorChanged, Tab: tab}, true) &&
			yield(protocol.InspectorEvent{Index: after + 4, Kind: protocol.InspectorGone, Tab: tab}, false)
	}
}

func TestFeed(t *testing.T) {
	running := inspector.Feed(browser{})
	var got []protocol.FeedBatch
	for batch, err := range running(t.Context(), "t1", 4) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, batch)
	}
	if len(got) != 2 || got[0].Last != 7 || !got[0].Gap || got[1].Last != 8 || got[1].Gap || string(got[1].Items[0]) != `{"index":8,"kind":"gone","tab":"t1"}` {
		t.Errorf("%+v", got)
	}
	for _, err := range running(t.Context(), "t1", 4) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	for _, err := range running(t.Context(), "t2", 0) {
		if protocol.AsError(err).Code != protocol.CodeUnknownTab {
			t.Errorf("of another tab: %v", err)
		}
	}
}
