//go:build unix

package terminal

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/pty"
)

func TestShellAnswers(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentShell, "")
	if info.State != protocol.TerminalLive || info.Epoch != 1 || info.PID == 0 {
		t.Fatalf("started as %+v", info)
	}
	c := w.attach(info.ID, 0, 0)
	c.waitControl(protocol.ControlReplayed)
	c.waitText("$ ")
	c.typeText("echo $TERM-$COLORTERM; tput cols\r")
	c.waitText("xterm-256color-truecolor")
	c.waitText("\r\n80\r\n")
	c.typeText("exit 3\r")
	exit := c.waitControl(protocol.ControlExit)
	if exit.Exit == nil || *exit.Exit != (protocol.Exit{Code: 3}) || exit.Offset != c.offset {
		t.Errorf("exit = %+v at %d, have %d", exit.Exit, exit.Offset, c.offset)
	}
	w.await(info.ID, "ended", func(i protocol.TerminalInfo) bool {
		return i.State == protocol.TerminalEnded && i.Status == protocol.AgentEnded && i.PID == 0 && i.Exit.Code == 3
	})
	// The ended terminal can still be viewed.
	again := w.attach(info.ID, 0, 0)
	again.waitControl(protocol.ControlExit)
	again.waitText("exit 3")
}

func TestKilledAgentIsShownWithItsLastScreen(t *testing.T) {
	w := newWorld(t)
	info := w.raw("printf 'last words'; exec sleep 988")
	c := w.attach(info.ID, 0, 0)
	c.waitText("last words")
	if err := syscall.Kill(info.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	exit := c.waitControl(protocol.ControlExit)
	if *exit.Exit != (protocol.Exit{Code: -1, Signal: "SIGKILL"}) {
		t.Errorf("exit = %+v", exit.Exit)
	}
	if string(c.text) != "RDYlast words" {
		t.Errorf("screen %q", c.text)
	}
}

func TestAllOutputComesBeforeTheExit(t *testing.T) {
	w := newWorld(t)
	for range 20 {
		info := w.start(protocol.AgentCustom, `stty raw -echo; printf '%0*d' 30000 0; printf END`)
		c := w.attach(info.ID, 0, 0)
		c.waitControl(protocol.ControlExit)
		if len(c.text) != 30003 || !strings.HasSuffix(string(c.text), "END") {
			t.Fatalf("%d bytes before the exit", len(c.text))
		}
		c.leave()
		if err := w.m.Close(t.Context(), info.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBytesPassUnchanged(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	c.waitText("RDY")
	corpus := []byte("\x00\xff\xfe\xc3\x28 \xe2\x82 \xf0\x9f\x98 \x80\x9b\x1b]0;half \x1b[?1049h\x07\r\n\x7f\u202e\x00")
	c.send(corpus)
	c.wait("the corpus", func() bool { return len(c.text) >= 3+len(corpus) })
	if got := string(c.text[3:]); got != string(corpus) {
		t.Errorf("%q came back as %q", corpus, got)
	}
	long := strings.Repeat("x", 1<<20)
	go func() { _ = c.ws.Write(t.Context(), websocket.MessageBinary, []byte(long)) }()
	c.wait("a line of 1 MB", func() bool { return len(c.text) >= 3+len(corpus)+len(long) })
	if got := string(c.text[3+len(corpus):]); got != long {
		t.Error("the long line changed")
	}
}

func TestPasteOf10MB(t *testing.T) {
	paste := make([]byte, 10<<20)
	for i := range paste {
		paste[i] = "abcdefghijklmnopqrstuvwxyz\n"[i%27]
	}
	for frame, paste := range map[int][]byte{len(paste): paste, 16 << 10: paste[:2<<20]} {
		t.Run(fmt.Sprint(frame), func(t *testing.T) {
			w := newWorld(t)
			info := w.raw("exec cat")
			c := w.attach(info.ID, 0, 0)
			c.waitText("RDY")
			go func() {
				for p := paste; len(p) > 0; p = p[min(frame, len(p)):] {
					if c.ws.Write(t.Context(), websocket.MessageBinary, p[:min(frame, len(p))]) != nil {
						return // the reader detects what is missing
					}
				}
			}()
			c.wait("the paste", func() bool { return len(c.text) >= 3+len(paste) })
			if !bytes.Equal(c.text[3:], paste) {
				t.Error("the paste changed")
			}
		})
	}
}

func TestInterruptReachesAProgramThatDoesNotReadAPaste(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentCustom, `trap 'echo GOT IT; exit 5' INT; stty -echo -icanon; echo RDY; while :; do sleep 0.01; done`)
	c := w.attach(info.ID, 0, 0)
	c.waitText("RDY")
	c.send([]byte(strings.Repeat("p", 8<<20)))
	c.send([]byte{pty.InterruptKey})
	c.waitText("GOT IT")
	if exit := c.waitControl(protocol.ControlExit); exit.Exit.Code != 5 {
		t.Errorf("exit = %+v", exit.Exit)
	}
}

func TestInterruptDuringAFlood(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentCustom, `trap 'printf ST; printf OP; sleep 988' INT; while :; do yes flood; done`)
	c := w.attach(info.ID, 0, 0)
	c.wait("a flood", func() bool { return len(c.text) > 4<<20 })
	sent := c.offset
	c.send([]byte{pty.InterruptKey})
	c.waitText("STOP")
	// The data in transit is limited by the window and the kernel's buffers.
	if after := c.offset - sent; after > 4*protocol.AckWindow {
		t.Errorf("%d bytes came after Ctrl-C", after)
	}
}

func TestResizeStorm(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentCustom, "exec env "+roleEnv+"=sizes "+testBinary(t))
	c := w.attach(info.ID, 0, 0)
	c.waitText("RDY")
	for i := range 1000 {
		c.control(protocol.ViewerControl{Type: protocol.ControlResize, Cols: 20 + i%100, Rows: 10 + i%50})
	}
	for _, s := range []struct {
		cols, rows int
		want       string
	}{
		{0, 0, fmt.Sprintf("size %d %d <nil>\r", protocol.MinRows, protocol.MinCols)},
		{65535, 65535, fmt.Sprintf("size %d %d <nil>\r", protocol.MaxRows, protocol.MaxCols)},
		{-1 << 40, 33, fmt.Sprintf("size 33 %d <nil>\r", protocol.MinCols)},
		{101, 41, "size 41 101 <nil>\r"},
	} {
		c.control(protocol.ViewerControl{Type: protocol.ControlResize, Cols: s.cols, Rows: s.rows})
		c.waitText(s.want)
	}
	w.await(info.ID, "the size", func(i protocol.TerminalInfo) bool { return i.Cols == 101 && i.Rows == 41 })
	if n := strings.Count(string(c.text), "size "); n > 200 {
		t.Errorf("the program was told %d sizes", n)
	}
}

func TestTitleAndBell(t *testing.T) {
	w := newWorld(t)
	info := w.raw(`printf '\033]0;ti\033\\'; read -N1; printf '\033]2;\342\200\256evil <title>\tx\007'; read -N1; printf '\007'; exec sleep 988`)
	c := w.attach(info.ID, 0, 0)
	c.waitControlIf("a title", func(m protocol.TerminalControl) bool { return m.Type == protocol.ControlTitle && m.Title == "ti" })
	c.typeText("x")
	title := c.waitControl(protocol.ControlTitle)
	if title.Title != "evil <title>x" {
		t.Errorf("title %q", title.Title)
	}
	w.await(info.ID, "the title", func(i protocol.TerminalInfo) bool { return i.Title == "evil <title>x" })
	c.typeText("x")
	c.waitControl(protocol.ControlBell)
	for _, m := range c.controls {
		if m.Type == protocol.ControlBell {
			t.Error("the end of a title rang")
		}
	}
}

// hasStatus accepts a terminal with a status, for await.
func hasStatus(status protocol.AgentStatus) func(protocol.TerminalInfo) bool {
	return func(i protocol.TerminalInfo) bool { return i.Status == status }
}

func TestStatusOfAShellIsItsForeground(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentShell, "")
	c := w.attach(info.ID, 0, 0)
	w.await(info.ID, "idle", hasStatus(protocol.AgentIdle))
	c.typeText("cat\r")
	w.await(info.ID, "working", hasStatus(protocol.AgentWorking))
	c.typeText("\x04")
	w.await(info.ID, "idle again", hasStatus(protocol.AgentIdle))
}

