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
	"pilotfish/app/cli/quick"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){quick.Whole: main})
}

// The scripts run the program as a process of its own.
func TestScripts(t *testing.T) {
	dir := filepath.Dir(small(t))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/scripts",
		// Golden help: go test ./app/cli -run TestScripts with this set.
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			b := fakes.New()
			env.Defer(b.Close)
			env.Values[backendKey{}] = b
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("PATH", dir+string(filepath.ListSeparator)+env.Getenv("PATH"))
			// What starts a browser is tested where there is one.
			env.Setenv(client.EnvNoAutostart, "1")
			env.Setenv(protocol.EnvHome, filepath.Join(env.WorkDir, "pilotfish"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"backend": startBackend,
			"asked":   asked,
		},
	})
}

// backendKey is where a script's backend is in its values.
type backendKey struct{}

// startBackend shows the fake to the program: `backend agent` gives its address and token to
// the environment, as an agent has them; `backend file` writes the file that a
// shell finds; `backend wrong` writes one with a wrong token.
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

// startTime is the 22nd field of /proc/self/stat: when this process started.
func startTime(ts *testscript.TestScript) uint64 {
	stat, err := os.ReadFile("/proc/self/stat")
	ts.Check(err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	start, err := strconv.ParseUint(fields[19], 10, 64)
	ts.Check(err)
	return start
}

// asked compares the requests since the last call with "path {json}"; `! asked`
// wants that there was none.
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
