package main

import (
	"bufio"
	"os/exec"
	"testing"

	"pilotfish/backend/proc/plainuser"
)

func TestGuardIsNotDumpable(t *testing.T) {
	plainuser.Become(t)
	cmd := exec.CommandContext(t.Context(), "pilotfish", "guard") // testscript puts it on the path
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the guard says %q, %v", line, err)
	}
	if plainuser.CanLookInto(cmd.Process.Pid) {
		t.Error("a process of the same user may look into the guard")
	}
	_ = in.Close() // as if the app had died
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
