package copies

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/protocol"
)

// written is a file of another browser, which writes to it whenever it is copied.
type written struct {
	t      *testing.T
	path   string
	writes int // how often it still writes
	copied int
}

func (w *written) look() (map[string]stamp, error) {
	info, err := os.Stat(w.path)
	if err != nil {
		return nil, err
	}
	return map[string]stamp{"": stampOf(info)}, nil
}

func (w *written) copyTo(to string) func(map[string]stamp) error {
	return func(map[string]stamp) error {
		w.copied++
		err := File(w.path, to)
		if w.writes--; w.writes >= 0 {
			f, openErr := os.OpenFile(w.path, os.O_APPEND|os.O_WRONLY, 0)
			if openErr != nil {
				w.t.Fatal(openErr)
			}
			_, writeErr := f.WriteString("x")
			if err := errors.Join(writeErr, f.Close()); err != nil {
				w.t.Fatal(err)
			}
		}
		return err
	}
}

// A copy during which the other browser wrote is made again; after five the user is asked
// to close that browser.
func TestAProfileThatKeepsChanging(t *testing.T) {
	for _, test := range []struct {
		writes, copied int
		busy           bool
		want           string
	}{
		{0, 1, false, "a"},
		{tries - 1, tries, false, "axxxx"},
		{tries, tries, true, ""},
		{100, tries, true, ""},
	} {
		dir := t.TempDir()
		w := &written{t: t, path: filepath.Join(dir, "Cookies"), writes: test.writes}
		if err := os.WriteFile(w.path, []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, "copy")
		err := whole("Cookies", w.look, w.copyTo(to))
		if w.copied != test.copied {
			t.Errorf("%d writes: copied %d times, want %d", test.writes, w.copied, test.copied)
		}
		if test.busy {
			if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBusy || e.Hint != "try again, or close that browser first" {
				t.Errorf("%d writes: %v", test.writes, err)
			}
			continue
		}
		if got, readErr := os.ReadFile(to); err != nil || readErr != nil || string(got) != test.want {
			t.Errorf("%d writes: %q, %v, %v", test.writes, got, err, readErr)
		}
	}
}

// A file that goes while it is copied may come back: a database loses its journal with each
// transaction. One that stays away is said to be gone, at once.
func TestAFileThatGoes(t *testing.T) {
	dir := t.TempDir()
	w := &written{t: t, path: filepath.Join(dir, "Cookies")}
	copied := 0
	there := map[string]stamp{"": {}}
	looks := []map[string]stamp{there, {}, there, there}
	err := whole("Cookies", func() (map[string]stamp, error) { next := looks[0]; looks = looks[1:]; return next, nil }, func(map[string]stamp) error {
		if copied++; copied == 1 {
			return &fs.PathError{Op: "open", Path: w.path, Err: fs.ErrNotExist}
		}
		return nil
	})
	if err != nil || copied != 2 {
		t.Errorf("copied %d times, %v", copied, err)
	}
	err = whole("Cookies", w.look, w.copyTo(filepath.Join(dir, "copy")))
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBadArgument || e.Hint == "" || w.copied != 0 {
		t.Errorf("%v, copied %d times", err, w.copied)
	}
}

// A database is copied with what is not in it yet, and a part that went is not left from
// an earlier copy.
func TestDatabaseAndFolder(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("db", "pages")
	write("db-wal", "log")
	if err := Database(filepath.Join(from, "db"), filepath.Join(to, "db")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(to, "db-wal")); err != nil || string(got) != "log" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(filepath.Join(from, "db-wal")); err != nil {
		t.Fatal(err)
	}
	if err := Database(filepath.Join(from, "db"), filepath.Join(to, "db")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "db-wal")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log of the first copy: %v", err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	if err := Folder(from, filepath.Join(to, "folder")); err != nil {
		t.Fatal(err)
	}
	if made, err := os.ReadDir(filepath.Join(to, "folder")); err != nil || len(made) != 1 || made[0].Name() != "db" {
		t.Errorf("%v, %v", made, err)
	}
}
