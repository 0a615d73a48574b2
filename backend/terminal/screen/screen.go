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
	"unicode"
	"unicode/utf8"
)

// kept is how many lines above the screen are kept, as in the panel.
const kept = 10_000

// cell is a character with what joins it, such as accents. Its zero value is empty.
type cell struct {
	char   rune
	joined string
}

const (
	// wide is the second cell of a wide character.
	wide rune = -1
	// gap is a last cell that stayed empty because a wide character did not fit.
	gap rune = -2
	// maxJoined is how many bytes join one character; more are dropped.
	maxJoined = 64
)

type line struct {
	cells []cell
	// wrapped: the row continues the row before it.
	wrapped bool
}

// row is the text of a line.
type row struct {
	text    string
	wrapped bool
}

func (l line) row() row {
	var b strings.Builder
	for _, c := range l.cells {
		switch c.char {
		case wide, gap:
		case 0:
			b.WriteByte(' ')
		default:
			b.WriteRune(c.char)
			b.WriteString(c.joined)
		}
	}
	return row{b.String(), l.wrapped}
}

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
	above      []row
	wrap       bool // the next character begins a new row
	noWrap     bool
	appCursor  bool
	bracketed  bool // the program asked for bracketed paste
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
		b.rows[i] = line{cells: make([]cell, s.cols)}
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

// BracketedPaste reports whether the program wants to know what is pasted.
func (s *Screen) BracketedPaste() bool { return s.bracketed }

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

func fit(cells []cell, cols int) []cell {
	if len(cells) > cols {
		return cells[:cols]
	}
	return append(slices.Clone(cells), make([]cell, cols-len(cells))...)
}

func (s *Screen) keep(l line) {
	s.above = append(s.above, l.row())
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

// put writes one character at the cursor, or joins it to the one before.
func (s *Screen) put(r rune) {
	w := width(r)
	if w == 0 {
		s.join(r)
		return
	}
	b := s.buf()
	if s.wrap || b.x+w > s.cols {
		if !s.wrap && !s.noWrap {
			b.rows[b.y].cells[b.x] = cell{char: gap}
		}
		s.wrap = false
		if s.noWrap {
			b.x = s.cols - w
		} else {
			b.x = 0
			s.down()
			b.rows[b.y].wrapped = true
		}
	}
	cells := b.rows[b.y].cells
	// Half of a wide character does not stay.
	if cells[b.x].char == wide && b.x > 0 {
		cells[b.x-1] = cell{}
	}
	if after := b.x + w; after < s.cols && cells[after].char == wide {
		cells[after] = cell{}
	}
	cells[b.x] = cell{char: r}
	if w == 2 {
		cells[b.x+1] = cell{char: wide}
	}
	s.last = r
	if b.x += w; b.x >= s.cols {
		b.x, s.wrap = s.cols-1, true
	}
}

// join adds a character without a width, such as an accent, to the one before the cursor.
// Pictures that such a character joins keep their own cells, as in the panel.
func (s *Screen) join(r rune) {
	b := s.buf()
	cells, x := b.rows[b.y].cells, b.x
	if !s.wrap {
		x--
	}
	if x > 0 && cells[x].char == wide {
		x--
	}
	if x >= 0 && cells[x].char > 0 && len(cells[x].joined) < maxJoined {
		cells[x].joined += string(r)
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
		b.rows[b.bottom] = line{cells: make([]cell, s.cols)}
	}
}

func (s *Screen) scrollDown(n int) {
	b := s.buf()
	for range min(n, b.bottom-b.top+1) {
		copy(b.rows[b.top+1:b.bottom+1], b.rows[b.top:b.bottom])
		b.rows[b.top] = line{cells: make([]cell, s.cols)}
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
func (s *Screen) Visible() []string { return text(s.shown()) }

func (s *Screen) shown() []row {
	var out []row
	for _, l := range s.buf().rows {
		out = append(out, l.row())
	}
	return out
}

// Lines returns the last n lines, of the screen and what scrolled off above it. Empty
// lines at the end are left out.
func (s *Screen) Lines(n int) []string {
	rows := s.shown()
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

func text(rows []row) []string {
	var out []string
	for i, row := range rows {
		said := row.text
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
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r >= 0x1160 && r <= 0x11ff:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1f9ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
