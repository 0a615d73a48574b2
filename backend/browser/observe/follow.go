package observe

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const (
	// followPace is the shortest time between two batches for a follower: a page may
	// report thousands of events in a second, and nobody sees more than this.
	followPace = 50 * time.Millisecond
	// followBatch is how many items one batch has.
	followBatch = 500
	// lingerFor is how long a tab is still watched when its last follower has gone.
	// The user looks into another room, or at another tab, and comes back.
	lingerFor = 5 * time.Minute
)

// changes numbers the changes of a watch. The first number is the time at which the
// watch began, in microseconds, so that the numbers of a later watch of the same tab
// are greater.
type changes struct {
	begun uint64
	now   uint64 // the last change
	begin uint64 // changes up to this one cannot be reported one by one any more
	moved chan struct{}
}

func newChanges() changes {
	now := uint64(time.Now().UnixMicro())
	return changes{begun: now, now: now, begin: now, moved: make(chan struct{})}
}

// changed counts a change, and wakes the followers.
func (c *changes) changed() uint64 {
	c.now++
	close(c.moved)
	c.moved = make(chan struct{})
	return c.now
}

// reset makes every follower begin anew, because something was removed.
func (c *changes) reset() { c.begin = c.changed() }

// batch is what a follower gets at once.
type batch[T any] struct {
	items []T
	last  uint64
	gap   bool
	more  <-chan struct{} // closed at the next change; nil when more is there already
}

// Changes are changes of a tab for a follower.
type Changes[T any] struct {
	Items []T
	// Last is the number of the last change among them.
	Last uint64
	// Gap: the items are all that there is; what the follower has from before is gone.
	Gap bool
}

// pending returns the items of the console after a change.
func (c *consoleWatch) pending(after uint64) batch[protocol.ConsoleItem] {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := batch[protocol.ConsoleItem]{last: c.now, more: c.moved, gap: after < c.begin}
	if after > c.now {
		return out // a follower that went on faster than the watch began anew
	}
	// Each change added one item, except the one that reset.
	n := min(uint64(len(c.ring.Items)), c.now-max(after, c.begin))
	items := c.ring.Items[uint64(len(c.ring.Items))-n:]
	if c.now-max(after, c.begin) > uint64(len(c.ring.Items)) {
		out.gap = true
	}
	if len(items) > followBatch {
		out.last -= uint64(len(items) - followBatch)
		items, out.more = items[:followBatch], nil
	}
	out.items = slices.Clone(items)
	return out
}

// pending returns the requests that changed after a change, oldest change first.
func (n *networkWatch) pending(after uint64) batch[protocol.NetworkItem] {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := batch[protocol.NetworkItem]{last: n.now, more: n.moved, gap: after < n.begin}
	var found []*traffic
	for _, t := range n.ring.Items {
		if out.gap || t.changed > after {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *traffic) int { return int(int64(a.changed) - int64(b.changed)) })
	if len(found) > followBatch {
		found, out.more = found[:followBatch], nil
		out.last = max(found[followBatch-1].changed, n.begin)
	}
	for _, t := range found {
		out.items = append(out.items, t.item())
	}
	return out
}

// item returns a request as its followers get it.
func (t *traffic) item() protocol.NetworkItem {
	out := protocol.NetworkItem{Entry: t.NetworkEntry, Page: t.page, Size: t.size, Stack: t.stack, Redirect: t.Redirect}
	out.Entry.RequestHeaders, out.Entry.ResponseHeaders, out.Entry.PostData = nil, nil, ""
	if t.Timing != nil && t.Done {
		h := t.Phases()
		out.Times = &protocol.NetworkTimes{Blocked: *h.Blocked, DNS: *h.DNS, Connect: *h.Connect, TLS: *h.Ssl, Send: h.Send, Wait: h.Wait, Receive: h.Receive}
	}
	return out
}

// FollowNetwork returns the requests of a tab that changed after a change (0: all),
// and then those that change, until ctx or the tab ends. The tab is watched meanwhile.
func (o *Observer) FollowNetwork(ctx context.Context, id protocol.TabID, after uint64) iter.Seq2[Changes[protocol.NetworkItem], error] {
	return follow(ctx, o, id, featureNetwork, newNetworkWatch, after, (*networkWatch).pending)
}

// FollowConsole is FollowNetwork for the console of a tab.
func (o *Observer) FollowConsole(ctx context.Context, id protocol.TabID, after uint64) iter.Seq2[Changes[protocol.ConsoleItem], error] {
	return follow(ctx, o, id, featureConsole, o.newConsoleWatch(id), after, (*consoleWatch).pending)
}

// Faults are how many errors and warnings a tab has written since its last navigation.
type Faults struct{ Errors, Warnings int }

