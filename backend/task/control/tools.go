package control

import (
	"context"
	"encoding/json"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// Tools returns the user's MCP servers that a task may use, with their tools. Without a
// task it returns the names of the servers.
func (t *Tasks) Tools(ctx context.Context, req protocol.TaskToolsRequest) (protocol.TaskToolsReply, error) {
	r, err := t.cfg.Running()
	if err != nil {
		return protocol.TaskToolsReply{}, err
	}
	if req.Task == "" {
		return protocol.TaskToolsReply{Servers: r.Tools.Names()}, nil
	}
	head, err := t.holds(req.Task, req.Viewer)
	if err != nil {
		return protocol.TaskToolsReply{}, err
	}
	servers, err := r.Tools.Offered(ctx, actorOf(head), head.Tab)
	return protocol.TaskToolsReply{Servers: servers}, err
}

// Tool uses a tool of one of the user's MCP servers for a task, and records that in the
// activity. Why it was not used is in the reply.
func (t *Tasks) Tool(ctx context.Context, req protocol.TaskToolRequest) (protocol.TaskToolReply, error) {
	r, err := t.cfg.Running()
	if err != nil {
		return protocol.TaskToolReply{}, err
	}
	head, err := t.holds(req.Task, req.Viewer)
	if err != nil {
		return protocol.TaskToolReply{}, err
	}
	kept := r.Tools.Kept(string(req.Arguments))
	recorded := protocol.CommandRequest{Command: protocol.ToolQuestion, Tab: head.Tab, Args: map[string]json.RawMessage{
		"server": text(req.Server), "tool": text(req.Tool), "arguments": text(kept),
	}}
	var reply protocol.TaskToolReply
	t.record(actorOf(head), recorded, func(command.Watch) protocol.CommandReply {
		reply = r.Tools.Call(ctx, actorOf(head), head.Tab, req)
		said := "Used " + req.Tool + " of " + req.Server
		return protocol.CommandReply{OK: reply.OK, Tab: head.Tab, Text: said, Error: reply.Error}
	})
	if json.Valid([]byte(kept)) {
		reply.Kept.Arguments = json.RawMessage(kept)
	}
	return reply, nil
}

// holds returns a task that a panel runs; see Store.Holds.
func (t *Tasks) holds(id protocol.TaskID, viewer string) (protocol.Task, error) {
	store, err := t.opened()
	if err != nil {
		return protocol.Task{}, err
	}
	return store.Holds(id, viewer)
}

// text is a value of a recorded request.
func text(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // cannot happen: texts can always be encoded
	}
	return b
}
