package transcript

import (
	"slices"
	"sort"

	"pilotfish/backend/protocol"
)

// window has, in memory and compacted, the part of a conversation that may
// still change: the entries of the last turn. Earlier entries are on disk (see
// folded).
type window struct {
	items []*item // in the order of their indexes
	byID  map[string]*item
}

// item is an entry that may still grow. Its text is in text, and entry.Text is
// empty, so that a long reply is not copied for each added piece.
type item struct {
	entry protocol.ChatEntry
	text  []byte
	// again is set when an older version of it is on disk already; settled is
	// set when this version is on disk.
	again, settled bool
}

func newWindow() window { return window{byID: map[string]*item{}} }

// whole returns the entry with its text.
func (i *item) whole() protocol.ChatEntry {
	e := i.entry
	e.Text = string(i.text)
	return e
}

// apply applies one event. It reports whether the event made a new entry.
func (w *window) apply(ev protocol.ChatEvent) (fresh bool) {
	switch ev.Op {
	case protocol.ChatPut:
		if ev.Entry != nil {
			return w.put(*ev.Entry, ev.Index)
		}
	case protocol.ChatAppend:
		if i := w.byID[ev.ID]; i != nil {
			i.text = append(i.text, ev.Text...)
			i.settled = false
		}
	case protocol.ChatRemove:
		if i := w.byID[ev.ID]; i != nil {
			w.cut(i.entry.Index)
		}
	case protocol.ChatHead:
	}
	return false
}

func (w *window) put(e protocol.ChatEntry, event uint64) (fresh bool) {
	i := w.byID[e.ID]
	if i == nil {
		i = &item{again: e.Index < event}
		w.byID[e.ID] = i
		at := sort.Search(len(w.items), func(n int) bool { return w.items[n].entry.Index > e.Index })
		w.items = slices.Insert(w.items, at, i)
		fresh = !i.again
	}
	i.text = append(i.text[:0:0], e.Text...)
	e.Text = ""
	i.entry, i.settled = e, false
	return fresh
}

// cut removes every entry with an index of from or more.
func (w *window) cut(from uint64) {
	w.items = slices.DeleteFunc(w.items, func(i *item) bool {
		if i.entry.Index < from {
			return false
		}
		delete(w.byID, i.entry.ID)
		return true
	})
}

// drop removes the first n entries, which were written to disk.
func (w *window) drop(n int) {
	for _, i := range w.items[:n] {
		delete(w.byID, i.entry.ID)
	}
	w.items = slices.Delete(w.items, 0, n)
}

// entries returns copies of all entries.
func (w *window) entries() []protocol.ChatEntry {
	all := make([]protocol.ChatEntry, len(w.items))
	for n, i := range w.items {
		all[n] = i.whole()
	}
	return all
}
