package vt

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// parserState is the scanner's position within an escape sequence.
type parserState uint8

const (
	ground     parserState = iota
	escape                 // after ESC
	designate              // after ESC and an intermediate such as (
	control                // CSI
	command                // OSC, ended by BEL or ST
	commandEsc             // ESC within it
	opaque                 // DCS, SOS, PM or APC, ended by ST
	opaqueEsc              // ESC within it
)

// maxCommand is how many bytes of an OSC are kept; a title of MaxTitle characters
// fits.
const maxCommand = 8 + protocol.MaxTitle*utf8.UTFMax

// maxControl is how many bytes of a CSI's parameters are kept.
const maxControl = 64

// scanner parses the output for titles, bells and modes. It does not change the
// output, and keeps its state between batches.
type scanner struct {
	state parserState
	inter byte // the intermediate of designate
	param []byte
	text  []byte
	long  bool // text was cut at maxCommand

	modes    modes
	title    string
	progress *protocol.TerminalProgress // nil for none
	// titles, of which reports of progress count as one, and bells are how many there
	// have been.
	titles, bells int
	last          [utf8.UTFMax - 1]byte // the last bytes of the output
}

// scan reads the next bytes.
func (s *scanner) scan(p []byte) {
	for i := 0; i < len(p); i++ {
		b := p[i]
		switch s.state {
		case ground:
			if i += skipPlain(p[i:]); i < len(p) {
				s.c0(p[i])
			}
		case escape:
			s.afterEscape(b)
		case designate:
			s.afterIntermediate(b)
		case control:
			i += s.inControl(p[i:]) - 1
		case command:
			i += s.inCommand(p[i:]) - 1
		case commandEsc:
			// ST is ESC \; any other byte begins another sequence, and the command
			// still counts as ended.
			s.commandEnd()
			s.state = escape
			if b == '\\' {
				s.state = ground
			} else {
				s.afterEscape(b)
			}
		case opaque:
			end := bytes.IndexAny(p[i:], "\x1b\x18\x1a")
			if end < 0 {
				i = len(p)
				break
			}
			i += end
			s.state = ground
			if p[i] == 0x1b {
				s.state = opaqueEsc
			}
		case opaqueEsc:
			s.state = escape
			if b == '\\' {
				s.state = ground
			} else {
				s.afterEscape(b)
			}
		}
	}
	if n := len(p); n >= len(s.last) {
		copy(s.last[:], p[n-len(s.last):])
	} else {
		copy(s.last[:], s.last[n:])
		copy(s.last[len(s.last)-n:], p)
	}
}

// skipPlain returns how many bytes at the beginning of p are text and colours. Nearly
// all bytes of a flood are, so the speed of this loop limits the program's output.
func skipPlain(p []byte) int {
	for i := 0; i < len(p); i++ {
		if p[i] >= 0x20 {
			continue
		}
		if p[i] == '\r' || p[i] == '\n' {
			continue
		}
		if p[i] != 0x1b || i+2 >= len(p) || p[i+1] != '[' {
			return i
		}
		end := i + 2
		for end < len(p) && p[end]-0x30 < 0x10 {
			end++
		}
		if end == len(p) || p[end] != 'm' {
			return i
		}
		i = end
	}
	return len(p)
}

// c0 handles a control character outside of strings.
func (s *scanner) c0(b byte) {
	switch b {
	case 0x07:
		s.bells++
	case 0x0e:
		s.modes.shifted = true
	case 0x0f:
		s.modes.shifted = false
	case 0x18, 0x1a:
		s.state = ground
	case 0x1b:
		s.state = escape
	}
}

func (s *scanner) afterEscape(b byte) {
	if b < 0x20 {
		s.c0(b)
		return
	}
	s.state = ground
	switch b {
	case '[':
		s.state, s.param = control, s.param[:0]
	case ']':
		s.state, s.text, s.long = command, s.text[:0], false
	case 'P', 'X', '^', '_':
		s.state = opaque
	case 'c':
		s.modes = modes{}
	case '=':
		s.modes.appKeypad = true
	case '>':
		s.modes.appKeypad = false
	default:
		if b < 0x30 {
			s.state, s.inter = designate, b
		}
	}
}

