package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// TestNohupIsNotHandedOn starts a program as nohup does: its children receive
// SIGHUP, and the program itself keeps running.
func TestNohupIsNotHandedOn(t *testing.T) {
	const inside = "PILOTFISH_TEST_HANGUPS"
	if os.Getenv(inside) != "" {
		defer hangups()()
		// If the child's own shell ignored the signal, it would keep running,
		// too.
		out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", "kill -HUP $PPID; kill -HUP $$; echo ignored").CombinedOutput()
		if err == nil || len(out) > 0 {
			t.Errorf("what was started says %q, %v", out, err)
		}
		return
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `trap "" HUP; exec "$0" -test.run='^TestNohupIsNotHandedOn$' -test.v`, own)
	cmd.Env = append(os.Environ(), inside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestServiceIsNotDumpable serves until it finds that the context has ended.
func TestServiceIsNotDumpable(t *testing.T) {
	const inside = "PILOTFISH_TEST_DUMPABLE"
	if os.Getenv(inside) != "" {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = serve(ctx, serving{headless: true}) // it may say that it was ended
		if is, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); is != 0 || err != nil {
			t.Errorf("dumpable: %d, %v", is, err)
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServiceIsNotDumpable$", "-test.v") //nolint:gosec // this very test
	cmd.Env = append(os.Environ(), inside+"=1", protocol.EnvHome+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
