package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pilotfish/backend/desktop"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

func TestStartOnLoginIsTheEntryOfTheDesktop(t *testing.T) {
	home := t.TempDir()
	entry := desktop.NewLoginEntry(func(name string) string {
		if name == protocol.EnvHome {
			return home
		}
		return ""
	})
	table := local{backend: newFakeBackend(), login: login{entry: &entry, program: "/opt/Pilotfish"}}.table()
	call := func(name string, in any) (settings protocol.Settings, err error) {
		t.Helper()
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Call(t.Context(), name, op.Call{}, text)
		if err == nil {
			err = json.Unmarshal(got, &settings)
		}
		return settings, err
	}
	seen := func() bool {
		t.Helper()
		settings, err := call("Settings", nil)
		if err != nil {
			t.Fatal(err)
		}
		return settings.StartOnLogin
	}

	saved, err := call("SaveSettings", protocol.Settings{StartOnLogin: true})
	if err != nil || !saved.StartOnLogin {
		t.Fatalf("saved %+v, error %v", saved, err)
	}
	files, err := filepath.Glob(filepath.Join(home, "config", "autostart", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the files are %q, %v", files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || !regexp.MustCompile(`/opt/Pilotfish\W+--hidden`).Match(text) {
		t.Errorf("the desktop starts %s, %v", text, err)
	}
	if !seen() {
		t.Error("the window shows it off")
	}
	// The user has switched it off in the desktop's own settings.
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if seen() {
		t.Error("the window shows it on")
	}
	// An entry that is already correct is not written.
	home = "/proc/none" // where nothing can be written
	if _, err := call("SaveSettings", protocol.Settings{}); err != nil {
		t.Errorf("got %v", err)
	}
	_, err = call("SaveSettings", protocol.Settings{StartOnLogin: true})
	if err == nil {
		t.Fatal("a failure was not told")
	}
	if got := formatError(err); !strings.HasPrefix(got, `{"code":"not_writable","message":"`) || !strings.HasSuffix(got, `,"field":"startOnLogin"}`) {
		t.Errorf("the page shows %s", got)
	}
}
