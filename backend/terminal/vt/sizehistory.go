package vt

import "slices"

// Size is a size that a viewer's emulator had from an offset of the stream on. A
// replay must apply the sizes at the same offsets, so that lines wrap at the same
// places.
type Size struct {
	Offset     uint64
	Cols, Rows int
}

// sizeHistory holds the sizes of one stream, in order. The first one has offset 0.
type sizeHistory struct {
	list      []Size
	forgotten int // how many sizes before list were removed
}

// add records a new size of the emulator; a size equal to the last one is ignored.
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

// count returns how many sizes there have been.
func (s *sizeHistory) count() int { return s.forgotten + len(s.list) }

// at returns the index of the size that applies at an offset. At offset 0 the screen
// is still empty, so the first size counts there and not a later one.
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

// from returns the sizes from an index on.
func (s *sizeHistory) from(place int) []Size {
	return slices.Clone(s.list[min(max(place-s.forgotten, 0), len(s.list)):])
}

// forget removes the sizes before an index; the last size always stays.
func (s *sizeHistory) forget(place int) {
	if n := min(place-s.forgotten, len(s.list)-1); n > 0 {
		s.list = slices.Clone(s.list[n:])
		s.forgotten += n
	}
}
