package client

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// environment is os.Getenv for given values.
func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// A token is sent only to this machine, whatever the environment says.
func TestFindStaysOnThisMachine(t *testing.T) {
	for address, good := range map[string]bool{
		"http://127.0.0.1:4000": true, "http://[::1]:4000": true, "http://127.0.0.1": false, "https://127.0.0.1:4000": false,
		"http://user@127.0.0.1:4000": false, "http://localhost:4000": false, "http://192.0.2.1:4000": false, "x": false,
	} {
		_, err := Find(environment(map[string]string{protocol.EnvURL: address, protocol.EnvToken: "secret"}))
		if (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Without an app, and when none may be started, a command gets an error.
func TestFindOrStartMayNotStart(t *testing.T) {
	home := t.TempDir()
	_, err := FindOrStart(t.Context(), environment(map[string]string{protocol.EnvHome: home, "XDG_RUNTIME_DIR": home, EnvNoAutostart: "1"}))
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeNotRunning {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(home, "*")); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// The message of a started session: ready, why it is not, or nothing.
func TestHeard(t *testing.T) {
	for word, code := range map[string]protocol.Code{
		ReadyWord + "\n": "", "": protocol.CodeNotRunning, "rubbish\n": protocol.CodeNotRunning,
		`{"code":"no_browser","message":"there is none"}` + "\n": "no_browser",
	} {
		err := heard(strings.NewReader(word), "log")
		if e := protocol.AsError(err); code == "" && err != nil || code != "" && (e == nil || e.Code != code) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// A session that a command starts serves every caller: it inherits nothing from
// one agent.
func TestWithoutAgent(t *testing.T) {
	kept := WithoutAgent([]string{"HOME=/h", protocol.EnvToken + "=secret", protocol.EnvURL + "=x", protocol.EnvTab + "=t1", "X"})
	if got := strings.Join(kept, " "); got != "HOME=/h X" {
		t.Error(got)
	}
}

func TestUnstartable(t *testing.T) {
	for _, c := range []struct {
		missing, hint string
	}{
		{"/opt/pilotfish-service", "install Pilotfish again"},
		{os.DevNull, "Pilotfish needs /proc and /dev"},
	} {
		err := Unstartable("/opt/pilotfish-service", &fs.PathError{Op: "open", Path: c.missing, Err: fs.ErrNotExist})
		if e := protocol.AsError(err); !strings.HasPrefix(e.Hint, c.hint) {
			t.Errorf("without %s the hint is %q", c.missing, e.Hint)
		}
	}
}
