package control

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// resumes is how often a task is resumed by itself after the task page was lost, within
// [protocol.TaskLostWait]: a user who opens the browser later decides.
const resumes = 3

// host is what runs in the task page: the page of the browser in which tasks run where no
// panel is open. It opens with the first task and closes after the last one.
type host struct {
	page sync.Mutex // held while the page is opened or closed
	wake chan struct{}

	mu    sync.Mutex
	tasks map[protocol.TaskID]*hosted
	// attended: somebody can answer the questions of all tasks.
	attended bool
}

// hosted is one task in the page.
type hosted struct {
	used    func()    // ends its use of the session, which is not idle until then
	lost    time.Time // when it was interrupted; zero if it was not
	resumed int
	asked   time.Time // when it asked its open question; zero without one
	viewers int       // how many follow it who can answer
	giveUp  *time.Timer
}

func newHost() host {
	return host{wake: make(chan struct{}, 1), tasks: map[protocol.TaskID]*hosted{}}
}

// changed makes Host look again.
func (h *host) changed() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// ended follows a task that has ended or was interrupted. It does not block.
func (h *host) ended(head protocol.Task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.tasks[head.ID]
	switch {
	case one == nil:
		return
	case head.State == protocol.TaskInterrupted && one.resumed < resumes:
		one.lost = time.Now()
	default:
		h.drop(head.ID)
	}
	h.changed()
}

// drop forgets a task; h.mu is held.
func (h *host) drop(id protocol.TaskID) {
	if one := h.tasks[id]; one != nil {
		delete(h.tasks, id)
		one.giveUp.Stop()
		one.used()
	}
}

// lost returns the tasks that are to be resumed, and drops those for which it is too late.
func (h *host) lost() (ids []protocol.TaskID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, one := range h.tasks {
		switch {
		case one.lost.IsZero():
		case time.Since(one.lost) > protocol.TaskLostWait:
			h.drop(id)
		default:
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// hosts sends an order to the task page, and opens it. A page that is being closed does not get
// the order, and one that is open may have carried it out before hosts returns.
func (t *Tasks) hosts(ctx context.Context, r Running, order protocol.TaskOrderEvent) (withdraw func(), err error) {
	h := &t.host
	h.page.Lock()
	defer h.page.Unlock()
	h.mu.Lock()
	one := &hosted{used: t.cfg.Use.Begin(), giveUp: time.AfterFunc(protocol.TaskAnswerWait, func() { t.giveUp(order.Task.ID) })}
	h.tasks[order.Task.ID] = one
	h.limit(one)
	h.mu.Unlock()
	withdraw = t.order(order)
	_, err = r.Browser.OpenTaskPage(ctx)
	return withdraw, err
}

// BrowserBack resumes the tasks that were interrupted because the browser crashed.
func (t *Tasks) BrowserBack() { t.host.changed() }

// Host closes the task page when no task runs in it any more, and resumes the tasks that were
// interrupted because the page or its browser crashed, until ctx ends.
func (t *Tasks) Host(ctx context.Context, r Running) {
	h := &t.host
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for id := range h.tasks {
			h.drop(id)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		}
		if lost := h.lost(); len(lost) > 0 {
			t.resume(ctx, r, lost)
		}
		t.closePage(ctx, r)
	}
}

// closePage closes the task page if no task runs in it.
func (t *Tasks) closePage(ctx context.Context, r Running) {
	h := &t.host
	h.page.Lock()
	defer h.page.Unlock()
	h.mu.Lock()
	left := len(h.tasks)
	h.mu.Unlock()
	if left > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	if err := r.Browser.CloseTaskPage(ctx); err != nil && ctx.Err() == nil {
		t.log.Warn("the page for tasks was not closed", "error", err)
	}
}

// resume opens the task page again and orders it to resume tasks. A page that is still there
// has only lost its connection: it goes on by itself when it is connected again. While the
// browser restarts there is nothing to open; BrowserBack tries again. A page that is late on a
// busy machine is tried again here.
func (t *Tasks) resume(ctx context.Context, r Running, ids []protocol.TaskID) {
	err := r.Ready(ctx, 0)
	fresh := false
	if err == nil {
		t.host.page.Lock()
		fresh, err = r.Browser.OpenTaskPage(ctx)
		t.host.page.Unlock()
	}
	if err != nil {
		t.log.Info("tasks are not resumed yet", "tasks", ids, "error", err)
		if errors.Is(err, context.DeadlineExceeded) {
			t.host.changed()
		}
		return
	}
	var orders sync.WaitGroup
	defer orders.Wait()
	for _, id := range ids {
		t.host.mu.Lock()
		if one := t.host.tasks[id]; one != nil {
			one.lost = time.Time{}
			if fresh {
				one.resumed++
			}
		}
		t.host.mu.Unlock()
		if !fresh {
			continue
		}
		orders.Go(func() {
			if err := t.orderResume(ctx, id); err != nil && ctx.Err() == nil {
				t.log.Warn("a task was not resumed", "task", id, "error", err)
				t.host.mu.Lock()
				t.host.drop(id)
				t.host.mu.Unlock()
			}
		})
	}
}

// orderResume orders the task page to resume a task, and returns when it has.
func (t *Tasks) orderResume(ctx context.Context, id protocol.TaskID) error {
	store, head, err := t.find(id)
	if err != nil || head.State != protocol.TaskInterrupted {
		return err // the user has resumed it in a panel
	}
	defer t.order(protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: "resume", Task: head, Page: true})()
	wait, cancel := context.WithTimeout(ctx, protocol.TaskLostWait)
	defer cancel()
	for page, err := range store.Follow(wait, id, head.Index) {
		if err != nil || page.Head.State != protocol.TaskInterrupted {
			return err
		}
	}
	return protocol.NewError(protocol.CodeTimeout, "the page for tasks did not resume it in time", "")
}
