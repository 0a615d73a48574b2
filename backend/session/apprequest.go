package session

import (
	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
)

// describeRequest says in a question what a request about a session does.
func describeRequest(name protocol.SessionName, req protocol.AppRequest) []protocol.ApprovalArg {
	args := []protocol.ApprovalArg{{Name: "action", Value: string(req.Action)}, {Name: "session", Value: string(name)}}
	args = append(args, identity.Describe(req.Identity)...)
	if req.Clients != nil && req.Clients.ID != "" {
		args = append(args, protocol.ApprovalArg{Name: string(req.Clients.Do), Value: req.Clients.ID})
	}
	return append(args, describeDeletion(req.Stored)...)
}

// onlyReads reports whether a request changes nothing: then nobody is asked.
func onlyReads(req protocol.AppRequest) bool {
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

// describeDeletion says in a question which data a request deletes.
func describeDeletion(req *protocol.StoredRequest) []protocol.ApprovalArg {
	if req == nil {
		return nil
	}
	args := []protocol.ApprovalArg{{Name: "data", Value: string(req.Kind)}}
	if req.Session != "" {
		args = append(args, protocol.ApprovalArg{Name: "data of", Value: string(req.Session)})
	}
	return args
}
