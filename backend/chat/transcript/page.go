package transcript

import (
	"encoding/json"
	"math"

	"pilotfish/backend/protocol"
)

// View is a transcript at one moment. It stays valid, and may be read
// concurrently, while the transcript changes.
type View struct {
	compacted compaction
	upTo      uint64
	recent    []protocol.ChatEntry
}

// View returns the transcript as it is now. It must be open.
func (t *Transcript) View() View {
	return View{compacted: t.compacted, upTo: t.compacted.log.Last(), recent: t.window.entries()}
}

// Page returns the last limit entries before an index (0 means the end), oldest
// first, and whether there are more before them.
func (v View) Page(before uint64, limit int) (entries []protocol.ChatEntry, more bool, err error) {
	if before == 0 || before > math.MaxInt64 {
		before = math.MaxUint64
	}
	// The window has newer versions of its entries than the disk.
	seen := make(map[string]bool, len(v.recent))
	for _, e := range v.recent {
		seen[e.ID] = true
	}
	older, more, err := v.compacted.tail(view{upTo: v.upTo, before: before, limit: limit, seen: seen})
	if err != nil {
		return nil, false, err
	}
	entries, more = merge(older, more, v.recent, before, limit)
	return entries, more, nil
}

// merge combines the entries from disk and from memory, and returns the last
// limit ones before an index.
func merge(older []protocol.ChatEntry, more bool, recent []protocol.ChatEntry, before uint64, limit int) ([]protocol.ChatEntry, bool) {
	first := uint64(0) // entries older than the part that was read from disk are left out
	if more && len(older) > 0 {
		first = older[0].Index
	}
	all := make([]protocol.ChatEntry, 0, len(older)+len(recent))
	for len(older) > 0 || len(recent) > 0 {
		var e protocol.ChatEntry
		if len(recent) == 0 || len(older) > 0 && older[0].Index < recent[0].Index {
			e, older = older[0], older[1:]
		} else {
			e, recent = recent[0], recent[1:]
		}
		switch {
		case e.Index >= before:
		case e.Index < first:
			more = true
		default:
			all = append(all, e)
		}
	}
	if len(all) > limit {
		all, more = all[len(all)-limit:], true
	}
	return all, more
}

// Events returns the events after an index up to another one, as they were
// written. It returns ErrGap if one of them is missing.
func (t *Transcript) Events(after, last uint64) ([]protocol.ChatEvent, error) {
	var events []protocol.ChatEvent
	if after >= last {
		return events, nil
	}
	items, err := t.events.Read(after, int(last-after))
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		var ev protocol.ChatEvent
		if item.Gap != nil {
			return nil, ErrGap
		}
		if item.Index > last {
			break
		}
		if err := json.Unmarshal(item.Data, &ev); err != nil {
			return nil, err
		}
		ev.Index = item.Index
		events = append(events, ev)
	}
	return events, nil
}
