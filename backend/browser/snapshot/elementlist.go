package snapshot

import (
	"context"
	"errors"
	"iter"
	"time"

	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/protocol"
)

const (
	// elementsMost is how many elements a list has at most.
	elementsMost = 2000
	// leastWait is the shortest time between two readings of a page, and readingPart the part of
	// the time that reading may take: a page that is slow to read is read less often.
	leastWait   = 250 * time.Millisecond
	readingPart = 10
	// longestWait bounds that wait.
	longestWait = 5 * time.Second
	// failedWait is the wait after a page that could not be read: it loads, or shows a
	// dialog, and nothing reports the end of that.
	failedWait = 2 * time.Second
)

// elementsCaller is the name under which pages are read; world.js knows it.
const elementsCaller = "room elements"

// FollowElements returns what can be acted on in a tab, and then how it changes, until ctx
// ends. It reads the page only while somebody follows, and only after the page reported
// a change. A reader that is slow gets fewer and larger changes.
func (ss *Snapshots) FollowElements(ctx context.Context, tab protocol.TabID) iter.Seq2[[]protocol.ElementItem, error] {
	return func(yield func([]protocol.ElementItem, error) bool) {
		f := follower{snapshots: ss, tab: tab, yield: yield}
		if err := f.run(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, errLeft) {
			yield(nil, err)
		}
	}
}

// errLeft says that the reader wants no more.
var errLeft = errors.New("the reader left")

// follower is one reader.
type follower struct {
	snapshots *Snapshots
	tab       protocol.TabID
	yield     func([]protocol.ElementItem, error) bool
	list      elementList
	// failed: the reader has got the error that the list is not current.
	failed bool
}

func (f *follower) run(ctx context.Context) error {
	if f.tab == "" {
		return protocol.NewError(protocol.CodeBadArgument, "elements are those of one tab", "name the tab")
	}
	var w *overlay.Watcher
	defer func() {
		if w != nil {
			w.Close(ctx)
		}
	}()
	for {
		began := time.Now()
		var err error
		if w == nil {
			w, err = f.snapshots.marks.Watch(ctx, f.tab)
		}
		if err == nil {
			err = f.read(ctx, w)
		}
		if ctx.Err() != nil || errors.Is(err, errLeft) {
			return err
		}
		rest := min(max(leastWait, readingPart*time.Since(began)), longestWait)
		if err != nil {
			if code := protocol.AsError(err).Code; code == protocol.CodeUnknownTab || code == protocol.CodeNotRunning {
				return err
			}
			if err := f.send(protocol.ElementItem{Kind: protocol.ElementFailed, Error: protocol.AsError(err)}); err != nil {
				return err
			}
			rest, f.failed = failedWait, true
		}
		if !pause(ctx, rest) {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		select {
		case <-w.Changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pause waits, and reports whether ctx is still there.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// read reads the page and sends what has changed.
func (f *follower) read(ctx context.Context, w *overlay.Watcher) error {
	if err := w.Arm(ctx); err != nil {
		return err
	}
	snap, err := f.snapshots.Snapshot(ctx, protocol.Caller{Name: elementsCaller}, f.tab, protocol.SnapshotRequest{Compact: true, Interactive: true, JSON: true}, nil)
	if err != nil {
		return err
	}
	items := f.list.update(snap)
	if f.failed && len(items) == 0 {
		items = append(items, f.list.page()) // the list is current again
	}
	f.failed = false
	return f.send(items...)
}

func (f *follower) send(items ...protocol.ElementItem) error {
	if len(items) == 0 {
		return nil
	}
	if !f.yield(items, nil) {
		return errLeft
	}
	return nil
}
