package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// clients lists the connected programs, and revokes one.
func (p *program) clients(ctx context.Context, in syntax.Invocation) error {
	req := protocol.ClientsRequest{Do: protocol.ClientsDo(in.Values["action"]), ID: in.Values["id"]}
	if req.Do == "" {
		req.Do = protocol.ClientsList
	}
	if req.Do != protocol.ClientsList && req.ID == "" {
		return protocol.NewError(protocol.CodeBadArgument, "which client?", "", protocol.Try("lists them", "clients"))
	}
	var reply protocol.ClientsReply
	if err := p.post(ctx, in, "/clients", req, &reply); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	return p.print(clientLines(reply.Clients, time.Now()))
}

// clientsSpec declares the command clients.
func clientsSpec() syntax.Spec {
	return syntax.Spec{
		Name: "clients", Summary: "list the programs that are connected to Pilotfish, and revoke one", Group: syntax.GroupApp,
		Help: "revoke ends a program now: its connections close, and its next request is refused and says why. A program that is connected by MCP stays refused until allow; an agent gets a new token when it is restarted; the side panel and the command line get a new one at once.",
		Args: []syntax.Arg{
			{Name: "action", Choices: []string{"list", "revoke", "allow"}, Help: "what to do; list when it is left out"},
			{Name: "id", Help: "the client, as list shows it; its first characters are enough"},
		},
		Examples: []string{"pilotfish clients", "pilotfish clients revoke R4KZ2M"},
	}
}

// shortClientID is how much of a client's id is printed.
const shortClientID = 8

// clientLines formats the connected programs for a user, one per line.
func clientLines(list []protocol.Client, now time.Time) string {
	var b strings.Builder
	for _, one := range list {
		fmt.Fprintf(&b, "%-*.*s  %-8s  %s", shortClientID, shortClientID, one.ID, one.Kind, say.OneLine(one.Name))
		if one.Session != "" {
			fmt.Fprintf(&b, ", session %s", one.Session)
		}
		if one.Tab != "" {
			fmt.Fprintf(&b, ", tab %s", one.Tab)
		}
		if one.Revoked != nil {
			fmt.Fprintf(&b, ": revoked %s ago\n", clientSpan(now.Sub(*one.Revoked)))
			continue
		}
		fmt.Fprintf(&b, ": since %s", clientSpan(now.Sub(one.Made)))
		if one.Used == nil {
			b.WriteString(", not used yet")
		} else {
			fmt.Fprintf(&b, ", last used %s ago", clientSpan(now.Sub(*one.Used)))
		}
		if one.Expires != nil {
			fmt.Fprintf(&b, ", ends in %s", clientSpan(one.Expires.Sub(now)))
		}
		if one.Open > 0 {
			fmt.Fprintf(&b, ", %d open", one.Open)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// clientSpan is a duration in its largest unit.
func clientSpan(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	default:
		return fmt.Sprintf("%d s", int(max(0, d).Seconds()))
	}
}
