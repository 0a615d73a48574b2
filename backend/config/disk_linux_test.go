package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

// Fault 10: for a state folder that cannot be written, the error says what to do,
// before anything is lost.
func TestReadOnlyStateFolder(t *testing.T) {
	d := dirs(t)
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		// File modes do not restrict root; a read-only file system does.
		smalldisk.Mount(t, d.State, 64)
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("", d.State, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := os.Chmod(d.State, 0o500); err != nil {
			t.Fatal(err)
		}
		state := d.State
		t.Cleanup(func() { _ = os.Chmod(state, 0o700) })
	}
	err := d.Prepare()
	if err == nil || protocol.AsError(err).Code != protocol.CodeNotWritable || protocol.AsError(err).Hint == "" {
		t.Errorf("Prepare() = %v, want CodeNotWritable with a hint", err)
	}
}

// Fault 9: on a full disk the old settings remain, and saving works again when there
// is space.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can mount a small disk; TestFullDiskKeepsTheOldSettings covers the rest")
		return
	}
	dir := filepath.Join(t.TempDir(), "config")
	smalldisk.Mount(t, dir, 64)
	path := filepath.Join(dir, "settings.toml")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(config.Defaults()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, bytes.Repeat([]byte("x"), 128<<10), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	changed := config.Defaults()
	changed.FontSize = 20
	_, err = store.Save(changed)
	if said := protocol.AsError(err); said == nil || said.Code != protocol.CodeNotWritable || !strings.Contains(said.Message, "the disk is full") || !strings.Contains(said.Hint, "free some space") {
		t.Errorf("Save() on a full disk = %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(changed); err != nil {
		t.Errorf("Save() with space again: %v", err)
	}
	if again, err := config.Open(path); err != nil || !same(again.Get(), changed) {
		t.Errorf("Open() = %v", err)
	}
}

// Fault 10: the app works even if its folder cannot be written or belongs to another
// user. It works in memory, with the user's settings and rules where they can be
// read, says so, and leaves no files.
func TestWorkInMemory(t *testing.T) {
	for name, others := range map[string]bool{"read only": false, "another user's": true} {
		t.Run(name, func(t *testing.T) {
			if os.Geteuid() != 0 && others {
				t.Skip("only root can give a folder away")
			}
			home, runtime := filepath.Join(t.TempDir(), "home"), t.TempDir()
			getenv := func(name string) string {
				return map[string]string{protocol.EnvHome: home, "XDG_RUNTIME_DIR": runtime}[name]
			}
			d, notice, err := config.Usable(getenv)
			if err != nil || notice != nil || d.Passing != "" {
				t.Fatalf("Usable() = %+v, %v, %v", d, notice, err)
			}
			if others {
				if err := os.Chown(d.State, 12345, 12345); err != nil {
					t.Fatal(err)
				}
			} else if os.Geteuid() == 0 {
				smalldisk.Mount(t, d.State, 64)
			}
			if !others {
				if err := d.Prepare(); err != nil {
					t.Fatal(err)
				}
				s, err := d.Session("default")
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(s.Root, config.RulesFile), []byte("rules"), 0o600); err != nil {
					t.Fatal(err)
				}
				if os.Geteuid() == 0 {
					if err := syscall.Mount("", d.State, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
						t.Fatal(err)
					}
				} else {
					if err := os.Chmod(d.State, 0o500); err != nil {
						t.Fatal(err)
					}
					state := d.State
					t.Cleanup(func() { _ = os.Chmod(state, 0o700) })
				}
			}
			if err := os.WriteFile(d.SettingsFile(), []byte("font_size = 20\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			d, notice, err = config.Usable(getenv)
			if err != nil || notice == nil || notice.Code != protocol.CodeNotWritable || notice.Hint == "" || d.Passing == "" || d != config.Passing(getenv) {
				t.Fatalf("Usable() = %+v, %v, %v", d, notice, err)
			}
			store, err := config.Open(d.SettingsFile())
			if err != nil || store.Get().FontSize != 20 {
				t.Errorf("the settings are not taken along: %v", err)
			}
			if _, err := store.Save(store.Get()); err != nil {
				t.Errorf("settings cannot be changed in memory: %v", err)
			}
			s, err := d.Session("default")
			if err != nil {
				t.Fatal(err)
			}
			rules, err := os.ReadFile(filepath.Join(s.Root, config.RulesFile))
			if (err == nil && string(rules) == "rules") == others {
				t.Errorf("rules: %q, %v", rules, err)
			}
			if err := d.End(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(runtime); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}
