package terminal

import (
	"testing"

	"pilotfish/backend/protocol"
)

// A confined shell is idle at its prompt and working while a job runs, like one that is
// not confined: bubblewrap's own processes do not count.
func TestStatusOfAConfinedShell(t *testing.T) {
	w := newWorld(t)
	info, err := w.m.Start(t.Context(), protocol.PtySessionRequest{Tab: "t1", Agent: protocol.AgentShell, Confined: true, Cols: 80, Rows: 24})
	if err != nil || !info.Confined {
		t.Fatalf("%+v, %v", info, err)
	}
	c := w.attach(info.ID, 0, 0)
	is := func(s protocol.AgentStatus) func(protocol.TerminalInfo) bool {
		return func(i protocol.TerminalInfo) bool { return i.Status == s }
	}
	w.await(info.ID, "idle", is(protocol.AgentIdle))
	c.typeText("cat\r")
	w.await(info.ID, "working", is(protocol.AgentWorking))
	c.typeText("\x04")
	w.await(info.ID, "idle again", is(protocol.AgentIdle))
	c.typeText("kill -KILL $$\r")
	if exit := c.waitControl(protocol.ControlExit); *exit.Exit != (protocol.Exit{Code: -1, Signal: "SIGKILL"}) {
		t.Errorf("exit = %+v", exit.Exit)
	}

	// A restart without a word keeps it confined; one that says so frees it.
	again, err := w.m.Restart(t.Context(), protocol.PtyRestartRequest{Terminal: info.ID})
	if err != nil || !again.Confined {
		t.Errorf("restarted: %+v, %v", again, err)
	}
	free := false
	if again, err = w.m.Restart(t.Context(), protocol.PtyRestartRequest{Terminal: info.ID, Confined: &free}); err != nil || again.Confined {
		t.Errorf("freed: %+v, %v", again, err)
	}
}
