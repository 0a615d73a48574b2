package session

import (
	"cmp"
	"strconv"
	"time"

	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
)

// A request of the command line that may not be the user's is described in a question;
// see confirmed. Nobody is asked about one that only reads: it has no description.

// describeApp describes a request about a session.
func describeApp(req protocol.AppRequest) []protocol.ApprovalArg {
	if req.Action == protocol.AppStatus || req.Action == protocol.AppShow {
		return nil
	}
	return append(action(string(req.Action), req.Session), identity.Describe(req.Identity)...)
}

// describeClients describes what is done with a client.
func describeClients(req protocol.ClientsRequest) []protocol.ApprovalArg {
	if req.Do == protocol.ClientsList {
		return nil
	}
	return append(action("clients", ""), protocol.ApprovalArg{Name: string(req.Do), Value: req.ID})
}

// describeShare describes an address that is made.
func describeShare(req protocol.ShareRequest) []protocol.ApprovalArg {
	life := cmp.Or(time.Duration(req.Seconds)*time.Second, protocol.ShareLife)
	return []protocol.ApprovalArg{
		{Name: "address for scripts", Value: "Playwright and Puppeteer"},
		{Name: "tab", Value: cmp.Or(string(req.Tab), "all tabs")},
		{Name: "only reads", Value: strconv.FormatBool(req.Read)},
		{Name: "good for", Value: life.String()},
	}
}

// describeStored describes which data is deleted.
func describeStored(req protocol.StoredRequest) []protocol.ApprovalArg {
	if req.Do != protocol.StoredDelete {
		return nil
	}
	args := append(action("stored", ""), protocol.ApprovalArg{Name: "data", Value: string(req.Kind)})
	if req.Session != "" {
		args = append(args, protocol.ApprovalArg{Name: "data of", Value: string(req.Session)})
	}
	return args
}

// describeSchedules describes what is done with a schedule.
func describeSchedules(req protocol.ScheduleRequest) []protocol.ApprovalArg {
	if req.Do == "list" {
		return nil
	}
	name := req.Name
	if req.Schedule != nil {
		name = cmp.Or(name, req.Schedule.Name)
	}
	return []protocol.ApprovalArg{{Name: "action", Value: req.Do}, {Name: "schedule", Value: name}}
}

func action(name string, session protocol.SessionName) []protocol.ApprovalArg {
	return []protocol.ApprovalArg{{Name: "action", Value: name}, {Name: "session", Value: string(cmp.Or(session, protocol.DefaultSession))}}
}
