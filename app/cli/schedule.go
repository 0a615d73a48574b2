package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/schedule"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// schedule lists, adds and changes schedules.
func (p *program) schedule(ctx context.Context, in syntax.Invocation) error {
	action, name := in.Values["action"], in.Values["name"]
	req := protocol.ScheduleRequest{Do: action, Name: name}
	switch action {
	case "", "list", "show", "log":
		req = protocol.ScheduleRequest{Do: "list"}
	case "add":
		one, err := schedule.New(in, p.getenv)
		if err != nil {
			return err
		}
		req.Name, req.Schedule = "", &one
	}
	if name == "" && action != "" && action != "list" {
		return protocol.NewError(protocol.CodeBadArgument, "which schedule?", "", protocol.Try("lists them", "schedule"))
	}
	c, err := client.Find(p.getenv)
	if err != nil {
		return err
	}
	ctx, cancel := client.Deadline(ctx, client.Patience(in.Timeout))
	defer cancel()
	var reply protocol.ScheduleReply
	if err := c.Post(ctx, "/schedules", req, &reply); err != nil {
		return err
	}
	if name == "" || action == "remove" {
		return p.schedules(in, reply)
	}
	at := slices.IndexFunc(reply.Schedules, func(s protocol.Schedule) bool { return s.Name == name })
	if at < 0 {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no schedule %.60q", name), "", protocol.Try("lists them", "schedule"))
	}
	one := reply.Schedules[at]
	switch {
	case in.JSON:
		return p.printJSON(one)
	case action == "log":
		return p.print(schedule.Log(one))
	case action == "show":
		return p.print(schedule.Details(one) + schedule.Log(one))
	}
	return p.print(schedule.Line(one))
}

func (p *program) schedules(in syntax.Invocation, reply protocol.ScheduleReply) error {
	if in.JSON {
		return p.printJSON(reply)
	}
	if len(reply.Schedules) == 0 {
		return p.print("no schedules; `pilotfish schedule add` adds one")
	}
	var out strings.Builder
	for _, one := range reply.Schedules {
		out.WriteString(schedule.Line(one) + "\n")
	}
	return p.print(out.String())
}
