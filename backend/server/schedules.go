package server

import (
	"context"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Schedules carries out a request about schedules.
type Schedules func(ctx context.Context, grant auth.Grant, req protocol.ScheduleRequest) (protocol.ScheduleReply, error)

// scheduleRoute is the route of schedules. Only the command line has it: a schedule acts
// later with the rights of the user, so an agent may not make one.
func scheduleRoute(schedules Schedules) route {
	return route{
		method: http.MethodPost, path: "/schedules", capability: auth.CapabilityApp, origin: originNoPage, body: protocol.MaxBody, handle: handled(schedules),
		doc: routeDoc{about: "Schedules: list, add, change, run, pause, resume or remove one. The reply has all of them.", in: protocol.ScheduleRequest{}, out: protocol.ScheduleReply{}},
	}
}
