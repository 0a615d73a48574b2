// Package programs is what the window shows of other programs: which of them are
// connected to Pilotfish, and the user's own MCP servers, which agents get. It does what
// `pilotfish connect` and `pilotfish mcp-servers` do, by the same code.
package programs

import (
	"context"
	"fmt"

	"pilotfish/app/service/connecting"
	"pilotfish/app/service/ownservers"
	"pilotfish/backend/connect"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

// Programs answers the window. The zero value answers that there is nothing.
type Programs struct {
	// Place says where the command line is, which the other programs start.
	Place connecting.Place
	// Servers is the list of the user's own MCP servers.
	Servers *toolservers.Store
}

// Connect lists the other programs, or shows, makes or takes back the change that
// connects one.
func (p Programs) Connect(ctx context.Context, req protocol.ProgramsRequest) (protocol.ProgramsReply, error) {
	if p.Servers == nil {
		return protocol.ProgramsReply{}, unknown()
	}
	c, err := connecting.Connections(p.Place)
	if err != nil {
		return protocol.ProgramsReply{}, err
	}
	var done *protocol.ProgramChange
	switch req.Do {
	case protocol.ProgramsList:
	case protocol.ProgramsShow, protocol.ProgramsRemove:
		change := c.Remove
		if req.Do == protocol.ProgramsShow {
			change = func(program string, _ bool) (connect.Done, error) { return c.Add(ctx, program, true) }
		}
		made, err := change(req.Program, false)
		if err != nil {
			return protocol.ProgramsReply{}, err
		}
		done = changed(made, nil, nil)
	case protocol.ProgramsConnect:
		made, tools, err := connecting.Connect(ctx, c, req.Program)
		if err != nil && made.Name == "" {
			return protocol.ProgramsReply{}, err
		}
		done = changed(made, tools, err)
	default:
		return protocol.ProgramsReply{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is nothing to do with programs", req.Do), "use list, show, connect or remove")
	}
	reply := protocol.ProgramsReply{Programs: []protocol.Program{}, Done: done}
	for _, s := range c.List() {
		reply.Programs = append(reply.Programs, protocol.Program{
			Name: s.Name, Title: s.Title, Installed: s.Installed, Connected: s.Connected, Current: s.Current, File: s.File, Problem: s.Problem,
		})
	}
	return reply, nil
}

func changed(made connect.Done, tools []string, err error) *protocol.ProgramChange {
	change := &protocol.ProgramChange{Program: made.Name, Change: made.Change, Own: made.Own, Skill: made.Skill, Tools: len(tools)}
	if err != nil {
		change.Problem = protocol.AsError(err)
	}
	return change
}

// ToolServers lists the user's own MCP servers, or changes the list.
func (p Programs) ToolServers(ctx context.Context, req protocol.ToolServersRequest) (protocol.ToolServersReply, error) {
	if p.Servers == nil {
		return protocol.ToolServersReply{}, unknown()
	}
	var reply protocol.ToolServersReply
	err := p.change(ctx, req, &reply)
	if err != nil {
		return reply, err
	}
	all, err := p.Servers.List()
	reply.Servers = ownservers.Shown(all)
	return reply, err
}

func (p Programs) change(ctx context.Context, req protocol.ToolServersRequest, reply *protocol.ToolServersReply) error {
	switch req.Do {
	case protocol.ToolServersList:
		return nil
	case protocol.ToolServersAdd:
		if req.Server == nil {
			return protocol.NewError(protocol.CodeBadArgument, "the server to add is missing", "give its name and its command line or address")
		}
		return ownservers.Add(ctx, p.Servers, *req.Server)
	case protocol.ToolServersPermit:
		switch permission := toolservers.Permission(req.Permission); permission {
		case toolservers.Ask, toolservers.Allow, toolservers.Deny:
			return p.Servers.Permit(req.Name, permission)
		}
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is no permission", req.Permission), "use ask, allow or deny")
	case protocol.ToolServersRemove:
		return p.Servers.Remove(ctx, req.Name)
	case protocol.ToolServersImport:
		others, err := connecting.Others(p.Place, req.Program)
		if err != nil {
			return err
		}
		reply.Taken, reply.Left, err = ownservers.Import(ctx, p.Servers, others, req.Program)
		return err
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is nothing to do with MCP servers", req.Do), "use list, add, permit, remove or import")
}

func unknown() error {
	return protocol.NewError(protocol.CodeNotRunning, "The app does not know its folders", "start Pilotfish again")
}
