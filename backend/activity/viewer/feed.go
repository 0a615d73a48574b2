package viewer

import (
	"context"
	"iter"
	"time"

	"pilotfish/backend/feed"
	"pilotfish/backend/protocol"
)

// pace is how long the feed collects entries before it sends them. At a thousand
// entries per second a panel gets 25 messages and not a thousand.
const pace = 40 * time.Millisecond

// feedBatch is how many items a batch has at most.
const feedBatch = 512

// Feed is the feed "activity": the entries after an index and all new ones, and which
// entries have a screenshot now. After an index that is not there yet, because the
// session began anew, it sends a gap.
func (v *Viewer) Feed(ctx context.Context, _ protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
	return func(yield func(protocol.FeedBatch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		taken := v.shots.News()
		defer taken.Close()
		parts, last, err := v.Parts(ctx, after)
		if err != nil {
			yield(protocol.FeedBatch{}, err)
			return
		}
		if after > last {
			after = last
			if parts, _, err = v.Parts(ctx, after); err != nil || !yield(protocol.FeedBatch{Gap: true, Last: last}, nil) {
				return
			}
		}
		entries := make(chan part)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			read(ctx, parts, entries)
		}()
		defer func() {
			cancel()
			<-ended
		}()
		v.send(ctx, entries, taken.C(), after, yield)
	}
}

// part is a part of the activity, or why there is no more.
type part struct {
	items []protocol.ActivityItem
	err   error
}

// read passes the parts on until ctx ends, and closes the channel.
func read(ctx context.Context, parts iter.Seq2[[]protocol.ActivityItem, error], out chan<- part) {
	defer close(out)
	for items, err := range parts {
		select {
		case out <- part{items, err}:
		case <-ctx.Done():
			return
		}
	}
}

// send collects what is new and yields it as batches.
func (v *Viewer) send(ctx context.Context, entries <-chan part, taken <-chan uint64, last uint64, yield func(protocol.FeedBatch, error) bool) {
	var items []protocol.ActivityFeedItem
	var due <-chan time.Time // nil while there is nothing to send
	collect := entries       // nil while a batch is full
	for {
		select {
		case p, more := <-collect:
			if p.err != nil {
				yield(protocol.FeedBatch{}, p.err)
			}
			if !more || p.err != nil {
				return // the session is gone
			}
			for _, item := range p.items {
				if item.Gap != nil {
					items, last = append(items, protocol.ActivityFeedItem{Gap: item.Gap}), item.Gap.To
					continue
				}
				items, last = append(items, protocol.ActivityFeedItem{Entry: &item.Entry}), item.Entry.Index
			}
		case index := <-taken:
			items = append(items, protocol.ActivityFeedItem{Shot: index})
		case <-due:
			batch, err := feed.Batch(items, last)
			if !yield(batch, err) || err != nil {
				return
			}
			items, due = items[:0], nil
		case <-ctx.Done():
			return
		}
		if len(items) > 0 && due == nil {
			due = time.After(pace)
		}
		collect = entries
		if len(items) >= feedBatch {
			collect = nil
		}
	}
}
