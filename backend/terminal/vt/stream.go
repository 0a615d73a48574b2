// Package vt parses the bytes that a program writes to its terminal, as an emulator
// would: titles, bells, modes, the offsets at which the stream may be cut, and where
// to start for a viewer that reconnects. It draws nothing; the viewer does that.
//
// A Stream is not safe for concurrent use.
package vt

import "pilotfish/backend/protocol"

const (
	// ringSize is how many bytes of output a terminal keeps for a viewer that
	// reconnects.
	ringSize = 4 << 20
	// ringMax is the size to which the ring may grow while it waits for a checkpoint
	// of its viewer.
	ringMax = 8 << 20
	// maxResizes is how many sizes a terminal remembers for a replay.
	maxResizes = 4096
	// modeMarkEvery is how many bytes of output lie between two marks, at which a
	// replay can begin.
	modeMarkEvery = 64 << 10
)

// Stream is the output of one epoch: its newest bytes and the offsets from which a
// replay can start.
type Stream struct {
	ring       ring
	scan       scanner
	marks      []mark
	sizes      sizeHistory
	checkpoint *Checkpoint
}

// NewStream returns an empty stream for an emulator of a size.
func NewStream(cols, rows int) Stream {
	return Stream{sizes: sizeHistory{list: []Size{{Cols: cols, Rows: rows}}}}
}

// Head is the offset after the last byte.
func (s *Stream) Head() uint64 { return s.ring.head }

// Read copies the output from offset on into dst and returns the number of bytes.
// offset must be at or after one that BaseFor returned.
func (s *Stream) Read(offset uint64, dst []byte) int { return s.ring.read(offset, dst) }

// Title returns the last title that the program set, safe to show.
func (s *Stream) Title() string { return s.scan.title }

// Progress returns what the program says of its progress; nil for none.
func (s *Stream) Progress() *protocol.TerminalProgress { return s.scan.progress }

// Titles returns how many titles and reports of progress the program has sent.
func (s *Stream) Titles() int { return s.scan.titles }

// Bells returns how often the program has rung the bell.
func (s *Stream) Bells() int { return s.scan.bells }

// Resized records the size that the viewer's emulator had from an offset on.
func (s *Stream) Resized(offset uint64, cols, rows int) { s.sizes.add(offset, cols, rows) }

// mark is an offset at which the stream may be cut, with the modes there.
type mark struct {
	offset uint64
	modes  modes
}

// Checkpoint is a viewer's screen at an offset.
type Checkpoint struct {
	Offset     uint64
	Data       string
	Cols, Rows int

	sizes int // how many sizes the stream had at the checkpoint
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

// forgetSizes removes the sizes that no replay needs any more.
func (s *Stream) forgetSizes() {
	before := s.sizes.at(s.ring.start)
	if c := s.checkpoint; c != nil && c.Offset >= s.ring.start {
		before = min(before, c.sizes-1)
	}
	s.sizes.forget(before)
}

// limit returns how many bytes are kept. While an exact replay is possible, from the
// stream's beginning or from a checkpoint, more is kept.
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

// Keep stores a viewer's screen as the newest checkpoint.
func (s *Stream) Keep(c Checkpoint) {
	if !s.ring.has(c.Offset) || (s.checkpoint != nil && s.checkpoint.Offset > c.Offset) {
		return
	}
	c.sizes = s.sizes.count()
	s.checkpoint = &c
}

// Base is the point from which a viewer receives the stream.
type Base struct {
	Offset uint64
	// Screen is what to show first; nil leaves the viewer's screen as it is.
	Screen *protocol.TerminalControl
	// Sizes are the sizes to apply during the replay, the first one at once.
	Sizes []Size
	// Redraw means that the screen is only approximate, so that the program must
	// redraw it.
	Redraw bool
}

// BaseFor chooses where the stream continues for a viewer. With has, the viewer has
// every byte below offset of this epoch; else it has nothing.
func (s *Stream) BaseFor(has bool, offset uint64) Base {
	if has && s.ring.has(offset) {
		return Base{Offset: offset, Sizes: s.sizes.from(s.sizes.at(offset))}
	}
	snapshot := func(offset uint64, data string) *protocol.TerminalControl {
		return &protocol.TerminalControl{Type: protocol.ControlSnapshot, Offset: offset, Data: data}
	}
	if c := s.checkpoint; c != nil && s.ring.has(c.Offset) {
		// A replay of the whole stream is exact, too, and may be shorter.
		whole := s.ring.start == 0 && c.Offset <= uint64(len(c.Data))
		if !whole {
			b := Base{Offset: c.Offset, Screen: snapshot(c.Offset, c.Data), Sizes: s.sizes.from(c.sizes)}
			b.Screen.Cols, b.Screen.Rows = c.Cols, c.Rows
			return b
		}
	}
	return s.oldest()
}

// Continue chooses where the stream continues for a reader that cannot read a viewer's
// checkpoint. fresh reports whether it starts anew instead of after the offset.
func (s *Stream) Continue(has bool, offset uint64) (b Base, fresh bool) {
	if has && offset > 0 && s.ring.has(offset) {
		return Base{Offset: offset, Sizes: s.sizes.from(s.sizes.at(offset))}, false
	}
	return s.oldest(), true
}

// oldest is the first point from which the stream itself can be replayed.
func (s *Stream) oldest() Base {
	snapshot := func(offset uint64, data string) *protocol.TerminalControl {
		return &protocol.TerminalControl{Type: protocol.ControlSnapshot, Offset: offset, Data: data}
	}
	if s.ring.start == 0 {
		return Base{Screen: snapshot(0, ""), Sizes: s.sizes.from(0)}
	}
	b := Base{Redraw: true}
	if len(s.marks) > 0 {
		m := s.marks[0]
		b.Offset, b.Screen = m.offset, snapshot(m.offset, m.modes.prelude())
	} else {
		// One escape string is longer than the ring: nothing of it can be shown.
		b.Offset, b.Screen = s.ring.head, snapshot(s.ring.head, s.scan.modes.prelude()+s.scan.reopen())
	}
	b.Sizes = s.sizes.from(s.sizes.at(b.Offset))
	return b
}
