// Package transcript keeps the entries of one conversation. A journal (the
// events) has every change. A second log (the fold) has the compacted entries,
// so that the last screenful is read without the thousands of small changes
// that made it.
//
// A change is on disk before it is in memory: what Write, Cut or Settle could
// not write did not happen. The fold is computed from the journal, and computed
// again where it is missing.
//
// A Transcript is not safe for concurrent use; a View of it may be read
// concurrently.
package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// The folders of a transcript, within the conversation's folder.
const (
	EventsDir    = "events"
	CompactedDir = "folded"
)

const (
	// Window is the most entries of the last turn that are kept in memory.
	Window = 1000
	// maxRecord bounds one record of the journals, in bytes: the largest entry,
	// with all content of a tool call.
	maxRecord = 64 << 20
)

// ErrGap is returned when a part of the journal is missing.
var ErrGap = errors.New("a part of the conversation's journal is missing")

// Transcript is the entries of one conversation.
type Transcript struct {
	dir       string
	log       *slog.Logger
	events    *journal.Log // nil until it is open
	compacted compaction
	window    window
	last      uint64 // the index of the last event
}

// New returns the transcript in a folder. last is the index of its last event,
// as far as it is known before the transcript is open.
func New(dir string, last uint64, log *slog.Logger) *Transcript {
	return &Transcript{dir: dir, log: log, window: newWindow(), last: last}
}

// Last returns the index of the last event.
func (t *Transcript) Last() uint64 { return t.last }

// IsOpen reports whether the journals are open.
func (t *Transcript) IsOpen() bool { return t.events != nil }

// Open opens the journals, and compacts the events that the fold on disk does
// not have yet. It calls made with the index of each of these events that made
// an entry.
func (t *Transcript) Open(made func(event uint64)) error {
	events, err := journal.OpenLog(journal.LogConfig{
		Dir: filepath.Join(t.dir, EventsDir), Files: math.MaxInt, MaxRecord: maxRecord, Logger: t.log,
	})
	if err != nil {
		return Unwritable(err)
	}
	compacted, err := openCompacted(t.dir, t.log)
	if err != nil {
		return Unwritable(errors.Join(err, events.Close()))
	}
	through, err := compacted.through()
	// After a power cut the fold may have events that the end of the journal
	// lost. New indexes continue after the fold's, so that none is used twice.
	for events.Last() < through {
		events.Skip()
	}
	if err != nil {
		return errors.Join(err, events.Close(), compacted.log.Close())
	}
	t.events, t.compacted, t.last = events, compacted, events.Last()
	return t.replay(through, made)
}

// replay applies the events after an index.
func (t *Transcript) replay(after uint64, made func(event uint64)) error {
	for after < t.last {
		items, err := t.events.Read(after, 1000)
		if err != nil {
			return err
		}
		for _, item := range items {
			if item.Gap != nil {
				after = item.Gap.To
				continue
			}
			after = item.Index
			var ev protocol.ChatEvent
			if err := json.Unmarshal(item.Data, &ev); err != nil {
				t.log.Warn("an event of the conversation cannot be read", "index", item.Index, "error", err)
				continue
			}
			ev.Index = item.Index
			if t.take(ev) {
				made(ev.Index)
			}
			t.bound()
		}
		if len(items) == 0 {
			break
		}
	}
	return nil
}

// Unwritable wraps an error of a write in an error for the user. A
// *protocol.Error is returned unchanged.
func Unwritable(err error) error {
	if _, said := errors.AsType[*protocol.Error](err); err == nil || said {
		return err
	}
	return protocol.NewError(protocol.CodeNotWritable, "the conversation cannot be written: "+journal.Reason(err), "make room on the disk, and try again")
}

// Write writes one event: it is on disk when Write returns, or it did not
// happen. It returns the event with its index, and whether it made an entry. An
// entry without an index or an id gets them here.
func (t *Transcript) Write(ev protocol.ChatEvent) (written protocol.ChatEvent, made bool, err error) {
	ev.Index = t.events.Last() + 1 // there is no other writer
	if ev.Entry != nil && ev.Entry.Index == 0 {
		ev.Entry.Index = ev.Index
		if ev.Entry.ID == "" {
			ev.Entry.ID = "e" + strconv.FormatUint(ev.Index, 10)
		}
	}
	data, err := json.Marshal(ev)
	if err != nil {
		return ev, false, fmt.Errorf("encoding an event of the conversation: %w", err)
	}
	if _, err := t.events.Append(data); err != nil {
		return ev, false, Unwritable(err)
	}
	t.last = ev.Index
	made = t.take(ev)
	t.bound()
	return ev, made, nil
}

