//go:build unix

package terminal

import (
	"context"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

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
	// op is held by whoever starts or ends a process.
	op chan struct{}

	mu      sync.Mutex
	info    protocol.TerminalInfo
	request protocol.PtySessionRequest // what was asked for, kept for a restart
	closed  bool                       // no process is started any more
	forgot  bool                       // closed is done
	run     *running                   // the process, or the last one; nil before the first
	stream  vt.Stream
	viewer  *viewer // who looks now
	viewed  bool    // somebody has looked at this epoch
	// readCond wakes the reader: there is room in the window, or the end.
	readCond sync.Cond

	settleArmed bool
	// hushed fires when an agent that the person interrupted has been silent for a
	// moment; nil while nobody did.
	hushed     *time.Timer
	title      string // seen, told by settle
	foreground protocol.AgentStatus
	size       sizer
}

// running is one process in one pseudo terminal.
type running struct {
	epoch  int
	proc   *proc.Process
	device *pty.Device
	input  *pty.Input
	// drop means that nobody wants the output any more. Guarded by terminal.mu.
	drop bool
	// read is closed when all output has been read.
	read chan struct{}
	// finished is closed when the end has been noted.
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
		t.close("nobody looked at it for the grace time", gone)
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

// snapshot returns the terminal as it is now.
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
	}
	return info
}

// changed tells everybody. It needs mu.
func (t *terminal) changed() {
	if t.viewer != nil {
		t.viewer.state = true
		t.viewer.cond.Signal()
	}
	t.m.news.post(t.id)
}

// lockOp takes op or gives up with ctx.
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
	launch, err := t.m.config.Launch(ctx, t.id, t.request.Tab, t.request.Agent, t.request.Command)
	if err != nil {
		return err
	}
	t.begin(launch)
	t.lease.release(t.m.config.Grace())
	return nil
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
		request.Agent, request.Command = req.Agent, req.Command
	} else if req.Command != "" {
		request.Command = req.Command
	}
	// Asking first leaves the old process alone when there is no new one.
	launch, err := t.m.config.Launch(ctx, t.id, request.Tab, request.Agent, request.Command)
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
	t.begin(launch)
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
		return // somebody else was quicker
	}
	t.forgot = true
	viewer := t.viewer
	t.viewer = nil
	t.size.stop()
	t.mu.Unlock()
	if viewer != nil {
		viewer.kick(code)
	}
	t.m.forget(t.id)
	t.m.news.post(t.id)
}

// begin starts a process by launch. The caller holds op.
func (t *terminal) begin(launch Launch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.info.Epoch++
	t.info.Agent, t.info.Name = launch.Kind, launch.Name
	t.info.Title, t.info.Message, t.info.Exit, t.info.PID = "", "", nil, 0
	t.info.StartedAt = time.Now()
	t.title, t.foreground = "", ""
	t.stream = vt.NewStream(t.info.Cols, t.info.Rows)
	t.run = nil
	t.viewed = t.viewer != nil
	if t.viewer != nil {
		t.viewer.newEpoch()
	}
	defer t.changed()
	if launch.Missing != nil {
		t.info.State, t.info.Status = protocol.TerminalMissing, protocol.AgentMissing
		if t.info.Name == "" {
			t.info.Name = launch.Missing.Name
		}
		return
	}
	run, err := t.spawn(launch)
	if err != nil {
		t.log.Warn("the program could not be started", "error", err)
		t.info.State, t.info.Status = protocol.TerminalEnded, protocol.AgentEnded
		t.info.Exit = &protocol.Exit{Code: -1, Reason: "the program could not be started: " + err.Error()}
		return
	}
	t.run = run
	t.info.PID = run.proc.PID()
	t.info.State, t.info.Status = protocol.TerminalLive, protocol.AgentStarting
	t.m.wg.Go(run.input.Run)
	t.m.wg.Go(func() { t.readOutput(run) })
	t.m.wg.Go(func() { t.finish(run) })
}

// spawn needs mu.
func (t *terminal) spawn(launch Launch) (*running, error) {
	d, slave, err := pty.Open(t.info.Cols, t.info.Rows)
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	p, err := proc.Start(t.m.ctx, proc.Config{
		Path: launch.Path, Args: launch.Args, Env: environment(launch, slave.Name()), Dir: launch.Dir,
		TTY: slave, Guard: t.m.config.Guard, Logger: t.m.config.Logger,
	})
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return &running{
		epoch: t.info.Epoch, proc: p, device: d,
		input:    pty.NewInput(d, inputQueue),
		read:     make(chan struct{}),
		finished: make(chan struct{}),
	}, nil
}

// endProcess ends what runs, if anything does, and returns when it is gone. The
// caller holds op.
func (t *terminal) endProcess(reason string) {
	t.mu.Lock()
	run := t.run
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
	_ = run.device.Close() // also when something survived that holds the other side
	<-run.read
	<-run.finished
}

// finish notes the end of a process.
func (t *terminal) finish(run *running) {
	defer close(run.finished)
	<-run.proc.Exited()
	run.input.End()
	exit := run.proc.Exit()
	t.mu.Lock()
	t.info.State, t.info.Status = protocol.TerminalEnded, protocol.AgentEnded
	t.info.Exit, t.info.Message, t.info.PID = &exit, "", 0
	t.title = t.info.Title
	t.changed()
	t.mu.Unlock()
	t.log.Info("the program ended", "code", exit.Code, "signal", exit.Signal, "reason", exit.Reason)
	// What it leaves behind may hold the terminal open; proc ends that too.
	<-run.proc.Done()
	<-run.read
	_ = run.device.Close()
}

// readOutput takes the program's output into the stream and to the viewer.
func (t *terminal) readOutput(run *running) {
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		close(run.read)
		if t.viewer != nil {
			t.viewer.cond.Signal() // the exit may be told now
		}
	}()
	buf := make([]byte, protocol.FrameHeader+protocol.MaxFrame)
	open := 0 // how much of a character is there whose end was not read yet
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
		// The header of the next frame is written before its text, so what waits
		// for it is kept aside while this one is delivered.
		var half [utf8.UTFMax]byte
		copy(half[:], buf[protocol.FrameHeader+n-open:][:open])
		t.deliver(run, buf[:protocol.FrameHeader+n-open])
		copy(buf[protocol.FrameHeader:], half[:open])
	}
}

// awaitRoom waits while the viewer has too much to draw and returns how much
// may be read.
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

// deliver takes one batch; frame has room for its header in front.
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
	if t.stream.Titles() != titles {
		t.title = t.stream.Title()
	}
	t.activity(t.stream.Titles() != titles)
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
	// A flood is written by the pump while this goroutine reads on; a key's echo
	// leaves from here, without a switch of goroutines.
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
