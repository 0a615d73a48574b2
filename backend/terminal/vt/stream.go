// Package vt is about the bytes that a program writes to its terminal, as an
// emulator reads them: titles, bells and modes, where the stream may be cut, and
// from where a viewer that comes back can be given it. It draws nothing: that is
// the viewer's.
//
// A Stream is not safe for concurrent use.
package vt

import "pilotfish/backend/protocol"

const (
	// ringSize is how much output a terminal keeps for a viewer that comes back.
	ringSize = 4 << 20
	// ringMax is what the ring may grow to while it waits for a checkpoint of
	// its viewer.
	ringMax = 8 << 20
	// maxResizes is how many sizes a terminal remembers for a replay.
	maxResizes = 4096
	// modeMarkEvery is after how many bytes of output a terminal notes a place
	// at which a replay can begin.
	modeMarkEvery = 64 << 10
)

// Stream is the output of one epoch: its newest bytes and the places from which
// a viewer can be given it.
type Stream struct {
	ring       ring
	scan       scanner
	marks      []mark
	sizes      sizeHistory
	checkpoint *Checkpoint
	picture    picture
}

// NewStream returns an empty stream for an emulator of a size.
func NewStream(cols, rows int) Stream {
	return Stream{sizes: sizeHistory{list: []Size{{Cols: cols, Rows: rows}}}}
}

// Head is the offset after the last byte.
func (s *Stream) Head() uint64 { return s.ring.head }

// Read copies what follows offset into dst and returns how much that is; offset is
// one that BaseFor gave, or after it.
func (s *Stream) Read(offset uint64, dst []byte) int { return s.ring.read(offset, dst) }

// Title is the last title that the program set, harmless to show.
func (s *Stream) Title() string { return s.scan.title }

// Titles counts the titles that the program set.
func (s *Stream) Titles() int { return s.scan.titles }

// Bells counts how often the program rang.
func (s *Stream) Bells() int { return s.scan.bells }

// Resized notes the size that the viewer's emulator took at an offset.
func (s *Stream) Resized(offset uint64, cols, rows int) { s.sizes.add(offset, cols, rows) }

// Draw takes what a viewer's screen looks like at an offset, in the words of the
// panels.
func (s *Stream) Draw(offset uint64, data string) { s.picture = picture{offset: offset, data: data} }

// Picture is what Draw took, while nothing was written since.
func (s *Stream) Picture() string {
	if s.picture.offset != s.ring.head {
		return ""
	}
	return s.picture.data
}

// Whole is all of the stream; false where that is more than most bytes, or where
// the beginning is not kept.
func (s *Stream) Whole(most int) ([]byte, bool) {
	if s.ring.start > 0 || s.ring.head > uint64(most) {
		return nil, false
	}
	all := make([]byte, s.ring.head)
	s.ring.read(0, all)
	return all, true
}

// picture is what a viewer's screen looks like at an offset, in the words of the
// panels.
type picture struct {
	offset uint64
	data   string
}

// mark is a place at which the stream may be cut, with the modes there.
type mark struct {
	offset uint64
	modes  modes
}

// Checkpoint is a viewer's screen at an offset.
type Checkpoint struct {
	Offset     uint64
	Data       string
	Cols, Rows int

	sizes int // how many sizes the stream had had
}

// Append adds output.
func (s *Stream) Append(p []byte) {
	s.scan.scan(p)
	s.ring.append(p, s.limit)
	if last := len(s.marks); s.scan.boundary() && (last == 0 || s.ring.head-s.marks[last-1].offset >= modeMarkEvery) {
		s.marks = append(s.marks, mark{offset: s.ring.head, modes: s.scan.modes})
	}
	for len(s.marks) > 0 && s.marks[0].offset < s.ring.start {
		s.marks = s.marks[1:]
	}
	s.forgetSizes()
}

// forgetSizes forgets those that no replay begins before.
func (s *Stream) forgetSizes() {
	before := s.sizes.at(s.ring.start)
	if c := s.checkpoint; c != nil && c.Offset >= s.ring.start {
		before = min(before, c.sizes-1)
	}
	s.sizes.forget(before)
}

// limit is how much is kept. While the stream can be given exactly, from its
// beginning or from a checkpoint, it is worth more.
func (s *Stream) limit(start uint64) uint64 {
	exact := uint64(0)
	if s.checkpoint != nil {
		exact = s.checkpoint.Offset
	}
	if exact >= start {
		return ringMax
	}
	return ringSize
}

// Keep takes a viewer's screen as the newest base.
func (s *Stream) Keep(c Checkpoint) {
	if !s.ring.has(c.Offset) || (s.checkpoint != nil && s.checkpoint.Offset > c.Offset) {
		return
	}
	c.sizes = s.sizes.count()
	s.checkpoint = &c
}

// Base is where the stream begins for a viewer.
type Base struct {
	Offset uint64
	// Screen is what to show before; nil leaves the viewer's as it is.
	Screen *protocol.TerminalControl
	// Sizes are those to take on the way, the first one at once.
	Sizes []Size
	// Redraw means that the screen is a guess, which the program must mend.
	Redraw bool
}

// BaseFor chooses where the stream goes on for a viewer that has every byte
// below offset of this epoch (has), or nothing.
func (s *Stream) BaseFor(has bool, offset uint64) Base {
	if has && s.ring.has(offset) {
		return Base{Offset: offset, Sizes: s.sizes.from(s.sizes.at(offset))}
	}
	snapshot := func(offset uint64, data string) *protocol.TerminalControl {
		return &protocol.TerminalControl{Type: protocol.ControlSnapshot, Offset: offset, Data: data}
	}
	if c := s.checkpoint; c != nil && s.ring.has(c.Offset) {
		// The whole is exact, too, and may be less.
		whole := s.ring.start == 0 && c.Offset <= uint64(len(c.Data))
		if !whole {
			b := Base{Offset: c.Offset, Screen: snapshot(c.Offset, c.Data), Sizes: s.sizes.from(c.sizes)}
			b.Screen.Cols, b.Screen.Rows = c.Cols, c.Rows
			return b
		}
	}
	if s.ring.start == 0 {
		return Base{Screen: snapshot(0, ""), Sizes: s.sizes.from(0)}
	}
	b := Base{Redraw: true}
	if len(s.marks) > 0 {
		m := s.marks[0]
		b.Offset, b.Screen = m.offset, snapshot(m.offset, m.modes.prelude())
	} else {
		// One string longer than the ring: nothing of it can be shown.
		b.Offset, b.Screen = s.ring.head, snapshot(s.ring.head, s.scan.modes.prelude()+s.scan.reopen())
	}
	b.Sizes = s.sizes.from(s.sizes.at(b.Offset))
	return b
}
