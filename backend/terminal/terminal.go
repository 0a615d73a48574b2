package terminal

import (
	"context"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"pilotfish/backend/confine"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/pty"
	"pilotfish/backend/terminal/vt"
)

// terminal is one terminal: its process, its stream and its viewer.
type terminal struct {
	m     *Manager
	id    protocol.TerminalID
	log   *slog.Logger
	lease *lease
	// op is a lock: it is held while a process is started or ended.
	op chan struct{}

	mu      sync.Mutex
	info    protocol.TerminalInfo
	request protocol.PtySessionRequest // the last request, kept for a restart
	closed  bool                       // no further process is started
	forgot  bool                       // close has finished
	run     *running                   // the current or last process; nil before the first
	unwait  context.CancelFunc         // ends Launch.Wait; nil when nothing waits
	stream  vt.Stream
	viewer  *viewer // the attached viewer, if any
	viewed  bool    // a viewer has been attached in this epoch
	// heard is closed at the next output or change of state; nil while nobody asked.
	heard chan struct{}
	// readCond wakes the reader when the window has room or the process ends.
	readCond sync.Cond

	// settling calls settle; settleArmed means within statusDelay.
	settling    *time.Timer
	settleArmed bool
	// hushed fires when an agent that the user interrupted has been silent for
	// interruptQuiet. It is nil while there is no such interruption.
	hushed     *time.Timer
	title      string // the latest title; settle publishes it
	foreground protocol.AgentStatus
	size       sizer
}

// running is one process in one pseudo terminal.
type running struct {
	epoch int
	// wrapped: proc is not the program itself but what started it; see confine.Prepare.
	wrapped bool
	proc    *proc.Process
	device  *pty.Device
	input   *pty.Input
	// drop means that nobody wants the output any more. Guarded by terminal.mu.
	drop bool
	// read is closed when all output has been read.
	read chan struct{}
	// finished is closed when the process's end has been recorded.
	finished chan struct{}
}

func newTerminal(m *Manager, id protocol.TerminalID, req protocol.PtySessionRequest) *terminal {
	t := &terminal{
		m:       m,
		id:      id,
		log:     m.log.With("terminal", id),
		op:      make(chan struct{}, 1),
		request: req,
	}
	t.readCond.L = &t.mu
	t.lease = newLease(func() {
		t.log.Info("nobody looked at the terminal for its grace time")
		t.close("no panel showed it for the set time", gone)
	})
	cols, rows := clamp(req.Cols, req.Rows)
	t.info = protocol.TerminalInfo{
		ID: id, Session: m.config.Session, Tab: req.Tab, Agent: req.Agent,
		State: protocol.TerminalStarting, Status: protocol.AgentStarting,
		Cols: cols, Rows: rows,
	}
	t.stream = vt.NewStream(cols, rows)
	return t
}

// snapshot returns the terminal's current state.
func (t *terminal) snapshot() protocol.TerminalInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.infoLocked()
}

func (t *terminal) infoLocked() protocol.TerminalInfo {
	info := t.info
	if info.Exit != nil {
		exit := *info.Exit
		info.Exit = &exit
	}
	if t.viewer != nil {
		info.Viewers = 1
		info.Seen = t.viewer.seen
	}
	return info
}

// changed notifies the viewer and the Manager. It needs mu.
func (t *terminal) changed() {
	if t.viewer != nil {
		t.viewer.state = true
		t.viewer.cond.Signal()
	}
	t.wakeFollowers()
	t.m.news.post(t.id)
}

// lockOp acquires op, or returns ctx's error when ctx ends first.
func (t *terminal) lockOp(ctx context.Context) error {
	select {
	case t.op <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *terminal) unlockOp() { <-t.op }

// start starts the first process.
func (t *terminal) start(ctx context.Context) error {
	if err := t.lockOp(ctx); err != nil {
		return err
	}
	defer t.unlockOp()
	launch, err := t.m.config.Launch(ctx, t.launching(t.request))
	if err != nil {
		return err
	}
	// A new terminal that cannot run now is refused, and one whose program cannot be
	// started is kept, so that the user sees the reason.
	if err := protocol.AsError(t.begin(launch)); err != nil && err.Code == protocol.CodeBusy { //nolint:contextcheck // the process outlives the call
		return err
	}
	t.lease.release(t.m.config.Grace())
	return nil
}

// launching converts a request to the argument of Config.Launch.
func (t *terminal) launching(r protocol.PtySessionRequest) Request {
	return Request{Terminal: t.id, Tab: r.Tab, Agent: r.Agent, Command: r.Command, Resume: r.Resume, Confined: r.Confined}
}

// restart ends the process and starts the next.
func (t *terminal) restart(ctx context.Context, req protocol.PtyRestartRequest) error {
	if err := t.lockOp(ctx); err != nil {
		return err
	}
	defer t.unlockOp()
	t.mu.Lock()
	request := t.request
	request.Tab = t.info.Tab
	t.mu.Unlock()
	if req.Agent != "" {
		request.Agent, request.Command, request.Resume = req.Agent, req.Command, ""
	} else if req.Command != "" {
		request.Command = req.Command
	}
	if req.Confined != nil {
		request.Confined = *req.Confined
	}
	// Launch is called first, so that the old process keeps running when Launch
	// fails.
	launch, err := t.m.config.Launch(ctx, t.launching(request))
	if err != nil {
		return err
	}
	t.endProcess("restarted by you")
	t.mu.Lock()
	t.request = request
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return protocol.NewError(protocol.CodeUnknownTerminal, "this terminal does not exist any more", "start a new one")
	}
	_ = t.begin(launch) //nolint:contextcheck // the process outlives the call; the terminal shows the error
	return nil
}

