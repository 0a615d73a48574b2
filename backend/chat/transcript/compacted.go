package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// compaction has the compacted entries of a conversation, so that the last
// screenful is read without the thousands of small changes that made it. It is
// computed from the events, and computed again where it is missing.
//
// A record is a line "through index kind id\tJSON". A record whose through is
// not 0 ends a batch: the fold has every event up to that index. A batch that a
// crash interrupted is written again, so the newest record of an id counts.
type compaction struct {
	log *journal.Log
}

// The kinds of record.
const (
	compactEntry = 'n' // an entry, in the order of the indexes
	foldAgain    = 'a' // a newer version of an earlier entry
	compactCut   = 'c' // the entry with this index and all after it are removed
)

// compactRecord is one record, with its entry not decoded yet.
type compactRecord struct {
	through, index uint64
	kind           byte
	id             string
	data           []byte
}

func openCompacted(dir string, log *slog.Logger) (compaction, error) {
	l, err := journal.OpenLog(journal.LogConfig{
		Dir: filepath.Join(dir, CompactedDir), Files: math.MaxInt, MaxRecord: maxRecord, Logger: log,
	})
	return compaction{l}, err
}

// write appends a record.
func (f compaction) write(r compactRecord) error {
	line := fmt.Appendf(nil, "%d %d %c %s\t", r.through, r.index, r.kind, r.id)
	_, err := f.log.Append(append(line, r.data...))
	return err
}

func parseCompacted(line []byte) (r compactRecord, ok bool) {
	head, data, ok := bytes.Cut(line, []byte{'\t'})
	if !ok {
		return r, false
	}
	r.data = data
	_, err := fmt.Sscanf(string(head), "%d %d %c %s", &r.through, &r.index, &r.kind, &r.id)
	if err != nil {
		// A cut has no id.
		_, err = fmt.Sscanf(string(head), "%d %d %c", &r.through, &r.index, &r.kind)
	}
	return r, err == nil
}

// compactStep is how many records are read at once while reading backwards.
const compactStep = 64

// back calls each with the records up to a position in the log, newest first,
// until each returns false.
func (f compaction) back(upTo uint64, each func(compactRecord) bool) error {
	for upTo > 0 {
		from := upTo - min(upTo, compactStep)
		items, err := f.log.Read(from, compactStep)
		if err != nil {
			return err
		}
		for _, item := range slices.Backward(items) {
			if item.Gap != nil || item.Index > upTo {
				continue
			}
			if r, ok := parseCompacted(item.Data); ok && !each(r) {
				return nil
			}
		}
		upTo = from
	}
	return nil
}

// through returns the index of the last event that the fold has.
func (f compaction) through() (through uint64, err error) {
	err = f.back(f.log.Last(), func(r compactRecord) bool {
		through = r.through
		return through == 0
	})
	return through, err
}

// view selects a part of the fold.
type view struct {
	upTo uint64 // the last record that counts
	// Only entries with an index below before are returned.
	before uint64
	limit  int
	// seen has the entries of which the caller has a newer version.
	seen map[string]bool
}

// tail returns the last entries of a view, oldest first, and whether there are
// more before them.
func (f compaction) tail(v view) (entries []protocol.ChatEntry, more bool, err error) {
	newer := map[string][]byte{} // versions written after the entry's turn
	seen := map[string]bool{}
	cut := v.before
	var broken error
	err = f.back(v.upTo, func(r compactRecord) bool {
		switch {
		case r.kind == compactCut:
			cut = min(cut, r.index)
		case r.index >= cut || seen[r.id] || v.seen[r.id]:
		case r.kind == foldAgain:
			if newer[r.id] == nil {
				newer[r.id] = r.data
			}
		case len(entries) >= v.limit:
			more = true
			return false
		default:
			seen[r.id] = true
			data := r.data
			if newer[r.id] != nil {
				data = newer[r.id]
			}
			var e protocol.ChatEntry
			if err := json.Unmarshal(data, &e); err != nil {
				broken = fmt.Errorf("an entry of the conversation cannot be read: %w", err)
				return true // the others can be read
			}
			entries = append(entries, e)
		}
		return true
	})
	if err == nil && len(entries) == 0 {
		err = broken
	}
	slices.SortFunc(entries, func(a, b protocol.ChatEntry) int { return cmp.Compare(a.Index, b.Index) })
	return entries, more, err
}

// find returns one entry as the fold has it.
func (f compaction) find(id string) (protocol.ChatEntry, bool) {
	var e protocol.ChatEntry
	found, cut := false, uint64(math.MaxUint64)
	err := f.back(f.log.Last(), func(r compactRecord) bool {
		switch {
		case r.kind == compactCut:
			cut = min(cut, r.index)
		case r.id == id:
			found = r.index < cut && json.Unmarshal(r.data, &e) == nil
			return false
		}
		return true
	})
	return e, found && err == nil
}
