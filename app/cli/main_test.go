package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/fakes"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pilotfish": main})
}

// In the scripts, "exec pilotfish" starts the program as a process, and "run pilotfish"
// runs it in this one, which takes less time where nothing depends on a process.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/scripts",
		// To update the golden help, run go test ./app/cli -run TestScripts with
		// this variable set.
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			b := fakes.New()
			env.Defer(b.Close)
			env.Values[backendKey{}] = b
			env.Setenv("HOME", env.WorkDir)
			// Tests that start a browser are elsewhere.
			env.Setenv(client.EnvNoAutostart, "1")
			env.Setenv(protocol.EnvHome, filepath.Join(env.WorkDir, "pilotfish"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"backend": startBackend,
			"asked":   asked,
			"run":     run,
		},
	})
}

// backendKey is the key of a script's backend in its values.
type backendKey struct{}

// startBackend makes the fake known to the program. `backend agent` puts its
// address and token into the environment, as for an agent; `backend file` writes
// the endpoint file that a shell uses; `backend wrong` writes one with a wrong
// token.
func startBackend(ts *testscript.TestScript, _ bool, args []string) {
	b := ts.Value(backendKey{}).(*fakes.Backend)
	token := fakes.Token
	switch strings.Join(args, " ") {
	case "agent":
		ts.Setenv(protocol.EnvURL, b.URL())
		ts.Setenv(protocol.EnvToken, token)
		return
	case "wrong":
		token = "another"
	}
	endpoint := protocol.Endpoint{Version: protocol.StateVersion, PID: os.Getpid(), StartTime: startTime(ts), Port: b.Port(), Token: token, App: "v9"}
	text, err := json.Marshal(endpoint)
	ts.Check(err)
	dir := filepath.Join(ts.Getenv(protocol.EnvHome), "state")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(os.WriteFile(filepath.Join(dir, "pilotfish.json"), text, 0o600))
}

// startTime returns when this process started: the 22nd field of /proc/self/stat.
func startTime(ts *testscript.TestScript) uint64 {
	stat, err := os.ReadFile("/proc/self/stat")
	ts.Check(err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	start, err := strconv.ParseUint(fields[19], 10, 64)
	ts.Check(err)
	return start
}

// run runs the program in this process, with the script's environment. It has no input.
func run(ts *testscript.TestScript, neg bool, args []string) {
	p := &program{stdout: ts.Stdout(), stderr: ts.Stderr(), getenv: ts.Getenv}
	if code := p.run(args[1:]); (code != 0) != neg {
		ts.Fatalf("%s ended with %d", strings.Join(args, " "), code)
	}
}

// asked compares the requests since the last call with "path {json}"; `! asked`
// requires that there was none.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	got := strings.TrimSpace(ts.Value(backendKey{}).(*fakes.Backend).Asked())
	want := strings.Join(args, " ")
	if neg {
		want = ""
	}
	if got != want {
		ts.Fatalf("asked %q, want %q", got, want)
	}
}
