package vt

import (
	"strconv"
	"strings"
)

// modes are the emulator's settings that a program sets once and then relies on. A
// viewer that receives only the end of a long stream is sent them first.
type modes struct {
	alternate   bool   // the alternate screen
	mouse       int    // 0, 9, 1000, 1002 or 1003
	encoding    int    // of the mouse: 0, 1005, 1006, 1015 or 1016
	bracketed   bool   // bracketed paste
	focus       bool   // focus events
	hidden      bool   // no cursor
	appCursor   bool   // application cursor keys
	appKeypad   bool   // application keypad
	origin      bool   // cursor positions count from the scroll region
	noWrap      bool   // no wrap at the right margin
	insert      bool   // insert instead of overwrite
	reverse     bool   // the whole screen reversed
	g0, g1      byte   // designated character sets; 0 is ASCII
	shifted     bool   // G1 is in use
	cursorStyle string // DECSCUSR's argument
}

// set handles CSI ? n h and CSI ? n l.
func (m *modes) set(n int, on bool) {
	switch n {
	case 1:
		m.appCursor = on
	case 5:
		m.reverse = on
	case 6:
		m.origin = on
	case 7:
		m.noWrap = !on
	case 25:
		m.hidden = !on
	case 47, 1047, 1049:
		m.alternate = on
	case 66:
		m.appKeypad = on
	case 9, 1000, 1002, 1003:
		m.mouse = 0
		if on {
			m.mouse = n
		}
	case 1004:
		m.focus = on
	case 1005, 1006, 1015, 1016:
		m.encoding = 0
		if on {
			m.encoding = n
		}
	case 2004:
		m.bracketed = on
	}
}

// softReset handles DECSTR.
func (m *modes) softReset() {
	m.hidden, m.origin, m.insert = false, false, false
	m.appCursor, m.appKeypad, m.shifted = false, false, false
	m.g0, m.g1 = 0, 0
}

// prelude returns the escape sequences that bring a reset emulator into these modes.
func (m *modes) prelude() string {
	var b strings.Builder
	private := func(on bool, n int, letter byte) {
		if on {
			b.WriteString("\x1b[?" + strconv.Itoa(n))
			b.WriteByte(letter)
		}
	}
	private(m.alternate, 1049, 'h')
	private(m.appCursor, 1, 'h')
	private(m.reverse, 5, 'h')
	private(m.origin, 6, 'h')
	private(m.noWrap, 7, 'l')
	private(m.hidden, 25, 'l')
	private(m.mouse != 0, m.mouse, 'h')
	private(m.encoding != 0, m.encoding, 'h')
	private(m.focus, 1004, 'h')
	private(m.bracketed, 2004, 'h')
	for _, s := range []struct {
		on   bool
		text string
	}{
		{m.insert, "\x1b[4h"},
		{m.appKeypad, "\x1b="},
		{m.g0 != 0, "\x1b(" + string(rune(m.g0))},
		{m.g1 != 0, "\x1b)" + string(rune(m.g1))},
		{m.shifted, "\x0e"},
		{m.cursorStyle != "", "\x1b[" + m.cursorStyle + " q"},
	} {
		if s.on {
			b.WriteString(s.text)
		}
	}
	return b.String()
}
