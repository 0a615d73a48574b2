package main

import (
	"context"

	"pilotfish/app/cli/stored"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// stored lists what is stored, and deletes some.
func (p *program) stored(ctx context.Context, in syntax.Invocation) error {
	req := protocol.StoredRequest{Do: protocol.StoredMeasure, Kind: protocol.StoredKind(in.Values["kind"])}
	if in.Values["action"] == "delete" {
		req.Do, req.Session, req.Stop = protocol.StoredDelete, in.Session, in.Values["stop"] == "true"
		if req.Kind == "" {
			return protocol.NewError(protocol.CodeBadArgument, "which kind of data?", "", protocol.Try("lists them", "stored"))
		}
	}
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStored, Stored: &req})
	if err != nil {
		return err
	}
	if reply.Stored == nil {
		return protocol.NewError(protocol.CodeInternal, "the app that runs knows no stored data", "quit and start Pilotfish again: it has another version")
	}
	if in.JSON {
		return p.printJSON(reply.Stored)
	}
	if req.Do == protocol.StoredDelete {
		return p.print("deleted " + stored.Size(reply.Stored.Freed) + " of " + string(req.Kind))
	}
	return p.print(stored.Lines(reply.Stored.Data))
}