// A shell that starts a silent program late, as on a busy machine, works.
func TestStatusOfASilentProgram(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentShell, "")
	c := w.attach(info.ID, 0, 0)
	// Before each command, the shell waits for input that never comes, without a program.
	c.typeText("mkfifo never; exec 9<>never; trap 'read -t 1 -u 9' DEBUG; echo late$((1))\r")
	c.waitText("late1")
	w.await(info.ID, "idle", hasStatus(protocol.AgentIdle))
	c.typeText("sleep 987\r")
	w.await(info.ID, "working", hasStatus(protocol.AgentWorking))
}

func TestHooksSetTheStatus(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	w.await(info.ID, "idle", func(i protocol.TerminalInfo) bool { return i.Status == protocol.AgentIdle })
	if err := w.m.SetStatus(info.ID, protocol.AgentNeedsYou, "may I\x1b[31m?"); err != nil {
		t.Fatal(err)
	}
	w.await(info.ID, "needs you", func(i protocol.TerminalInfo) bool {
		return i.Status == protocol.AgentNeedsYou && i.Message == "may I[31m?"
	})
	c.typeText("\x1b[I") // a focus report is not an answer
	c.typeText("y")
	w.await(info.ID, "working", func(i protocol.TerminalInfo) bool { return i.Status == protocol.AgentWorking && i.Message == "" })
	if err := w.m.SetStatus(info.ID, protocol.AgentEnded, ""); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("err = %v", err)
	}
}

