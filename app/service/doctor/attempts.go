package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"pilotfish/app/threats/attempts"
	"pilotfish/backend/config"
	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
)

// Attempts runs the program of attempts (app/threats/attempts) confined, as an agent is
// started by hand, and returns what came of each way. service is the path of
// `pilotfish-service`.
func (i Installation) Attempts(ctx context.Context, service string) ([]attempts.Result, error) {
	if runtime.GOOS != "linux" {
		return nil, protocol.NewError(protocol.CodeNotConfined, "there are no attempts for this system yet", "")
	}
	helper, err := i.Executable()
	if err != nil {
		return nil, err
	}
	if problem := confine.Try(ctx, helper); problem != nil {
		return nil, problem
	}
	settings, _, err := i.settings()
	if err != nil {
		return nil, err
	}
	dirs, err := config.UserDirs(i.Getenv)
	if err != nil {
		return nil, err
	}
	if err := dirs.Prepare(); err != nil {
		return nil, err
	}
	world := attempts.World{State: dirs.State, Config: dirs.Config, Programs: []string{helper, service, filepath.Join(filepath.Dir(helper), "Pilotfish")}}
	names, err := dirs.Sessions()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		session, err := dirs.Session(name)
		if err != nil {
			return nil, err
		}
		world.Profiles = append(world.Profiles, session.Profile)
	}
	if settings.ProfileDir != "" {
		world.Profiles = append(world.Profiles, settings.ProfileDir)
	}
	world, end, err := attempts.Lay(ctx, world)
	defer end()
	if err != nil {
		return nil, fmt.Errorf("preparing the attempts: %w", err)
	}
	dir, err := os.MkdirTemp("", "pilotfish-attempts-*")
	if err != nil {
		return nil, fmt.Errorf("preparing the attempts: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is in the temporary folder
	known := filepath.Join(dir, "known.json")
	if err := world.Write(known); err != nil {
		return nil, err
	}
	p := confine.Wrap(confine.Program{Path: service, Args: []string{"attempts", "--json", "--known", known}, Env: append(os.Environ(), "TMPDIR="+dir, "PATH="+filepath.Dir(helper)+string(os.PathListSeparator)+i.Getenv("PATH")), Dir: dir},
		confine.Folders{Hidden: dirs.Hidden(settings), Helper: helper})
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Env, cmd.Dir = p.Env, p.Dir
	out, ran := cmd.Output() // it exits with 1 when a way succeeds
	var said struct{ Attempts []attempts.Result }
	if err := json.Unmarshal(out, &said); err != nil || len(said.Attempts) == 0 {
		return nil, protocol.NewError(protocol.CodeInternal, fmt.Sprintf("the attempts did not run: %v", ran), "")
	}
	return said.Attempts, nil
}