// close ends the terminal for good. It returns when its processes are gone.
func (t *terminal) close(reason string, code closing) {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.lease.end()
	t.op <- struct{}{}
	defer t.unlockOp()
	t.endProcess(reason)
	t.mu.Lock()
	if t.forgot {
		t.mu.Unlock()
		return // another call of close has finished
	}
	t.forgot = true
	viewer := t.viewer
	t.viewer = nil
	t.wakeFollowers()
	t.size.stop()
	t.mu.Unlock()
	if viewer != nil {
		viewer.kick(code)
	}
	t.m.forget(t.id)
	t.m.news.post(t.id)
}

// begin starts the process that launch describes, in a new epoch. When that does not
// work, it records the error, too. The caller holds op.
func (t *terminal) begin(launch Launch) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.info.Epoch++
	t.info.Agent, t.info.Name, t.info.Confined = launch.Kind, launch.Name, launch.Confine != nil
	t.info.Title, t.info.Message, t.info.Exit, t.info.PID = "", "", nil, 0
	t.info.Progress, t.info.Bells = nil, 0
	t.info.StartedAt = time.Now()
	t.title, t.foreground = "", ""
	t.stream = vt.NewStream(t.info.Cols, t.info.Rows)
	t.run = nil
	t.viewed = t.viewer != nil
	if t.viewer != nil {
		t.viewer.newEpoch()
	}
	defer t.changed()
	if launch.Wait != nil {
		t.info.State, t.info.Status = protocol.TerminalStarting, protocol.AgentStarting
		ctx, cancel := context.WithCancel(t.m.ctx)
		t.unwait = cancel
		t.m.wg.Go(func() { t.await(ctx, launch) })
		return nil
	}
	if launch.Missing != nil {
		t.info.State, t.info.Status = protocol.TerminalMissing, protocol.AgentMissing
		if t.info.Name == "" {
			t.info.Name = launch.Missing.Name
		}
		return nil
	}
	run, err := t.spawn(launch)
	if err != nil {
		t.log.Warn("the program could not be started", "error", err)
		t.info.State, t.info.Status = protocol.TerminalEnded, protocol.AgentEnded
		t.info.Exit = &protocol.Exit{Code: -1, Reason: "the program could not be started: " + err.Error()}
		return err
	}
	t.run = run
	t.info.PID = run.proc.PID()
	t.info.State, t.info.Status = protocol.TerminalLive, protocol.AgentStarting
	t.m.wg.Go(run.input.Run)
	t.m.wg.Go(func() { t.readOutput(run) })
	t.m.wg.Go(func() { t.finish(run) })
	return nil
}

// spawn needs mu.
func (t *terminal) spawn(launch Launch) (*running, error) {
	if err := proc.CheckDescriptors(); err != nil {
		return nil, err
	}
	d, slave, err := pty.Open(t.info.Cols, t.info.Rows)
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	program := confine.Program{Path: launch.Path, Args: launch.Args, Env: environment(launch, slave.Name()), Dir: launch.Dir}
	program, wrapped := confine.Prepare(program, launch.Confine, launch.Keeper)
	p, err := proc.Start(t.m.ctx, proc.Config{
		Path: program.Path, Args: program.Args, Env: program.Env, Dir: program.Dir,
		TTY: slave, Guard: t.m.config.Guard, Logger: t.m.config.Logger,
	})
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return &running{
		epoch: t.info.Epoch, wrapped: wrapped, proc: p, device: d,
		input:    pty.NewInput(d, inputQueue),
		read:     make(chan struct{}),
		finished: make(chan struct{}),
	}, nil
}

