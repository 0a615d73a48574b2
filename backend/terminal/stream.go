package terminal

import (
	"pilotfish/backend/protocol"
)

// stream is the output of one epoch: its newest bytes and the places from which
// a viewer can be given it.
type stream struct {
	ring       ring
	scan       scanner
	marks      []mark
	sizes      sizeHistory
	checkpoint *checkpoint
	picture    picture
}

func newStream(cols, rows int) stream {
	return stream{sizes: sizeHistory{list: []sizeAt{{cols: cols, rows: rows}}}}
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

// checkpoint is a viewer's screen at an offset.
type checkpoint struct {
	offset     uint64
	data       string
	cols, rows int
	sizes      int // how many sizes the stream had had
}

// append adds output.
func (s *stream) append(p []byte) {
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
func (s *stream) forgetSizes() {
	before := s.sizes.at(s.ring.start)
	if c := s.checkpoint; c != nil && c.offset >= s.ring.start {
		before = min(before, c.sizes-1)
	}
	s.sizes.forget(before)
}

// limit is how much is kept. While the stream can be given exactly, from its
// beginning or from a checkpoint, it is worth more.
func (s *stream) limit(start uint64) uint64 {
	exact := uint64(0)
	if s.checkpoint != nil {
		exact = s.checkpoint.offset
	}
	if exact >= start {
		return ringMax
	}
	return ringSize
}

// keep takes a viewer's screen as the newest base.
func (s *stream) keep(c *checkpoint) {
	if !s.ring.has(c.offset) || (s.checkpoint != nil && s.checkpoint.offset > c.offset) {
		return
	}
	c.sizes = s.sizes.count()
	s.checkpoint = c
}

// base is where the stream begins for a viewer.
type base struct {
	offset uint64
	// screen is what to show before; nil leaves the viewer's as it is.
	screen *protocol.TerminalControl
	// sizes are those to take on the way, the first one at once.
	sizes []sizeAt
	// redraw means that the screen is a guess, which the program must mend.
	redraw bool
}

// baseFor chooses where the stream goes on for a viewer that has every byte
// below offset of this epoch (has), or nothing.
func (s *stream) baseFor(has bool, offset uint64) base {
	if has && s.ring.has(offset) {
		return base{offset: offset, sizes: s.sizes.from(s.sizes.at(offset))}
	}
	snapshot := func(offset uint64, data string) *protocol.TerminalControl {
		return &protocol.TerminalControl{Type: protocol.ControlSnapshot, Offset: offset, Data: data}
	}
	if c := s.checkpoint; c != nil && s.ring.has(c.offset) {
		// The whole is exact, too, and may be less.
		whole := s.ring.start == 0 && c.offset <= uint64(len(c.data))
		if !whole {
			b := base{offset: c.offset, screen: snapshot(c.offset, c.data), sizes: s.sizes.from(c.sizes)}
			b.screen.Cols, b.screen.Rows = c.cols, c.rows
			return b
		}
	}
	if s.ring.start == 0 {
		return base{screen: snapshot(0, ""), sizes: s.sizes.from(0)}
	}
	b := base{redraw: true}
	if len(s.marks) > 0 {
		m := s.marks[0]
		b.offset, b.screen = m.offset, snapshot(m.offset, m.modes.prelude())
	} else {
		// One string longer than the ring: nothing of it can be shown.
		b.offset, b.screen = s.ring.head, snapshot(s.ring.head, s.scan.modes.prelude()+s.scan.reopen())
	}
	b.sizes = s.sizes.from(s.sizes.at(b.offset))
	return b
}
