package main

import (
	"encoding/json"
	"slices"
	"testing"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// fakeEntry is a login entry in memory.
type fakeEntry struct {
	command []string
	broken  error
}

func (e *fakeEntry) Enable(program string, args ...string) error {
	if e.broken != nil {
		return e.broken
	}
	e.command = append([]string{program}, args...)
	return nil
}

func (e *fakeEntry) Disable() error {
	e.command = nil
	return e.broken
}

func (e *fakeEntry) Enabled() (bool, error) { return e.command != nil, nil }

func TestStartOnLoginIsTheEntryOfTheDesktop(t *testing.T) {
	entry := &fakeEntry{}
	table := local{backend: newFakeBackend(), login: login{entry: entry, program: "/opt/Pilotfish"}}.table()
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
	if want := []string{"/opt/Pilotfish", "--hidden"}; !slices.Equal(entry.command, want) {
		t.Errorf("the desktop starts %q, want %q", entry.command, want)
	}
	if !seen() {
		t.Error("the window shows it off")
	}
	// The user has switched it off in the desktop's own settings.
	entry.command = nil
	if seen() {
		t.Error("the window shows it on")
	}
	// An entry that is already correct is not written.
	entry.broken = protocol.NewError(protocol.CodeNotWritable, "the folder cannot be written", "make it yours")
	if _, err := call("SaveSettings", protocol.Settings{}); err != nil {
		t.Errorf("got %v", err)
	}
	_, err = call("SaveSettings", protocol.Settings{StartOnLogin: true})
	if err == nil {
		t.Fatal("a failure was not told")
	}
	want := `{"code":"not_writable","message":"the folder cannot be written","hint":"make it yours","field":"startOnLogin"}`
	if got := formatError(err); got != want {
		t.Errorf("the page is told %s, want %s", got, want)
	}
}
