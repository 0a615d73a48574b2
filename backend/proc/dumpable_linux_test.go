package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"pilotfish/backend/proc/plainuser"
)

// dumpable is the part of a program that may be looked into, or, with "not", may not.
func dumpable() {
	if os.Args[1] == "not" {
		if err := SetNotDumpable(); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends it
}

func TestNotDumpable(t *testing.T) {
	plainuser.Become(t)
	for _, part := range []string{"plain", "not"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], part) //nolint:gosec // this very test
		cmd.Env = append(os.Environ(), roleEnv+"=dumpable")
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
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%s: %q, %v", part, line, err)
		}
		if got, want := plainuser.CanLookInto(cmd.Process.Pid), part == "plain"; got != want {
			t.Errorf("%s: a process of the same user may look into it: %t, want %t", part, got, want)
		}
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}
