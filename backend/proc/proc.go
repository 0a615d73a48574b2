//go:build unix

package proc

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// Process is one subprocess with all of its descendants. Its methods are safe
// for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	tree   *tree
	guard  *Guard
	log    *slog.Logger
	exited chan struct{} // the leader has ended
	done   chan struct{} // the tree is gone and the leader reaped
	stop   chan struct{} // Stop was called

	mu       sync.Mutex
	exit     protocol.Exit
	reason   string
	stopping bool
	leftOver error
}

// Start starts the process. It ends, with its tree, when ctx ends or Stop is
// called. With too few free descriptors, the error has protocol.CodeBusy.
func Start(ctx context.Context, c Config) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, context.Cause(ctx))
	}
	if err := CheckDescriptors(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	mark, err := newMark()
	if err != nil {
		return nil, err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	cmd := command(ctx, c, mark)
	// Libraries in this process may have opened descriptors that a child would
	// inherit. None of ours is meant to be inherited, and exec.Cmd passes its own.
	closeOnExec()
	// Tell the guard the mark first: if this program were killed between the fork and
	// the message, no process would know the child.
	c.Guard.add(record{Mark: mark})
	if err := cmd.Start(); err != nil {
		c.Guard.remove(mark)
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	pid := cmd.Process.Pid
	start, _ := startTime(pid) // the process exists, because it is not reaped yet
	rec := record{Mark: mark, PID: pid, Start: start}
	c.Guard.add(rec)

	p := &Process{
		cmd:    cmd,
		tree:   newTree(rec, true),
		guard:  c.Guard,
		log:    c.Logger.With("component", "proc", "pid", pid, "path", c.Path),
		exited: make(chan struct{}),
		done:   make(chan struct{}),
		stop:   make(chan struct{}),
	}
	go p.wait()
	go p.run(ctx)
	return p, nil
}

func command(ctx context.Context, c Config, mark string) *exec.Cmd {
	// When the context ends, the stop ladder runs, and not exec's kill.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), c.Path, c.Args...)
	cmd.Env = []string{}
	for _, v := range c.Env {
		if !strings.HasPrefix(v, protocol.EnvMark+"=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, protocol.EnvMark+"="+mark)
	cmd.Dir = c.Dir
	cmd.ExtraFiles = c.ExtraFiles
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if c.TTY != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.TTY, c.TTY, c.TTY
		cmd.SysProcAttr.Setctty = true
		cmd.SysProcAttr.Ctty = 0
	}
	// A process that holds our pipes open is gone by the time Wait is called.
	cmd.WaitDelay = time.Second
	return cmd
}

// wait detects the leader's end without reaping it.
func (p *Process) wait() {
	exit := waitExit(p.PID())
	p.mu.Lock()
	p.exit = exit
	p.exit.Reason = p.reason
	p.mu.Unlock()
	close(p.exited)
}

// run ends the tree once, for the first reason that occurs, and reaps the leader.
func (p *Process) run(ctx context.Context) {
	select {
	case <-p.exited:
	case <-p.stop:
	case <-ctx.Done():
		p.setReason("the owner ended")
	}
	err := p.tree.end()
	if err != nil {
		p.log.Error("processes are left over", "error", err)
	}
	<-p.exited
	_ = p.cmd.Wait() // the exit status is known already
	p.tree.close()
	if err == nil {
		p.guard.remove(p.tree.Mark)
	}
	p.mu.Lock()
	p.leftOver = err
	p.mu.Unlock()
	close(p.done)
}

// PID returns the leader's process id, which is also its group and session.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// exitOf converts a wait status to an Exit.
func exitOf(ws unix.WaitStatus) protocol.Exit {
	if ws.Signaled() {
		return protocol.Exit{Code: -1, Signal: unix.SignalName(ws.Signal())}
	}
	return protocol.Exit{Code: ws.ExitStatus()}
}
