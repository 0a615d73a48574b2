package doctor

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// installation is one in a folder of the test, with additional environment
// variables.
func installation(t *testing.T, more map[string]string) Installation {
	t.Helper()
	home := t.TempDir()
	return Installation{Version: "v9", Executable: os.Executable, Getenv: func(name string) string {
		switch name {
		case protocol.EnvHome, "XDG_RUNTIME_DIR":
			return home
		}
		return more[name]
	}}
}

// With a warning an installation is still healthy, and every hint is below its
// finding.
func TestText(t *testing.T) {
	findings := []Finding{ok("all of it"), warn("install it", "there is no %s", "font")}
	findings[0].Check, findings[1].Check = "app", "fonts"
	if got, want := Text(findings), "ok   app      all of it\nwarn fonts    there is no font\n              → install it\n"; got != want || !Healthy(findings) {
		t.Errorf("%q", got)
	}
	if Healthy(append(findings, fail("", "it does not work"))) {
		t.Error("a failure is healthy")
	}
}

// A folder that does not exist yet is fine; one that others can read is not.
func TestFolders(t *testing.T) {
	i := installation(t, nil)
	if f := i.checkFolders(t.Context()); f.Status != findingOK || !strings.Contains(f.Detail, "not created yet") {
		t.Errorf("%+v", f)
	}
	config := filepath.Join(i.Getenv(protocol.EnvHome), "config")
	if err := os.Mkdir(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(config, 0o755); err != nil {
		t.Fatal(err)
	}
	if f := i.checkFolders(t.Context()); f.Status != findingFail || !strings.Contains(f.Detail, "open to other users") {
		t.Errorf("%+v", f)
	}
}

// A configured display that does not exist is a failure; no display is a warning.
func TestDisplay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems provide it")
	}
	if f := installation(t, nil).checkDisplay(t.Context()); f.Status != findingWarn {
		t.Errorf("%+v", f)
	}
	i := installation(t, map[string]string{"WAYLAND_DISPLAY": "wayland-7"})
	if f := i.checkDisplay(t.Context()); f.Status != findingFail {
		t.Errorf("%+v", f)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(i.Getenv("XDG_RUNTIME_DIR"), "wayland-7"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if f := i.checkDisplay(t.Context()); f.Status != findingOK || f.Detail != "Wayland wayland-7" {
		t.Errorf("%+v", f)
	}
}

// Without an app the check says so, and how to start it.
func TestNoApp(t *testing.T) {
	if f := installation(t, nil).checkApp(t.Context()); f.Status != findingWarn || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}
