package session

import (
	"context"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task/control"
)

// Schedules run routines, tasks and commands by themselves.
type Schedules interface {
	Do(req protocol.ScheduleRequest) (protocol.ScheduleReply, error)
	Changes() uint64
	OnChange(changed func())
	Run(ctx context.Context) error
}

// Command carries out one command for the holder of a grant of the app itself.
func (m *Manager) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest) protocol.CommandReply {
	return gateway{m}.Command(ctx, grant, req, nil)
}

// Tasks returns the session's tasks.
func (s *Session) Tasks() *control.Tasks { return s.tasks }
