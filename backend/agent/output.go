package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// maxOutput bounds how much of a program's output is kept, in bytes.
const maxOutput = 64 << 10

// endDelay is how long a program may take to end when it is asked to. It is
// also how long we wait after a program has ended, while one of its children
// keeps its output open.
const endDelay = time.Second

// output runs a program that should print something and exit, and returns its
// output. When ctx ends, the program's whole group is ended: a shell's profile
// may have started other programs.
func output(ctx context.Context, env []string, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = env
	cmd.Dir = os.TempDir() // so that a project's own settings have no effect
	var out, problem limited
	cmd.Stdout, cmd.Stderr = &out, &problem
	over := ownGroup(cmd)
	// A child that keeps the output open must not block us.
	cmd.WaitDelay = endDelay
	err := cmd.Run()
	over()
	if ctx.Err() != nil {
		killGroup(cmd)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return out.String(), context.DeadlineExceeded
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program succeeded, only its output stayed open
	}
	if err != nil {
		if line := firstLine(problem.String()); line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
	}
	return out.String(), err
}

// limited keeps the first maxOutput bytes that are written to it.
type limited struct{ bytes.Buffer }

// Write never fails, so that the program is not disturbed.
func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), max(0, maxOutput-l.Len()))])
	return len(p), nil
}

// firstLine returns the first line that is not empty, at most 200 characters
// long.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			runes := []rune(line)
			return string(runes[:min(len(runes), 200)])
		}
	}
	return ""
}
