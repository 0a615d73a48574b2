package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pilotfish/app/cli/fakes"
	"pilotfish/backend/confine"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pilotfish-service": main, "pilotfish": seal})
}

// seal is what `pilotfish` does for a program that is confined. It does nothing else here.
func seal() {
	if len(os.Args) < 3 || os.Args[1] != "seal" {
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, confine.Seal(os.Args[2], os.Args[3:]))
	os.Exit(1)
}

// The scripts check installations with a separate process.
func TestDoctor(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/scripts",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv(protocol.EnvHome, filepath.Join(env.WorkDir, "pilotfish"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"backend": startBackend},
	})
}

// startBackend starts a fake app of another version, with an endpoint file.
func startBackend(ts *testscript.TestScript, _ bool, _ []string) {
	b := fakes.New()
	ts.Defer(b.Close)
	state := filepath.Join(ts.Getenv(protocol.EnvHome), "state")
	ts.Check(os.MkdirAll(state, 0o700))
	ts.Check(instance.WriteEndpoint(filepath.Join(state, "pilotfish.json"), protocol.Endpoint{Port: b.Port(), Token: fakes.Token, App: "v9"}))
}
