// Command pilotfish-service is the program that the command line starts for
// long-running work: the backend without window and tray, the bridge for clients
// of MCP, and the check of an installation. It is a separate program because
// linking its packages into the command line would cost every command a
// millisecond (docs/adr/090).
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/app/service/bridge"
	"pilotfish/app/service/connecting"
	"pilotfish/app/service/doctor"
	"pilotfish/app/service/ownservers"
	"pilotfish/app/service/trusting"
	"pilotfish/app/threats/attempts"
	"pilotfish/backend/config"
	"pilotfish/backend/connect"
	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/credentials"
	"pilotfish/backend/trust"
)

// version is set by the build: -X main.version=v1.2.3.
var version = "unknown"

// errUnhealthy is returned when a check of the installation failed; the findings
// were already printed.
var errUnhealthy = errors.New("a check failed")

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil:
	case errors.Is(err, errUnhealthy):
		os.Exit(1)
	default:
		e := protocol.AsError(err)
		if slices.Contains(os.Args[1:], "--json") {
			_ = say.Object(os.Stdout, protocol.CommandReply{Text: e.Error(), Error: e}) // the message below is the last thing that can be done
		}
		os.Exit(say.Failure(os.Stderr, e))
	}
}

// run runs the mode that the first argument names.
func run(ctx context.Context, args []string, in io.Reader, out, console io.Writer) error {
	if len(args) == 0 {
		args = []string{""}
	}
	flags := flag.NewFlagSet("pilotfish-service "+args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the returned error says it
	headless := flags.Bool("headless", false, "run the browser without a display")
	asData := flags.Bool("json", false, "doctor: print JSON. serve: no log on standard error")
	control := flags.Bool("control", false, "serve: print an address of the control page")
	idle := flags.Duration("idle", 0, "end after so long without a command")
	tab := flags.String("tab", "", "the tab of commands that name none")
	session := flags.String("session", "", "their session")
	isolated := flags.Bool("isolated", false, "serve, mcp: a session for each client in the browser of that one")
	program := flags.String("program", "", "connect: the program")
	list := flags.Bool("list", false, "connect: how every program stands")
	remove := flags.Bool("remove", false, "connect: take it back")
	dry := flags.Bool("dry-run", false, "connect: show the change only")
	var own ownservers.Request
	flags.StringVar(&own.Action, "action", "", "mcp-servers: what to do")
	flags.StringVar(&own.Name, "name", "", "mcp-servers: the server, or the program")
	flags.StringVar(&own.Line, "line", "", "mcp-servers: the command line of a server, or its address")
	flags.StringVar(&own.Env, "env", "", "mcp-servers: its variables")
	flags.StringVar(&own.Headers, "header", "", "mcp-servers: the headers of an address")
	var trusts trusting.Request
	flags.StringVar(&trusts.Dir, "dir", "", "trust: a folder of the work tree")
	flags.BoolVar(&trusts.Agents, "agents", false, "trust: the settings for agents in the folder")
	flags.BoolVar(&trusts.Yes, "yes", false, "trust: without a question")
	attempted := flags.Bool("attempts", false, "doctor: try the ways out of the confinement")
	file := flags.String("file", "", "put: the file that is sent to the address on standard input")
	known := flags.String("known", "", "attempts: the file with what they know")
	if err := flags.Parse(args[1:]); err != nil {
		return protocol.NewError(protocol.CodeBadArgument, err.Error(), "")
	}
	streams := bridge.Streams{
		Getenv: os.Getenv, Version: version, In: in, Out: out,
		Tab: protocol.TabID(*tab), Session: protocol.SessionName(*session), Isolated: *isolated,
	}
	switch args[0] {
	case "serve":
		how := serving{headless: *headless, control: *control, idle: *idle, console: console, notices: console}
		if *asData {
			how.console = nil
		}
		if *isolated {
			how.isolated = cmp.Or(streams.Session, protocol.DefaultSession)
		}
		return serve(ctx, how)
	case "mcp":
		return streams.MCP(ctx)
	case "doctor":
		if *attempted {
			return tryConfined(ctx, out, *asData)
		}
		return examine(ctx, out, *asData)
	case "connect":
		return connecting.Run(ctx, connecting.Place{Getenv: os.Getenv, Executable: commandLine},
			connecting.Request{Program: *program, List: *list, Remove: *remove, Dry: *dry, JSON: *asData}, out)
	case "mcp-servers":
		own.JSON = *asData
		return ownServers(ctx, own, out)
	case "trust":
		trusts.JSON = *asData
		return trusted(ctx, trusts, in, out)
	case "put":
		return put(ctx, *file, in)
	case "attempts":
		return try(ctx, *known, out, *asData)
	case "skill":
		return say.Text(out, connecting.Skill())
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no service %q", args[0]), "`pilotfish` starts this program: serve, mcp, doctor, connect, mcp-servers, trust or skill")
}

// ownServers changes or lists the user's own MCP servers.
func ownServers(ctx context.Context, req ownservers.Request, out io.Writer) error {
	dirs, err := config.UserDirs(os.Getenv)
	if err != nil {
		return err
	}
	return ownservers.Run(ctx, ownservers.Place{
		Getenv: os.Getenv, Store: toolservers.NewStore(dirs.ServersFile(), credentials.New(dirs.ServerSecretsFile(), desktop.KeyringRuns)),
		Others: func(program string) ([]connect.Other, error) {
			return connecting.Others(connecting.Place{Getenv: os.Getenv, Executable: commandLine}, program)
		},
	}, req, out)
}

// trusted trusts the file of a work tree, or the settings for agents in a folder.
func trusted(ctx context.Context, req trusting.Request, in io.Reader, out io.Writer) error {
	dirs, err := config.UserDirs(os.Getenv)
	if err != nil {
		return err
	}
	if err := dirs.Prepare(); err != nil {
		return err
	}
	store := trust.NewStore(dirs.TrustFile(), slog.New(slog.NewTextHandler(os.Stderr, nil)))
	return trusting.Run(ctx, trusting.Place{Getenv: os.Getenv, Store: store, In: in}, req, out)
}

// try runs the attempts of a program that wants more than an agent's rights. It returns
// an error when one of them succeeds.
func try(ctx context.Context, known string, out io.Writer, asData bool) error {
	world, err := attempts.Read(known)
	if err != nil {
		return err
	}
	return tried(attempts.Run(ctx, world), out, asData)
}

// tryConfined runs the attempts as an agent is started, which is confined.
func tryConfined(ctx context.Context, out io.Writer, asData bool) error {
	service, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	results, err := doctor.Installation{Getenv: os.Getenv, Version: version, Executable: commandLine}.Attempts(ctx, service)
	if err != nil {
		return err
	}
	return tried(results, out, asData)
}

// tried prints what came of attempts.
func tried(results []attempts.Result, out io.Writer, asData bool) error {
	var err error
	held := !slices.ContainsFunc(results, func(r attempts.Result) bool { return r.Succeeded })
	if asData {
		err = say.Object(out, map[string]any{"ok": held, "attempts": results})
	} else {
		err = say.Text(out, attempts.Text(results))
	}
	if err == nil && !held {
		return errUnhealthy
	}
	return err
}

// examine checks the installation. It returns an error when a check fails, but
// not for a warning.
func examine(ctx context.Context, out io.Writer, asData bool) error {
	findings := doctor.Examine(ctx, doctor.Installation{Getenv: os.Getenv, Version: version, Executable: commandLine})
	healthy := doctor.Healthy(findings)
	var err error
	if asData {
		err = say.Object(out, map[string]any{"ok": healthy, "checks": findings})
	} else {
		err = say.Text(out, doctor.Text(findings))
	}
	if err == nil && !healthy {
		return errUnhealthy
	}
	return err
}

// serving says how to run the backend.
type serving struct {
	headless bool
	// control prints an address of the control page to notices.
	control bool
	notices io.Writer
	// isolated is the session in whose browser each client of MCP over HTTP has its own; empty for
	// none.
	isolated protocol.SessionName
	// idle is the time without a command after which the backend ends; 0 for
	// never.
	idle    time.Duration
	console io.Writer // receives the log; nil for no log
}

// commandLine is the path of the program that users and agents start, in the
// folder of this one.
func commandLine() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", protocol.NewError(protocol.CodeInternal, "the program's own path cannot be found: "+err.Error(), "")
	}
	name := "pilotfish"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(own), name), nil
}
