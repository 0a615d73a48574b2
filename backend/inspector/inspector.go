// Package inspector is the feed of the panel's Inspector: what happens to the element of
// a tab that was read last. Reading and editing are commands.
package inspector

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"pilotfish/backend/feed"
	"pilotfish/backend/protocol"
)

// Browser is the part of the browser that the feed needs.
type Browser interface {
	Tabs() []protocol.Tab
	// InspectorEvents returns the events of a tab after an index, until ctx ends, each
	// with whether events before it are missing.
	InspectorEvents(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.InspectorEvent, bool]
}

// Feed returns the feed of a browser.
func Feed(browser Browser) feed.Source {
	return func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
		return func(yield func(protocol.FeedBatch, error) bool) {
			if !slices.ContainsFunc(browser.Tabs(), func(t protocol.Tab) bool { return t.ID == tab }) {
				err := protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %.20q", string(tab)), "", protocol.Try("lists the tabs", "tabs"))
				yield(protocol.FeedBatch{}, err)
				return
			}
			for event, gap := range browser.InspectorEvents(ctx, tab, after) {
				batch, err := feed.Batch([]protocol.InspectorEvent{event}, event.Index)
				batch.Gap = gap
				if !yield(batch, err) {
					return
				}
			}
		}
	}
}
