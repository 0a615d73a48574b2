// Package apprequest says what a request of the command line to the app itself means to
// the user who is asked about it.
package apprequest

import (
	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
)

// Describe says in a question what a request about a session does.
func Describe(name protocol.SessionName, req protocol.AppRequest) []protocol.ApprovalArg {
	args := []protocol.ApprovalArg{{Name: "action", Value: string(req.Action)}, {Name: "session", Value: string(name)}}
	args = append(args, identity.Describe(req.Identity)...)
	if req.Clients != nil && req.Clients.ID != "" {
		args = append(args, protocol.ApprovalArg{Name: string(req.Clients.Do), Value: req.Clients.ID})
	}
	return append(args, deletion(req.Stored)...)
}

// OnlyReads reports whether a request changes nothing: then nobody is asked.
func OnlyReads(req protocol.AppRequest) bool {
	switch req.Action {
	case protocol.AppStatus, protocol.AppShow:
		return true
	case protocol.AppClients:
		return req.Clients != nil && req.Clients.Do == protocol.ClientsList
	case protocol.AppStored:
		return req.Stored != nil && req.Stored.Do != protocol.StoredDelete
	default:
		return false
	}
}

// deletion says in a question which data a request deletes.
func deletion(req *protocol.StoredRequest) []protocol.ApprovalArg {
	if req == nil {
		return nil
	}
	args := []protocol.ApprovalArg{{Name: "data", Value: string(req.Kind)}}
	if req.Session != "" {
		args = append(args, protocol.ApprovalArg{Name: "data of", Value: string(req.Session)})
	}
	return args
}