// FollowFaults returns the faults of a tab, and again when they change.
func (o *Observer) FollowFaults(ctx context.Context, id protocol.TabID) iter.Seq2[Changes[Faults], error] {
	return follow(ctx, o, id, featureConsole, o.newConsoleWatch(id), 0, func(c *consoleWatch, _ uint64) batch[Faults] {
		c.mu.Lock()
		defer c.mu.Unlock()
		return batch[Faults]{items: []Faults{{c.errors, c.warnings}}, last: c.now, more: c.moved}
	})
}

func follow[W watch.Feature, T any](ctx context.Context, o *Observer, id protocol.TabID, feature string, fresh func() W, after uint64, pending func(W, uint64) batch[T]) iter.Seq2[Changes[T], error] {
	return func(yield func(Changes[T], error) bool) {
		fail := func(err error) {
			if ctx.Err() == nil {
				yield(Changes[T]{}, err)
			}
		}
		k, err := o.tabs.Of(ctx, id)
		if err != nil {
			fail(err)
			return
		}
		defer o.leases.take(ctx, k, feature)()
		w, err := watch.Use(ctx, k, feature, fresh)
		if err != nil {
			fail(err)
			return
		}
		if err := k.CatchUp(ctx); err != nil {
			fail(o.tabs.Explain(ctx, id, err))
			return
		}
		for first := true; ; first = false {
			b := pending(w, after)
			if first || b.gap || len(b.items) > 0 {
				if !yield(Changes[T]{Items: b.items, Last: b.last, Gap: b.gap && !first || b.gap && after != 0}, nil) {
					return
				}
			}
			after = b.last
			if b.more == nil {
				continue
			}
			select {
			case <-time.After(followPace):
			case <-ctx.Done():
				return
			}
			if err := k.Until(ctx, b.more); err != nil {
				fail(o.tabs.Explain(ctx, id, err))
				return
			}
		}
	}
}

// leases know for whom a tab is watched. A watch that only followers want ends
// lingerFor after the last of them has gone; one that a command began stays.
type leases struct {
	// stop ends a watch.
	stop func(ctx context.Context, k *watch.Keeper, feature string) error

	mu sync.Mutex
	of map[leased]*lease
}

func newLeases() leases {
	return leases{stop: func(ctx context.Context, k *watch.Keeper, feature string) error { return k.Stop(ctx, feature) }, of: make(map[leased]*lease)}
}

type leased struct {
	keeper  *watch.Keeper
	feature string
}

type lease struct {
	followers int
	end       *time.Timer // runs while there are no followers
}

// take is called before a follower's watch begins; the follower calls release when it
// goes.
func (l *leases) take(ctx context.Context, k *watch.Keeper, feature string) (release func()) {
	key := leased{k, feature}
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of[key]
	switch {
	case one == nil && k.Has(feature):
		return func() {} // it was begun by a command, and stays
	case one == nil:
		one = &lease{}
		l.of[key] = one
	case one.end != nil:
		one.end.Stop()
		one.end = nil
	}
	one.followers++
	own := context.WithoutCancel(ctx)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		one.followers--
		if one.followers > 0 || l.of[key] != one {
			return
		}
		one.end = time.AfterFunc(lingerFor, func() { l.over(own, key, one) })
	}
}

// over ends a watch that nobody follows any more.
func (l *leases) over(ctx context.Context, key leased, one *lease) {
	l.mu.Lock()
	idle := l.of[key] == one && one.followers == 0
	if idle {
		delete(l.of, key)
	}
	l.mu.Unlock()
	if idle {
		_ = l.stop(ctx, key.keeper, key.feature) // it fails only when the browser has ended
	}
}

// keep says that a command wants a watch: it stays from now on.
func (l *leases) keep(k *watch.Keeper, feature string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := leased{k, feature}
	if one := l.of[key]; one != nil {
		if one.end != nil {
			one.end.Stop()
		}
		delete(l.of, key)
	}
}

// stackOf returns the callers of a stack, nearest first, with those that an
// asynchronous call came from behind them.
func stackOf(st *runtime.StackTrace) []protocol.CodePlace {
	var out []protocol.CodePlace
	for ; st != nil; st = st.Parent {
		for _, f := range st.CallFrames {
			if len(out) == framesKept {
				return out
			}
			if f.URL == "" {
				continue // of the browser, or of a script that has no address
			}
			out = append(out, protocol.CodePlace{Function: f.FunctionName, URL: f.URL, Line: int(f.LineNumber) + 1, Column: int(f.ColumnNumber) + 1})
		}
	}
	return out
}

// framesKept is how many frames of a stack a follower gets.
const framesKept = 16
