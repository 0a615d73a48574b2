package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"pilotfish/app/assembly"
	"pilotfish/backend/protocol"
)

// serve runs the backend in this process, without window and tray.
func (p *program) serve(ctx context.Context, in invocation) error {
	own, err := os.Executable()
	if err != nil {
		return protocol.NewError(protocol.CodeInternal, "this program does not know where it is: "+err.Error(), "")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var console io.Writer
	if !in.json {
		console = p.stderr
	}
	made, err := assembly.New(assembly.Options{Version: version, Program: own, Headless: in.values["headless"] == "true", Console: console})
	if assembly.IsRunning(err) {
		return protocol.NewError(protocol.CodeBusy, "Pilotfish is running already", "`pilotfish status` shows its sessions; `pilotfish app quit` ends it")
	}
	if err != nil {
		return err
	}
	defer made.Close()
	made.Manager.OnQuit(stop)
	return made.Manager.Run(ctx)
}