// endProcess ends the running process, if there is one, and returns when it is gone.
// The caller holds op.
func (t *terminal) endProcess(reason string) {
	t.mu.Lock()
	run := t.run
	if t.unwait != nil {
		t.unwait()
		t.unwait = nil
	}
	if run == nil {
		t.mu.Unlock()
		return
	}
	run.drop = true
	t.readCond.Broadcast()
	if t.info.State == protocol.TerminalLive {
		t.info.State = protocol.TerminalStopping
		t.changed()
	}
	t.mu.Unlock()
	run.input.End()
	if err := run.proc.Stop(reason); err != nil {
		t.log.Error("the terminal's processes could not be ended", "error", err)
	}
	_ = run.device.Close() // even when a surviving process still has the other side open
	<-run.read
	<-run.finished
}

// finish waits for the end of a process and records it.
func (t *terminal) finish(run *running) {
	defer close(run.finished)
	<-run.proc.Exited()
	run.input.End()
	exit := run.proc.Exit()
	if run.wrapped {
		exit = confine.Exit(exit)
	}
	t.mu.Lock()
	t.info.State, t.info.Status = protocol.TerminalEnded, protocol.AgentEnded
	t.info.Exit, t.info.Message, t.info.PID, t.info.Progress = &exit, "", 0, nil
	t.title = t.info.Title
	t.changed()
	t.mu.Unlock()
	t.log.Info("the program ended", "code", exit.Code, "signal", exit.Signal, "reason", exit.Reason)
	// Descendants of the process may keep the terminal open; proc ends them too.
	<-run.proc.Done()
	<-run.read
	_ = run.device.Close()
}

// readOutput reads the program's output into the stream and sends it to the viewer.
func (t *terminal) readOutput(run *running) {
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		close(run.read)
		t.wakeFollowers()
		if t.viewer != nil {
			t.viewer.cond.Signal() // the pump may report the exit now
		}
	}()
	buf := make([]byte, protocol.FrameHeader+protocol.MaxFrame)
	open := 0 // length of a UTF-8 character's beginning whose rest was not read yet
	for {
		room := t.awaitRoom(run)
		n, err := run.device.Read(buf[protocol.FrameHeader+open:][:max(room-open, 1)])
		if err != nil {
			if open > 0 {
				t.deliver(run, buf[:protocol.FrameHeader+open])
			}
			return
		}
		n += open
		open = vt.OpenCharacter(buf[protocol.FrameHeader:][:n])
		if open == n {
			continue
		}
		// The header of the next frame overwrites the bytes before its text. So save
		// the incomplete character while this frame is delivered.
		var half [utf8.UTFMax]byte
		copy(half[:], buf[protocol.FrameHeader+n-open:][:open])
		t.deliver(run, buf[:protocol.FrameHeader+n-open])
		copy(buf[protocol.FrameHeader:], half[:open])
	}
}

// awaitRoom waits while the viewer has too many undrawn bytes, and returns how many
// bytes may be read.
func (t *terminal) awaitRoom(run *running) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if run.drop || t.viewer == nil {
			return protocol.MaxFrame
		}
		if open := t.stream.Head() - t.viewer.acked; open < protocol.AckWindow {
			return int(min(protocol.MaxFrame, protocol.AckWindow-open))
		}
		t.readCond.Wait()
	}
}

// deliver appends one batch of output to the stream and sends it to the viewer. frame
// has room for the frame header in front of the data.
func (t *terminal) deliver(run *running, frame []byte) {
	data := frame[protocol.FrameHeader:]
	t.mu.Lock()
	if run.drop {
		t.mu.Unlock()
		return
	}
	offset := t.stream.Head()
	titles, bells := t.stream.Titles(), t.stream.Bells()
	t.stream.Append(data)
	t.wakeFollowers()
	if t.stream.Titles() != titles {
		t.title = t.stream.Title()
	}
	t.activity(t.stream.Titles() != titles || t.stream.Bells() != bells)
	if t.hushed != nil {
		t.hushed.Reset(interruptQuiet)
	}
	v := t.viewer
	if v == nil {
		t.mu.Unlock()
		return
	}
	if t.stream.Bells() != bells {
		v.bell = true
	}
	// The pump writes large batches while this goroutine continues to read. A small
	// batch, such as a key's echo, is written from here, without a switch of
	// goroutines.
	if len(data) >= protocol.MaxFrame/2 || !v.claim(offset, len(data)) {
		v.cond.Signal()
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	err := v.write(websocket.MessageBinary, protocol.AppendFrame(frame[:0], offset, data))
	t.mu.Lock()
	v.release(err)
	t.mu.Unlock()
}
