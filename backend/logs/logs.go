package logs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// Config holds the settings of a log.
type Config struct {
	// Dir is the folder of the files; it must exist. If it is empty, the log goes
	// only to the ring and to Also.
	Dir string
	// Level is the minimum level that is logged.
	Level slog.Level
	// Also receives every record as text, for example a console; nil for none.
	Also io.Writer
}

// Log collects what the app logs. It is safe for concurrent use.
type Log struct {
	logger *slog.Logger
	file   *file // nil without a folder
	limit  *limiter
	ring   *ring
}

// fileLimit is the size at which a file is rotated. The constructor takes it as a
// parameter so that the test need not write megabytes.
const fileLimit = logFileSize

// New opens the log. If the file cannot be opened, the log works without it, and err
// says why: an app that cannot log should still start and say so.
func New(cfg Config) (log *Log, err error) { return newLog(cfg, fileLimit) }

func newLog(cfg Config, limit int64) (*Log, error) {
	l := &Log{limit: newLimiter(time.Now), ring: newRing(logTail)}
	handlers := []slog.Handler{l.ring.handler(cfg.Level)}
	var err error
	if cfg.Dir != "" {
		if l.file, err = openFile(filepath.Join(cfg.Dir, "pilotfish.log"), limit); err == nil {
			handlers = append(handlers, slog.NewJSONHandler(writer{l}, &slog.HandlerOptions{Level: cfg.Level}))
		}
	}
	if cfg.Also != nil {
		handlers = append(handlers, slog.NewTextHandler(cfg.Also, &slog.HandlerOptions{Level: cfg.Level}))
	}
	l.logger = slog.New(&limited{next: slog.NewMultiHandler(handlers...), limit: l.limit})
	return l, err
}

// Logger returns the app's logger.
func (l *Log) Logger() *slog.Logger { return l.logger }

// Close closes the file. A later record opens it again.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.close()
}

// Tail returns the newest records, oldest first.
func (l *Log) Tail() []protocol.LogRecord { return l.ring.tail() }

// Follow calls heard with new records, in batches of at most most, until ctx ends. A
// reader that is slower than the log misses records; their Seq shows it.
func (l *Log) Follow(ctx context.Context, most int, heard func([]protocol.LogRecord)) {
	l.ring.follow(ctx, most, heard)
}

// writer writes the JSON lines into the file. It reports errors in the ring, because
// the file cannot take them.
type writer struct{ log *Log }

// Write never fails, so that a full disk does not look like an error of the code that
// logs.
func (w writer) Write(line []byte) (int, error) {
	lost, err := w.log.file.write(line)
	if err != nil {
		w.log.ring.add(slog.LevelWarn, "logs", "the log file cannot be written; lines are lost until it can", fmt.Sprintf("error=%q", err))
	}
	if lost > 0 {
		w.log.ring.add(slog.LevelInfo, "logs", "the log file can be written again", fmt.Sprintf("lost=%d", lost))
	}
	return len(line), nil
}

// text formats attributes as "key=value key=value".
func text(ctx context.Context, attrs []slog.Attr, groups []string) string {
	var b bytes.Buffer
	h := slog.Handler(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
			return slog.Attr{}
		}
		return a
	}}))
	for _, g := range groups {
		h = h.WithGroup(g)
	}
	r := slog.Record{}
	r.AddAttrs(attrs...)
	if h.Handle(ctx, r) != nil {
		return "" // a buffer accepts all writes
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// limiter limits the records of each message to burst per second.
type limiter struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[string]*count
}

type count struct {
	second  int64
	records int
	cut     int
}

// burst is how many records of one message are logged per second, and messages is how
// many messages are counted at once.
const (
	burst    = 50
	messages = 1000
)

func newLimiter(now func() time.Time) *limiter { return &limiter{now: now, seen: map[string]*count{}} }

// allow reports whether a record may be logged, and how many were cut before it.
func (l *limiter) allow(message string) (ok bool, cut int) {
	second := l.now().Unix()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.seen[message]
	if c == nil {
		if len(l.seen) >= messages {
			clear(l.seen) // messages are constants; so many different ones are a mistake, so the memory is bounded
		}
		c = &count{second: second}
		l.seen[message] = c
	}
	if c.second != second {
		cut = c.cut
		*c = count{second: second}
	}
	c.records++
	if c.records > burst {
		c.cut++
		return false, 0
	}
	return true, cut
}

// limited is a handler that drops a flood of one message.
type limited struct {
	next  slog.Handler
	limit *limiter
}

// Enabled asks the next handler.
func (h *limited) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle passes a record to the next handler unless there were too many of its
// message.
func (h *limited) Handle(ctx context.Context, r slog.Record) error {
	ok, cut := h.limit.allow(r.Message)
	if !ok {
		return nil
	}
	if cut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("cut", cut))
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs returns a handler with more attributes.
func (h *limited) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &limited{next: h.next.WithAttrs(attrs), limit: h.limit}
}

// WithGroup returns a handler with a group.
func (h *limited) WithGroup(name string) slog.Handler {
	return &limited{next: h.next.WithGroup(name), limit: h.limit}
}
