package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestNohupIsNotHandedOn has a program started as nohup starts one: what that one
// starts hears SIGHUP, and the program lives on.
func TestNohupIsNotHandedOn(t *testing.T) {
	const inside = "PILOTFISH_TEST_HANGUPS"
	if os.Getenv(inside) != "" {
		defer hangups()()
		// The child's own shell would live on as well, if it ignored the signal.
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
