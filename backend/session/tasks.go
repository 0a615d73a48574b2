package session

import (
	"context"
	"slices"

	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task/control"
	"pilotfish/backend/task/view"
)

// newTasks returns the session's tasks and what the browser shows of them. Both
// outlive the session's runs.
func newTasks(s *Session) (*control.Tasks, *view.Pages) {
	pages := view.New(view.Config{Tabs: &s.tabs, Events: s.events, Logger: s.plainLog()})
	cfg := control.Config{
		Models: s.m.cfg.Models, Events: s.events,
		Tabs: &s.tabs, Headless: s.m.cfg.Headless, Recorder: s.recorder, Use: &s.m.use, Broker: s.approvals.Broker(), Logger: s.plainLog(),
		Dirs: s.m.cfg.Dirs.Of(s.name),
		Running: func() (control.Running, error) {
			r, err := s.current()
			if err != nil {
				return control.Running{}, err
			}
			return r.forTasks(s), nil
		},
	}
	return control.New(cfg, pages), pages
}

// taskChanged follows whether a task needs the user. A program that asked for a task
// receives its end itself.
func (s *Session) taskChanged(t protocol.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := t.State == protocol.TaskInterrupted || t.State == protocol.TaskFailed && !t.Closed
	if t.State == protocol.TaskWaiting || ended && t.Asker == nil {
		s.wanting[t.ID] = t
	} else {
		delete(s.wanting, t.ID)
	}
}

// workChanged tells the window that the tasks or the routines of a session have changed.
func (s *Session) workChanged() {
	s.m.work.Add(1)
	s.m.changed()
}

// Work returns the tasks and routines of a session, for the window.
func (m *Manager) Work(name protocol.SessionName) (protocol.SessionWork, error) {
	s, err := m.Session(name)
	if err != nil {
		return protocol.SessionWork{}, err
	}
	routines, err := s.tasks.Routines()
	if err != nil {
		return protocol.SessionWork{}, err
	}
	for i := range routines {
		routines[i].Actions = nil // only the panel carries them out
	}
	list, err := s.tasks.List(op.ByUser(name, "").Grant, protocol.TaskListRequest{Limit: protocol.MaxWindowTasks})
	if err != nil {
		return protocol.SessionWork{}, err
	}
	return protocol.SessionWork{Routines: routines, Tasks: list.Tasks}, nil
}

// describeAnswer describes that a question of a task is answered.
func describeAnswer(req protocol.TaskAnswerRequest) []protocol.ApprovalArg {
	return append(action("answer", ""), protocol.ApprovalArg{Name: "task", Value: string(req.Task)}, protocol.ApprovalArg{Name: "text", Value: req.Text})
}

// questions returns the questions of a session's tasks, oldest first.
func questions(s protocol.SessionInfo) []protocol.WindowQuestion {
	var list []protocol.WindowQuestion
	for _, t := range s.Tasks {
		if t.Question != nil {
			list = append(list, protocol.WindowQuestion{Session: s.Name, Task: t.ID, Title: t.Title, Tab: t.Tab, Since: t.Updated, TaskQuestion: *t.Question})
		}
	}
	slices.SortFunc(list, func(a, b protocol.WindowQuestion) int { return a.Since.Compare(b.Since) })
	return list
}

// forTasks returns the parts of a run that tasks use.
func (r *run) forTasks(s *Session) control.Running {
	return control.Running{
		CallerTab: func(grant auth.Grant, named protocol.TabID) protocol.TabID { return r.callerTab(s, grant, named) },
		Policy:    r.policy, Commands: r.commands, Browser: taskBrowser{r.browser, s, r}, Tools: r.servers, LetGo: r.letGo,
		Ready: func(ctx context.Context, timeoutMS int) error { return r.ready(ctx, s, timeoutMS) },
	}
}

// taskBrowser is the browser as tasks use it.
type taskBrowser struct {
	*browser.Browser
	s *Session
	r *run
}

// OpenTaskPage opens the task page. A session without a panel needs the extension only for that:
// it is laid out and paired now.
func (b taskBrowser) OpenTaskPage(ctx context.Context) (bool, error) {
	if err := b.r.layOut(); err != nil {
		return false, err
	}
	if b.r.pairs.CompareAndSwap(false, true) {
		b.s.pair()
	}
	return b.Browser.OpenTaskPage(ctx)
}

// tasks returns the tasks of a grant's session.
func (g gateway) tasks(grant auth.Grant) (*control.Tasks, error) {
	s, err := g.m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	return s.tasks, nil
}
