package vt

import "slices"

// Size is the size that the emulator of a viewer took at an offset of the
// stream. Lines break where they did only when a replay takes it there, too.
type Size struct {
	Offset     uint64
	Cols, Rows int
}

// sizeHistory has the sizes of one stream, in order. The first one has offset 0.
type sizeHistory struct {
	list      []Size
	forgotten int // how many were before list
}

// add notes what the emulator took; one that it has already is nothing new.
func (s *sizeHistory) add(offset uint64, cols, rows int) {
	last := s.list[len(s.list)-1]
	if last.Cols == cols && last.Rows == rows {
		return
	}
	s.list = append(s.list, Size{max(offset, last.Offset), cols, rows})
	if len(s.list) > maxResizes {
		s.forget(s.forgotten + len(s.list) - maxResizes)
	}
}

// count is how many there have been.
func (s *sizeHistory) count() int { return s.forgotten + len(s.list) }

// at is the place of the size that is in force at an offset. What is taken at
// offset 0 changes a screen with nothing on it, and the first one counts there.
func (s *sizeHistory) at(offset uint64) int {
	if offset == 0 {
		return s.forgotten
	}
	n, _ := slices.BinarySearchFunc(s.list, offset, func(a Size, offset uint64) int {
		if a.Offset <= offset {
			return -1
		}
		return 1
	})
	return s.forgotten + max(n-1, 0)
}

// from returns those from a place on.
func (s *sizeHistory) from(place int) []Size {
	return slices.Clone(s.list[min(max(place-s.forgotten, 0), len(s.list)):])
}

// forget forgets those before a place; the last one stays.
func (s *sizeHistory) forget(place int) {
	if n := min(place-s.forgotten, len(s.list)-1); n > 0 {
		s.list = slices.Clone(s.list[n:])
		s.forgotten += n
	}
}
