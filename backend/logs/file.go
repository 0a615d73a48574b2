package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// file is a log file that is rotated by size: path, path.1 (the newest of the old
// ones), path.2, … We rotate it ourselves, because the common library for it leaves a
// goroutine behind and cannot report when lines were lost.
type file struct {
	path  string
	limit int64

	mu   sync.Mutex
	f    *os.File
	size int64
	lost int // lines lost since the last successful write
}

func openFile(path string, limit int64) (*file, error) {
	l := &file{path: path, limit: limit}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *file) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close() // nothing was written
		return fmt.Errorf("opening the log: %w", err)
	}
	l.f, l.size = f, info.Size()
	return nil
}

// write appends one line. After a loss, the first successful write returns how many
// lines were lost before it. firstLoss is set only for the first lost line.
func (l *file) write(line []byte) (lostBefore int, firstLoss error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		if err := l.open(); err != nil {
			return 0, l.lose(err)
		}
	}
	if l.size > 0 && l.size+int64(len(line)) > l.limit {
		if err := l.rotate(); err != nil {
			return 0, l.lose(err)
		}
	}
	before := l.size
	n, err := l.f.Write(line)
	l.size += int64(n)
	if err != nil {
		// An incomplete line would corrupt the next one.
		if n > 0 && l.f.Truncate(before) == nil {
			l.size = before
		}
		return 0, l.lose(err)
	}
	lostBefore, l.lost = l.lost, 0
	return lostBefore, nil
}

// lose counts a lost line. It returns the error only for the first one.
func (l *file) lose(err error) error {
	l.lost++
	if l.lost == 1 {
		return err
	}
	return nil
}

// rotate renames each file to the next number and opens a new one.
func (l *file) rotate() error {
	if err := l.f.Close(); err != nil {
		return fmt.Errorf("closing the log: %w", err)
	}
	l.f = nil
	for i := logFileCount; i > 0; i-- {
		from := l.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", l.path, i-1)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", l.path, i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotating the log: %w", err)
		}
	}
	return l.open()
}

func (l *file) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}
