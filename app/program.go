package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/pprof"
	"sync"
	"time"

	"pilotfish/app/operations"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// program is the running desktop app. Backend and tray work at once; the window
// takes much longer to start and joins them.
type program struct {
	parts
	opts   options
	tty    console
	log    *slog.Logger
	window *window
	first  *operations.FirstRun
	exit   func(code int)
	// operations is what the window and the tray may ask for.
	operations op.Table

	mu      sync.Mutex
	problem *protocol.Error // set when the backend ended by itself
}

func newProgram(made parts, opts options, tty console) *program {
	p := &program{parts: made, opts: opts, tty: tty, log: made.logger.With("component", "app"), first: operations.NewFirstRun(made.stateDir), exit: os.Exit}
	p.window = newWindow(made, tty.err, p.state)
	return p
}

// run runs the app and returns the exit code when every part has ended.
func (p *program) run(parent context.Context) int {
	ctx, quit := context.WithCancel(parent)
	defer quit()
	p.operations = operations.Local{
		Programs: p.programs, Backend: p.backend, Log: p.logs, OpenFolder: p.openFolder, SettingsFile: p.settingsFile, Login: p.login,
		State: p.state, Quit: quit, First: p.first, Changed: p.window.changed, Missing: p.parts.problem,
	}.Table()
	p.window.operations = p.operations
	p.backend.ServeControl(p.operations)
	p.backend.OnShow(p.window.show)
	p.backend.OnQuit(quit)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.runParts(ctx, quit)
	}()
	// Even if a part hangs, the program exits. The guard then stops what is
	// left.
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(quitTimeout, func() {
			code := exitFault
			select {
			case <-ended:
				// Only the window is left. Its program was killed by now and
				// holds nothing that could be lost; a kernel that is busy with
				// the disk may take long to end it.
				code = exitDone
			default:
			}
			// A report of it is of use only with what still runs.
			var stacks bytes.Buffer
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			p.log.Error("end took too long", "timeout", quitTimeout, "goroutines", stacks.String())
			p.exit(code)
		})
	})()

	err := p.window.run(ctx, p.opts.hidden, p.begun(ctx))
	quit()
	<-ended
	if err != nil {
		return fail(p.tty, err)
	}
	return exitDone
}

// begun returns a channel that is closed when the first panel shows its
// terminal, or after beginTimeout. Window and tray would compete with the panel
// for the processor if they started earlier.
func (p *program) begun(ctx context.Context) <-chan struct{} {
	ctx, cancel := context.WithTimeout(ctx, beginTimeout)
	go func() {
		defer cancel()
		select {
		case <-p.backend.Begun():
		case <-ctx.Done():
		}
	}()
	return ctx.Done()
}

// runParts runs everything but the window, and returns when ctx has ended and
// every part with it.
func (p *program) runParts(ctx context.Context, quit func()) {
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		err := p.backend.Run(ctx)
		if err == nil || errors.Is(err, context.Canceled) {
			return
		}
		p.log.Error("backend ended", "error", err)
		p.mu.Lock()
		p.problem = protocol.AsError(err)
		p.mu.Unlock()
		p.window.changed()
	})
	group.Go(func() { p.window.push(ctx, p.backend.Changes()) })
	group.Go(func() { p.logs.Follow(ctx, logBatch, p.window.log) })
	if p.trayProgram != "" {
		tray := newTrayChild(p, quit)
		group.Go(func() {
			<-p.begun(ctx)
			tray.run(ctx)
		})
	}
}

// state returns what window and tray show.
func (p *program) state() protocol.WindowState {
	state := p.backend.Window()
	p.mu.Lock()
	defer p.mu.Unlock()
	if state.Problem == nil {
		state.Problem = p.problem
	}
	state.FirstRun = state.Problem == nil && p.first.Wanted()
	return state
}
