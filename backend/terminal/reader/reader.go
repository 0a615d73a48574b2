// Package reader says what the programs of terminals printed, as text, and waits for
// what they print. It needs no panel: the text comes from an emulator of its own.
package reader

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal"
	"pilotfish/backend/terminal/screen"
)

// Terminals are the terminals of a session. Its zero value is not valid; see New.
type Terminals struct{ manager *terminal.Manager }

// New returns the terminals of a manager.
func New(m *terminal.Manager) Terminals { return Terminals{m} }

// List returns the terminals in the order in which they were started.
func (t Terminals) List() []protocol.TerminalInfo { return t.manager.List() }

// Read returns the last lines of a terminal.
func (t Terminals) Read(id protocol.TerminalID, lines int) (protocol.TerminalText, error) {
	f := follower{terminals: t, id: id}
	if err := f.update(); err != nil {
		return protocol.TerminalText{}, err
	}
	return f.text(lines), nil
}

// Send types a text and then keys into a terminal. Several lines are a paste where the
// program asked to know of one, as an editor or an agent does; elsewhere each line ends
// with Enter.
func (t Terminals) Send(id protocol.TerminalID, text string, keys []protocol.TerminalKey) error {
	f := follower{terminals: t, id: id}
	if err := f.update(); err != nil {
		return err
	}
	input := strings.ReplaceAll(text, "\n", "\r")
	if strings.Contains(text, "\n") && f.screen.BracketedPaste() {
		input = "\x1b[200~" + input + "\x1b[201~"
	}
	for _, key := range keys {
		input += sequence(key, f.screen.AppCursor())
	}
	return t.manager.Type(id, []byte(input))
}

// Wait waits until what q names has happened, and returns the text then. Output that was
// there before counts for a text, which may be on the screen already.
func (t Terminals) Wait(ctx context.Context, id protocol.TerminalID, q protocol.TerminalWait) (protocol.TerminalText, error) {
	f := follower{terminals: t, id: id}
	quiet := time.NewTimer(q.Quiet)
	defer quiet.Stop()
	if q.For != protocol.WaitQuiet {
		quiet.Stop()
	}
	for {
		before := f.out.Offset + uint64(len(f.out.Data))
		epoch := f.out.Info.Epoch
		if err := f.update(); err != nil {
			return protocol.TerminalText{}, err
		}
		over := f.out.Over
		switch q.For {
		case protocol.WaitText:
			if f.shows(q.Text) {
				return f.text(q.Lines), nil
			}
		case protocol.WaitExit:
			if over {
				return f.text(q.Lines), nil
			}
		case protocol.WaitQuiet:
			if over {
				return f.text(q.Lines), nil // it stays quiet
			}
			if now := f.out.Offset + uint64(len(f.out.Data)); now != before || f.out.Info.Epoch != epoch {
				quiet.Reset(q.Quiet)
			}
		}
		if over && q.For == protocol.WaitText {
			return protocol.TerminalText{}, protocol.NewError(protocol.CodeNotRunning, "the program ended and did not print that text", "", protocol.Try("reads what it printed", "terminal", "read", string(id)))
		}
		select {
		case <-ctx.Done():
			return protocol.TerminalText{}, context.Cause(ctx)
		case <-quiet.C:
			return f.text(q.Lines), nil
		case <-f.out.Changed:
		}
	}
}

// follower is an emulator that follows the output of a terminal.
type follower struct {
	terminals Terminals
	id        protocol.TerminalID
	out       terminal.Output
	screen    *screen.Screen
}

// update reads what was printed since the last update.
func (f *follower) update() error {
	out, err := f.terminals.manager.Output(f.id, f.out.Info.Epoch, f.out.Offset+uint64(len(f.out.Data)))
	if err != nil {
		return err
	}
	if out.Fresh || f.screen == nil {
		f.screen = screen.New(out.Info.Cols, out.Info.Rows)
		_, _ = f.screen.Write([]byte(out.Prelude)) // it never fails
	}
	f.out = out
	at, data := out.Offset, out.Data
	for _, size := range out.Sizes {
		if size.Offset > at {
			n := min(size.Offset-at, uint64(len(data)))
			_, _ = f.screen.Write(data[:n])
			at, data = at+n, data[n:]
		}
		f.screen.Resize(size.Cols, size.Rows)
	}
	_, _ = f.screen.Write(data)
	return nil
}

// shows reports whether a text is on the screen. White space counts as one space, so
// that it does not matter where a program breaks its lines; in a text of East Asia, which
// has no spaces between words, it does not count. Nor does it matter whether an accent
// has a character of its own.
func (f *follower) shows(text string) bool {
	between := " "
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
		between = ""
	}
	plain := func(lines ...string) string {
		return norm.NFC.String(strings.Join(strings.Fields(strings.Join(lines, " ")), between))
	}
	return strings.Contains(plain(f.screen.Visible()...), plain(text))
}

func (f *follower) text(lines int) protocol.TerminalText {
	return protocol.TerminalText{Terminal: f.out.Info, Lines: f.screen.Lines(lines)}
}

// sequence returns what a key sends.
func sequence(key protocol.TerminalKey, app bool) string {
	arrows := "\x1b["
	if app {
		arrows = "\x1bO"
	}
	switch key {
	case protocol.KeyEnter:
		return "\r"
	case protocol.KeyTab:
		return "\t"
	case protocol.KeyEscape:
		return "\x1b"
	case protocol.KeyBackspace:
		return "\x7f"
	case protocol.KeySpace:
		return " "
	case protocol.KeyDelete:
		return "\x1b[3~"
	case protocol.KeyUp:
		return arrows + "A"
	case protocol.KeyDown:
		return arrows + "B"
	case protocol.KeyRight:
		return arrows + "C"
	case protocol.KeyLeft:
		return arrows + "D"
	case protocol.KeyHome:
		return arrows + "H"
	case protocol.KeyEnd:
		return arrows + "F"
	case protocol.KeyPageUp:
		return "\x1b[5~"
	case protocol.KeyPageDown:
		return "\x1b[6~"
	case protocol.KeyBackTab:
		return "\x1b[Z"
	}
	if letter, ok := strings.CutPrefix(string(key), protocol.KeyControl); ok && len(letter) == 1 {
		return string(rune(letter[0] & 0x1f))
	}
	return ""
}
