package session

import (
	"context"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// askTool asks the user for the agent of a terminal whether it may use a tool of its
// own. Without an answer the decision is open, so that the agent's own prompt decides.
func (g gateway) askTool(ctx context.Context, grant auth.Grant, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error) {
	if grant.Terminal == "" {
		return protocol.ToolPermissionReply{}, protocol.NewError(protocol.CodeForbidden, "only the agent of a terminal asks here", "")
	}
	s, r, err := g.current(grant.Session)
	if err != nil {
		return protocol.ToolPermissionReply{}, err
	}
	return s.tools.Ask(ctx, s.approvals.Broker(), r.terminals, grant.Actor, req)
}
