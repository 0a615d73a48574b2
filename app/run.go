package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// The exit codes of the program.
const (
	exitDone  = 0
	exitFault = 1
	exitUsage = 2
)

// console is where the program writes when it shows no window.
type console struct{ out, err io.Writer }

// options are the command line flags.
type options struct {
	// hidden starts without the window, until the user opens it.
	hidden  bool
	version bool
}

// run runs the whole program and returns its exit code.
func run(parent context.Context, args []string, tty console, wire wiring) int {
	opts, err := parse(args, tty)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		return exitUsage
	}
	if opts.version {
		_, _ = fmt.Fprintln(tty.out, "Pilotfish", version)
		return exitDone
	}
	if err := displayed(); err != nil {
		return fail(tty, err)
	}
	// A closed terminal ends the app in order, as a logout does.
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	// This process holds the browser's pipe and the tokens.
	if err := proc.SetNotDumpable(); err != nil {
		return fail(tty, err)
	}
	made, err := wire(ctx, tty)
	if errors.Is(err, errAlreadyRunning) {
		return exitDone
	}
	if made.windowProgram == "" {
		return fail(tty, err)
	}
	if err != nil {
		// Show the error in the window too: the user may not see the console.
		complain(tty.err, err)
		made = unusable(err, made)
		opts.hidden = false
	}
	defer made.close()
	return newProgram(made, opts, tty).run(ctx)
}

// complain prints an error. A path or an argument in it may have any characters.
func complain(out io.Writer, err error) {
	_, _ = fmt.Fprintln(out, "Pilotfish:", protocol.Visible(err.Error())) // it can be reported nowhere else
}

// fail prints an error and returns its exit code.
func fail(tty console, err error) int {
	complain(tty.err, err)
	return protocol.AsError(err).Code.ExitCode()
}

// parse reads the flags. It has already printed any error that it returns.
func parse(args []string, tty console) (options, error) {
	var opts options
	flags := flag.NewFlagSet("Pilotfish", flag.ContinueOnError)
	flags.SetOutput(tty.err)
	flags.BoolVar(&opts.hidden, "hidden", false, "start in the tray, without the window")
	flags.BoolVar(&opts.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		err := protocol.NewError(protocol.CodeBadArgument, "there are no arguments; the command line is `pilotfish "+flags.Arg(0)+"`", "")
		complain(tty.err, err)
		return options{}, err
	}
	return opts, nil
}
