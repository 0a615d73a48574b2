package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
)

// Format is the version of a log's files; each file names it in its first line.
const Format = 1

// Errors of a log.
var (
	// ErrClosed is returned by every method of a log that was closed.
	ErrClosed = errors.New("the journal is closed")
	// ErrTooLarge is returned by Append for a record over LogConfig.MaxRecord.
	ErrTooLarge = errors.New("the record is too large for the journal")
)

// LogConfig holds the settings of a Log. Dir and Logger are required.
type LogConfig struct {
	// Dir is the log's own folder. OpenLog creates it with mode 0700.
	Dir string
	// FileSize is the size in bytes at which a new file is begun; 0 means 4 MiB.
	FileSize int64
	// Files is how many files are kept, including the one that is written; the oldest
	// is removed when there are more. 0 means 4, and 2 is the minimum.
	Files int
	// MaxRecord is the maximum size of a record in bytes; 0 means 256 KiB.
	MaxRecord int
	// Sync makes each append wait for the disk, so that a record also survives a
	// power failure. Without it, a record survives only the end of the process,
	// however it ends.
	Sync   bool
	Logger *slog.Logger
}

// Record is one entry of a log.
type Record struct {
	// Index is the record's number in the log. Indexes only increase, and none is
	// used twice.
	Index uint64
	// Data is what was appended.
	Data []byte
}

// Log is an append-only log in its own folder. Only one process may have it open. It
// is safe for concurrent use: one writer at a time, and any number of readers, for
// which the writer never waits.
type Log struct {
	config LogConfig
	log    *slog.Logger

	mu     sync.Mutex
	files  []file        // oldest first; the last one is written to
	out    *os.File      // the last of files, open for writing
	next   uint64        // the index of the next record
	grown  chan struct{} // closed at the next append, or at Close
	closed bool
}

// file is one file of the log.
type file struct {
	path  string
	first uint64 // no record in it has a smaller index
	size  int64  // the size of its valid part in bytes
}

// OpenLog opens the log in a folder, or creates it. It truncates an incomplete record
// that a crash left at the end, and writes one warning to the program's log.
func OpenLog(c LogConfig) (*Log, error) {
	if c.FileSize <= 0 {
		c.FileSize = 4 << 20
	}
	if c.Files <= 0 {
		c.Files = 4
	}
	c.Files = max(c.Files, 2)
	if c.MaxRecord <= 0 {
		c.MaxRecord = 256 << 10
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the journal: %w", err)
	}
	l := &Log{config: c, log: c.Logger.With("component", "journal"), next: 1, grown: make(chan struct{})}
	if err := l.recover(); err != nil {
		return nil, err
	}
	return l, nil
}

// recover finds the files, the end of the last one, and the next index.
func (l *Log) recover() error {
	files, err := listFiles(l.config.Dir)
	if err != nil {
		return err
	}
	for len(files) > 0 {
		last := &files[len(files)-1]
		end, err := findEnd(last.path)
		if errors.Is(err, errNoHeader) {
			// A crash happened while the file was created: it cannot contain records.
			l.log.Warn("journal file without a beginning was removed", "path", last.path)
			if err := os.Remove(last.path); err != nil {
				return fmt.Errorf("removing a journal file without a beginning: %w", err)
			}
			l.next = max(l.next, last.first)
			files = files[:len(files)-1]
			continue
		}
		if err != nil {
			return err
		}
		l.next = max(l.next, last.first, end.last+1)
		out, err := os.OpenFile(last.path, os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("opening the journal: %w", err)
		}
		if end.offset < end.size {
			l.log.Warn("unfinished end of a journal was cut off", "path", last.path, "bytes", end.size-end.offset)
			if err := out.Truncate(end.offset); err != nil {
				return fmt.Errorf("cutting the journal: %w", errors.Join(err, out.Close()))
			}
		}
		if _, err := out.Seek(end.offset, 0); err != nil {
			return fmt.Errorf("opening the journal: %w", errors.Join(err, out.Close()))
		}
		last.size = end.offset
		l.out, l.files = out, files
		return nil
	}
	return l.begin()
}

// Append writes a record at the end and returns its index. If it returns an error,
// nothing was appended.
func (l *Log) Append(data []byte) (uint64, error) {
	if len(data) > l.config.MaxRecord {
		return 0, fmt.Errorf("%w: %d of %d bytes", ErrTooLarge, len(data), l.config.MaxRecord)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	line := encode(l.next, data)
	last := &l.files[len(l.files)-1]
	if last.size > headerSize && last.size+int64(len(line)) > l.config.FileSize {
		if err := l.rotate(); err != nil {
			return 0, err
		}
		last = &l.files[len(l.files)-1]
	}
	if err := l.write(last, line); err != nil {
		return 0, err
	}
	index := l.next
	l.next++
	close(l.grown)
	l.grown = make(chan struct{})
	return index, nil
}

// write appends a line to the file, completely or not at all.
func (l *Log) write(last *file, line []byte) error {
	_, err := l.out.Write(line)
	if err == nil && l.config.Sync {
		err = l.out.Sync()
	}
	if err == nil {
		last.size += int64(len(line))
		return nil
	}
	// An incomplete record must not remain before the next one.
	cut := l.out.Truncate(last.size)
	if cut == nil {
		_, cut = l.out.Seek(last.size, 0)
	}
	return fmt.Errorf("appending to the journal: %w", errors.Join(err, cut))
}

// Skip uses up an index without a record, for something that could not be written:
// readers get a Gap there.
func (l *Log) Skip() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	index := l.next
	l.next++
	return index
}

// Last returns the index of the newest record; 0 when there was none yet.
func (l *Log) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next - 1
}

// First returns the smallest index that the log may still have.
func (l *Log) First() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[0].first
}

// rotate begins the next file and removes the oldest ones.
func (l *Log) rotate() error {
	if err := errors.Join(l.out.Sync(), l.out.Close()); err != nil {
		l.log.Warn("full journal file could not be finished", "error", err)
	}
	if err := l.begin(); err != nil {
		// Continue with the old file, so that nothing is lost.
		last := l.files[len(l.files)-1]
		out, reopen := os.OpenFile(last.path, os.O_WRONLY, 0o600)
		if reopen == nil {
			_, reopen = out.Seek(last.size, 0)
			l.out = out
		}
		return errors.Join(err, reopen)
	}
	for len(l.files) > l.config.Files {
		if err := os.Remove(l.files[0].path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.log.Warn("old journal file could not be removed", "path", l.files[0].path, "error", err)
		}
		l.files = l.files[1:]
	}
	return nil
}

// begin creates the next file.
func (l *Log) begin() error {
	path := filePath(l.config.Dir, l.next)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("beginning a journal file: %w", err)
	}
	header := header()
	if _, err := out.Write(header); err != nil {
		return fmt.Errorf("beginning a journal file: %w", errors.Join(err, out.Close(), os.Remove(path)))
	}
	l.out = out
	l.files = append(l.files, file{path: path, first: l.next, size: int64(len(header))})
	return nil
}

// Close closes the log. Followers receive ErrClosed.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	close(l.grown)
	if err := errors.Join(l.out.Sync(), l.out.Close()); err != nil {
		return fmt.Errorf("closing the journal: %w", err)
	}
	return nil
}
