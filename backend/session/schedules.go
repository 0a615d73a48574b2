package session

import (
	"cmp"
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

// schedules carries out a request about schedules. A schedule acts later with the user's
// rights: so no agent may make one, and where it is uncertain who asks, the user is asked.
func (g gateway) schedules(ctx context.Context, grant auth.Grant, req protocol.ScheduleRequest) (protocol.ScheduleReply, error) {
	if req.Do != "list" {
		name := req.Name
		if req.Schedule != nil {
			name = cmp.Or(name, req.Schedule.Name)
		}
		if err := g.confirm(ctx, grant, protocol.DefaultSession, "schedule", protocol.ApprovalArg{Name: "action", Value: req.Do}, protocol.ApprovalArg{Name: "schedule", Value: name}); err != nil {
			return protocol.ScheduleReply{}, err
		}
	}
	return g.m.schedules.Do(req)
}

// Command carries out one command for the holder of a grant of the app itself.
func (m *Manager) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest) protocol.CommandReply {
	return gateway{m}.Command(ctx, grant, req, nil)
}

// Tasks returns the session's tasks.
func (s *Session) Tasks() *control.Tasks { return s.tasks }
