package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
	"pilotfish/backend/supervise"
)

// errWindowEnded means that the window's program ended although nobody asked it
// to.
var errWindowEnded = errors.New("the window's program ended")

// errWindowDeaf means that the window's program does not read its orders.
var errWindowDeaf = errors.New("the window's program does not listen")

// errWindowClosed means that the user closed the window.
var errWindowClosed = errors.New("the user closed the window")

// window is the app's window: a stateless program that shows the backend's
// state. It runs only while the window is shown, because a hidden WebKit uses as
// much memory as a visible one.
type window struct {
	program string
	memory  windowMemory
	logger  *slog.Logger
	console io.Writer
	state   func() protocol.WindowState
	// operations is what the page may call.
	operations op.Table

	wanted chan struct{}  // has one element when a window is wanted and none is there
	calls  sync.WaitGroup // calls of the page that are running

	mu      sync.Mutex
	child   *windowChild // nil while no program runs
	visible bool
	asked   bool                 // the user asked for the window before its program was attached
	loaded  bool                 // the page has subscribed to events
	pending *protocol.WindowShow // to show once it has
}

func newWindow(made parts, console io.Writer, state func() protocol.WindowState) *window {
	return &window{
		program: made.windowProgram, memory: windowMemory{dir: made.stateDir}, logger: made.logger.With("component", "app", "part", "window"), console: console,
		state: state, wanted: make(chan struct{}, 1),
	}
}

// run keeps the window's program running until ctx ends. It starts the program
// when begun is closed, or when show is called. A window that starts hidden
// waits only for show. When a program ends while the user may see its window,
// run starts a new one. The only error that it returns is that there is no
// display.
func (w *window) run(ctx context.Context, hidden bool, begun <-chan struct{}) error {
	defer w.calls.Wait()
	if hidden {
		begun = nil
	}
	select {
	case <-begun:
	case <-w.wanted:
	case <-ctx.Done():
	}
	for ctx.Err() == nil {
		var none *protocol.Error
		err := supervise.Run(ctx, supervise.DefaultPolicy(), func(ctx context.Context) error {
			err := w.once(ctx)
			if problem, ok := errors.AsType[*protocol.Error](err); ok && problem.Code == protocol.CodeNoDisplay {
				none = problem // another try would not find a display either
				return nil
			}
			return err
		}, func(e supervise.Event) {
			if e.Kind == supervise.Failed {
				w.logger.Warn("window ended and is opened again", "error", e.Err, "wait", e.Wait)
			}
		})
		if none != nil {
			return none
		}
		if errors.Is(err, supervise.ErrGaveUp) {
			w.logger.Error("window could not be kept open", "error", err)
			complain(w.console, err)
		}
		select {
		case <-w.wanted:
		case <-ctx.Done():
		}
	}
	return nil
}

// displayed returns an error when no display is configured.
func displayed() error {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return protocol.NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set")
	}
	return nil
}

// once runs one window program until it ends. When its window was not visible
// at the end, that is not an error.
func (w *window) once(parent context.Context) error {
	ctx, end := context.WithCancelCause(parent)
	defer end(nil)
	program := exec.CommandContext(ctx, w.program, w.args()...)
	program.Stderr = &lineLog{log: w.logger}
	in, err := program.StdinPipe()
	if err != nil {
		return fmt.Errorf("making the window's pipe: %w", err)
	}
	out, said, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making the window's pipe: %w", err)
	}
	defer func() { _ = out.Close() }()
	program.Stdout = said
	// The program ends when its input is closed. It is killed only if it does
	// not.
	program.Cancel = in.Close
	program.WaitDelay = windowQuitTimeout
	err = program.Start()
	_ = said.Close()
	if err != nil {
		return fmt.Errorf("starting the window's program: %w", err)
	}

	child := &windowChild{orders: make(chan protocol.WindowOrder, windowQueue), stale: make(chan struct{}, 1), end: end}
	w.attach(child)
	var group sync.WaitGroup
	group.Go(func() { child.write(ctx, in, w.state) })
	var problem *protocol.Error
	group.Go(func() { problem = w.read(parent, child, out) })
	err = program.Wait()
	end(errWindowEnded)
	// WebKit's processes have the same pipe open, and may outlive the program
	// for a moment.
	_ = out.SetReadDeadline(time.Now().Add(windowQuitTimeout))
	group.Wait()
	seen := w.detach(parent)
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case problem != nil:
		return problem
	case errors.Is(context.Cause(ctx), errWindowClosed):
		w.logger.Info("window ended: the user closed it")
		return nil
	case !seen:
		w.logger.Warn("window ended while it was hidden", "error", err)
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	default:
		return context.Cause(ctx)
	}
}

