//go:build unix

package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Config says what to start and who takes its lines.
type Config struct {
	Launch driver.Launch
	// Guard, if there is one, ends the agent when this program dies.
	Guard  *proc.Guard
	Logger *slog.Logger
	// Connect is given the process before Start returns it, and returns what takes
	// one line without its end. That is called one at a time, in order; the line is
	// valid until it returns. While it waits, the agent is read no further. An error
	// of it ends the agent and is the reason.
	Connect func(*Process) (line func(line []byte) error)
}

// Process is an agent that runs. Its methods are safe for concurrent use.
type Process struct {
	launch driver.Launch
	line   func([]byte) error
	log    *slog.Logger
	proc   *proc.Process
	stdin  *os.File
	done   chan struct{}

	errLines tail
	wake     chan struct{} // something is queued, or the queue is closed

	mu      sync.Mutex
	queue   [][]byte
	queued  int       // bytes
	heard   time.Time // of its last line
	closed  bool      // nothing more is taken in
	failure error     // why we ended it; nil while we did not
	ours    bool      // Close was called
	err     error
}

// Start starts the agent. It ends when life ends or Close is called.
func Start(life context.Context, c Config) (*Process, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, err
	}
	running, err := proc.Start(life, proc.Config{
		Path: c.Launch.Path, Args: c.Launch.Args, Env: c.Launch.Env, Dir: c.Launch.Dir,
		Stdin: pipes.stdin.theirs, Stdout: pipes.stdout.theirs, Stderr: pipes.stderr.theirs,
		Guard: c.Guard, Logger: c.Logger,
	})
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, protocol.NewError(protocol.CodeAgentMissing, c.Launch.Name+" cannot be started: "+err.Error(), "look at its path in Settings")
	}
	p := &Process{
		launch: c.Launch, proc: running, stdin: pipes.stdin.ours,
		log:  c.Logger.With("component", "stdio", "agent", c.Launch.Kind, "pid", running.PID()),
		done: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	p.line = c.Connect(p)
	var wg sync.WaitGroup
	wg.Go(func() { p.read(pipes.stdout.ours) })
	wg.Go(func() { p.readErrors(pipes.stderr.ours) })
	wg.Go(p.write)
	wg.Go(func() {
		<-running.Done()
		p.closeQueue()
		// Whoever got away from the tree may hold the pipes open; what the agent
		// left in them is read first.
		deadline := time.Now().Add(agentPipeWait)
		_ = p.stdin.SetWriteDeadline(deadline)
		_ = pipes.stdout.ours.SetReadDeadline(deadline)
		_ = pipes.stderr.ours.SetReadDeadline(deadline)
	})
	go func() {
		wg.Wait()
		pipes.closeOurs()
		p.finish()
	}()
	return p, nil
}

// PID is the agent's process id.
func (p *Process) PID() int { return p.proc.PID() }

// Send queues a line, which must have no end and is not the caller's any more. It
// never waits, so that whoever
// asks for the end of a turn is not kept by an agent that does not read. It
// returns CodeBusy when too much waits already, and the agent's end when there is
// no agent any more.
func (p *Process) Send(line []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return protocol.NewError(protocol.CodeCrashed, p.launch.Name+" has ended", "start it again")
	case p.queued > 0 && p.queued+len(line) > maxAgentQueue:
		return protocol.NewError(protocol.CodeBusy, p.launch.Name+" does not read what it is sent", "stop it and start it again")
	}
	p.queue = append(p.queue, line)
	p.queued += len(line) + 1
	p.signal()
	return nil
}

func (p *Process) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// write hands the queue to the agent.
func (p *Process) write() {
	defer p.stdin.Close()
	for range p.wake {
		for {
			p.mu.Lock()
			queue, closed := p.queue, p.closed
			p.queue = nil
			p.mu.Unlock()
			if closed {
				return
			}
			if len(queue) == 0 {
				break
			}
			for _, line := range queue {
				if _, err := p.stdin.Write(append(line, '\n')); err != nil {
					// An agent that ends closes its input first; how it ended says more.
					p.awaitExit("it closed its input")
					return
				}
				p.mu.Lock()
				p.queued -= len(line) + 1
				p.mu.Unlock()
			}
		}
	}
}

