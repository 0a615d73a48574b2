package logs

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// ring keeps the newest records and wakes its followers.
type ring struct {
	mu      sync.Mutex
	seq     uint64
	records []protocol.LogRecord // a circular buffer once it is full
	limit   int
	news    chan struct{} // closed at the next record
}

func newRing(limit int) *ring { return &ring{limit: limit, news: make(chan struct{})} }

func (r *ring) add(level slog.Level, component, message, attrs string) {
	r.put(protocol.LogRecord{Time: time.Now(), Level: level.String(), Component: component, Message: message, Attrs: attrs})
}

func (r *ring) put(record protocol.LogRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	record.Seq = r.seq
	if len(r.records) < r.limit {
		r.records = append(r.records, record)
	} else {
		r.records[int((r.seq-1)%uint64(r.limit))] = record
	}
	close(r.news)
	r.news = make(chan struct{})
}

// tail returns the records, oldest first.
func (r *ring) tail() []protocol.LogRecord {
	records, _ := r.since(0, r.limit)
	return records
}

// since returns at most most of the records after seq, and a channel that is closed
// when there are more.
func (r *ring) since(seq uint64, most int) ([]protocol.LogRecord, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	oldest := r.seq - uint64(len(r.records))
	seq = max(seq, oldest)
	count := min(int(r.seq-seq), most)
	records := make([]protocol.LogRecord, 0, count)
	for i := range uint64(count) {
		records = append(records, r.records[int((seq+i)%uint64(r.limit))])
	}
	return records, r.news
}

func (r *ring) follow(ctx context.Context, most int, heard func([]protocol.LogRecord)) {
	r.mu.Lock()
	seq := r.seq
	r.mu.Unlock()
	for {
		records, news := r.since(seq, most)
		if len(records) > 0 {
			seq = records[len(records)-1].Seq
			heard(records)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
	}
}

// ringHandler converts slog's records to ours.
type ringHandler struct {
	ring      *ring
	level     slog.Level
	component string
	attrs     []slog.Attr
	groups    []string
}

func (r *ring) handler(level slog.Level) slog.Handler { return &ringHandler{ring: r, level: level} }

// Enabled reports whether the level is logged.
func (h *ringHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle adds a record to the ring.
func (h *ringHandler) Handle(ctx context.Context, record slog.Record) error {
	attrs := slices.Clone(h.attrs)
	record.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	h.ring.put(protocol.LogRecord{
		Time: record.Time, Level: record.Level.String(), Component: h.component, Message: record.Message, Attrs: text(ctx, attrs, h.groups),
	})
	return nil
}

// WithAttrs returns a handler with more attributes; the component is kept separately.
func (h *ringHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		if a.Key == "component" && len(h.groups) == 0 {
			with.component = a.Value.String()
			continue
		}
		with.attrs = append(with.attrs, a)
	}
	return &with
}

// WithGroup returns a handler with a group.
func (h *ringHandler) WithGroup(name string) slog.Handler {
	with := *h
	with.groups = append(slices.Clone(h.groups), name)
	return &with
}
