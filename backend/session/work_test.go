package session

import (
	"testing"

	"pilotfish/backend/protocol"
)

// The window gets the tasks and routines of a session that does not run; without the
// actions of routines, which only the panel carries out.
func TestWork(t *testing.T) {
	m := newManager(t, t.TempDir(), false)
	s := m.sessions[protocol.DefaultSession]
	t.Cleanup(s.tasks.Close)
	empty := m.Window().Work
	if _, err := s.tasks.SaveRoutine(protocol.TaskRoutine{Name: "report", Goal: "report on ${city}", Actions: []byte(`{"deeds":[]}`)}); err != nil {
		t.Fatal(err)
	}
	if m.Window().Work == empty {
		t.Error("the window is not told that a routine is new")
	}
	head := &protocol.Task{Title: "Orders", Goal: "count the orders", State: protocol.TaskDone, Tabs: []protocol.TabID{}}
	before := m.Window().Work
	if _, err := s.tasks.Write(t.Context(), protocol.TaskWriteRequest{Task: "0b6f2c1e-0000-4000-8000-000000000001", Viewer: "p1", Kind: protocol.TaskEventHead, Head: head}); err != nil {
		t.Fatal(err)
	}
	if m.Window().Work == before {
		t.Error("the window is not told that a task is new")
	}
	work, err := m.Work(protocol.DefaultSession)
	if err != nil || len(work.Routines) != 1 || work.Routines[0].Name != "report" || work.Routines[0].Actions != nil || len(work.Tasks) != 1 || work.Tasks[0].Goal != head.Goal {
		t.Errorf("%+v, %v", work, err)
	}
	full := m.Window().Work
	if _, err := s.tasks.DeleteRoutine("report"); err != nil || m.Window().Work == full {
		t.Errorf("the window is not told that a routine is gone, %v", err)
	}
	if _, err := m.Work("none"); protocol.AsError(err).Code != protocol.CodeUnknownSession {
		t.Errorf("a session that does not exist: %v", err)
	}
}
