package control

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

// hostDesk is a desk without an open panel, whose tasks run in the task page.
func hostDesk(t *testing.T, change func(*Config)) *desk {
	t.Helper()
	d := newDesk(t, change)
	d.aside = true
	r, err := d.cfg.Running()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); d.Host(ctx, r) }()
	t.Cleanup(func() { cancel(); <-ended })
	return d
}

// runs starts a task on a tab, which a view takes.
func (d *desk) runs(t *testing.T, tab protocol.TabID, viewer string) protocol.TaskID {
	t.Helper()
	asked := make(chan error, 1)
	go func() {
		_, err := d.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "fill the form", Tab: tab})
		asked <- err
	}()
	synctest.Wait()
	orders := d.orders()
	last := orders[len(orders)-1]
	if last.Order != "run" || !last.Page {
		t.Fatalf("the page got %+v", last)
	}
	d.write(t, last.Task.ID, viewer, protocol.TaskRunning)
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	return last.Task.ID
}

// resumed returns how often the task page was ordered to resume a task.
func (d *desk) resumed() (n int) {
	for _, order := range d.orders() {
		if order.Order == "resume" && order.Page {
			n++
		}
	}
	return n
}

// Without a panel a task runs in the task page, which is open as long as a task runs in it.
func TestTheTaskPageIsOpenForItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := hostDesk(t, nil)
		first, second := d.runs(t, "t1", "p"), d.runs(t, "t2", "p")
		idle, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := d.cfg.Use.WaitIdle(idle, time.Minute); err == nil {
			t.Error("the session is idle while tasks run")
		}
		d.write(t, first, "p", protocol.TaskDone)
		synctest.Wait()
		if !d.pageOpen() {
			t.Error("the page was closed while a task runs in it")
		}
		d.write(t, second, "p", protocol.TaskFailed)
		synctest.Wait()
		if d.pageOpen() {
			t.Error("the page is open though no task runs in it")
		}
		// A page that is still open is faster than the one who asks.
		d.follows = func(event any) {
			if order, is := event.(protocol.TaskOrderEvent); is {
				d.write(t, order.Task.ID, "p", protocol.TaskRunning)
				d.write(t, order.Task.ID, "p", protocol.TaskDone)
			}
		}
		if task, err := d.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "x"}); err != nil || task.State != protocol.TaskDone {
			t.Errorf("%+v, %v", task, err)
		}
		d.follows = nil
		synctest.Wait()
		if d.pageOpen() {
			t.Error("the page is open though its task was over before it was opened")
		}
		if err := d.cfg.Use.WaitIdle(t.Context(), time.Minute); err != nil {
			t.Error(err)
		}
		d.page = errors.New("the extension is missing")
		if _, err := d.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "x"}); code(err) != protocol.CodeNotRunning || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("without its page: %v", err)
		}
	})
}

// A task whose page crashed is resumed in a new one, and one whose page has only lost its
// connection is left to that. While the browser restarts nothing can be opened.
func TestALostTaskIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := hostDesk(t, nil)
		id := d.runs(t, "t1", "p1")
		d.PanelGone("p1")
		synctest.Wait()
		if n := d.resumed(); n != 0 {
			t.Errorf("a page that is there got it %d times", n)
		}
		d.write(t, id, "p2", protocol.TaskRunning) // it is connected again
		views := []string{"p2", "p3", "p4", "p5"}
		for n := range resumes {
			d.pageGone(errors.New("the browser is starting"))
			d.PanelGone(views[n])
			synctest.Wait()
			if got := d.resumed(); got != n {
				t.Fatalf("without a browser it was resumed %d times", got)
			}
			d.pageGone(nil)
			d.BrowserBack()
			synctest.Wait()
			if got := d.resumed(); got != n+1 || !d.pageOpen() {
				t.Fatalf("it was resumed %d times", got)
			}
			d.write(t, id, views[n+1], protocol.TaskRunning)
			synctest.Wait()
		}
		d.pageGone(nil)
		d.PanelGone("p5")
		synctest.Wait()
		if got := d.resumed(); got != resumes || d.pageOpen() {
			t.Errorf("after %d resumes it was resumed %d times", resumes, got)
		}
	})
}

// On a busy machine the page may take longer to open than the browser waits for it.
func TestALateTaskPageIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := hostDesk(t, nil)
		d.runs(t, "t1", "p1")
		d.pageGone(context.DeadlineExceeded)
		d.PanelGone("p1")
		time.Sleep(protocol.TaskPageTimeout - time.Second)
		d.pageGone(nil)
		time.Sleep(2 * time.Second)
		if got := d.resumed(); got != 1 {
			t.Errorf("it was resumed %d times", got)
		}
	})
}

// A task that was not resumed in time stays interrupted.
func TestALostTaskIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := hostDesk(t, nil)
		id := d.runs(t, "t1", "p1")
		d.pageGone(errors.New("the browser is starting"))
		d.PanelGone("p1")
		time.Sleep(protocol.TaskLostWait + time.Second)
		d.pageGone(nil)
		d.BrowserBack()
		synctest.Wait()
		if head, err := d.Read(shell(), id, 0); err != nil || d.resumed() != 0 || head.Head.State != protocol.TaskInterrupted {
			t.Errorf("%+v, %v", head.Head, err)
		}
	})
}

// A panel tells another page that runs a task what its user wants.
func TestTell(t *testing.T) {
	d := newDesk(t, nil)
	d.write(t, one, "p", protocol.TaskRunning)
	if err := d.Tell(protocol.TaskOrderRequest{Task: one, Order: protocol.TaskOrderSay, Text: "the green one"}); err != nil {
		t.Fatal(err)
	}
	if got := d.orders(); len(got) != 1 || got[0].Order != protocol.TaskOrderSay || got[0].Text != "the green one" || got[0].Task.ID != one {
		t.Errorf("it got %+v", got)
	}
	for order, want := range map[string]protocol.Code{"run": protocol.CodeBadArgument, protocol.TaskOrderPause: protocol.CodeNotRunning} {
		d.PanelGone("p")
		if err := d.Tell(protocol.TaskOrderRequest{Task: one, Order: order}); code(err) != want {
			t.Errorf("%s of a task that does not run: %v", order, err)
		}
	}
}
