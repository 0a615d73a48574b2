package main

import "pilotfish/backend/protocol"

// Schedules carries out a request about schedules, and returns all of them.
func (a *App) Schedules(req protocol.ScheduleRequest) (protocol.ScheduleReply, error) {
	if schedules := a.backend.Schedules(); schedules != nil {
		return schedules.Do(req)
	}
	return protocol.ScheduleReply{}, protocol.NewError(protocol.CodeNotRunning, "The app has no schedules", "start Pilotfish again")
}
