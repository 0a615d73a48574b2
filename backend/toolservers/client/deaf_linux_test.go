package client

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// A call that the server does not even read ends with its caller, and the server with it.
func TestADeafProgram(t *testing.T) {
	ended := make(chan struct{}, 1)
	f := programs(t, nil, func() { ended <- struct{}{} }, "deaf")
	if list := f.offered(t); len(list) != 1 || list[0].Error != nil {
		t.Fatalf("%+v", list)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	replies := make(chan protocol.TaskToolReply)
	go func() {
		large := json.RawMessage(`{"text":"` + strings.Repeat("x", maxArguments-20) + `"}`)
		replies <- f.Call(ctx, task, "t1", protocol.TaskToolRequest{Server: "docs", Tool: "hear", Arguments: large})
	}()
	f.Client.mu.Lock()
	program := f.tasks[task.ID].open["docs"].conn.program
	f.Client.mu.Unlock()
	raw, err := program.in.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	// No event says that a pipe is full.
	for full := false; !full; {
		select {
		case reply := <-replies:
			t.Fatalf("the call ended before the pipe was full: %+v", reply)
		case <-time.After(time.Millisecond):
		}
		_ = raw.Control(func(fd uintptr) {
			held, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
			full = err != nil || held > maxArguments-4096
		})
	}
	cancel()
	if reply := <-replies; reply.OK {
		t.Errorf("%+v", reply)
	}
	<-ended
}