// An agent has no hook for the end of a turn that a user interrupts. After Escape, an
// agent that falls silent waits for the user; one that draws still works.
func TestInterruptedAgentIsIdle(t *testing.T) {
	w := newWorld(t)
	info := w.raw(`stty raw -echo; printf ready; (while :; do printf .; sleep 0.1; done) & spin=$!; dd bs=1 count=1 2>/dev/null >/dev/null; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do printf '+'; sleep 0.1; done; printf still; dd bs=1 count=1 2>/dev/null >/dev/null; kill $spin; printf stopped; exec cat`)
	c := w.attach(info.ID, 0, 0)
	c.waitText("ready")
	if err := w.m.SetStatus(info.ID, protocol.AgentWorking, ""); err != nil {
		t.Fatal(err)
	}
	// An Escape that interrupts nothing: the animation continues.
	c.typeText("\x1b")
	c.waitText("still")
	w.await(info.ID, "working while it draws", func(i protocol.TerminalInfo) bool { return i.Status == protocol.AgentWorking })
	c.typeText("\x1b")
	c.waitText("stopped")
	w.await(info.ID, "idle after Escape", func(i protocol.TerminalInfo) bool { return i.Status == protocol.AgentIdle })
}

func TestRestart(t *testing.T) {
	w := newWorld(t)
	info := w.raw(`trap '' HUP; (setsid sleep 988 &); printf old; exec cat`)
	c := w.attach(info.ID, 0, 0)
	c.waitText("old")
	c.control(protocol.ViewerControl{Type: protocol.ControlCheckpoint, Epoch: 1, Offset: c.offset, Data: "OLD SCREEN"})
	next, err := w.m.Restart(t.Context(), protocol.PtyRestartRequest{Terminal: info.ID, Command: "stty raw -echo; printf new; exec cat"})
	if err != nil {
		t.Fatal(err)
	}
	if next.ID != info.ID || next.Epoch != 2 || next.State != protocol.TerminalLive || next.PID == info.PID {
		t.Errorf("restarted as %+v", next)
	}
	if err := syscall.Kill(info.PID, 0); err != syscall.ESRCH {
		t.Errorf("the old process: %v", err)
	}
	epoch := c.waitControl(protocol.ControlEpoch)
	if epoch.Epoch != 2 || epoch.Offset != 0 {
		t.Errorf("epoch = %+v", epoch)
	}
	c.waitText("new")
	if string(c.text) != "new" {
		t.Errorf("screen %q", c.text)
	}
	// A late message about the old stream has no effect.
	c.control(protocol.ViewerControl{Type: protocol.ControlAck, Epoch: 1, Offset: 1 << 30})
	c.control(protocol.ViewerControl{Type: protocol.ControlCheckpoint, Epoch: 1, Offset: 1, Data: "OLD SCREEN"})
	c.typeText("live")
	c.waitText("newlive")
	// A viewer of the old epoch receives the new screen, cleared.
	d := w.attach(info.ID, 1, 6)
	if s := d.waitControl(protocol.ControlSnapshot); s.Data != "" || s.Offset != 0 || s.Epoch != 2 {
		t.Errorf("snapshot = %+v", s)
	}
	d.waitText("newlive")
}

func TestRestartKeepsTheOldProcessWhenThereIsNoNewOne(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	if _, err := w.m.Restart(t.Context(), protocol.PtyRestartRequest{Terminal: info.ID, Command: "refused"}); err == nil {
		t.Fatal("restarted")
	}
	c := w.attach(info.ID, 0, 0)
	c.typeText("alive")
	c.waitText("RDYalive")
}