func (s *scanner) afterIntermediate(b byte) {
	if b < 0x20 {
		s.c0(b)
		return
	}
	if b < 0x30 {
		return
	}
	s.state = ground
	if b == 'B' {
		b = 0
	}
	switch s.inter {
	case '(':
		s.modes.g0 = b
	case ')':
		s.modes.g1 = b
	}
}

// inControl consumes the next part of a CSI and returns its length in bytes.
func (s *scanner) inControl(p []byte) int {
	n := 0
	for n < len(p) && p[n]-0x20 < 0x20 {
		n++
	}
	s.param = append(s.param, p[:min(n, maxControl-len(s.param))]...)
	if n == len(p) {
		return n
	}
	switch b := p[n]; {
	case b < 0x20:
		s.c0(b)
	case b < 0x7f:
		s.state = ground
		s.controlEnd(b)
	}
	return n + 1
}

func (s *scanner) controlEnd(final byte) {
	switch final {
	case 'h', 'l':
		on := final == 'h'
		if list, ok := bytes.CutPrefix(s.param, []byte("?")); ok {
			for n := range bytes.SplitSeq(list, []byte(";")) {
				if v, err := strconv.Atoi(string(n)); err == nil {
					s.modes.set(v, on)
				}
			}
		} else if string(s.param) == "4" {
			s.modes.insert = on
		}
	case 'p':
		if string(s.param) == "!" {
			s.modes.softReset()
		}
	case 'q':
		if style, ok := bytes.CutSuffix(s.param, []byte(" ")); ok && len(style) < 3 {
			s.modes.cursorStyle = string(style)
		}
	}
}

// inCommand consumes an OSC's text up to its end or the end of p and returns the
// number of bytes.
func (s *scanner) inCommand(p []byte) int {
	end := bytes.IndexAny(p, "\x07\x1b\x18\x1a")
	n := end
	if end < 0 {
		n = len(p)
	}
	room := maxCommand - len(s.text)
	s.long = s.long || n > room
	s.text = append(s.text, p[:min(n, room)]...)
	if end < 0 {
		return n
	}
	switch p[end] {
	case 0x07:
		s.commandEnd()
		s.state = ground
	case 0x1b:
		s.state = commandEsc
	default:
		s.state = ground // cancelled
	}
	return end + 1
}

func (s *scanner) commandEnd() {
	if part, ok := bytes.CutPrefix(s.text, []byte("9;4;")); ok {
		s.progress, s.titles = progressOf(string(part), s.progress), s.titles+1
		return
	}
	kind, text, ok := bytes.Cut(s.text, []byte(";"))
	if !ok || len(kind) != 1 || (kind[0] != '0' && kind[0] != '2') {
		return
	}
	s.title = CleanTitle(string(text))
	s.titles++
}

// boundary reports whether the output may be cut here: no escape sequence and no
// character is incomplete.
func (s *scanner) boundary() bool { return s.state == ground && OpenCharacter(s.last[:]) == 0 }

// reopen returns a prefix that makes an emulator parse the rest of an incomplete
// string as a string, instead of showing it.
func (s *scanner) reopen() string {
	switch s.state {
	case command, commandEsc:
		return "\x1b]9999;"
	case opaque, opaqueEsc:
		return "\x1b_"
	case control:
		return "\x1b["
	default:
		return ""
	}
}

// OpenCharacter returns how many bytes at the end of p begin a UTF-8 character
// that does not end there.
func OpenCharacter(p []byte) int {
	for i := 1; i <= min(len(p), utf8.UTFMax-1); i++ {
		switch b := p[len(p)-i]; {
		case b < 0x80, b >= 0xf8: // a complete character, or a byte that never occurs in UTF-8
			return 0
		case b >= 0xf0:
			return i
		case b >= 0xe0:
			return unlessWhole(i, 3)
		case b >= 0xc0:
			return unlessWhole(i, 2)
		}
	}
	return 0 // the end of a four-byte character, or not UTF-8
}

func unlessWhole(have, want int) int {
	if have < want {
		return have
	}
	return 0
}

// CleanTitle makes a title safe to show: it comes from an untrusted program.
func CleanTitle(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		// Cf contains the bidirectional overrides, which make a text look like
		// another text.
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			continue
		}
		if n++; n > protocol.MaxTitle {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
