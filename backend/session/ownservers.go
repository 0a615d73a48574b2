package session

import (
	"context"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

// servers returns what offers the user's own MCP servers to the agents of conversations.
func (c conversations) servers() func(context.Context, protocol.Actor, protocol.TabID) []driver.ToolServer {
	offer := toolservers.NewOffer(toolservers.NewStore(c.s.m.cfg.Dirs.ServersFile()), c.s.log)
	return func(ctx context.Context, actor protocol.Actor, tab protocol.TabID) []driver.ToolServer {
		offered := offer.For(ctx, c.s.approvals.Broker(), actor, tab)
		tools := make([]driver.ToolServer, 0, len(offered))
		for _, server := range offered {
			tool := driver.ToolServer{Name: server.Name, Command: server.Command, Args: server.Args}
			for _, name := range server.Variables() {
				tool.Env = append(tool.Env, name+"="+server.Env[name])
			}
			tools = append(tools, tool)
		}
		return tools
	}
}
