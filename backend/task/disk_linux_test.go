package task

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

// Fault 9: on a full disk a step is refused with an error for the user. When
// the panel retries it once there is room, it is in the journal once, whichever
// of its two files could not be written.
func TestAFullDiskLosesNoStepAndDoublesNone(t *testing.T) {
	for name, data := range map[string]string{
		"a small step, of which the journal has room for": `{"n":2}`,
		"a large one, of which it has none":               fmt.Sprintf(`{"n":2,"text":%q}`, strings.Repeat("x", 16<<10)),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			smalldisk.Mount(t, dir, 256)
			s, _ := open(t, dir)
			write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
			write(t, s, "a", protocol.TaskEventStep, head(protocol.TaskRunning), `{"n":1}`)
			free := smalldisk.Fill(t, dir)
			step := protocol.TaskWriteRequest{Task: id, Viewer: "a", Seq: 7, Kind: protocol.TaskEventStep, Head: head(protocol.TaskRunning), Data: json.RawMessage(data)}
			for range 3 {
				_, err := s.Write(step)
				said := protocol.AsError(err)
				if said == nil || said.Code != protocol.CodeNotWritable || !strings.Contains(said.Message, "the disk is full") || said.Hint == "" {
					t.Fatalf("Write() on a full disk = %v", err)
				}
			}
			free()
			reply, err := s.Write(step)
			if err != nil || reply.Index != 2 {
				t.Fatalf("Write() with room again = %+v, %v", reply, err)
			}
			write(t, s, "a", protocol.TaskEventStep, head(protocol.TaskDone), `{"n":3}`)
			s.Close()
			again, _ := open(t, dir)
			page, err := again.Read(id, 0, 100)
			if err != nil || len(page.Events) != 3 || page.Head.State != protocol.TaskDone {
				t.Fatalf("page = %+v, %v", page, err)
			}
			for i, e := range page.Events {
				if want := fmt.Sprintf(`{"n":%d`, i+1); !strings.HasPrefix(string(e.Data), want) {
					t.Errorf("event %d is %.20s", i+1, e.Data)
				}
			}
		})
	}
}

// A task that could never be written does not exist: no unreadable files of it
// are left for the next start, and it can be started again.
func TestATaskThatNeverCameToDiskIsNone(t *testing.T) {
	dir := t.TempDir()
	smalldisk.Mount(t, dir, 128)
	s, changes := open(t, dir)
	free := smalldisk.Fill(t, dir)
	begin := protocol.TaskWriteRequest{Task: id, Viewer: "a", Seq: 1, Kind: protocol.TaskEventHead, Head: head(protocol.TaskRunning)}
	if _, err := s.Write(begin); code(err) != protocol.CodeNotWritable {
		t.Fatalf("Write() = %v", err)
	}
	if got := s.Unfinished(); len(got) != 0 || len(*changes) != 0 {
		t.Errorf("unfinished = %+v, told %+v", got, *changes)
	}
	free()
	if left, err := os.ReadDir(filepath.Join(dir, "tasks")); err == nil && len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := s.Write(begin); err != nil {
		t.Errorf("Write() with room again: %v", err)
	}
}
