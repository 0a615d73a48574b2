// Package screen is a terminal emulator without colours: it keeps the text that a user
// would see, on the screen and above it. The panel's emulator draws; this one answers
// what a program printed, also while no panel is open.
//
// It follows what programs commonly send (VT102, and xterm's additions that move or
// erase text). Lines are not wrapped anew after a change of the width.
package screen

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// kept is how many lines above the screen are kept, as in the panel.
const kept = 10_000

// line is a row of cells. A zero rune is an empty cell; wide marks the second cell of a
// wide character.
type line struct {
	cells []rune
	// wrapped: the row continues the row before it.
	wrapped bool
}

// wide is the second cell of a wide character.
const wide rune = -1

// buffer is the normal or the alternate screen.
type buffer struct {
	rows        []line
	x, y        int
	savedX      int
	savedY      int
	top, bottom int // the scroll region
}

// Screen is an emulator. It is not safe for concurrent use.
type Screen struct {
	cols, rows int
	normal     buffer
	alternate  buffer
	alt        bool
	above      []line
	wrap       bool // the next character begins a new row
	noWrap     bool
	appCursor  bool
	last       rune // for REP
	parser     parser
}

// New returns an empty screen.
func New(cols, rows int) *Screen {
	s := &Screen{cols: max(cols, 2), rows: max(rows, 1)}
	s.normal, s.alternate = s.blank(), s.blank()
	return s
}

func (s *Screen) blank() buffer {
	b := buffer{rows: make([]line, s.rows), bottom: s.rows - 1}
	for i := range b.rows {
		b.rows[i] = line{cells: make([]rune, s.cols)}
	}
	return b
}

func (s *Screen) buf() *buffer {
	if s.alt {
		return &s.alternate
	}
	return &s.normal
}

// AppCursor reports whether the program wants the arrow keys in their application form.
func (s *Screen) AppCursor() bool { return s.appCursor }

// Resize changes the size. Rows that no longer fit move above the screen.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = max(cols, 2), max(rows, 1)
	if cols == s.cols && rows == s.rows {
		return
	}
	for _, b := range []*buffer{&s.normal, &s.alternate} {
		for over := len(b.rows) - rows; over > 0; over-- {
			if b.y < len(b.rows)-1 { // an empty row below the cursor goes first
				b.rows = b.rows[:len(b.rows)-1]
				continue
			}
			if b == &s.normal {
				s.keep(b.rows[0])
			}
			b.rows = b.rows[1:]
			b.y--
		}
		for len(b.rows) < rows {
			b.rows = append(b.rows, line{})
		}
		for i := range b.rows {
			b.rows[i].cells = fit(b.rows[i].cells, cols)
		}
		b.x, b.y = min(b.x, cols-1), min(max(b.y, 0), rows-1)
		b.top, b.bottom = 0, rows-1
	}
	s.cols, s.rows, s.wrap = cols, rows, false
}

func fit(cells []rune, cols int) []rune {
	if len(cells) > cols {
		return cells[:cols]
	}
	return append(slices.Clone(cells), make([]rune, cols-len(cells))...)
}

func (s *Screen) keep(l line) {
	s.above = append(s.above, l)
	if len(s.above) > kept+kept/10 {
		s.above = slices.Clone(s.above[len(s.above)-kept:])
	}
}

// Write interprets output. It never fails.
func (s *Screen) Write(p []byte) (int, error) {
	n := len(p)
	if len(s.parser.half) > 0 {
		p = append(s.parser.half, p...)
		s.parser.half = nil
	}
	for len(p) > 0 {
		if p[0] < utf8.RuneSelf {
			s.parser.next(s, rune(p[0]))
			p = p[1:]
			continue
		}
		if !utf8.FullRune(p) {
			s.parser.half = slices.Clone(p)
			break
		}
		r, size := utf8.DecodeRune(p)
		s.parser.next(s, r)
		p = p[size:]
	}
	return n, nil
}

// put writes one character at the cursor.
func (s *Screen) put(r rune) {
	w := width(r)
	if w == 0 {
		return // a combining mark changes no text that is searched for
	}
	b := s.buf()
	if s.wrap || b.x+w > s.cols {
		s.wrap = false
		if s.noWrap {
			b.x = s.cols - w
		} else {
			b.x = 0
			s.down()
			b.rows[b.y].wrapped = true
		}
	}
	row := b.rows[b.y].cells
	row[b.x] = r
	if w == 2 {
		row[b.x+1] = wide
	}
	s.last = r
	if b.x += w; b.x >= s.cols {
		b.x, s.wrap = s.cols-1, true
	}
}

// down moves the cursor down, and scrolls at the bottom of the region.
func (s *Screen) down() {
	b := s.buf()
	switch {
	case b.y == b.bottom:
		s.scrollUp(1)
	case b.y < s.rows-1:
		b.y++
	}
}

func (s *Screen) scrollUp(n int) {
	b := s.buf()
	for range min(n, b.bottom-b.top+1) {
		first := b.rows[b.top]
		if !s.alt && b.top == 0 {
			s.keep(first)
		}
		copy(b.rows[b.top:b.bottom], b.rows[b.top+1:b.bottom+1])
		b.rows[b.bottom] = line{cells: make([]rune, s.cols)}
	}
}

func (s *Screen) scrollDown(n int) {
	b := s.buf()
	for range min(n, b.bottom-b.top+1) {
		copy(b.rows[b.top+1:b.bottom+1], b.rows[b.top:b.bottom])
		b.rows[b.top] = line{cells: make([]rune, s.cols)}
	}
}

// erase empties cells of a row, from included to to excluded.
func (s *Screen) erase(y, from, to int) {
	row := s.buf().rows[y].cells
	clear(row[max(from, 0):min(to, len(row))])
	if from == 0 {
		s.buf().rows[y].wrapped = false
	}
}

// Visible returns the text of the screen, one line for each row, with rows that
// continue joined.
func (s *Screen) Visible() []string { return text(s.buf().rows) }

// Lines returns the last n lines, of the screen and what scrolled off above it. Empty
// lines at the end are left out.
func (s *Screen) Lines(n int) []string {
	rows := s.buf().rows
	if !s.alt {
		from := max(0, len(s.above)-n*4) // rows of long lines are joined
		rows = slices.Concat(s.above[from:], rows)
	}
	all := text(rows)
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all[max(0, len(all)-n):]
}

func text(rows []line) []string {
	var out []string
	for i, row := range rows {
		var b strings.Builder
		for _, r := range row.cells {
			switch r {
			case wide:
			case 0:
				b.WriteByte(' ')
			default:
				b.WriteRune(r)
			}
		}
		said := b.String()
		if i+1 >= len(rows) || !rows[i+1].wrapped {
			said = strings.TrimRight(said, " ")
		}
		if row.wrapped && len(out) > 0 {
			out[len(out)-1] += said
		} else {
			out = append(out, said)
		}
	}
	return out
}

// width returns how many cells a character takes: 2 for those of East Asia and for
// pictures, 0 for those that join the one before.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r <= 0x36f, r == 0x200b, r == 0x200d, r >= 0xfe00 && r <= 0xfe0f, r >= 0x20d0 && r <= 0x20ff, r >= 0xe0100 && r <= 0xe01ef:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f900 && r <= 0x1f9ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
