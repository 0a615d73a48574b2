package feed

import (
	"context"
	"iter"

	"pilotfish/backend/protocol"
)

// Latest returns a feed of a state: each batch is the whole state after a change, so a
// reader that is too slow misses nothing that still matters. look returns the state, a
// number that grows with each change, and a channel that is closed at the next one. The
// first batch comes at once, whatever the reader had.
func Latest[T any](look func() (items []T, n uint64, changed <-chan struct{})) Source {
	return func(ctx context.Context, _ protocol.TabID, _ uint64) iter.Seq2[protocol.FeedBatch, error] {
		return func(yield func(protocol.FeedBatch, error) bool) {
			for {
				items, n, changed := look()
				if !yield(Batch(items, n)) {
					return
				}
				select {
				case <-changed:
				case <-ctx.Done():
					return
				}
			}
		}
	}
}
