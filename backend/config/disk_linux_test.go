package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// disk mounts a small file system of its own at dir; only root can.
func disk(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Fatalf("mount a small tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// Fault 10: a state folder that cannot be written is an error that says what to
// do, before anything is lost.
func TestReadOnlyStateFolder(t *testing.T) {
	d := dirs(t)
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		// Modes do not stop root; a read-only file system does.
		disk(t, d.State)
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
		t.Cleanup(func() { _ = os.Chmod(d.State, 0o700) })
	}
	err := d.Prepare()
	if err == nil || protocol.AsError(err).Code != protocol.CodeNotWritable || protocol.AsError(err).Hint == "" {
		t.Errorf("Prepare() = %v, want CodeNotWritable with a hint", err)
	}
}

// Fault 9: on a full disk the old settings stay, and saving works again when
// there is space.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can mount a small disk; TestFullDiskKeepsTheOldSettings covers the rest")
		return
	}
	dir := filepath.Join(t.TempDir(), "config")
	disk(t, dir)
	path := filepath.Join(dir, "settings.toml")
	store, _, err := config.Open(path)
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
	if _, err := store.Save(changed); err == nil || protocol.AsError(err).Code != protocol.CodeNotWritable {
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
	if again, _, err := config.Open(path); err != nil || again.Get() != changed {
		t.Errorf("Open() = %v", err)
	}
}
