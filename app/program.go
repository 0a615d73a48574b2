package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// program is the running desktop app: backend and tray work from the first
// moment, and the window, which takes much longer to come, joins them.
type program struct {
	parts
	opts   options
	tty    console
	log    *slog.Logger
	window *window
	exit   func(code int)

	mu      sync.Mutex
	problem *protocol.Error // of a backend that ended by itself
}

func newProgram(made parts, opts options, tty console) *program {
	p := &program{parts: made, opts: opts, tty: tty, log: made.logger.With("component", "app"), exit: os.Exit}
	p.window = newWindow(made, tty.err, p.state)
	return p
}

// run returns the exit code when everything has ended.
func (p *program) run(parent context.Context) int {
	ctx, quit := context.WithCancel(parent)
	defer quit()
	p.window.bound = &App{ctx: ctx, backend: p.backend, logs: p.logs, openFolder: p.openFolder, login: p.login, state: p.state, quit: quit}
	p.backend.OnShow(p.window.show)
	p.backend.OnQuit(quit)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.runParts(ctx, quit)
	}()
	// Whatever hangs, the program ends; the guard then ends what it leaves behind.
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(quitTimeout, func() {
			p.log.Error("end took too long", "timeout", quitTimeout)
			p.exit(exitFault)
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

// begun is closed when the first panel shows its terminal, or after a moment:
// window and tray would take the processor from it.
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

// runParts runs everything but the window, until ctx ends and all has ended.
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

// state is what window and tray show.
func (p *program) state() protocol.WindowState {
	state := p.backend.Window()
	p.mu.Lock()
	defer p.mu.Unlock()
	if state.Problem == nil {
		state.Problem = p.problem
	}
	return state
}
