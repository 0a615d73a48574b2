package feed_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"testing"

	"pilotfish/backend/browser/observe"
	"pilotfish/backend/feed"
	"pilotfish/backend/protocol"
)

// browser is a browser with one tab, whose faults and rules a test changes.
type browser struct {
	feed.Browser // the methods that no test calls

	faults chan observe.Faults
	fail   error

	mu      sync.Mutex
	rules   []protocol.NetworkRule
	network *protocol.EmulatedConditions
	changes chan struct{}
}

func (b *browser) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	close(b.changes)
	b.changes = make(chan struct{})
}

func (b *browser) OverridesChanged() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

func (b *browser) NetworkRules(protocol.TabID) []protocol.NetworkRule {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules
}

func (b *browser) Emulation(protocol.TabID) protocol.Emulation {
	b.mu.Lock()
	defer b.mu.Unlock()
	return protocol.Emulation{Network: b.network}
}

func (b *browser) FollowNetwork(context.Context, protocol.TabID, uint64) iter.Seq2[observe.Changes[protocol.NetworkItem], error] {
	return func(yield func(observe.Changes[protocol.NetworkItem], error) bool) {
		_ = yield(observe.Changes[protocol.NetworkItem]{Items: []protocol.NetworkItem{{Page: 2}}, Last: 7, Gap: true}, nil) && yield(observe.Changes[protocol.NetworkItem]{}, b.fail)
	}
}

func (b *browser) FollowConsole(context.Context, protocol.TabID, uint64) iter.Seq2[observe.Changes[protocol.ConsoleItem], error] {
	return func(yield func(observe.Changes[protocol.ConsoleItem], error) bool) {
		yield(observe.Changes[protocol.ConsoleItem]{Items: []protocol.ConsoleItem{{Clears: true}}, Last: 3}, nil)
	}
}

func (b *browser) FollowFaults(ctx context.Context, _ protocol.TabID) iter.Seq2[observe.Changes[observe.Faults], error] {
	return func(yield func(observe.Changes[observe.Faults], error) bool) {
		for {
			select {
			case f, ok := <-b.faults:
				if !ok {
					yield(observe.Changes[observe.Faults]{}, b.fail)
					return
				}
				if !yield(observe.Changes[observe.Faults]{Items: []observe.Faults{f}}, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func TestBatchesOfATab(t *testing.T) {
	b := &browser{fail: errors.New("the tab is closed")}
	var got []protocol.FeedBatch
	var last error
	for batch, err := range feed.Network(b)(t.Context(), "t1", 0) {
		got, last = append(got, batch), err
	}
	if len(got) != 2 || got[0].Last != 7 || !got[0].Gap || len(got[0].Items) != 1 || !errors.Is(last, b.fail) {
		t.Errorf("%+v, %v", got, last)
	}
	for batch, err := range feed.Console(b)(t.Context(), "t1", 0) {
		if err != nil || batch.Last != 3 || batch.Gap {
			t.Errorf("%+v, %v", batch, err)
		}
	}
}

// Each batch has the newest state, and no state is sent twice.
func TestSignals(t *testing.T) {
	b := &browser{faults: make(chan observe.Faults), changes: make(chan struct{}), fail: errors.New("the tab is closed")}
	next, stop := iter.Pull2(feed.Signals(b)(t.Context(), "t1", 0))
	defer stop()
	want := func(what string, want protocol.TabSignals) {
		t.Helper()
		batch, err, ok := next()
		var got protocol.TabSignals
		if !ok || err != nil || len(batch.Items) != 1 || json.Unmarshal(batch.Items[0], &got) != nil || got != want {
			t.Fatalf("%s: %+v, %v, %v", what, got, err, ok)
		}
	}
	want("at first", protocol.TabSignals{})
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		b.faults <- observe.Faults{Errors: 1, Warnings: 2}
	}()
	want("an error", protocol.TabSignals{Errors: 1, Warnings: 2})
	<-sent
	b.change(func() { b.rules = []protocol.NetworkRule{{Block: true}, {Status: 200}} })
	b.change(func() { b.network = &protocol.EmulatedConditions{Name: "slow-3g"} })
	want("rules", protocol.TabSignals{Errors: 1, Warnings: 2, Blocked: 1, Mocked: 1, Throttle: "slow-3g"})
	b.change(func() {}) // nothing that is shown
	close(b.faults)
	if _, err, _ := next(); !errors.Is(err, b.fail) {
		t.Errorf("the end: %v", err)
	}
}

func (*browser) Tabs() []protocol.Tab { return []protocol.Tab{{ID: "t1"}} }

func (*browser) InspectorEvents(_ context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.InspectorEvent, bool] {
	return func(yield func(protocol.InspectorEvent, bool) bool) {
		_ = yield(protocol.InspectorEvent{Index: after + 3, Kind: protocol.InspectorChanged, Tab: tab}, true) &&
			yield(protocol.InspectorEvent{Index: after + 4, Kind: protocol.InspectorGone, Tab: tab}, false)
	}
}

func TestInspector(t *testing.T) {
	running := feed.Inspector(&browser{})
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
