package screen

import (
	"strconv"
	"strings"
)

// state is the parser's position within an escape sequence.
type state uint8

const (
	ground state = iota
	escape
	intermediate // ESC and one of " #()*+": the next character ends it
	control      // CSI
	command      // OSC, DCS, SOS, PM, APC: skipped until ST or BEL
	commandEsc
)

// maxParams is how many characters of a CSI are kept; a longer one does nothing.
const maxParams = 128

// parser splits output into characters and controls.
type parser struct {
	state  state
	params []rune
	half   []byte // the beginning of a character whose rest has not come yet
}

func (p *parser) next(s *Screen, r rune) {
	switch p.state {
	case command:
		switch r {
		case 0x07, 0x18, 0x1a, 0x9c:
			p.state = ground
		case 0x1b:
			p.state = commandEsc
		}
		return
	case commandEsc:
		p.state = ground
		if r != '\\' {
			p.state = escape
			p.next(s, r)
		}
		return
	case ground, escape, intermediate, control:
	}
	if r < 0x20 || r == 0x7f {
		p.c0(s, r)
		return
	}
	switch p.state {
	case ground:
		s.put(r)
	case escape:
		p.escaped(s, r)
	case intermediate:
		p.state = ground
	case control:
		if r >= 0x40 && r <= 0x7e {
			p.state = ground
			if len(p.params) <= maxParams {
				s.control(string(p.params), r)
			}
		} else if len(p.params) <= maxParams {
			p.params = append(p.params, r)
		}
	case command, commandEsc:
	}
}

func (p *parser) c0(s *Screen, r rune) {
	b := s.buf()
	switch r {
	case 0x1b:
		p.state = escape
	case 0x18, 0x1a:
		p.state = ground
	case '\r':
		b.x, s.wrap = 0, false
	case '\n', 0x0b, 0x0c:
		s.down()
		s.wrap = false
	case '\b':
		b.x, s.wrap = max(b.x-1, 0), false
	case '\t':
		b.x, s.wrap = min((b.x/8+1)*8, s.cols-1), false
	}
}

func (p *parser) escaped(s *Screen, r rune) {
	p.state = ground
	b := s.buf()
	switch r {
	case '[':
		p.state, p.params = control, p.params[:0]
	case ']', 'P', 'X', '^', '_':
		p.state = command
	case ' ', '#', '(', ')', '*', '+', '-', '.', '/', '%':
		p.state = intermediate
	case '7':
		b.savedX, b.savedY = b.x, b.y
	case '8':
		s.restore()
	case 'D':
		s.down()
	case 'E':
		b.x = 0
		s.down()
	case 'M':
		if b.y == b.top {
			s.scrollDown(1)
		} else {
			b.y = max(b.y-1, 0)
		}
	case 'c':
		// The lines above the screen stay, as in most terminals.
		above := s.above
		*s = *New(s.cols, s.rows)
		s.above = above
	}
}

func (s *Screen) restore() {
	b := s.buf()
	b.x, b.y, s.wrap = min(b.savedX, s.cols-1), min(b.savedY, s.rows-1), false
}

// control carries out a CSI.
func (s *Screen) control(params string, final rune) {
	if mode, private := strings.CutPrefix(params, "?"); private {
		if final == 'h' || final == 'l' {
			for n := range strings.SplitSeq(mode, ";") {
				s.mode(n, final == 'h')
			}
		}
		return
	}
	if params != "" && (params[0] < '0' || params[0] > ';') {
		return // private to some emulator
	}
	var n []int
	for part := range strings.SplitSeq(params, ";") {
		v, _ := strconv.Atoi(part) // an empty or strange one is 0
		n = append(n, min(max(v, 0), 9999))
	}
	n = append(n, 0)
	one := max(n[0], 1)
	b := s.buf()
	row := b.rows[b.y].cells
	if final != 'm' && final != 'b' {
		s.wrap = false
	}
	switch final {
	case 'A':
		b.y = max(b.y-one, 0)
	case 'B', 'e':
		b.y = min(b.y+one, s.rows-1)
	case 'C', 'a':
		b.x = min(b.x+one, s.cols-1)
	case 'D':
		b.x = max(b.x-one, 0)
	case 'E':
		b.x, b.y = 0, min(b.y+one, s.rows-1)
	case 'F':
		b.x, b.y = 0, max(b.y-one, 0)
	case 'G', '`':
		b.x = min(one, s.cols) - 1
	case 'd':
		b.y = min(one, s.rows) - 1
	case 'H', 'f':
		b.y, b.x = min(one, s.rows)-1, min(max(n[1], 1), s.cols)-1
	case 'J':
		s.eraseScreen(n[0])
	case 'K':
		from, to := b.x, s.cols
		switch n[0] {
		case 1:
			from, to = 0, b.x+1
		case 2:
			from = 0
		}
		s.erase(b.y, from, to)
	case '@':
		count := min(one, s.cols-b.x)
		copy(row[b.x+count:], row[b.x:])
		clear(row[b.x : b.x+count])
	case 'P':
		count := min(one, s.cols-b.x)
		copy(row[b.x:], row[b.x+count:])
		clear(row[s.cols-count:])
	case 'X':
		s.erase(b.y, b.x, b.x+one)
	case 'L', 'M':
		if b.y >= b.top && b.y <= b.bottom {
			top := b.top
			b.top = b.y
			if final == 'L' {
				s.scrollDown(one)
			} else {
				s.deleteRows(one)
			}
			b.top = top
		}
	case 'S':
		s.scrollUp(one)
	case 'T':
		s.scrollDown(one)
	case 'b':
		for range min(one, s.cols*s.rows) {
			if s.last != 0 {
				s.put(s.last)
			}
		}
	case 'r':
		top, bottom := max(n[0], 1)-1, s.rows-1
		if n[1] > 0 {
			bottom = min(n[1], s.rows) - 1
		}
		if top < bottom {
			b.top, b.bottom, b.x, b.y = top, bottom, 0, 0
		}
	case 's':
		b.savedX, b.savedY = b.x, b.y
	case 'u':
		s.restore()
	}
}

// deleteRows removes rows at the top of the region, which the caller has set to the
// cursor. They do not move above the screen.
func (s *Screen) deleteRows(n int) {
	b := s.buf()
	for range min(n, b.bottom-b.top+1) {
		copy(b.rows[b.top:b.bottom], b.rows[b.top+1:b.bottom+1])
		b.rows[b.bottom] = line{cells: make([]cell, s.cols)}
	}
}

func (s *Screen) eraseScreen(what int) {
	b := s.buf()
	from, to := b.y+1, s.rows
	switch what {
	case 0:
		s.erase(b.y, b.x, s.cols)
	case 1:
		s.erase(b.y, 0, b.x+1)
		from, to = 0, b.y
	case 2:
		from = 0
	case 3:
		s.above = nil
		return
	default:
		return
	}
	for y := from; y < to; y++ {
		s.erase(y, 0, s.cols)
	}
}

// mode sets a private mode.
func (s *Screen) mode(n string, on bool) {
	switch n {
	case "1":
		s.appCursor = on
	case "2004":
		s.bracketed = on
	case "7":
		s.noWrap = !on
	case "47", "1047", "1049":
		if on == s.alt {
			return
		}
		if on {
			s.normal.savedX, s.normal.savedY = s.normal.x, s.normal.y
			s.alternate = s.blank()
			s.alternate.x, s.alternate.y = s.normal.x, s.normal.y
		}
		s.alt, s.wrap = on, false
		if !on && n == "1049" {
			s.restore()
		}
	}
}
