package process

import (
	"context"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(RoleEnv); role != "" { // the process that a test starts
		ctx, cancel := UntilEnd(context.Background(), os.Stdin)
		fmt.Println("here as", role)
		<-ctx.Done()
		cancel()
		return
	}
	os.Exit(m.Run())
}

func TestAProcessHasItsRoleAndEnds(t *testing.T) {
	p, line, err := Start(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	if line != "here as echo" {
		t.Errorf("it said %q", line)
	}
	pages, err := p.Resident()
	if err != nil || pages <= 0 {
		t.Errorf("it has %v MB: %v", pages, err)
	}
	if _, err := p.CPU(); err != nil {
		t.Error(err)
	}
	size, err := ResidentTree(p.cmd.Process.Pid)
	if err != nil || size <= 0 {
		t.Errorf("the kernel says %v MB: %v", size, err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := Resident(p.cmd.Process.Pid); err == nil {
		t.Error("it is still there")
	}
}
