package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/app/operations"
	"pilotfish/backend/protocol"
)

// patience is how long a test waits for an expected event.
const patience = time.Minute

// expect waits for the next calls, in any order: a page's calls may overtake each
// other.
func (b *fakeBackend) expect(t *testing.T, want ...string) {
	t.Helper()
	for left := slices.Clone(want); len(left) > 0; {
		select {
		case got := <-b.calls:
			at := slices.Index(left, got)
			if at < 0 {
				t.Fatalf("got the call %q, want %q", got, left)
			}
			left = slices.Delete(left, at, at+1)
		case <-time.After(patience):
			t.Fatalf("the call %q did not come", left)
		}
	}
}

// startTray runs the test binary as the tray program.
func startTray(t *testing.T, part string) (b *fakeBackend, end func()) {
	t.Helper()
	t.Setenv(partEnv, part)
	b = newFakeBackend()
	tray := &trayChild{
		program: os.Args[0], dir: filepath.Join(t.TempDir(), "tray"), backend: b, operations: operations.Local{Backend: b}.Table(), state: b.Window,
		show: func(what protocol.WindowShow) { b.called("show %q", what.Page) },
		quit: func() { b.called("quit") },
		log:  slog.New(slog.DiscardHandler),
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tray.run(ctx)
	}()
	end = func() {
		cancel()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatal("the tray did not end")
		}
		goleak.VerifyNone(t)
	}
	return b, end
}

func TestTrayIsToldEveryChangeAndHeard(t *testing.T) {
	b, end := startTray(t, "tray")
	b.expect(t, "tray shown")
	b.expect(t, "show tab stopped/t1")
	b.set(protocol.WindowState{Sessions: []protocol.SessionInfo{sessionInfo("default", protocol.SessionRunning, protocol.AgentNeedsYou)}})
	b.expect(t, "show tab needs_you/t1")
	// A change that the tray would not show is not sent to it.
	b.set(protocol.WindowState{Port: 4711, Sessions: []protocol.SessionInfo{sessionInfo("default", protocol.SessionRunning, protocol.AgentNeedsYou)}})
	b.set(protocol.WindowState{})
	b.expect(t, "show tab stopped/t1")
	end()
}

func TestTrayIsStartedAgain(t *testing.T) {
	b, end := startTray(t, "tray")
	b.expect(t, "tray shown")
	b.expect(t, "show tab stopped/t1")
	for range 2 {
		if err := killChild("tray"); err != nil {
			t.Fatal(err)
		}
		b.expect(t, "tray starting")
		b.expect(t, "tray shown")
		// The new tray receives the complete state at once.
		b.expect(t, "show tab stopped/t1")
	}
	end()
}

func TestTrayThatCannotRunIsGivenUp(t *testing.T) {
	b, end := startTray(t, "dead tray")
	for range protocol.RestartLimit {
		b.expect(t, "tray starting")
	}
	b.expect(t, "tray failed")
	end()
}

func TestDeafTrayIsKilled(t *testing.T) {
	b, end := startTray(t, "unresponsive tray")
	b.expect(t, "tray shown")
	end()
	if err := killChild("unresponsive tray"); err == nil {
		t.Error("the tray outlived the app")
	}
}

func TestTrayActions(t *testing.T) {
	b := newFakeBackend()
	b.set(protocol.WindowState{Sessions: []protocol.SessionInfo{sessionInfo("old", protocol.SessionStopped), sessionInfo("work", protocol.SessionRunning)}})
	tray := &trayChild{
		backend: b, operations: operations.Local{Backend: b}.Table(), state: b.Window, log: slog.New(slog.DiscardHandler),
		show: func(what protocol.WindowShow) { b.called("show %q", what.Page) },
		quit: func() { b.called("quit") },
	}
	said := strings.NewReader(`{"action":"no_host"}
GTK prints this now and then
{"action":"open"}
{"action":"logs"}
{"action":"nonsense"}
{"action":"quit"}
{"action":"stop"}
`)
	var group sync.WaitGroup
	tray.read(t.Context(), &group, said)
	group.Wait()
	for _, want := range []string{"tray no_host", `show ""`, `show "logs"`, "quit", "stop work"} {
		b.expect(t, want)
	}
	tray.do(t.Context(), &group, protocol.TrayAction{Action: protocol.TrayStart})
	group.Wait()
	b.expect(t, "start default")
	// The window shows what is left when the session of an approval was deleted meanwhile.
	for _, session := range []protocol.SessionName{"work", "deleted"} {
		tray.do(t.Context(), &group, protocol.TrayAction{Action: protocol.TrayReview, Session: session, Approval: "n1"})
		group.Wait()
		b.expect(t, "show approval "+string(session)+"/n1")
	}
	b.expect(t, `show "approvals"`)
	tray.do(t.Context(), &group, protocol.TrayAction{Action: protocol.TrayAnswer, Session: "work", Approval: "n1", Answer: protocol.AnswerDeny})
	group.Wait()
	b.expect(t, "answer work n1 deny by the tray")
}

// killChild kills the child of this process that plays a part.
func killChild(part string) error {
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return err
	}
	for _, path := range tasks {
		list, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(list)) {
			env, err := os.ReadFile("/proc/" + field + "/environ")
			if err != nil || !strings.Contains(string(env), partEnv+"="+part+"\x00") {
				continue
			}
			pid, err := strconv.Atoi(field)
			if err != nil {
				return err
			}
			child, err := os.FindProcess(pid)
			if err != nil {
				return err
			}
			return child.Kill()
		}
	}
	return fmt.Errorf("no child plays the part %q", part)
}
