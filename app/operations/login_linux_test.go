package operations

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"pilotfish/backend/desktop"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// settingsOnly is a backend that has settings only.
type settingsOnly struct{}

func (settingsOnly) Operations() []op.Operation  { return nil }
func (settingsOnly) Settings() protocol.Settings { return protocol.Settings{} }

func (settingsOnly) SaveSettings(_ context.Context, s protocol.Settings) (protocol.Settings, error) {
	return s, nil
}

func TestStartOnLoginIsTheEntryOfTheDesktop(t *testing.T) {
	home := t.TempDir()
	entry := desktop.NewLoginEntry(func(name string) string {
		if name == protocol.EnvHome {
			return home
		}
		return ""
	})
	table := Local{Backend: settingsOnly{}, Login: Login{Entry: &entry, Program: "/opt/Pilotfish"}}.Table()
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
	if got := op.Explained(err); got.Code != protocol.CodeNotWritable || got.Message == "" || got.Field != "startOnLogin" {
		t.Errorf("the page shows %+v", got)
	}
}
