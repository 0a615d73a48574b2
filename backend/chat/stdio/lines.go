package stdio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// keep is the largest buffer, in bytes, that is kept for the next line.
const keep = 1 << 20

// lines splits a stream into lines. bufio.Scanner is not used, because its
// error does not say how long the line was, and because it keeps the buffer of
// the longest line.
type lines struct {
	from  *bufio.Reader
	limit int
	// cut splits a line that is too long into several; otherwise such a line is
	// an error.
	cut bool
	buf []byte
}

func newLines(from io.Reader, limit int) *lines {
	return &lines{from: bufio.NewReaderSize(from, min(64<<10, limit)), limit: limit}
}

// next returns a line without its line end; it is valid until the next call.
// The last line may have no line end.
func (l *lines) next() ([]byte, error) {
	if cap(l.buf) > keep {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.from.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		switch {
		case err == nil:
			return l.trimmed(), l.check()
		case errors.Is(err, bufio.ErrBufferFull):
			if l.cut && len(l.buf) >= l.limit {
				return l.buf, nil
			}
			if err := l.check(); err != nil {
				return nil, err
			}
		case len(l.buf) > 0 && errors.Is(err, io.EOF):
			return l.trimmed(), l.check() // the next call returns the end of the stream
		default:
			return nil, err
		}
	}
}

// check returns an error for a line over the limit.
func (l *lines) check() error {
	if l.cut || len(l.buf) <= l.limit {
		return nil
	}
	return protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("it wrote a line of more than %d MB", l.limit>>20), "")
}

func (l *lines) trimmed() []byte {
	line := l.buf
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// tail keeps the last lines.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == protocol.AgentStderr {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
}

// last returns the last lines, at most limit bytes of them.
func (t *tail) last(limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	from, size := len(t.lines), 0
	for from > 0 && size+len(t.lines[from-1]) < limit {
		from--
		size += len(t.lines[from]) + 1
	}
	return strings.Join(t.lines[from:], "\n")
}
