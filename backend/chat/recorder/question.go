package recorder

import (
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// Question writes the entry of an agent's question, after the entry of its tool
// call.
func (r *Recorder) Question(ask driver.Ask) (protocol.ChatEntry, error) {
	e := protocol.ChatEntry{
		Message: r.message, Kind: protocol.EntryPermission, Open: true,
		Permission: &protocol.ChatPermission{Options: append([]protocol.PermissionOption{}, ask.Options...), Tab: r.head.Tab},
	}
	if ask.Tool.Call != "" {
		id, err := r.tool(ask.Tool)
		if err != nil {
			return e, err
		}
		e.Permission.Tool = id
		if of, ok := r.entries.Entry(id); ok && of.Tool != nil {
			e.Permission.Subject = *of.Tool
		}
	} else {
		subject := protocol.ChatTool{Kind: "other", Status: protocol.ToolPending, Content: []protocol.ToolContent{}}
		merge(&subject, ask.Tool)
		e.Permission.Subject = subject
	}
	id, err := r.Put(e)
	if err != nil {
		return e, err
	}
	e, _ = r.entries.Entry(id)
	return e, nil
}

// Amend changes the entry of a question that is still open.
func (r *Recorder) Amend(id string, change func(*protocol.ChatPermission, *protocol.ChatEntry)) error {
	e, ok := r.entries.Entry(id)
	if !ok || e.Permission == nil || !e.Open {
		return nil
	}
	p := *e.Permission
	e.Permission = &p
	change(&p, &e)
	_, err := r.Put(e)
	return err
}
