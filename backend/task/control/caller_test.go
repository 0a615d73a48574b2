package control

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

func TestPlainInstructions(t *testing.T) {
	d := newDesk(t, nil)
	for text, want := range map[string]int{"click Save then press Enter": 2, "help": 0, "find me a flight": 0} {
		got, err := d.Plain(t.Context(), protocol.TaskPlainRequest{Text: text})
		if err != nil || len(got.Steps) != want || (got.Unknown == "") != (want > 0) || got.Steps == nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	d.write(t, one, "p", protocol.TaskRunning)
	if _, err := d.Plain(t.Context(), protocol.TaskPlainRequest{Text: "click Save", Task: one, Viewer: "p", Step: 1}); code(err) != protocol.CodeBadArgument {
		t.Errorf("an instruction that there is not: %v", err)
	}
	got, err := d.Plain(t.Context(), protocol.TaskPlainRequest{Text: "press Enter", Task: one, Viewer: "p"})
	if err != nil || len(got.Commands) != 1 || got.Commands[0].Command != "press" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A caller that follows a task receives its lines until its end, and waits a
// little for a panel that may only have lost its connection.
func TestACallerFollowsATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, nil)
		d.write(t, one, "p", protocol.TaskRunning)
		c := Caller{Find: func(context.Context) (*Tasks, error) { return d.Tasks, nil }, Grant: shell()}
		follow := func() chan protocol.TaskState {
			last := make(chan protocol.TaskState, 1)
			go func() {
				head, err := c.FollowTask(t.Context(), one, func(protocol.Task, []string) {})
				if err != nil {
					t.Error(err)
				}
				last <- head.State
			}()
			synctest.Wait()
			return last
		}
		last := follow()
		d.PanelGone("p")
		began := time.Now()
		if state := <-last; state != protocol.TaskInterrupted || time.Since(began) != protocol.TaskLostWait {
			t.Errorf("%s after %s", state, time.Since(began))
		}
		d.write(t, one, "q", protocol.TaskRunning)
		last = follow()
		d.PanelGone("q")
		synctest.Wait()
		time.Sleep(protocol.TaskLostWait / 2)
		d.write(t, one, "r", protocol.TaskRunning)
		synctest.Wait()
		time.Sleep(protocol.TaskLostWait)
		d.write(t, one, "r", protocol.TaskDone)
		if state := <-last; state != protocol.TaskDone {
			t.Errorf("%s", state)
		}
		if list, err := c.TaskList(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		broken := Caller{Find: func(context.Context) (*Tasks, error) { return nil, errors.New("no session") }}
		if _, err := broken.RunTask(t.Context(), protocol.TaskRunRequest{}); err == nil {
			t.Error("a task ran in no session")
		}
	})
}
