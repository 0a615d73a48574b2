//go:build unix

package proc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// Config says what to start.
type Config struct {
	// Path is the program; Args are its arguments without the program's name.
	Path string
	Args []string
	// Env is the whole environment; nil is an empty one. The mark is added.
	Env []string
	Dir string
	// ExtraFiles become the descriptors 3, 4, … of the process. It gets no
	// others beside 0, 1 and 2.
	ExtraFiles []*os.File
	// Stdin, Stdout and Stderr are as in exec.Cmd: nil is the null device.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// TTY is the program's side of a terminal. It becomes the controlling
	// terminal and 0, 1 and 2. The caller closes its copy after Start.
	TTY *os.File
	// Guard, if there is one, ends the tree when this program dies.
	Guard  *Guard
	Logger *slog.Logger
}

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
// called.
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
	cmd := command(ctx, c, mark)
	// Libraries in this process may have opened descriptors that a child would
	// inherit. None of ours is meant to be, and exec.Cmd hands over its own.
	closeOnExec()
	// The guard learns the mark first: were this program killed between the
	// fork and the message, the child would be nobody's.
	c.Guard.add(record{Mark: mark})
	if err := cmd.Start(); err != nil {
		c.Guard.remove(mark)
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	pid := cmd.Process.Pid
	start, _ := startTime(pid) // it is not reaped yet, so it is there
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
	// The context's end goes through the ladder and not through exec's kill.
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

// newMark returns 128 random bits: a mark that is found is ours.
func newMark() (string, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("making a process mark: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// wait notices the leader's end without reaping it.
func (p *Process) wait() {
	exit := waitExit(p.PID())
	p.mu.Lock()
	p.exit = exit
	p.exit.Reason = p.reason
	p.mu.Unlock()
	close(p.exited)
}

// run ends the tree once, for whichever reason comes first, and reaps.
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
	_ = p.cmd.Wait() // how it ended is known already
	p.tree.close()
	if err == nil {
		p.guard.remove(p.tree.Mark)
	}
	p.mu.Lock()
	p.leftOver = err
	p.mu.Unlock()
	close(p.done)
}

// setReason keeps the first reason and reports whether this is it.
func (p *Process) setReason(reason string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return false
	}
	p.stopping = true
	select {
	case <-p.exited: // it ended by itself; nobody's reason is the cause
	default:
		p.reason = reason
	}
	return true
}

// PID returns the leader's process id, which is also its group and session.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited is closed when the leader has ended; Exit is known from then on. What
// it left behind may still be there.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done is closed when the whole tree is gone and no zombie is left.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit returns how the leader ended. It is meaningful once Exited is closed.
func (p *Process) Exit() protocol.Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Stop ends the tree by the ladder and waits until it is gone, 5 s at most. The
// first caller's reason becomes part of Exit. The error says what could not be
// ended.
func (p *Process) Stop(reason string) error {
	if p.setReason(reason) {
		close(p.stop)
	}
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leftOver
}

// exitOf turns a wait status into an Exit.
func exitOf(ws unix.WaitStatus) protocol.Exit {
	if ws.Signaled() {
		return protocol.Exit{Code: -1, Signal: unix.SignalName(ws.Signal())}
	}
	return protocol.Exit{Code: ws.ExitStatus()}
}
