package session

import (
	"testing"

	"pilotfish/backend/protocol"
)

// The session knows which tasks need the user, until that is over.
func TestTasksThatNeedTheUser(t *testing.T) {
	h := newFixture(t)
	program := &protocol.Actor{Kind: protocol.ActorMCP}
	for _, c := range []struct {
		task  protocol.Task
		needs bool
	}{
		{protocol.Task{State: protocol.TaskRunning}, false},
		{protocol.Task{State: protocol.TaskWaiting, Asker: program}, true},
		{protocol.Task{State: protocol.TaskInterrupted, Asker: program}, false}, // its asker receives it
		{protocol.Task{State: protocol.TaskInterrupted}, true},
		{protocol.Task{State: protocol.TaskFailed}, true},
		{protocol.Task{State: protocol.TaskFailed, Closed: true}, false},
		{protocol.Task{State: protocol.TaskWaiting}, true},
		{protocol.Task{State: protocol.TaskDone}, false},
	} {
		c.task.ID = "k1"
		h.s.taskChanged(c.task)
		if tasks := h.s.Info().Tasks; (len(tasks) == 1) != c.needs {
			t.Errorf("%+v: %+v", c.task, tasks)
		}
	}
}
