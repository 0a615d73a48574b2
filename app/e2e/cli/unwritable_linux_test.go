package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// A state folder that belongs to another user does not prevent work: the session
// runs in memory, every command finds it, and it leaves no files.
func TestWorkInMemoryWithARealBrowser(t *testing.T) {
	r := install(t, "1m")
	state := r.dirs().State
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(state, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := os.Chmod(state, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(state, 0o700) })
	}
	passing := config.Passing(func(name string) string {
		return map[string]string{protocol.EnvHome: r.home, "XDG_RUNTIME_DIR": r.runtime}[name]
	})
	if out := r.run("tabs"); !strings.Contains(out, "t1") {
		t.Errorf("tabs: %s", out)
	}
	r.run("rules", "deny", "open", "*.bank.example")
	if out := r.run("rules"); !strings.Contains(out, "*.bank.example") {
		t.Errorf("a rule does not hold: %s", out)
	}
	endpoint, err := instance.ReadEndpoint(passing.EndpointFile())
	if err != nil {
		t.Fatal(err)
	}
	gone := r.watch(endpoint.PID)
	r.run("app", "quit")
	gone()
	if left, err := filepath.Glob(filepath.Join(passing.Passing, "*")); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("it wrote into the folder: %v, %v", left, err)
	}
}
