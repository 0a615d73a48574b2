package protocol

import (
	"strings"
	"time"
)

// TerminalText is what a terminal shows, as plain text: the program's own words.
type TerminalText struct {
	Terminal TerminalInfo `json:"terminal"`
	// Lines are the last lines, oldest first, without colours. Lines that the terminal
	// wrapped are whole.
	Lines []string `json:"lines"`
}

// TerminalWait says what to wait for in a terminal.
type TerminalWait struct {
	For   TerminalUntil
	Text  string        // WaitText
	Quiet time.Duration // WaitQuiet: how long without output
	Lines int           // how many lines the reply has
}

// TerminalUntil is what `terminal wait` can wait for.
type TerminalUntil string

// The events.
const (
	WaitText  TerminalUntil = "text"  // a text is on the screen
	WaitQuiet TerminalUntil = "quiet" // the program prints nothing for a while
	WaitExit  TerminalUntil = "exit"  // the program has ended
)

// The limits of `terminal`.
const (
	// MaxTerminalLines is how many lines one reply has, TerminalLines how many it has
	// by default.
	MaxTerminalLines = 2000
	TerminalLines    = 60
	// MaxTerminalInput is how many characters one call types: what the question to the
	// user can show.
	MaxTerminalInput = 4000
	// MaxTerminalKeys is how many keys one call presses.
	MaxTerminalKeys = 50
	// TerminalQuiet is how long a program is silent by default until it counts as quiet.
	TerminalQuiet = time.Second
)

// TerminalKey is the name of a key that `terminal send` presses.
type TerminalKey string

// The keys. KeyControl with a letter is that key with Ctrl: "Ctrl+C".
const (
	KeyEnter     TerminalKey = "Enter"
	KeyTab       TerminalKey = "Tab"
	KeyBackTab   TerminalKey = "Shift+Tab"
	KeyEscape    TerminalKey = "Escape"
	KeyBackspace TerminalKey = "Backspace"
	KeyDelete    TerminalKey = "Delete"
	KeySpace     TerminalKey = "Space"
	KeyUp        TerminalKey = "Up"
	KeyDown      TerminalKey = "Down"
	KeyLeft      TerminalKey = "Left"
	KeyRight     TerminalKey = "Right"
	KeyHome      TerminalKey = "Home"
	KeyEnd       TerminalKey = "End"
	KeyPageUp    TerminalKey = "PageUp"
	KeyPageDown  TerminalKey = "PageDown"

	KeyControl = "Ctrl+"
)

// TerminalKeys returns the named keys, without those with Ctrl.
func TerminalKeys() []TerminalKey {
	return []TerminalKey{
		KeyEnter, KeyTab, KeyBackTab, KeyEscape, KeyBackspace, KeyDelete, KeySpace, KeyUp, KeyDown, KeyLeft, KeyRight,
		KeyHome, KeyEnd, KeyPageUp, KeyPageDown,
	}
}

// ParseTerminalKey returns the key of a name, in any case.
func ParseTerminalKey(name string) (TerminalKey, bool) {
	for _, key := range TerminalKeys() {
		if strings.EqualFold(string(key), name) {
			return key, true
		}
	}
	if len(name) == len(KeyControl)+1 && strings.EqualFold(name[:len(KeyControl)], KeyControl) {
		if letter := strings.ToUpper(name[len(KeyControl):]); letter >= "A" && letter <= "Z" {
			return TerminalKey(KeyControl + letter), true
		}
	}
	return "", false
}
