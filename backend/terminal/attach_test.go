//go:build unix

package terminal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
)

// colours returns a script that prints n lines of coloured, numbered text and then
// echoes.
func colours(n int) string {
	return fmt.Sprintf(`for ((i = 0; i < %d; i++)); do printf '\033[38;5;%%dm%%07d héllo wörld \033[0m\r\n' $((i %% 256)) $i; done; printf END; exec cat`, n)
}

func TestReattachAtRandomPlacesIsByteExact(t *testing.T) {
	w := newWorld(t)
	info := w.raw(colours(20_000))
	whole := w.attach(info.ID, 0, 0)
	whole.waitText("END")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		cut := rng.Uint64N(whole.offset + 1)
		c := w.attach(info.ID, info.Epoch, cut)
		if c.offset != cut {
			t.Fatalf("goes on at %d instead of %d", c.offset, cut)
		}
		replayed := c.waitControl(protocol.ControlReplayed)
		if replayed.Offset != whole.offset || c.offset != whole.offset {
			t.Fatalf("replayed to %d, drawn to %d of %d", replayed.Offset, c.offset, whole.offset)
		}
		if !bytes.Equal(c.text, whole.text[cut:]) {
			t.Fatalf("the bytes after %d are others", cut)
		}
		c.leave()
	}
}

