package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
	"pilotfish/backend/schedule"
	"pilotfish/backend/schedule/runner"
	"pilotfish/backend/session"
)

// notifyTimeout is how long a notification of the desktop may take.
const notifyTimeout = 5 * time.Second

// schedules returns what runs by itself in the sessions of a manager.
func schedules(dirs config.Dirs, headless bool, logger *slog.Logger) func(*session.Manager) session.Schedules {
	return func(m *session.Manager) session.Schedules {
		cfg := schedule.Config{File: dirs.SchedulesFile(), Runner: runner.New(sessions{m}), Logger: logger}
		if !headless {
			cfg.Notify = func(ctx context.Context, name string, run protocol.ScheduleRun) { notify(ctx, logger, name, run) }
		}
		return schedule.New(cfg)
	}
}

// notify shows a notification about a run. Each has a connection of its own, because they
// are rare.
func notify(ctx context.Context, logger *slog.Logger, name string, run protocol.ScheduleRun) {
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
		logger.Debug("notification of a schedule could not be shown", "error", err) // the window and the command line show the run, too
	}
}

// sessions adapts session.Manager to runner.Sessions.
type sessions struct{ m *session.Manager }

func (s sessions) State(name protocol.SessionName) (protocol.SessionState, error) {
	one, err := s.m.Session(name)
	if err != nil {
		return "", err
	}
	return one.State(), nil
}

func (s sessions) Start(ctx context.Context, name protocol.SessionName) error {
	return s.m.Start(ctx, name)
}

func (s sessions) Tasks(name protocol.SessionName) (runner.Tasks, error) {
	one, err := s.m.Session(name)
	if err != nil {
		return nil, err
	}
	return one.Tasks(), nil
}

func (s sessions) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest) protocol.CommandReply {
	return s.m.Command(ctx, grant, req)
}

func (sessions) Find(name string) (command.Spec, error) { return catalogue.Table().Find(name) }