// bound writes the first part of a very long turn to disk and drops it from
// memory, while the turn continues.
func (t *Transcript) bound() {
	if len(t.window.items) <= Window {
		return
	}
	if err := t.compactOut(Window/2, 0); err != nil {
		t.log.Warn("a part of a long turn could not be folded", "error", err)
		return // the entries stay in memory
	}
	t.window.drop(Window / 2)
}

// take applies one event to the window and reports whether it made an entry.
func (t *Transcript) take(ev protocol.ChatEvent) (made bool) {
	if ev.Op == protocol.ChatAppend && t.window.byID[ev.ID] == nil {
		// Its entry was dropped from memory in the middle of a very long turn.
		if e, ok := t.compacted.find(ev.ID); ok {
			t.window.put(e, ev.Index)
		}
	}
	return t.window.apply(ev)
}

// Cut removes an entry and all after it. It returns the event of the removal,
// and how many entries were removed. If the event has an index, it was written,
// even if the fold was not; another Cut repairs that.
func (t *Transcript) Cut(e protocol.ChatEntry) (ev protocol.ChatEvent, removed int, err error) {
	if err := t.Clear(); err != nil {
		return ev, 0, err
	}
	err = t.Each(e.Index, func(protocol.ChatEntry) bool { removed++; return true })
	if err != nil {
		return ev, 0, err
	}
	ev, _, err = t.Write(protocol.ChatEvent{Op: protocol.ChatRemove, ID: e.ID})
	if err != nil {
		return protocol.ChatEvent{}, 0, err
	}
	err = t.compacted.write(compactRecord{through: t.last, index: e.Index, kind: compactCut})
	return ev, removed, Unwritable(err)
}

// Entry returns an entry as it is now.
func (t *Transcript) Entry(id string) (protocol.ChatEntry, bool) {
	if i := t.window.byID[id]; i != nil {
		return i.whole(), true
	}
	if t.events == nil || id == "" {
		return protocol.ChatEntry{}, false
	}
	return t.compacted.find(id)
}

// Recent returns the entries that may still change, those of the last turn,
// oldest first.
func (t *Transcript) Recent() []protocol.ChatEntry { return t.window.entries() }

// Heads returns the entries of Recent without their text, which may be long.
func (t *Transcript) Heads() iter.Seq[protocol.ChatEntry] {
	return func(yield func(protocol.ChatEntry) bool) {
		for _, i := range t.window.items {
			if !yield(i.entry) {
				return
			}
		}
	}
}

// Held returns how many entries are in memory.
func (t *Transcript) Held() int { return len(t.window.items) }

// Each calls yield with the entries on disk from an index on, newest first,
// reading page by page, until yield returns false.
func (t *Transcript) Each(from uint64, yield func(protocol.ChatEntry) bool) error {
	upTo, before := t.compacted.log.Last(), uint64(math.MaxUint64)
	for {
		page, more, err := t.compacted.tail(view{upTo: upTo, before: before, limit: protocol.ChatPageMax})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, e := range slices.Backward(page) {
			if e.Index < from || !yield(e) {
				return nil
			}
		}
		if before = page[0].Index; !more {
			return nil
		}
	}
}

// Settle writes all changed entries to disk, so that the fold has every event.
// The entries stay in memory, because the agent may still send updates about
// them.
func (t *Transcript) Settle() error { return t.compactOut(len(t.window.items), t.last) }

// Clear settles the entries and drops them from memory.
func (t *Transcript) Clear() error {
	if err := t.Settle(); err != nil {
		return Unwritable(err)
	}
	t.window = newWindow()
	return nil
}

// compactOut writes those of the first n entries that are not on disk in their
// current version. The last record says up to which event the fold is complete.
func (t *Transcript) compactOut(n int, through uint64) error {
	final := -1
	for at, i := range t.window.items[:n] {
		if !i.settled {
			final = at
		}
	}
	for at, i := range t.window.items[:final+1] {
		if i.settled {
			continue
		}
		data, err := json.Marshal(i.whole())
		if err != nil {
			return err
		}
		r := compactRecord{index: i.entry.Index, kind: compactEntry, id: i.entry.ID, data: data}
		if i.again {
			r.kind = foldAgain
		}
		if at == final {
			r.through = through
		}
		if err := t.compacted.write(r); err != nil {
			return err
		}
		i.settled, i.again = true, true
	}
	return nil
}

// Close closes the journals.
func (t *Transcript) Close() error {
	if t.events == nil {
		return nil
	}
	return errors.Join(t.events.Close(), t.compacted.log.Close())
}
