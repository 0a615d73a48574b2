// Package process starts a measured backend as a separate process, and measures
// processes.
package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// RoleEnv names the role in which this program runs; empty for the bench itself.
// A measured backend is a separate process, so that its memory can be measured
// separately.
const RoleEnv = "PILOTFISH_BENCH_ROLE"

// Process is this program in another role.
type Process struct {
	cmd *exec.Cmd
	in  io.Closer
}

// Start starts this program in a role and returns the first line of its output.
func Start(ctx context.Context, role string) (*Process, string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, "", fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), RoleEnv+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", fmt.Errorf("starting the backend: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", fmt.Errorf("starting the backend: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, "", fmt.Errorf("starting the backend: %w", err)
	}
	p := &Process{cmd: cmd, in: in}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("starting the backend: it said %q: %w", line, err), p.Stop())
	}
	return p, strings.TrimSpace(line), nil
}

// UntilEnd returns a context that ends with in, which the parent process closes
// when it ends.
func UntilEnd(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx, cancel
}

// Stop ends the process and everything that it started.
func (p *Process) Stop() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	timer := time.AfterFunc(2*protocol.StopHangupWait+protocol.StopTerminateWait, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	return p.cmd.Wait()
}

// Resident returns the memory of the process in MB.
func (p *Process) Resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("reading the backend's memory: %w", err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0, fmt.Errorf("reading the backend's memory: %w", err)
	}
	return float64(pages) * float64(os.Getpagesize()) / 1e6, nil
}

// CPU returns the processor time that the process has used.
func (p *Process) CPU() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("reading the backend's processor time: %w", err)
	}
	// The name in brackets may contain anything; the fields follow it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	const tick = 10 * time.Millisecond // on every Linux
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}
