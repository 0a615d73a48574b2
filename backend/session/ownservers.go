package session

import (
	"context"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/credentials"
)

// servers returns what offers the user's own MCP servers to the agents of conversations.
func (c conversations) servers() func(context.Context, protocol.Actor, protocol.TabID) []driver.ToolServer {
	dirs := c.s.m.cfg.Dirs
	keeper := credentials.New(dirs.ServerSecretsFile(), desktop.KeyringRuns)
	offer := toolservers.NewOffer(toolservers.NewStore(dirs.ServersFile(), keeper), c.s.log)
	return func(ctx context.Context, actor protocol.Actor, tab protocol.TabID) []driver.ToolServer {
		offered, left := offer.For(ctx, c.s.approvals.Broker(), actor, tab)
		tools := make([]driver.ToolServer, 0, len(offered)+len(left))
		for _, one := range left {
			tools = append(tools, driver.ToolServer{Name: one.Server.Name, URL: one.Server.URL, Missing: one.Why.Error()})
		}
		for _, server := range offered {
			tool := driver.ToolServer{Name: server.Name, Command: server.Command, Args: server.Args, URL: server.URL}
			for _, header := range server.Headers {
				tool.Headers = append(tool.Headers, driver.ToolHeader{Name: header.Name, Value: header.Value})
			}
			for _, name := range server.Variables() {
				tool.Env = append(tool.Env, name+"="+server.Env[name])
			}
			tools = append(tools, tool)
		}
		return tools
	}
}
