package terminal

import (
	"context"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the panel and agents do with the terminals of a session, which find
// returns.
func Operations(find func(protocol.SessionName) (*Manager, error)) []op.Operation {
	return []op.Operation{
		op.On(find, "RestartTerminal", (*Manager).Restart).
			At(op.Route{Path: "/pty-restart", Capability: auth.CapabilityTerminal, Panel: true, About: "Start a terminal's program again."}),
		op.Of(find, "CloseTerminal", func(ctx context.Context, m *Manager, _ op.Call, req protocol.PtyCloseRequest) (op.None, error) {
			return op.None{}, m.Close(ctx, req.Terminal)
		}).At(op.Route{Path: "/pty-close", Capability: auth.CapabilityTerminal, Panel: true, About: "End a terminal."}),
		op.Of(find, "ReportStatus", func(_ context.Context, m *Manager, call op.Call, req protocol.AgentStatusRequest) (op.None, error) {
			return op.None{}, m.SetStatus(call.Grant.Terminal, req.Status, req.Message)
		}).At(op.Route{Path: "/agent-status", Capability: auth.CapabilityAgentStatus, About: "An agent reports what it is doing."}),
	}
}