// attach makes a program the one that receives orders. The program shows its
// window.
func (w *window) attach(child *windowChild) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.child, w.visible, w.loaded = child, true, false
	if w.asked { // the user asked after its command line was made
		w.asked = false
		child.send(protocol.WindowOrder{Order: protocol.OrderShow})
	}
	select {
	case <-w.wanted: // this program is the wanted one
	default:
	}
}

// detach ends the page's reader of a conversation after its program has ended.
// It reports whether the user may have seen the window.
func (w *window) detach(ctx context.Context) (seen bool) {
	w.mu.Lock()
	w.child = nil
	seen = w.visible
	w.mu.Unlock()
	// Nobody reads a conversation in the window any more.
	_, _ = w.operations.Call(ctx, "UnwatchConversation", op.ByUser("", "window"), json.RawMessage("0"))
	return seen
}

// read handles the window's reports until its output ends. It returns the
// reason when the program reported that it cannot show a window.
func (w *window) read(ctx context.Context, child *windowChild, out io.Reader) (problem *protocol.Error) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, windowLineMost)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue // each report begins with a line end
		}
		var report protocol.WindowReport
		if err := json.Unmarshal(lines.Bytes(), &report); err != nil {
			// GTK and WebKit sometimes print to standard output.
			w.logger.Debug("window said", "line", lines.Text())
			continue
		}
		switch report.Report {
		case protocol.ReportCall:
			w.calls.Go(func() { w.answer(ctx, child, report) })
		case protocol.ReportClosed:
			w.closed(child)
		case protocol.ReportEnded:
			w.logger.Warn("the window's page ended", "loaded_again", report.Again)
		case protocol.ReportPlaced:
			if err := w.memory.write(report.Placement); err != nil {
				w.logger.Warn("the window's place is not remembered", "error", err)
			}
		case protocol.ReportFailed:
			problem = report.Problem
		default:
			w.logger.Warn("window report unknown", "report", report.Report)
		}
	}
	if err := lines.Err(); err != nil {
		// No more reports can be read, so the page would wait for answers
		// forever.
		child.end(fmt.Errorf("reading the window's reports: %w", err))
	}
	return problem
}

// answer carries out the operation that the page called and sends the result.
func (w *window) answer(ctx context.Context, child *windowChild, asked protocol.WindowReport) {
	answer := protocol.WindowOrder{Order: protocol.OrderAnswer, Call: asked.Call}
	defer func() {
		if r := recover(); r != nil { // a call of the page must not end the sessions
			w.logger.Error("window call panicked", "operation", asked.Op, "panic", r, "stack", string(debug.Stack()))
			answer.Failed = formatError(fmt.Errorf("%s failed: %v", asked.Op, r))
		}
		child.send(answer)
		if asked.Op == "State" { // the page subscribes first, then requests the state
			child.restate() // a later state may have been sent before this answer
			w.pageLoaded()
		}
	}()
	var err error
	if answer.Data, err = w.operations.Call(ctx, asked.Op, op.ByUser(asked.Session, "window"), asked.In); err != nil {
		answer.Failed = formatError(err)
	}
}

// pageLoaded opens the page that show was asked for before the window had subscribed.
func (w *window) pageLoaded() {
	w.mu.Lock()
	w.loaded = true
	pending := w.pending
	w.pending = nil
	w.mu.Unlock()
	if pending != nil {
		w.emit("show", *pending)
	}
}

