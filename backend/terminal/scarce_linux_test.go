package terminal

import (
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// TestMemoryRunsOut: one program may use little memory and one is killed as the kernel
// kills when memory is short (fault 31). Each is shown with its last screen and how it
// ended, and a third program goes on.
func TestMemoryRunsOut(t *testing.T) {
	w := newWorld(t)
	other := w.raw("exec cat")
	viewer := w.attach(other.ID, 0, 0)

	limited := w.start(protocol.AgentCustom, "ulimit -v 40000; exec tail /dev/zero")
	c := w.attach(limited.ID, 0, 0)
	if exit := c.waitControl(protocol.ControlExit); *exit.Exit != (protocol.Exit{Code: 1}) {
		t.Errorf("the limited program ended with %+v", exit.Exit)
	}
	c.waitText("memory exhausted")

	killed := w.raw("printf 'last words'; exec sleep 988")
	c = w.attach(killed.ID, 0, 0)
	c.waitText("last words")
	if err := syscall.Kill(killed.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	exit := c.waitControl(protocol.ControlExit)
	if *exit.Exit != (protocol.Exit{Code: -1, Signal: "SIGKILL"}) {
		t.Errorf("the killed program ended with %+v", exit.Exit)
	}

	viewer.typeText("still here")
	viewer.waitText("still here")
	if now, err := w.m.Get(other.ID); err != nil || now.PID != other.PID || now.Epoch != other.Epoch {
		t.Errorf("the other program was %+v, now %+v, %v", other, now, err)
	}
}

// TestDescriptorsRunOut starts terminals until there are too few descriptors (fault 32):
// the next one is refused with what to do, the others work and can be viewed, and after
// one is closed there is room again.
func TestDescriptorsRunOut(t *testing.T) {
	w := newWorld(t)
	live := []protocol.TerminalInfo{w.raw("exec cat")}
	c := w.attach(live[0].ID, 0, 0)
	c.waitText("RDY")
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(len(entries)) + 48, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	another := protocol.PtySessionRequest{Tab: "t1", Agent: protocol.AgentCustom, Command: "stty raw -echo; printf RDY; exec cat", Cols: 80, Rows: 24}
	for err == nil {
		var info protocol.TerminalInfo
		if info, err = w.m.Start(t.Context(), another); err == nil {
			live = append(live, info)
		}
	}
	if e := protocol.AsError(err); e.Code != protocol.CodeBusy || e.Hint == "" || len(live) == maxTerminals {
		t.Fatalf("terminal %d: %v", len(live)+1, err)
	}
	if n := len(w.m.List()); n != len(live) {
		t.Errorf("there are %d terminals, and %d were started", n, len(live))
	}
	last := live[len(live)-1].ID
	for _, c := range []*client{c, w.attach(last, 0, 0)} {
		c.waitText("RDY")
		c.typeText("still here")
		c.waitText("still here")
		c.leave()
	}
	if err := w.m.Close(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	info, err := w.m.Start(t.Context(), another)
	if err != nil || info.State != protocol.TerminalLive {
		t.Errorf("with free descriptors: %+v, %v", info, err)
	}
}
