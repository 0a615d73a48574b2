package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/config"
	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
)

// confine replaces this process by a program that runs confined.
func (p *program) confine(ctx context.Context, in syntax.Invocation) error {
	helper, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	if err := confine.Try(ctx, helper); err != nil {
		return err
	}
	if gap := confine.DesktopGap(helper); gap != nil {
		say.Note(p.stderr, gap.Message+"; "+gap.Hint)
	}
	dirs, err := config.UserDirs(p.getenv)
	if err != nil {
		return err
	}
	if err := dirs.Prepare(); err != nil {
		return err // the program could make a folder that is not there yet
	}
	settings, problem, err := config.Read(dirs.SettingsFile())
	if err != nil {
		return err
	}
	if problem != nil && !problem.Unknown {
		return problem.Error() // it is not known what the program must not see
	}
	path, err := exec.LookPath(in.Program[0])
	if err != nil {
		return protocol.NewError(protocol.CodeBadArgument, in.Program[0]+" was not found, or cannot be started", "give the path of a program, or a name on the PATH")
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working folder: %w", err)
	}
	folders := confine.Folders{Hidden: dirs.Hidden(settings), Helper: helper}
	if name := p.getenv(protocol.EnvSession); name != "" {
		session, err := dirs.Session(protocol.SessionName(name))
		if err != nil {
			return err
		}
		folders.Writable, folders.ReadOnly = session.ForAgents()
	}
	started := confine.Wrap(confine.Program{Path: path, Args: in.Program[1:], Env: os.Environ(), Dir: dir}, folders)
	err = client.Become(started.Path, append([]string{started.Path}, started.Args...), started.Env)
	return fmt.Errorf("starting %s: %w", started.Path, err)
}