// closed handles the close button of the window's frame. The app keeps running.
// With a tray the window's program ends, because a hidden WebKit uses as much
// memory as a visible one; the tray starts it again. Without a tray the window is
// minimised, so that the user can find it again. Only Quit ends the app.
func (w *window) closed(child *windowChild) {
	if w.state().Tray != protocol.TrayShown {
		child.send(protocol.WindowOrder{Order: protocol.OrderMinimise})
		return
	}
	w.mu.Lock()
	if w.child == child { // from now on, show starts another program
		w.child, w.visible, w.loaded = nil, false, false
	}
	w.mu.Unlock()
	child.end(errWindowClosed)
}

// show creates the window or brings it to the front, and opens a page in it
// unless the page is empty.
func (w *window) show(what protocol.WindowShow) {
	w.mu.Lock()
	child, loaded := w.child, w.loaded
	if what.Page != "" && (child == nil || !loaded) {
		w.pending = &what
	}
	if child == nil {
		w.asked = true
		notify(w.wanted)
	} else {
		w.visible = true
	}
	w.mu.Unlock()
	if child == nil {
		return
	}
	child.send(protocol.WindowOrder{Order: protocol.OrderShow})
	child.restate()
	if what.Page != "" && loaded {
		w.emit("show", what)
	}
}

// push sends the state to the page after every change, until ctx ends.
func (w *window) push(ctx context.Context, changes *hub.Subscription[struct{}]) {
	defer changes.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes.C():
			w.changed()
		}
	}
}

// changed sends the state to a visible page. A hidden page receives it when it
// is shown.
func (w *window) changed() {
	w.mu.Lock()
	child, visible := w.child, w.visible
	w.mu.Unlock()
	if visible && child != nil {
		child.restate()
	}
}

// log sends records to the page.
func (w *window) log(records []protocol.LogRecord) { w.emit("log", records) }

// emit sends an event to the page. An event that comes before the page has
// subscribed is lost without harm: the page subscribes first and then requests
// the whole state.
func (w *window) emit(name string, data any) {
	w.mu.Lock()
	child := w.child
	w.mu.Unlock()
	if child == nil {
		return
	}
	child.send(event(name, data))
}

// formatError encodes an error for the page.
func formatError(err error) string {
	text, err := json.Marshal(op.Explained(err))
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// event makes an order that delivers an event to the page.
func event(name string, data any) protocol.WindowOrder {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // events are plain values, which always marshal
	}
	return protocol.WindowOrder{Order: protocol.OrderEvent, Event: name, Data: text}
}

// windowChild is the running program. Sending it something never blocks.
type windowChild struct {
	orders chan protocol.WindowOrder
	stale  chan struct{} // has one element when the page must receive the state
	end    context.CancelCauseFunc
}

// send queues an order for the program. When the queue is full, the program has
// not read for a long time: it is ended, and a new one is started.
func (c *windowChild) send(order protocol.WindowOrder) {
	select {
	case c.orders <- order:
	default:
		c.end(errWindowDeaf)
	}
}

// restate makes write send the page the state that is current at that time.
func (c *windowChild) restate() { notify(c.stale) }

// write writes the orders until ctx ends. It writes the state after the queued
// orders, because an answer in the queue may contain an older state.
func (c *windowChild) write(ctx context.Context, in io.Writer, state func() protocol.WindowState) {
	title := windowTitle(protocol.WindowState{})
	for lines := json.NewEncoder(in); ; {
		var order protocol.WindowOrder
		select {
		case <-ctx.Done():
			return
		case order = <-c.orders:
		case <-c.stale:
			if len(c.orders) > 0 {
				c.restate()
				continue
			}
			now := state()
			order = event("state", now)
			if t := windowTitle(now); t != title {
				title = t
				if err := lines.Encode(protocol.WindowOrder{Order: protocol.OrderTitle, Title: t}); err != nil {
					return
				}
			}
		}
		if err := lines.Encode(order); err != nil {
			return // the program ended; its reader reports that
		}
	}
}

// windowTitle is the title in the window's frame and in the desktop's list of
// windows. It says when an approval waits for the user.
func windowTitle(state protocol.WindowState) string {
	for _, s := range state.Sessions {
		if len(s.Approvals) > 0 {
			return "Pilotfish needs your approval"
		}
	}
	return "Pilotfish"
}

// notify puts one element into a channel with room for one, and never blocks.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
