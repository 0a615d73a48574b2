package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
)

// Gap is a range of indexes that a log no longer has, or never had: old files were
// removed, or records were lost to a damaged or full disk.
type Gap struct {
	// From and To are the first and the last missing index.
	From, To uint64
}

// Item is what a reader receives: a record, or a gap.
type Item struct {
	Record
	// Gap is set instead of Record.
	Gap *Gap
}

// Read returns the records after an index, oldest first: at most limit records, with
// a Gap wherever indexes are missing. For an index beyond the end it returns nothing.
func (l *Log) Read(after uint64, limit int) ([]Item, error) {
	for {
		l.mu.Lock()
		files, next, closed := slices.Clone(l.files), l.next, l.closed
		l.mu.Unlock()
		if closed {
			return nil, ErrClosed
		}
		items, err := read(files, after, next, limit)
		if errors.Is(err, fs.ErrNotExist) && l.moved(files[0].path) {
			continue // the file was removed by a rotation in between
		}
		return items, err
	}
}

// moved reports whether a file no longer belongs to the log.
func (l *Log) moved(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(l.files, func(f file) bool { return f.path == path })
}

func read(files []file, after, next uint64, limit int) ([]Item, error) {
	// The file that contains the index is the last one that begins at or before it.
	from := 0
	for i, f := range files {
		if f.first <= after+1 {
			from = i
		}
	}
	var items []Item
	expect, left := after+1, limit
	missing := func(until uint64) {
		if until > expect {
			items = append(items, Item{Gap: &Gap{From: expect, To: until - 1}})
		}
	}
	for i, f := range files[from:] {
		if left <= 0 {
			break
		}
		start := int64(0)
		if i == 0 {
			var err error
			if start, err = seek(f.path, f.size, after); err != nil {
				return nil, fmt.Errorf("reading %d after %d: %w", limit, after, err)
			}
		}
		err := scan(f.path, start, f.size, func(r Record, _ int64) bool {
			if r.Index < expect {
				return true
			}
			missing(r.Index)
			items = append(items, Item{Record: r})
			expect = r.Index + 1
			left--
			return left > 0
		})
		if err != nil {
			return nil, fmt.Errorf("reading %d after %d: %w", limit, after, err)
		}
	}
	if left > 0 {
		missing(next)
	}
	return items, nil
}

// followChunk is how many records a follower reads at once.
const followChunk = 256

// Follow yields the records after an index, and then everything that is appended,
// until ctx ends or the reader stops. When the log is closed, it yields an error. A
// reader that is too slow for the rotation receives a Gap, and continues after it.
func (l *Log) Follow(ctx context.Context, after uint64) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for {
			// Get the channel before reading, so that no append is missed.
			l.mu.Lock()
			grown := l.grown
			l.mu.Unlock()
			items, err := l.Read(after, followChunk)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, item := range items {
				after = item.Index
				if item.Gap != nil {
					after = item.Gap.To
				}
				if ctx.Err() != nil || !yield(item, nil) {
					return
				}
			}
			if len(items) > 0 {
				continue
			}
			select {
			case <-grown:
			case <-ctx.Done():
				return
			}
		}
	}
}