func TestMissingAndBrokenAgents(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentCustom, "missing")
	if info.State != protocol.TerminalMissing || info.Status != protocol.AgentMissing {
		t.Errorf("missing: %+v", info)
	}
	c := w.attach(info.ID, 0, 0)
	c.waitControl(protocol.ControlReplayed)
	c.typeText("into the void")
	if _, err := w.m.Restart(t.Context(), protocol.PtyRestartRequest{Terminal: info.ID, Command: "printf here; exec cat"}); err != nil {
		t.Fatal(err)
	}
	c.waitText("here")

	info = w.start(protocol.AgentCustom, "broken")
	if info.State != protocol.TerminalEnded || info.Exit == nil || !strings.Contains(info.Exit.Reason, "/nonexistent/agent") {
		t.Errorf("broken: %+v", info)
	}
	w.attach(info.ID, 0, 0).waitControl(protocol.ControlExit)
	if _, err := w.m.Start(t.Context(), protocol.PtySessionRequest{Command: "refused"}); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("refused: %v", err)
	}
	if n := len(w.m.List()); n != 2 {
		t.Errorf("%d terminals", n)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentCustom, `trap '' HUP TERM INT; setsid sleep 988 & echo pid $!.; while :; do wait; done`)
	c := w.attach(info.ID, 0, 0)
	c.waitText(".")
	var daemon int
	if _, err := fmt.Sscanf(string(c.text), "pid %d.", &daemon); err != nil {
		t.Fatal(err)
	}
	if err := w.m.Close(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	if code := c.closeCode(); code != protocol.CloseGone {
		t.Errorf("closed with %d", code)
	}
	for _, pid := range []int{info.PID, daemon} {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process %d is left: %s", pid, stat)
		}
	}
	awaitCond(w, "gone", func() (bool, bool) { return w.gone[info.ID], w.gone[info.ID] })
	if _, err := w.m.Get(info.ID); protocol.AsError(err).Code != protocol.CodeUnknownTerminal {
		t.Errorf("err = %v", err)
	}
	if code := w.dial(info.ID).closeCode(); code != protocol.CloseGone {
		t.Errorf("a viewer of nothing is closed with %d", code)
	}
}

func TestTooManyTerminals(t *testing.T) {
	w := newWorld(t)
	for range maxTerminals {
		w.start(protocol.AgentCustom, "missing")
	}
	if _, err := w.m.Start(t.Context(), protocol.PtySessionRequest{Command: "missing"}); protocol.AsError(err).Code != protocol.CodeBusy {
		t.Errorf("err = %v", err)
	}
}

func TestEndOfTheAppEndsTerminalsAndViewers(t *testing.T) {
	w := newWorld(t)
	info := w.raw("exec cat")
	c := w.attach(info.ID, 0, 0)
	code := make(chan websocket.StatusCode, 1)
	go func() { code <- c.closeCode() }()
	w.end()
	if got := <-code; got != websocket.StatusGoingAway {
		t.Errorf("closed with %d", got)
	}
	if err := syscall.Kill(info.PID, 0); err != syscall.ESRCH {
		t.Errorf("the process: %v", err)
	}
	if _, err := w.m.Start(t.Context(), protocol.PtySessionRequest{}); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("err = %v", err)
	}
}

// Only the user's own shell receives its terminal's name: the user reads what a
// command prints there, while a model reads what an agent runs.
func TestOnlyAShellKnowsItsTerminal(t *testing.T) {
	w := newWorld(t)
	show := `echo "<${PILOTFISH_TTY-none}>" "<$(tty)>"`
	shell := w.start(protocol.AgentShell, "")
	c := w.attach(shell.ID, 0, 0)
	c.waitText("$ ")
	c.typeText(show + "\n")
	c.waitText("\r</dev/pts/")
	agent := w.start(protocol.AgentCustom, show+"; exec cat")
	d := w.attach(agent.ID, 0, 0)
	d.waitText("<none> </dev/pts/")
}

func TestThePromptOfAShellIsShort(t *testing.T) {
	w := newWorld(t)
	info := w.start(protocol.AgentShell, "")
	c := w.attach(info.ID, 0, 0)
	c.waitText("$ ")
	c.typeText("cd /usr/share/doc; PS1='\\w> '\n")
	c.waitText(".../doc> ")
	c.typeText("echo $PROMPT_DIRTRIM, set by the user: $(PROMPT_DIRTRIM=3 bash -c 'echo $PROMPT_DIRTRIM')\n")
	c.waitText("\r1, set by the user: 3")
}
