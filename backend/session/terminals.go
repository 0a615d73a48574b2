package session

import (
	"context"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// AskTool asks the user for the agent of a terminal whether it may use a tool of its
// own. Without an answer the decision is open, so that the agent's own prompt decides.
func (g gateway) AskTool(ctx context.Context, grant auth.Grant, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error) {
	if grant.Terminal == "" {
		return protocol.ToolPermissionReply{}, protocol.NewError(protocol.CodeForbidden, "only the agent of a terminal asks here", "")
	}
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return protocol.ToolPermissionReply{}, err
	}
	r, err := s.current()
	if err != nil {
		return protocol.ToolPermissionReply{}, err
	}
	return s.tools.Ask(ctx, s.approvals.Broker(), r.terminals, grant.Actor, req)
}
