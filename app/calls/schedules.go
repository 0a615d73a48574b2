package calls

import "pilotfish/backend/protocol"

// ScheduleList carries out requests about schedules.
type ScheduleList interface {
	Do(req protocol.ScheduleRequest) (protocol.ScheduleReply, error)
}

// ScheduleCalls is the call about schedules.
type ScheduleCalls struct{ of func() ScheduleList }

// NewScheduleCalls returns the call. of returns nil while there are no schedules.
func NewScheduleCalls(of func() ScheduleList) *ScheduleCalls { return &ScheduleCalls{of: of} }

// Schedules carries out a request about schedules, and returns all of them.
func (c *ScheduleCalls) Schedules(req protocol.ScheduleRequest) (protocol.ScheduleReply, error) {
	if schedules := c.of(); schedules != nil {
		return schedules.Do(req)
	}
	return protocol.ScheduleReply{}, protocol.NewError(protocol.CodeNotRunning, "The app has no schedules", "start Pilotfish again")
}
