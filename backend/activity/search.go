package activity

import (
	"context"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

const (
	// searched is how many entries one search reads at most, so that it takes well
	// below a second.
	searched = 20_000
	// overlap is how much earlier an entry can have begun than entries before it:
	// an entry is written when its command ends.
	overlap = time.Hour
)

// Search returns the newest entries before an index that a query selects and for
// which see returns true; nil means all. The result is oldest first. It reads at
// most a bounded number of entries; ActivityFound.Before says where to continue.
func (l *Log) Search(ctx context.Context, q protocol.ActivityQuery, see func(protocol.ActivityEntry) bool) (protocol.ActivityFound, error) {
	return l.search(ctx, q, see, searched)
}

// search reads at most left entries.
func (l *Log) search(ctx context.Context, q protocol.ActivityQuery, see func(protocol.ActivityEntry) bool, left int) (protocol.ActivityFound, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = protocol.ActivityPageSize
	}
	found := protocol.ActivityFound{Entries: []protocol.ActivityEntry{}, Gaps: []protocol.ActivityGap{}, Shots: []uint64{}, Last: l.Last()}
	selects := Selects(q)
	first := l.journal.First()
	before := q.Before
	if before == 0 || before > found.Last+1 {
		before = found.Last + 1
	}
search:
	for {
		if before <= first {
			if first > 1 && before > 1 {
				found.Gaps = append(found.Gaps, protocol.ActivityGap{From: 1, To: before - 1})
			}
			before = 0
			break
		}
		if len(found.Entries) >= limit || left <= 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return found, err //nolint:wrapcheck // the caller's own
		}
		from := first
		if before > chunk && before-chunk > first {
			from = before - chunk
		}
		items, err := l.read(from-1, int(before-from))
		if err != nil {
			return found, err
		}
		for _, item := range slices.Backward(items) {
			if item.Gap != nil {
				if gap := (protocol.ActivityGap{From: max(item.Gap.From, from), To: min(item.Gap.To, before-1)}); gap.From <= gap.To {
					found.Gaps = append(found.Gaps, gap)
				}
				continue
			}
			e := item.Entry
			if e.Index >= before {
				continue
			}
			left--
			if q.Since != nil && e.Time.Before(q.Since.Add(-overlap)) {
				before = 0
				break search
			}
			if !selects(e) || (see != nil && !see(e)) {
				continue
			}
			found.Entries = append(found.Entries, e)
			if len(found.Entries) == limit {
				from = e.Index
				break
			}
		}
		before = from
	}
	found.Before = before
	slices.Reverse(found.Entries)
	found.Gaps = joined(found.Gaps)
	return found, nil
}

// joined sorts gaps and joins those that touch.
func joined(gaps []protocol.ActivityGap) []protocol.ActivityGap {
	slices.SortFunc(gaps, func(a, b protocol.ActivityGap) int {
		if a.From < b.From {
			return -1
		}
		return 1
	})
	out := gaps[:0]
	for _, g := range gaps {
		if n := len(out); n > 0 && out[n-1].To+1 >= g.From {
			out[n-1].To = max(out[n-1].To, g.To)
			continue
		}
		out = append(out, g)
	}
	return out
}

// Selects returns a function that reports whether a query selects an entry. It
// ignores the index. The panel has the same rules for new entries
// (rooms/activity/match.ts).
func Selects(q protocol.ActivityQuery) func(protocol.ActivityEntry) bool {
	text, actor := strings.ToLower(strings.TrimSpace(q.Text)), strings.ToLower(strings.TrimSpace(q.Actor))
	return func(e protocol.ActivityEntry) bool {
		switch {
		case q.Tab != "" && e.Tab != q.Tab:
		case q.Since != nil && e.Time.Before(*q.Since):
		case q.Until != nil && !e.Time.Before(*q.Until):
		case len(q.Kinds) > 0 && !ofKind(e, q.Kinds):
		case actor != "" && !by(e.Actor, actor):
		case text != "" && !says(e, text):
		default:
			return true
		}
		return false
	}
}

// ofKind reports whether an entry is of one of the kinds. What failed is an
// error, whatever else it is.
func ofKind(e protocol.ActivityEntry, kinds []protocol.ActivityKind) bool {
	return slices.Contains(kinds, e.What()) || (!e.OK && slices.Contains(kinds, protocol.ActivityError))
}

// by reports whether an actor is meant by a text in lower case.
func by(a protocol.Actor, text string) bool {
	kind := strings.ToLower(string(a.Kind))
	return kind == text || kind+" "+strings.ToLower(a.ID) == text ||
		strings.Contains(strings.ToLower(a.Name), text) || strings.Contains(strings.ToLower(a.Agent), text)
}

// says reports whether an entry contains a text in lower case.
func says(e protocol.ActivityEntry, text string) bool {
	for _, s := range []string{e.Command, e.Summary, e.Actor.Name, e.Actor.Agent, string(e.Tab), string(e.Code)} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	for _, value := range e.Args {
		if strings.Contains(strings.ToLower(value), text) {
			return true
		}
	}
	return false
}
