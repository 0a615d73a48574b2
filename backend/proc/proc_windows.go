package proc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"pilotfish/backend/protocol"
)

// TTY is the program's side of a pseudo console.
type TTY interface {
	// Spawn starts a program on the pseudo console.
	Spawn(name string, args []string, attr *syscall.ProcAttr) (pid int, handle uintptr, err error)
	// HangUp closes the pseudo console: the programs on it are asked to end, and the
	// reader gets the rest of the output and then io.EOF.
	HangUp()
}

// Process is one subprocess with all of its descendants. Its methods are safe
// for concurrent use.
type Process struct {
	pid    int
	leader windows.Handle
	job    *job
	cmd    *exec.Cmd // nil on a pseudo console
	tty    TTY       // nil without one
	log    *slog.Logger
	exited chan struct{} // the leader has ended
	done   chan struct{} // the tree is gone
	stop   chan struct{} // Stop was called

	mu       sync.Mutex
	exit     protocol.Exit
	reason   string
	stopping bool
	leftOver error
}

// Start starts the process. It ends, with its tree, when ctx ends or Stop is called.
func Start(ctx context.Context, c Config) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, context.Cause(ctx))
	}
	mark, err := newMark()
	if err != nil {
		return nil, err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	j, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	p := &Process{
		job: j, tty: c.TTY,
		exited: make(chan struct{}), done: make(chan struct{}), stop: make(chan struct{}),
	}
	if err := p.start(ctx, c, mark); err != nil {
		j.close()
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	p.log = c.Logger.With("component", "proc", "pid", p.pid, "path", c.Path)
	go p.wait()
	go p.run(ctx)
	return p, nil
}

// start starts the program suspended, so that it can start nothing before it is in the
// job.
func (p *Process) start(ctx context.Context, c Config, mark string) error {
	env := []string{}
	for _, v := range c.Env {
		if !strings.HasPrefix(v, protocol.EnvMark+"=") {
			env = append(env, v)
		}
	}
	env = append(env, protocol.EnvMark+"="+mark)
	const flags = windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP
	if c.TTY != nil {
		pid, handle, err := c.TTY.Spawn(c.Path, append([]string{c.Path}, c.Args...), &syscall.ProcAttr{
			Dir: c.Dir, Env: env, Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED},
		})
		if err != nil {
			return err
		}
		p.pid, p.leader = pid, windows.Handle(handle)
	} else {
		// When the context ends, the stop ladder runs, and not exec's kill.
		cmd := exec.CommandContext(context.WithoutCancel(ctx), c.Path, c.Args...)
		cmd.Env, cmd.Dir = env, c.Dir
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags, HideWindow: true}
		cmd.WaitDelay = time.Second
		for _, f := range c.ExtraFiles {
			handle := syscall.Handle(f.Fd())
			if err := windows.SetHandleInformation(windows.Handle(handle), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
				return fmt.Errorf("giving it a file: %w", err)
			}
			cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, handle)
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		p.cmd, p.pid = cmd, cmd.Process.Pid
		handle, err := windows.OpenProcess(windows.PROCESS_ALL_ACCESS, false, uint32(p.pid)) //nolint:gosec // a pid has 32 bits
		if err != nil {
			return errors.Join(err, cmd.Process.Kill())
		}
		p.leader = handle
	}
	err := windows.AssignProcessToJobObject(p.job.handle, p.leader)
	if err == nil {
		err = resume(p.pid)
	}
	if err != nil {
		return errors.Join(err, windows.TerminateProcess(p.leader, 1), windows.CloseHandle(p.leader))
	}
	return nil
}

// wait detects the leader's end.
func (p *Process) wait() {
	_, err := windows.WaitForSingleObject(p.leader, windows.INFINITE)
	var code uint32
	if err == nil {
		err = windows.GetExitCodeProcess(p.leader, &code)
	}
	exit := protocol.Exit{Code: int(int32(code))} //nolint:gosec // a status such as 0xC000013A is shown as Windows' own tools do
	if err != nil {
		exit.Code = -1
	}
	p.mu.Lock()
	exit.Reason = p.reason
	p.exit = exit
	p.mu.Unlock()
	close(p.exited)
}

// run ends the tree once, for the first reason that occurs.
func (p *Process) run(ctx context.Context) {
	select {
	case <-p.exited:
	case <-p.stop:
	case <-ctx.Done():
		p.setReason("the owner ended")
	}
	err := p.end()
	if err != nil {
		p.log.Error("processes are left over", "error", err)
	}
	<-p.exited
	if p.cmd != nil {
		_ = p.cmd.Wait() // the exit status is known already
	}
	_ = windows.CloseHandle(p.leader) // it was only waited for
	p.job.close()
	p.mu.Lock()
	p.leftOver = err
	p.mu.Unlock()
	close(p.done)
}

// end is the stop ladder: the closed console or Ctrl-Break, then the end of the job.
func (p *Process) end() error {
	if p.tty != nil {
		// It also ends the reader when no process is left.
		go p.tty.HangUp() // older systems return only when the output is read
	} else {
		_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.pid)) //nolint:gosec // a pid has 32 bits; a program without a console is not notified
	}
	if p.job.empty(protocol.StopHangupWait + protocol.StopTerminateWait) {
		return nil
	}
	if err := windows.TerminateJobObject(p.job.handle, 1); err != nil {
		return fmt.Errorf("ending the processes of %d: %w", p.pid, err)
	}
	if !p.job.empty(stopKillWait) {
		return fmt.Errorf("processes of %d survive the end of their job", p.pid)
	}
	return nil
}

// PID returns the leader's process id.
func (p *Process) PID() int { return p.pid }
