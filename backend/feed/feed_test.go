package feed_test

import (
	"context"
	"iter"
	"testing"

	"pilotfish/backend/feed"
	"pilotfish/backend/protocol"
)

func TestOpen(t *testing.T) {
	sources := feed.Sources{
		protocol.FeedConsole: func(_ context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
			return func(yield func(protocol.FeedBatch, error) bool) {
				yield(feed.Batch([]string{string(tab)}, after+1))
			}
		},
	}
	batches, err := sources.Open(t.Context(), protocol.FeedConsole, "t1", 4)
	if err != nil {
		t.Fatal(err)
	}
	for batch, err := range batches {
		if err != nil || len(batch.Items) != 1 || string(batch.Items[0]) != `"t1"` || batch.Last != 5 {
			t.Errorf("batch %+v, error %v", batch, err)
		}
	}
	if _, err := sources.Open(t.Context(), "nothing", "", 0); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a feed that does not exist: %v", err)
	}
}

func TestBatchOfWhatCannotBeEncoded(t *testing.T) {
	if _, err := feed.Batch([]any{func() {}}, 1); err == nil {
		t.Error("no error")
	}
}
