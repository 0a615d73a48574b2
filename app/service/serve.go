package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"pilotfish/app/assembly"
	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/operations"
	"pilotfish/app/programs"
	"pilotfish/app/service/connecting"
	"pilotfish/backend/desktop"
	"pilotfish/backend/hub"
	"pilotfish/backend/instance"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/credentials"
)

// serve runs the backend in this process, without window and tray.
func serve(ctx context.Context, how serving) error {
	parent, err := client.Ready()
	if err != nil {
		return err
	}
	if parent != nil {
		defer parent.Close()
	}
	err = serveUntil(ctx, how, parent)
	if parent != nil && err != nil {
		word, _ := json.Marshal(protocol.AsError(err)) // cannot fail: an error has three texts
		_, _ = parent.Write(append(word, '\n'))        // it may be closed, if the service reported ready before
	}
	return err
}

func serveUntil(ctx context.Context, how serving, parent *os.File) error {
	// This process holds the browser's pipe and the tokens. The bridges (mcp, agent) hold
	// nothing but what their own caller gave them, whose tree is found by its environment.
	if err := proc.SetNotDumpable(); err != nil {
		return err
	}
	program, err := commandLine()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer hangups()()
	made, err := assembly.New(ctx, assembly.Options{Version: version, Program: program, Headless: how.headless, Isolated: how.isolated, Console: how.console})
	if assembly.IsRunning(err) {
		return protocol.NewError(protocol.CodeBusy, "Pilotfish is running already", "`pilotfish status` shows its sessions; `pilotfish app quit` ends it")
	}
	if err != nil {
		return err
	}
	defer made.Close()
	made.Manager.OnQuit(stop)
	serveControl(made, program, stop)
	if how.control {
		changes := made.Manager.Changes()
		defer changes.Close()
		go printAddress(how.notices, changes, made.Manager.ControlAddress)
	}
	if parent != nil {
		changes := made.Manager.Changes()
		defer changes.Close()
		go func() {
			for range changes.C() {
				if endpoint, err := instance.ReadEndpoint(made.Dirs.EndpointFile()); err == nil && endpoint.PID == os.Getpid() {
					_, _ = parent.WriteString(client.ReadyWord + "\n") // an error means that the command has ended and does not wait
					_ = parent.Close()
					return
				}
			}
		}()
	}
	if how.idle > 0 {
		go func() {
			if err := made.Manager.WaitIdle(ctx, how.idle); err == nil {
				made.Log.Logger().Info("ending after a time without commands", "idle", how.idle)
				stop()
			} else if !errors.Is(err, context.Canceled) {
				made.Log.Logger().Warn("idle time cannot be watched", "error", err)
			}
		}()
	}
	return made.Manager.Run(ctx)
}

// serveControl gives the control page the operations of the app that the window has.
func serveControl(made *assembly.Assembly, program string, quit func()) {
	first := operations.NewFirstRun(made.Dirs.State)
	made.Manager.ServeControl(operations.Local{
		Backend: made.Manager, Log: made.Log, OpenFolder: desktop.Open, State: made.Manager.Window, Quit: quit, First: first, Changed: func() {},
		Programs: programs.Programs{
			Place:   connecting.Place{Getenv: os.Getenv, Executable: func() (string, error) { return program, nil }},
			Servers: toolservers.NewStore(made.Dirs.ServersFile(), credentials.New(made.Dirs.ServerSecretsFile(), desktop.KeyringRuns)),
		},
		SettingsFile: made.Dirs.SettingsFile(),
	}.Table())
}

// printAddress prints an address of the control page as soon as the server listens.
func printAddress(out io.Writer, changes *hub.Subscription[struct{}], address func(protocol.ControlAsk) (protocol.ControlAddress, error)) {
	for range changes.C() {
		if at, err := address(protocol.ControlAsk{}); err == nil {
			say.Note(out, "Control page, once and within a minute: "+at.URL)
			return
		}
	}
}

// hangups makes sure that child processes receive SIGHUP, with which shells and
// agents are asked to end, even when this program was started with SIGHUP ignored,
// as nohup does. Children inherit an ignored signal, but not a caught one. The
// returned function restores the ignored state.
func hangups() (stop func()) {
	if !signal.Ignored(syscall.SIGHUP) {
		return func() {} // then SIGHUP also ends this program
	}
	caught := make(chan os.Signal, 1) // never read
	signal.Notify(caught, syscall.SIGHUP)
	return func() { signal.Stop(caught) }
}
