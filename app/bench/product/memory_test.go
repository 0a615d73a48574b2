package product

import (
	"os"
	"os/exec"
	"testing"
)

// A process's children count when they are named; one that has ended has no memory.
func TestMemoryOfProcesses(t *testing.T) {
	child := exec.CommandContext(t.Context(), "sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	alone, err := Resident(child.Process.Pid)
	if err != nil || alone <= 0 {
		t.Errorf("%v MB: %v", alone, err)
	}
	without, err1 := ResidentTree(os.Getpid())
	with, err2 := ResidentTree(os.Getpid(), "sleep")
	if err1 != nil || err2 != nil || with <= without {
		t.Errorf("%v MB with the child, %v without: %v, %v", with, without, err1, err2)
	}
	_ = child.Process.Kill()
	_ = child.Wait() // killed, so an error is expected
	if _, err := Resident(child.Process.Pid); err == nil {
		t.Error("it is still there")
	}
}
