package shots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// The bounds of the folder.
const (
	// MaxCount is how many screenshots a session keeps.
	MaxCount = 2000
	// MaxBytes is how large they are together.
	MaxBytes = 64 << 20
	// MaxShot is the size of the largest screenshot, in bytes.
	MaxShot = 60 << 10
)

const suffix = ".jpg"

// store keeps the screenshots of a session, each in a file that has the index of
// its entry as name. It is safe for concurrent use.
type store struct {
	dir      string
	maxCount int
	maxBytes int64

	mu    sync.Mutex
	kept  []shot // oldest first
	bytes int64
}

// shot is one file.
type shot struct {
	index uint64
	size  int64
}

// openStore opens the folder, or makes it with mode 0700.
func openStore(dir string, maxCount int, maxBytes int64) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of screenshots: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the folder of screenshots: %w", err)
	}
	s := &store{dir: dir, maxCount: maxCount, maxBytes: maxBytes}
	for _, e := range entries {
		name, ours := strings.CutSuffix(e.Name(), suffix)
		index, err := strconv.ParseUint(name, 10, 64)
		if !ours || err != nil || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		s.kept, s.bytes = append(s.kept, shot{index, info.Size()}), s.bytes+info.Size()
	}
	slices.SortFunc(s.kept, func(a, b shot) int {
		if a.index < b.index {
			return -1
		}
		return 1
	})
	return s, nil
}

func (s *store) path(index uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%020d%s", index, suffix))
}

// keep stores the screenshot of an entry and removes the oldest beyond the bounds.
func (s *store) keep(index uint64, data []byte) error {
	if len(data) == 0 || len(data) > MaxShot {
		return fmt.Errorf("a screenshot has 1 to %d bytes, not %d", MaxShot, len(data))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Without fsync: a screenshot that a power failure loses does no harm.
	part := filepath.Join(s.dir, "part")
	err := os.WriteFile(part, data, 0o600)
	if err == nil {
		err = os.Rename(part, s.path(index))
	}
	if err != nil {
		_ = os.Remove(part) // it may be incomplete, because the disk is full
		return fmt.Errorf("keeping a screenshot: %w", err)
	}
	at, known := slices.BinarySearchFunc(s.kept, index, func(one shot, index uint64) int {
		switch {
		case one.index < index:
			return -1
		case one.index > index:
			return 1
		}
		return 0
	})
	if known {
		s.bytes -= s.kept[at].size
		s.kept[at].size = int64(len(data))
	} else {
		s.kept = slices.Insert(s.kept, at, shot{index, int64(len(data))})
	}
	s.bytes += int64(len(data))
	for len(s.kept) > s.maxCount || s.bytes > s.maxBytes {
		oldest := s.kept[0]
		if err := os.Remove(s.path(oldest.index)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an old screenshot: %w", err)
		}
		s.kept, s.bytes = s.kept[1:], s.bytes-oldest.size
	}
	return nil
}

// read returns the screenshot of an entry.
func (s *store) read(index uint64) ([]byte, error) {
	data, err := os.ReadFile(s.path(index))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no screenshot of entry %d", index), "only commands that act have one, and the oldest are removed")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a screenshot: %w", err)
	}
	return data, nil
}

// of returns those of the entries that have a screenshot.
func (s *store) of(entries []protocol.ActivityEntry) []uint64 {
	out := []uint64{}
	s.mu.Lock()
	defer s.mu.Unlock()
	have := make(map[uint64]bool, len(s.kept))
	for _, one := range s.kept {
		have[one.index] = true
	}
	for _, e := range entries {
		if have[e.Index] {
			out = append(out, e.Index)
		}
	}
	return out
}