// closeQueue lets nothing more in. A write that waits for the agent ends when the
// pipe does.
func (p *Process) closeQueue() {
	p.mu.Lock()
	p.closed = true
	p.queue = nil
	p.mu.Unlock()
	p.signal()
}

// read hands the agent's lines over.
func (p *Process) read(from io.Reader) {
	lines := newLines(from, maxAgentLine)
	for {
		line, err := lines.next()
		if err == nil {
			p.mu.Lock()
			p.heard = time.Now()
			p.mu.Unlock()
			err = p.line(line)
		} else if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
			p.awaitExit("it closed its output")
			return
		}
		if err != nil {
			p.Fail(err)
			// What it still writes is for nobody; its pipe must not keep it.
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

// readErrors keeps what the agent writes beside the protocol.
func (p *Process) readErrors(from io.Reader) {
	lines := newLines(from, agentStderrLine)
	lines.cut = true
	for {
		line, err := lines.next()
		if err != nil {
			return
		}
		text := strings.TrimRight(strings.ToValidUTF8(string(line), "\uFFFD"), " \t\r")
		if text == "" {
			continue
		}
		p.errLines.add(text)
		if p.launch.Stderr != nil {
			p.launch.Stderr(text)
		}
	}
}

// awaitExit gives an agent that closed a pipe the time to end; one that stays is
// of no use and is ended.
func (p *Process) awaitExit(reason string) {
	wait := time.NewTimer(agentPipeWait)
	defer wait.Stop()
	select {
	case <-p.proc.Exited():
	case <-wait.C:
		p.Fail(errors.New(reason))
	}
}

// Fail ends the agent for a reason; the first one counts. It does not wait.
func (p *Process) Fail(reason error) {
	p.mu.Lock()
	first := p.failure == nil && !p.ours
	if first {
		p.failure = reason
	}
	p.mu.Unlock()
	if first {
		go func() { _ = p.proc.Stop(reason.Error()) }() // finish reports how it ended
	}
}

// Close ends the agent's input when it has been silent for a moment, and by the
// stop ladder whoever does not end with it. It returns when the agent is gone and
// its last line was handed over, or with ctx.
func (p *Process) Close(ctx context.Context) error {
	p.mu.Lock()
	p.ours = true
	heard := p.heard
	p.mu.Unlock()
	stopped := make(chan error, 1)
	go func() {
		// Many write down what was said after they have said it, and are ended in the
		// middle of that by the end of their input as by a signal: Qwen Code 0.15 knew
		// nothing of its last answer.
		p.wait(ctx, time.Until(heard.Add(agentEndWait)))
		p.closeQueue()
		p.wait(ctx, agentEndWait)
		stopped <- p.proc.Stop("closed")
	}()
	select {
	case <-p.done:
		return <-stopped
	case <-ctx.Done():
		return fmt.Errorf("waiting for the end of %s: %w", p.launch.Name, context.Cause(ctx))
	}
}

// Await waits until done is closed: the end of a driver's agent, which follows that of
// its process.
func Await(ctx context.Context, done <-chan struct{}, name string) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing %s: %w", name, context.Cause(ctx))
	}
}

// wait returns after a time, with ctx, or when the process has ended.
func (p *Process) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.proc.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Done is closed when the process is gone and its last line was handed over.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says why the agent ended; nil when Close was called, and while it runs.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// finish says why it ended.
func (p *Process) finish() {
	exit := p.proc.Exit()
	p.mu.Lock()
	if !p.ours {
		p.err = p.reason(exit)
	}
	p.mu.Unlock()
	close(p.done)
}

// shownLog is how much of an agent's log a person can look at when it ended, in bytes.
const shownLog = 4 << 10

// reason is what a person is told. The caller holds mu.
func (p *Process) reason(exit protocol.Exit) error {
	message := p.launch.Name
	switch {
	case p.failure != nil:
		message += " was stopped: " + p.failure.Error()
	case exit.Signal != "":
		message += " was killed (" + exit.Signal + ")"
	case exit.Code != 0:
		message += fmt.Sprintf(" stopped with exit code %d", exit.Code)
	default:
		message += " stopped"
	}
	e := protocol.NewError(protocol.CodeCrashed, message, "restart it to continue; nothing is lost")
	e.Detail = p.errLines.last(shownLog)
	return e
}
