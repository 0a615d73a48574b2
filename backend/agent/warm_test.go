//go:build unix

package agent_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pilotfish/backend/agent"
	"pilotfish/backend/protocol"
)

// TestSlowProfileDelaysNoTerminal has a login shell that is blocked until the
// gate file exists. A terminal starts meanwhile, and the next one has the
// shell's PATH.
func TestSlowProfileDelaysNoTerminal(t *testing.T) {
	dir := t.TempDir()
	gate, shell := filepath.Join(dir, "gate"), filepath.Join(dir, "bash")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncat " + gate + " >/dev/null\necho \"$4\" | sed 's/^echo //; s/;.*//'\necho PATH=/from/the/profile:/usr/bin\necho \"$4\" | sed 's/^echo //; s/;.*//'\n"
	if err := os.WriteFile(shell, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p := agent.New(agent.Config{
		Env: []string{"PATH=/usr/bin:/bin", "SHELL=" + shell}, Home: dir, Shell: shell, Logger: slog.New(slog.DiscardHandler),
	})
	var asking sync.WaitGroup
	asking.Go(p.Warm(t.Context()))
	path := func() string {
		launched, err := p.Launch(t.Context(), agent.LaunchConfig{Kind: protocol.AgentShell, DefaultDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range launched.Env {
			if value, ok := strings.CutPrefix(v, "PATH="); ok {
				return value
			}
		}
		return ""
	}
	if got := path(); strings.Contains(got, "/from/the/profile") {
		t.Errorf("the PATH is %s before the shell said it", got)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil { // unblocks the shell
		t.Fatal(err)
	}
	asking.Wait()
	if got := path(); !strings.Contains(got, "/from/the/profile") {
		t.Errorf("the PATH is %s after the shell said its own", got)
	}
}
