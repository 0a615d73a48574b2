package task

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pilotfish/backend/protocol"
)

// picture writes a file as a screenshot does.
func picture(t *testing.T, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shot.jpg")
	if err := os.WriteFile(path, bytes.Repeat([]byte{7}, size), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPicturesKeepTheirBudgetAndGoWithTheirTask(t *testing.T) {
	s, _ := open(t, t.TempDir())
	s.budget = 100
	const other protocol.TaskID = "3f0c8a52-0000-4000-8000-000000000002"
	for _, one := range []protocol.TaskID{id, other} {
		if _, err := s.Write(protocol.TaskWriteRequest{Task: one, Viewer: "a", Kind: protocol.TaskEventHead, Head: head(protocol.TaskRunning)}); err != nil {
			t.Fatal(err)
		}
	}
	keep := func(one protocol.TaskID, step, size int) {
		t.Helper()
		if err := s.KeepScreenshot(one, step, picture(t, size)); err != nil {
			t.Fatal(err)
		}
	}
	has := func(one protocol.TaskID, step int) bool {
		data, err := s.Picture(one, step)
		return err == nil && len(data) > 0
	}
	keep(id, 1, 40)
	keep(other, 1, 40)
	if !has(id, 1) || !has(other, 1) {
		t.Fatal("a picture within the budget is not kept")
	}
	keep(other, 2, 40)
	if has(id, 1) || !has(other, 1) || !has(other, 2) {
		t.Error("not the other task's picture made room")
	}
	if err := s.KeepScreenshot(id, 0, picture(t, 1)); code(err) != protocol.CodeBadArgument {
		t.Errorf("step 0: %v", err)
	}
	s.ViewerGone("a")
	if err := s.Delete(other); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(s.config.Dir, string(other), "*")); len(files) > 0 {
		t.Errorf("left: %q", files)
	}
	if err := s.KeepScreenshot(other, 3, picture(t, 1)); code(err) != protocol.CodeUnknownTask {
		t.Errorf("a task that was deleted: %v", err)
	}
}

func TestFilesAreWhatTheStepsName(t *testing.T) {
	s, _ := open(t, t.TempDir())
	write(t, s, "a", protocol.TaskEventStep, head(protocol.TaskRunning), `{"n":1,"deeds":[{"result":{"picture":"/s/one.jpg"}},{"result":{}}]}`)
	write(t, s, "a", protocol.TaskEventNotice, head(protocol.TaskRunning), `{"text":"x"}`)
	if got, want := s.Files(id), []string{"/s/one.jpg"}; !reflect.DeepEqual(got, want) {
		t.Errorf("files = %q", got)
	}
}
