package main

import (
	"context"
	"time"

	"pilotfish/app/cli/clients"
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
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppClients, Clients: &req})
	if err != nil {
		return err
	}
	if reply.Clients == nil {
		return protocol.NewError(protocol.CodeInternal, "the app that runs knows no clients", "quit and start Pilotfish again: it has another version")
	}
	if in.JSON {
		return p.printJSON(reply.Clients)
	}
	return p.print(clients.Lines(reply.Clients.Clients, time.Now()))
}
