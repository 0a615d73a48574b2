package calls

import (
	"context"

	"pilotfish/backend/protocol"
)

// OtherPrograms connects other programs, and keeps the user's own MCP servers.
type OtherPrograms interface {
	Connect(ctx context.Context, req protocol.ProgramsRequest) (protocol.ProgramsReply, error)
	ToolServers(ctx context.Context, req protocol.ToolServersRequest) (protocol.ToolServersReply, error)
}

// ProgramCalls are the calls about other programs.
type ProgramCalls struct {
	ctx context.Context
	of  OtherPrograms
}

// NewProgramCalls returns the calls.
func NewProgramCalls(ctx context.Context, of OtherPrograms) *ProgramCalls {
	return &ProgramCalls{ctx: ctx, of: of}
}

// Programs lists the other programs, or shows, makes or takes back the change that
// connects one to Pilotfish.
func (c *ProgramCalls) Programs(req protocol.ProgramsRequest) (protocol.ProgramsReply, error) {
	return c.of.Connect(c.ctx, req)
}

// ToolServers lists the user's own MCP servers, or changes the list.
func (c *ProgramCalls) ToolServers(req protocol.ToolServersRequest) (protocol.ToolServersReply, error) {
	return c.of.ToolServers(c.ctx, req)
}
