package session

import (
	"context"
	"fmt"
	"time"

	"pilotfish/backend/attention"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
	"pilotfish/backend/schedule"
	"pilotfish/backend/schedule/runner"
)

// notifyTimeout is how long a notification of the desktop may take.
const notifyTimeout = 5 * time.Second

// newSchedules returns what runs by itself in the sessions.
func newSchedules(m *Manager) *schedule.Scheduler {
	return schedule.New(schedule.Config{
		File: m.cfg.Dirs.SchedulesFile(), Runner: scheduled{runner.New(forSchedules{m}), m}, Logger: m.cfg.Logger,
	})
}

// scheduled carries out what schedules say, and tells the user.
type scheduled struct {
	*runner.Runner
	m *Manager
}

// Notify shows a notification about a run. Each has a connection of its own, because they
// are rare.
func (s scheduled) Notify(ctx context.Context, name string, run protocol.ScheduleRun) {
	s.m.webhook.Tell(attention.Schedule(name, run.State))
	if s.m.cfg.Headless {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	var notifier desktop.Notifier
	defer notifier.Close()
	title := map[protocol.ScheduleRunState]string{
		protocol.ScheduleDone: "The schedule “%s” is done", protocol.ScheduleFailed: "The schedule “%s” failed", protocol.ScheduleMissed: "The schedule “%s” did not run",
	}[run.State]
	body := run.Message
	if run.Missed > 1 {
		body = fmt.Sprintf("%d times: %s", run.Missed, body)
	}
	if _, err := notifier.Notify(ctx, desktop.Notification{Title: fmt.Sprintf(title, name), Body: body}); err != nil {
		s.m.log.Debug("notification of a schedule could not be shown", "error", err) // the window and the command line show the run, too
	}
}

// forSchedules are the sessions for a runner of schedules.
type forSchedules struct{ *Manager }

func (m forSchedules) State(name protocol.SessionName) (protocol.SessionState, error) {
	s, err := m.Session(name)
	if err != nil {
		return "", err
	}
	return s.State(), nil
}

func (m forSchedules) Tasks(name protocol.SessionName) (runner.Tasks, error) {
	s, err := m.Session(name)
	if err != nil {
		return nil, err
	}
	return s.tasks, nil
}

func (m forSchedules) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest) protocol.CommandReply {
	return gateway{m.Manager}.Command(ctx, grant, req, nil)
}

func (m forSchedules) Find(name string) (command.Spec, error) { return m.known.Find(name) }
