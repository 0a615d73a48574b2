// Package feed says what the rooms of a panel's drawer follow. A part of a session
// that a room shows is a Source; the panel's socket sends its batches. The feeds of a tab
// (Elements, Network, Console, Inspector, and what shows while no room is open) are here.
package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"pilotfish/backend/protocol"
)

// Source returns what is new in one feed after an index, until ctx ends: first what
// is there already, then batches as they happen. tab is empty for a feed of all tabs.
// A source does its work only while somebody reads it, and never makes what it reports
// wait for the reader: a reader that falls behind gets a batch with Gap.
type Source func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error]

// Sources are the feeds of a session by name.
type Sources map[protocol.FeedName]Source

// Open returns a feed. A name that the session does not have is an error.
func (s Sources) Open(ctx context.Context, name protocol.FeedName, tab protocol.TabID, after uint64) (iter.Seq2[protocol.FeedBatch, error], error) {
	source, ok := s[name]
	if !ok {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no feed %.40q", string(name)), "the app may be older than the panel: restart it")
	}
	return source(ctx, tab, after), nil
}

// Batch encodes items as a batch. last is the index of the last item.
func Batch[T any](items []T, last uint64) (protocol.FeedBatch, error) {
	batch := protocol.FeedBatch{Items: make([]json.RawMessage, 0, len(items)), Last: last}
	for _, item := range items {
		b, err := json.Marshal(item)
		if err != nil {
			return protocol.FeedBatch{}, fmt.Errorf("encode an item of a feed: %w", err)
		}
		batch.Items = append(batch.Items, b)
	}
	return batch, nil
}
