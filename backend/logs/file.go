package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// file is a log file that is rotated by size: path, path.1 (the newest of the
// old ones), path.2, … The rotation is ours because the common library for it
// leaves a goroutine behind and cannot say when lines were lost.
type file struct {
	path  string
	limit int64

	mu   sync.Mutex
	f    *os.File
	size int64
	lost int // lines that could not be written since the last that could
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

// write appends one line. It returns how many lines were lost before it, once
// it works again, and whether this one is the first that is lost.
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
		// Half a line would spoil the next one.
		if n > 0 && l.f.Truncate(before) == nil {
			l.size = before
		}
		return 0, l.lose(err)
	}
	lostBefore, l.lost = l.lost, 0
	return lostBefore, nil
}

// lose counts a lost line and returns why for the first of them.
func (l *file) lose(err error) error {
	l.lost++
	if l.lost == 1 {
		return err
	}
	return nil
}

// rotate moves the files on by one and opens a new one.
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