func TestReattachWhileItFloods(t *testing.T) {
	const many = 20_000
	w := newWorld(t)
	info := w.raw(colours(many))
	all := w.attach(info.ID, 0, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	text := all.text
	for done := false; !done; {
		// Stop at some offset, drop the data in transit, and reconnect.
		until := all.offset + rng.Uint64N(200_000)
		all.wait("more", func() bool {
			done = bytes.HasSuffix(all.text, []byte("END"))
			return done || all.offset >= until
		})
		text = append(text, all.text...)
		all.leave()
		if !done {
			all = w.attach(info.ID, all.epoch, all.offset)
		}
	}
	lines := strings.Split(strings.TrimPrefix(string(text), "RDY"), "\r\n")
	if len(lines) != many+1 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines[:many] {
		if want := fmt.Sprintf("\x1b[38;5;%dm%07d héllo wörld \x1b[0m", i%256, i); line != want {
			t.Fatalf("line %d is %q", i, line)
		}
	}
}

func TestReattachFromACheckpoint(t *testing.T) {
	w := newWorld(t)
	info := w.raw(colours(100) + "; :")
	c := w.attach(info.ID, 0, 0)
	c.waitText("END")
	c.control(protocol.ViewerControl{Type: protocol.ControlCheckpoint, Epoch: 1, Offset: c.offset, Data: "SCREEN\x1b[1m", Cols: 80, Rows: 24})
	at := c.offset
	c.typeText("after")
	c.waitText("ENDafter")
	d := w.attach(info.ID, 0, 0)
	s := d.waitControl(protocol.ControlSnapshot)
	if s.Offset != at || s.Data != "SCREEN\x1b[1m" || s.Cols != 80 || s.Rows != 24 || d.offset != at {
		t.Errorf("snapshot = %+v", s)
	}
	d.waitControl(protocol.ControlReplayed)
	if string(d.text) != "SCREEN\x1b[1mafter" {
		t.Errorf("screen %q", d.text)
	}
	// A checkpoint at an offset that was not sent yet is ignored.
	d.control(protocol.ViewerControl{Type: protocol.ControlCheckpoint, Epoch: 1, Offset: at + 1000, Data: "FALSE"})
	d.typeText("!")
	d.waitText("after!")
	e := w.attach(info.ID, 0, 0)
	e.waitText("after!")
	if string(e.text) != "SCREEN\x1b[1mafter!" {
		t.Errorf("screen %q", e.text)
	}
}

func TestReattachBeyondTheRing(t *testing.T) {
	w := newWorld(t)
	exe := "exec env " + roleEnv + "=sizes " + testBinary(t)
	info := w.start(protocol.AgentCustom, `stty raw -echo; printf '\033[?1049h\033[?1002;1006h\033[?2004h\033[?25l'; yes "$(printf '\033[31mwörld\033[0m')" | head -c 12000000; printf END; stty sane; `+exe)
	// Without a viewer, the program runs to its end.
	w.await(info.ID, "the end", func(i protocol.TerminalInfo) bool { return i.Title == "ready" })
	c := w.attach(info.ID, 1, 5)
	s := c.waitControl(protocol.ControlSnapshot)
	if s.Data != "\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h" {
		t.Errorf("prelude %q", s.Data)
	}
	c.waitText("END")
	first := string(c.text[len(s.Data):][:40])
	if !strings.HasPrefix(strings.TrimLeft(first, "wörld\r\n"), "\x1b[") {
		t.Errorf("cut at %q", first)
	}
	// The program is made to redraw, and then has its size back. (A slow program may
	// see both changes as one.)
	c.waitText("size 24 80")
}

func TestTakeOver(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	first := w.attach(info.ID, 0, 0)
	first.waitText("RDY")
	second := w.attach(info.ID, 0, 0)
	if code := first.closeCode(); code != protocol.CloseTakenOver {
		t.Errorf("the first is closed with %d", code)
	}
	second.typeText("mine")
	second.waitText("RDYmine")
	if got, err := w.m.Get(info.ID); err != nil || got.Viewers != 1 {
		t.Errorf("viewers = %d, %v", got.Viewers, err)
	}
}

func TestTakeOverOfAViewerThatStalls(t *testing.T) {
	w := newWorld(t)
	info := w.raw(colours(100_000))
	stalled := w.attach(info.ID, 0, 0) // does not read from here on
	defer stalled.leave()
	c := w.attach(info.ID, 0, 0)
	c.waitText("END")
}

func TestDrawnIsToldOnceForEachViewer(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	for want := 1; want <= 2; want++ {
		c := w.attach(info.ID, 0, 0)
		c.waitText("RDY")
		for range 2 {
			if err := c.ack(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		c.typeText("x") // the echo was read after the acknowledgements
		c.waitText("RDY" + strings.Repeat("x", want))
		got := awaitCond(w, "the word that it is drawn", func() (int, bool) { return w.drawn[info.ID], w.drawn[info.ID] >= want })
		if got != want {
			t.Errorf("drawn was told %d times by %d viewers", got, want)
		}
		c.leave()
	}
}

// A viewer's decoder may lose a character that is split between two frames.
func TestNoFrameEndsWithinACharacter(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	c.waitText("RDY")
	text := "…—•é漢👍x"
	for i := range len(text) {
		c.typeText(text[i : i+1])
		c.typeText("") // a separate read of the program
	}
	c.waitText("RDY" + text)
	c.cuts = func(data []byte) {
		if !utf8.Valid(data) {
			t.Errorf("a frame is %q", data)
		}
	}
	// A viewer that receives earlier output, in frames of the largest size.
	c.typeText(strings.Repeat("…", 100_000))
	c.wait("the echo", func() bool { return len(c.text) >= 3+len(text)+300_000 })
	d := w.attach(info.ID, info.Epoch, 0)
	d.cuts = c.cuts
	d.waitControl(protocol.ControlReplayed)
	if got := string(d.text); got != "RDY"+text+strings.Repeat("…", 100_000) {
		t.Errorf("replayed %d bytes", len(got))
	}
}

// Output that ends within a character is still sent when the program has ended.
func TestHalfACharacterAtTheEnd(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentCustom, `printf 'a\xe2\x80'`)
	c := w.attach(info.ID, 0, 0)
	c.waitControl(protocol.ControlExit)
	if string(c.text) != "a\xe2\x80" {
		t.Errorf("told %q", c.text)
	}
}

// A replay applies the viewers' sizes at the offsets where they were set, and sends
// the output between them.
func TestResizesAreReplayed(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	say := func(text string) {
		c.typeText(text)
		c.waitText(text)
	}
	take := func(cols, rows int) {
		c.control(protocol.ViewerControl{Type: protocol.ControlResize, Epoch: c.epoch, Offset: c.offset, Cols: cols, Rows: rows})
	}
	c.waitText("RDY")
	say("one")
	take(40, 10)
	say("two")
	take(100, 30)
	take(90, 30)
	say("three")
	take(90, 30) // it already has that size
	say("four")
	replayed := func(from uint64, epoch int) string {
		d := w.attach(info.ID, epoch, from)
		defer d.leave()
		shown := ""
		d.resized = func(m protocol.TerminalControl) {
			shown += fmt.Sprintf("%s[%dx%d]", d.text, m.Cols, m.Rows)
			d.text = nil
		}
		d.waitControl(protocol.ControlReplayed)
		return shown + string(d.text)
	}
	for _, test := range []struct {
		from  uint64
		epoch int
		want  string
	}{
		{0, 0, "[80x24]RDYone[40x10]two[100x30][90x30]threefour"},
		{4, info.Epoch, "[80x24]ne[40x10]two[100x30][90x30]threefour"},
		{7, info.Epoch, "[40x10]wo[100x30][90x30]threefour"},
		{c.offset, info.Epoch, "[90x30]"},
	} {
		if got := replayed(test.from, test.epoch); got != test.want {
			t.Errorf("from %d: %s, not %s", test.from, got, test.want)
		}
	}

	// A checkpoint includes the sizes before it.
	c = w.attach(info.ID, info.Epoch, c.offset)
	c.waitControl(protocol.ControlReplayed)
	c.control(protocol.ViewerControl{Type: protocol.ControlCheckpoint, Epoch: 1, Offset: c.offset, Cols: 90, Rows: 30, Data: "S"})
	take(50, 5)
	say("five")
	if got, want := replayed(0, 0), "S[50x5]five"; got != want {
		t.Errorf("from a checkpoint: %s, not %s", got, want)
	}

	// The next process begins with the last size of the program, which is that of the
	// viewer that attached last.
	w.await(info.ID, "the size", func(i protocol.TerminalInfo) bool { return i.Cols == 80 })
	if _, err := w.m.Restart(t.Context(), protocol.PtyRestartRequest{Terminal: info.ID}); err != nil {
		t.Fatal(err)
	}
	if got := replayed(0, 0); !strings.HasPrefix(got, "[80x24]") || strings.Contains(got, "one") {
		t.Errorf("after a restart: %s", got)
	}
}

// The messages of two terminals arrive in any order: what counts is the time at which
// the user turned to each.
func TestShownIsWhenTheUserTurnedToIt(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	shown := func(at int64) int64 {
		c.control(protocol.ViewerControl{Type: protocol.ControlShown, At: at})
		c.control(protocol.ViewerControl{Type: protocol.ControlPing, ID: 7})
		c.waitControl(protocol.ControlPong)
		info, err := w.m.Get(info.ID)
		if err != nil {
			t.Fatal(err)
		}
		return info.Shown
	}
	if got := shown(2000); got != 2000 {
		t.Errorf("shown at %d", got)
	}
	if got := shown(1000); got != 2000 {
		t.Errorf("after an older message: %d", got)
	}
	now := time.Now().UnixMilli()
	if got := shown(1 << 60); got < now || got > time.Now().UnixMilli() {
		t.Errorf("a time that has not come: %d", got)
	}
}

// A terminal is seen while its viewer says so. A viewer that says nothing, and one that
// has gone, do not count.
func TestSeen(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	seen := func(c *client) bool {
		c.control(protocol.ViewerControl{Type: protocol.ControlPing, ID: 7})
		c.waitControl(protocol.ControlPong)
		info, err := w.m.Get(info.ID)
		if err != nil {
			t.Fatal(err)
		}
		return info.Seen
	}
	c := w.attach(info.ID, 0, 0)
	if seen(c) {
		t.Error("seen by a viewer that has said nothing")
	}
	for _, want := range []bool{true, false, true} {
		c.control(protocol.ViewerControl{Type: protocol.ControlSeen, Seen: want})
		if got := seen(c); got != want {
			t.Errorf("seen: %v, want %v", got, want)
		}
	}
	if seen(w.attach(info.ID, 0, 0)) {
		t.Error("seen by the viewer that was taken over")
	}
}

func TestStalledViewerStopsItsProgramOnly(t *testing.T) {
	w := newWorld(t)
	flood := w.raw("yes flood")
	stalled := w.attach(flood.ID, 0, 0)
	stalled.noAcks = true
	other := w.raw("exec cat")
	c := w.attach(other.ID, 0, 0)
	stalled.wait("the window", func() bool { return stalled.offset >= protocol.AckWindow })
	c.typeText("unaffected")
	c.waitText("unaffected")
	term := w.m.terminals[flood.ID]
	term.mu.Lock()
	if head := term.stream.Head(); head != protocol.AckWindow {
		t.Errorf("%d bytes were read ahead of a viewer that draws none", head)
	}
	term.mu.Unlock()
	stalled.noAcks = false
	if err := stalled.ack(t.Context()); err != nil {
		t.Fatal(err)
	}
	stalled.wait("more", func() bool { return stalled.offset > 4*protocol.AckWindow })
}

func TestMalformedFramesCloseTheViewerOnly(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	text := func(s string) func(*client) {
		return func(c *client) { _ = c.ws.Write(t.Context(), websocket.MessageText, []byte(s)) }
	}
	for name, bad := range map[string]struct {
		send func(*client)
		code websocket.StatusCode
	}{
		"no JSON":        {text("{"), websocket.StatusProtocolError},
		"unknown":        {text(`{"type":"exit"}`), websocket.StatusProtocolError},
		"wrong type":     {text(`{"type":"resize","cols":"80"}`), websocket.StatusProtocolError},
		"overflow":       {text(`{"type":"ack","offset":-1}`), websocket.StatusProtocolError},
		"second attach":  {text(`{"type":"attach"}`), websocket.StatusProtocolError},
		"ack of nothing": {text(`{"type":"ack","epoch":1,"offset":4000000000}`), websocket.StatusProtocolError},
		"large checkpoint": {
			text(`{"type":"checkpoint","epoch":1,"data":"` + strings.Repeat("x", protocol.MaxCheckpoint+1) + `"}`),
			websocket.StatusMessageTooBig,
		},
		"large input": {func(c *client) {
			_ = c.ws.Write(t.Context(), websocket.MessageBinary, make([]byte, protocol.MaxInputFrame+1))
		}, websocket.StatusMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			c := w.attach(info.ID, 0, 0)
			go bad.send(c)
			if code := c.closeCode(); code != bad.code {
				t.Errorf("closed with %d", code)
			}
		})
	}
	for name, first := range map[string]func(*client){
		"input":  func(c *client) { c.send([]byte("x")) },
		"resize": func(c *client) { c.control(protocol.ViewerControl{Type: protocol.ControlResize}) },
	} {
		c := w.dial(info.ID)
		first(c)
		if code := c.closeCode(); code != websocket.StatusProtocolError {
			t.Errorf("%s first: closed with %d", name, code)
		}
	}
	c := w.attach(info.ID, 1, 0)
	c.typeText("alive")
	c.waitText("alive")
	c.control(protocol.ViewerControl{Type: protocol.ControlPing, ID: 7})
	if pong := c.waitControl(protocol.ControlPong); pong.ID != 7 {
		t.Errorf("pong = %+v", pong)
	}
}

func TestPanicInAConnectionIsContained(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	c.waitText("RDY")
	term := w.m.terminals[info.ID]
	term.mu.Lock()
	v := term.viewer
	term.mu.Unlock()
	v.contain(func() { panic("a fault of ours") })
	if code := c.closeCode(); code != websocket.StatusInternalError {
		t.Errorf("closed with %d", code)
	}
	w.attach(info.ID, 0, 0).waitText("RDY")
}

func TestGraceEndsATerminalWithoutViewers(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	c.waitText("RDY")
	w.mu.Lock()
	w.grace = 1
	w.mu.Unlock()
	w.m.Regrace() // a viewer is attached: nothing ends
	c.typeText("still here")
	c.waitText("still here")
	c.leave()
	awaitCond(w, "gone", func() (bool, bool) { return w.gone[info.ID], w.gone[info.ID] })
}

func TestViewersComeAndGoFast(t *testing.T) {
	w := newWorld(t)
	info := w.raw(colours(20_000))
	for i := range 50 {
		c := w.attach(info.ID, 0, 0)
		if i%2 == 0 {
			c.leave()
		}
	}
	c := w.attach(info.ID, 0, 0)
	c.waitText("END")
	if n := len(w.m.List()); n != 1 {
		t.Errorf("%d terminals", n)
	}
}

// TestFirstViewerAnswers runs a program that queries its terminal before a viewer
// attaches. For the first viewer this output is not a replay; for the second it is.
func TestFirstViewerAnswers(t *testing.T) {
	w := newWorld(t)
	asked := filepath.Join(t.TempDir(), "asked")
	if err := syscall.Mkfifo(asked, 0o600); err != nil {
		t.Fatal(err)
	}
	info := w.raw(`printf '\033[cready'; echo >` + asked + `; exec cat`)
	if _, err := os.ReadFile(asked); err != nil { // returns when the program has asked
		t.Fatal(err)
	}
	first := w.attach(info.ID, 0, 0)
	if replayed := first.waitControl(protocol.ControlReplayed); replayed.Offset != 0 {
		t.Errorf("the first viewer was given a replay of %d bytes", replayed.Offset)
	}
	first.waitText("ready")
	first.leave()
	second := w.attach(info.ID, 0, 0)
	if replayed := second.waitControl(protocol.ControlReplayed); replayed.Offset == 0 {
		t.Error("the second viewer was told that it is the first")
	}
}
