package activity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"

	"pilotfish/backend/hub"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Config is what a Log needs. Dir and Logger are required.
type Config struct {
	// Dir is the folder of the journal. No other code writes there.
	Dir string
	// Secret reports whether an argument of a command must not be recorded; nil
	// means that all may be.
	Secret func(command, arg string) bool
	Logger *slog.Logger
}

// Log is the activity of one session. It is safe for concurrent use. Recording
// never waits for a reader.
type Log struct {
	config  Config
	log     *slog.Logger
	journal *journal.Log
	news    *hub.Hub[struct{}]
	done    chan struct{}

	mu   sync.Mutex
	ring []protocol.ActivityEntry // oldest first, indexes without a gap
	// unwritten are the newest entries, oldest first, while the disk takes none.
	unwritten []protocol.ActivityEntry
	warned    bool
	closed    bool
}

// Open opens the activity of a session, including the earlier entries on disk.
func Open(c Config) (*Log, error) {
	j, err := journal.OpenLog(journal.LogConfig{
		Dir: c.Dir, FileSize: activityFileSize, Files: activityFiles, Logger: c.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the activity: %w", err)
	}
	return &Log{
		config: c, log: c.Logger.With("component", "activity"), journal: j,
		news: hub.New[struct{}](1), done: make(chan struct{}),
	}, nil
}

// Close writes what is not written yet, closes the log and ends all calls of Follow.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	close(l.done)
	err := l.write()
	if err != nil {
		err = fmt.Errorf("writing the last activity: %w", err)
	}
	return errors.Join(err, l.journal.Close())
}

// Record adds the entry of one command and returns it with its index. An entry
// that cannot be written is kept in memory and written before the next one. When too
// many wait, readers get a gap instead of the oldest.
func (l *Log) Record(e protocol.ActivityEntry) protocol.ActivityEntry {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return e
	}
	e.Index = l.lastLocked() + 1
	l.unwritten = append(l.unwritten, e)
	err := l.write()
	if err != nil && !l.warned {
		l.log.Warn("activity could not be written", "error", err)
	}
	l.warned = err != nil
	if len(l.unwritten) > activityUnwritten {
		l.skip()
	}
	if len(l.ring) >= protocol.ActivityRing {
		l.ring = append(l.ring[:0], l.ring[len(l.ring)-protocol.ActivityRing/2:]...)
	}
	l.ring = append(l.ring, e)
	l.mu.Unlock()
	l.news.Publish(struct{}{})
	return e
}

// write appends what is not written yet to the journal. An entry that no disk would
// take is skipped. The caller holds mu.
func (l *Log) write() error {
	for len(l.unwritten) > 0 {
		data, err := json.Marshal(l.unwritten[0])
		if err == nil {
			// The journal assigns the index that the entry has, because no other
			// code appends.
			_, err = l.journal.Append(data)
		}
		switch {
		case err == nil:
			l.unwritten = l.unwritten[1:]
		case data == nil, errors.Is(err, journal.ErrTooLarge):
			l.log.Warn("an entry of the activity is not kept", "error", err)
			l.skip()
		default:
			return err
		}
	}
	l.unwritten = nil // so that the memory behind it is freed
	return nil
}

// skip gives up the oldest entry that is not written. The caller holds mu.
func (l *Log) skip() {
	l.journal.Skip()
	l.unwritten = l.unwritten[1:]
}

// Last returns the index of the newest entry; 0 when there is none.
func (l *Log) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastLocked()
}

func (l *Log) lastLocked() uint64 { return l.journal.Last() + uint64(len(l.unwritten)) }

// next returns the index after which to continue reading.
func next(i protocol.ActivityItem) uint64 {
	if i.Gap != nil {
		return i.Gap.To
	}
	return i.Entry.Index
}

// read returns at most limit entries after an index.
func (l *Log) read(after uint64, limit int) ([]protocol.ActivityItem, error) {
	l.mu.Lock()
	if len(l.ring) > 0 && l.ring[0].Index <= after+1 {
		var items []protocol.ActivityItem
		for _, e := range l.ring {
			if e.Index > after && len(items) < limit {
				items = append(items, protocol.ActivityItem{Entry: e})
			}
		}
		l.mu.Unlock()
		return items, nil
	}
	l.mu.Unlock()
	stored, err := l.journal.Read(after, limit)
	if err != nil {
		return nil, err
	}
	items := make([]protocol.ActivityItem, 0, len(stored))
	for _, s := range stored {
		if s.Gap != nil {
			items = append(items, protocol.ActivityItem{Gap: &protocol.ActivityGap{From: s.Gap.From, To: s.Gap.To}})
			continue
		}
		item := protocol.ActivityItem{}
		if err := json.Unmarshal(s.Data, &item.Entry); err != nil {
			item.Gap = &protocol.ActivityGap{From: s.Index, To: s.Index}
		}
		item.Entry.Index = s.Index
		items = append(items, item)
	}
	return items, nil
}

// chunk is how many entries are read at a time.
const chunk = 256

// History returns at most limit entries after an index, oldest first: those for
// which see returns true; nil means all.
func (l *Log) History(after uint64, limit int, see func(protocol.ActivityEntry) bool) (protocol.ActivityPage, error) {
	page := protocol.ActivityPage{Entries: []protocol.ActivityEntry{}, Gaps: []protocol.ActivityGap{}, Next: after, Last: l.Last()}
	for len(page.Entries) < limit {
		items, err := l.read(page.Next, chunk)
		if err != nil {
			return page, err
		}
		if len(items) == 0 {
			break
		}
		for _, item := range items {
			if len(page.Entries) == limit {
				return page, nil
			}
			page.Next = next(item)
			switch {
			case item.Gap != nil:
				page.Gaps = append(page.Gaps, *item.Gap)
			case see == nil || see(item.Entry):
				page.Entries = append(page.Entries, item.Entry)
			}
		}
	}
	return page, nil
}

// Follow yields the entries after an index for which see returns true, and then
// every new one, until ctx ends, the reader stops or the log is closed. A
// reader that is too slow gets a gap in place of entries that are no longer
// kept.
func (l *Log) Follow(ctx context.Context, after uint64, see func(protocol.ActivityEntry) bool) iter.Seq2[protocol.ActivityItem, error] {
	return func(yield func(protocol.ActivityItem, error) bool) {
		for items, err := range l.Parts(ctx, after) {
			if err != nil {
				yield(protocol.ActivityItem{}, err)
				return
			}
			for _, item := range items {
				if item.Gap == nil && see != nil && !see(item.Entry) {
					continue
				}
				if ctx.Err() != nil || !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Parts is Follow for a reader that takes everything: each part has all that is
// there, up to a bound.
func (l *Log) Parts(ctx context.Context, after uint64) iter.Seq2[[]protocol.ActivityItem, error] {
	return func(yield func([]protocol.ActivityItem, error) bool) {
		news := l.news.Subscribe() // before reading, so that no entry is missed in between
		defer news.Close()
		for {
			items, err := l.read(after, chunk)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(items) > 0 {
				after = next(items[len(items)-1])
				if ctx.Err() != nil || !yield(items, nil) {
					return
				}
				continue
			}
			select {
			case <-news.C():
			case <-l.done:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}
