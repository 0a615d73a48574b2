package task

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/protocol"
)

// A routine's file may have any content: it cannot be read, or filling in its
// values leaves the routine as it was and never fills in a value's own text.
func FuzzRoutineFile(f *testing.F) {
	dir := f.TempDir()
	f.Add([]byte(`{"version":1,"goal":"buy ${what} for ${who}","params":{"what":"tea"},"steps":["goto x"],"actions":[{"a":1}]}`), "${what}")
	f.Add([]byte(`{"version":1,"goal":7,"params":null}`), "x")
	f.Add([]byte(`{"version":1,"goal":"${a}${a}","actions":null}`), "$")
	f.Fuzz(func(t *testing.T, content []byte, value string) {
		rs := &Routines{dir: dir, log: slog.New(slog.DiscardHandler)}
		if err := os.WriteFile(rs.path("one"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := rs.read("one")
		if err != nil {
			return
		}
		if list := rs.List(); len(list) != 1 || list[0].Name != "one" {
			t.Fatalf("the list is %+v", list)
		}
		values := map[string]string{}
		for _, name := range paramsOf(r) {
			values[name] = value
		}
		goal, err := rs.Fill("one", values)
		if r.Goal == "" || value == "" {
			return // refused, or filled with the defaults
		}
		if want := parameter().ReplaceAllLiteralString(r.Goal, value); err != nil || goal != want {
			t.Errorf("%q with %q is %q, %v; want %q", r.Goal, value, goal, err, want)
		}
	})
}

// A task's two files may have any content: the task is put aside, or it can be
// read and has ended.
func FuzzTaskFiles(f *testing.F) {
	good, err := json.Marshal(headFile{Version: headVersion, Task: protocol.Task{ID: id, State: protocol.TaskRunning, Title: "a"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, []byte("pilotfish journal 1\n1b2c t{}\n"))
	f.Add([]byte(`{"version":1}`), []byte(nil))
	f.Add([]byte(`{"version":1,"task":{"id":"`+string(id)+`","state":"done","tabs":null,"steps":-1}}`), []byte("pilotfish journal 9\n"))
	f.Fuzz(func(t *testing.T, head, journal []byte) {
		dir := t.TempDir()
		task := filepath.Join(dir, "tasks", string(id))
		if err := os.MkdirAll(filepath.Join(task, "events"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"head.json": head, "events/00000000000000000001.log": journal} {
			if err := os.WriteFile(filepath.Join(task, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, _ := open(t, dir)
		page, err := s.Read(id, 0, 100)
		if err == nil && (page.Head.ID != id || live(page.Head.State)) {
			t.Errorf("read %+v", page.Head)
		}
	})
}
