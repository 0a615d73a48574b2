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
	"pilotfish/backend/confine"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Config says what to start and who receives its lines.
type Config struct {
	Launch driver.Launch
	// Guard ends the agent when this program dies; it may be nil.
	Guard  *proc.Guard
	Logger *slog.Logger
	// Connect is called with the process before Start returns it, and returns
	// the callback for lines. The callback receives one line, without its line
	// end, at a time and in order; the line is valid until the callback
	// returns. While the callback runs, nothing more is read from the agent. If
	// it returns an error, the agent is ended with that error as the reason.
	Connect func(*Process) (line func(line []byte) error)
}

// Process is a running agent. Its methods are safe for concurrent use.
type Process struct {
	launch  driver.Launch
	wrapped bool // see confine.Prepare
	line    func([]byte) error
	log     *slog.Logger
	proc    *proc.Process
	stdin   *os.File
	done    chan struct{}

	errLines tail
	wake     chan struct{} // signals that something is queued, or that the queue is closed

	mu      sync.Mutex
	queue   [][]byte
	queued  int       // bytes
	heard   time.Time // the time of its last line
	closed  bool      // nothing more is accepted
	failure error     // why we ended it; nil otherwise
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
	program, wrapped := confine.Prepare(confine.Program{Path: c.Launch.Path, Args: c.Launch.Args, Env: c.Launch.Env, Dir: c.Launch.Dir}, c.Launch.Confine, c.Launch.Keeper)
	running, err := proc.Start(life, proc.Config{
		Path: program.Path, Args: program.Args, Env: program.Env, Dir: program.Dir,
		Stdin: pipes.stdin.theirs, Stdout: pipes.stdout.theirs, Stderr: pipes.stderr.theirs,
		Guard: c.Guard, Logger: c.Logger,
	})
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, protocol.NewError(protocol.CodeAgentMissing, c.Launch.Name+" cannot be started: "+err.Error(), "look at its path in Settings")
	}
	p := &Process{
		launch: c.Launch, wrapped: wrapped, proc: running, stdin: pipes.stdin.ours,
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
		// A process that escaped from the agent's process tree may hold the
		// pipes open. The agent's remaining output is read first.
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

// PID returns the agent's process id.
func (p *Process) PID() int { return p.proc.PID() }

// Send queues a line, which must have no line end; the caller must not use it
// afterwards. It never waits, so that an agent that does not read cannot delay
// the caller, for instance when it ends a turn. Send returns CodeBusy when the
// queue is full, and CodeCrashed when the agent has ended.
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

// write writes the queue to the agent.
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
					// An agent that ends closes its input first; its exit
					// status is the better reason.
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

// closeQueue closes the queue. A write that is blocked ends when the pipe does.
func (p *Process) closeQueue() {
	p.mu.Lock()
	p.closed = true
	p.queue = nil
	p.mu.Unlock()
	p.signal()
}

// read passes on the agent's lines.
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
			// The rest of its output is discarded; a full pipe must not keep
			// the agent from ending.
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

// readErrors keeps the last lines of the agent's standard error.
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

// awaitExit gives an agent that closed a pipe the time to end. An agent that
// still runs then is of no use and is ended.
func (p *Process) awaitExit(reason string) {
	wait := time.NewTimer(agentPipeWait)
	defer wait.Stop()
	select {
	case <-p.proc.Exited():
	case <-wait.C:
		p.Fail(errors.New(reason))
	}
}

// Fail ends the agent for a reason; only the first reason counts. It does not
// wait.
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

// Close closes the agent's input once the agent has been silent for
// agentEndWait. If the agent does not end then, Close stops it by the stop
// ladder. It returns when the agent has ended and its last line was passed on,
// or when ctx ends.
func (p *Process) Close(ctx context.Context) error {
	p.mu.Lock()
	p.ours = true
	heard := p.heard
	p.mu.Unlock()
	stopped := make(chan error, 1)
	go func() {
		// Many agents save the conversation only after their last message.
		// Closing their input interrupts that as a signal does: Qwen Code 0.15
		// lost its last answer.
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

// Await waits until done is closed: the end of a driver's agent, which follows
// the end of its process.
func Await(ctx context.Context, done <-chan struct{}, name string) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing %s: %w", name, context.Cause(ctx))
	}
}

// wait waits for a time, for the end of ctx, or for the end of the process.
func (p *Process) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.proc.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Done is closed when the process has ended and its last line was passed on.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns why the agent ended; nil if Close was called, and while the agent
// runs.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// finish records why the agent ended.
func (p *Process) finish() {
	exit := p.proc.Exit()
	if p.wrapped {
		exit = confine.Exit(exit)
	}
	p.mu.Lock()
	if !p.ours {
		p.err = p.reason(exit)
	}
	p.mu.Unlock()
	close(p.done)
}

// shownLog is how much of an agent's log the user can see when it has ended, in
// bytes.
const shownLog = 4 << 10

// reason returns the error for the user. The caller holds mu.
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
