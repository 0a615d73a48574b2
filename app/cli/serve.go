package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"pilotfish/app/assembly"
	"pilotfish/app/cli/client"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// serve runs the backend in this process, without window and tray.
func (p *program) serve(ctx context.Context, in syntax.Invocation) error {
	var parent *os.File
	if p.getenv(client.EnvReady) == "1" {
		// Neither the variable nor the pipe is for the browser and the agents.
		syscall.CloseOnExec(client.ReadyFD)
		if err := os.Unsetenv(client.EnvReady); err != nil {
			return err
		}
		parent = os.NewFile(client.ReadyFD, "ready")
		defer parent.Close()
	}
	err := p.serveUntil(ctx, in, parent)
	if parent != nil && err != nil {
		word, _ := json.Marshal(protocol.AsError(err)) // three texts
		_, _ = parent.Write(append(word, '\n'))        // it may be closed: then it was ready before
	}
	return err
}

func (p *program) serveUntil(ctx context.Context, in syntax.Invocation, parent *os.File) error {
	own, err := executable()
	if err != nil {
		return protocol.NewError(protocol.CodeInternal, "this program does not know where it is: "+err.Error(), "")
	}
	var idle time.Duration
	if text := in.Values["idle"]; text != "" {
		if idle, err = time.ParseDuration(text); err != nil || idle <= 0 {
			return syntax.Bad("--idle is a time such as 30m, not %q", text)
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer hangups()()
	var console io.Writer
	if !in.JSON {
		console = p.stderr
	}
	made, err := assembly.New(ctx, assembly.Options{Version: version, Program: own, Headless: in.Values["headless"] == "true", Console: console})
	if assembly.IsRunning(err) {
		return protocol.NewError(protocol.CodeBusy, "Pilotfish is running already", "`pilotfish status` shows its sessions; `pilotfish app quit` ends it")
	}
	if err != nil {
		return err
	}
	defer made.Close()
	made.Manager.OnQuit(stop)
	if parent != nil {
		news := made.Manager.Changes()
		defer news.Close()
		go func() {
			for range news.C() {
				if endpoint, err := instance.ReadEndpoint(made.Dirs.EndpointFile()); err == nil && endpoint.PID == os.Getpid() {
					_, _ = parent.WriteString(client.ReadyWord + "\n") // a command that was ended does not wait
					_ = parent.Close()
					return
				}
			}
		}()
	}
	if idle > 0 {
		go func() {
			if err := made.Manager.WaitIdle(ctx, idle); err == nil {
				made.Log.Logger().Info("ending after a time without commands", "idle", idle)
				stop()
			} else if !errors.Is(err, context.Canceled) {
				made.Log.Logger().Warn("idle time cannot be watched", "error", err)
			}
		}()
	}
	return made.Manager.Run(ctx)
}

// hangups has what this program starts hear SIGHUP, by which shells and agents are
// told to end, also when the program itself was started to ignore it, as nohup does:
// that is handed on, but a signal that is caught is not. The result gives it back.
func hangups() (stop func()) {
	if !signal.Ignored(syscall.SIGHUP) {
		return func() {} // then it ends this program, too
	}
	caught := make(chan os.Signal, 1) // nobody reads it
	signal.Notify(caught, syscall.SIGHUP)
	return func() { signal.Stop(caught) }
}
