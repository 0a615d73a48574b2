package session

import (
	"cmp"
	"context"
	"encoding/json"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/op"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// call returns the call of a command by the holder of a grant.
func (g gateway) call(s *Session, r *run, grant auth.Grant, req protocol.CommandRequest, watch command.Watch) command.Call {
	call := command.Call{Actor: grant.Actor, Scopes: grant.Scopes, Tab: r.callerTab(s, grant, req.Tab), Request: req, Watch: watch, Confirm: g.m.callers.Uncertain(grant)}
	if call.AtAddress = grant.Actor.Kind == protocol.ActorScript; call.AtAddress {
		call.OneTab = grant.Tab != ""
	}
	return call
}

// callerTab returns the tab that a call means when it names none: the caller's own. named
// is the tab that the call names.
func (r *run) callerTab(s *Session, grant auth.Grant, named protocol.TabID) protocol.TabID {
	if grant.Tab != "" || grant.Actor.Kind != protocol.ActorMCP && grant.Actor.Kind != protocol.ActorScript {
		return s.tabs.OfCaller(grant)
	}
	return s.programs.Tab(grant.Actor, named, &s.tabs, r.policy)
}

// confirmed returns operations before which the user is asked, where it is uncertain that
// the user makes the request. describe returns what the question is about; nil for nothing.
func confirmed[In any](g gateway, what string, describe func(In) []protocol.ApprovalArg, list ...op.Operation) []op.Operation {
	for i, o := range list {
		list[i].Run = func(ctx context.Context, call op.Call, raw json.RawMessage) (any, error) {
			var in In
			if g.m.callers.Uncertain(call.Grant) {
				if err := json.Unmarshal(raw, &in); err != nil {
					return nil, protocol.NewError(protocol.CodeBadArgument, "what "+o.Name+" takes cannot be read: "+err.Error(), "")
				}
				if args := describe(in); args != nil {
					s, err := g.m.Session(asker(in))
					if err == nil {
						err = s.approvals.Broker().Confirm(ctx, policy.Request{Actor: call.Grant.Actor, Command: what, Args: args})
					}
					if err != nil {
						return nil, err
					}
				}
			}
			return o.Run(ctx, call, raw)
		}
	}
	return list
}

// asker returns the session whose user is asked about a request: the one that it is about,
// if there is one already.
func asker(in any) protocol.SessionName {
	if req, is := in.(protocol.AppRequest); is && req.Action != protocol.AppCreate {
		return cmp.Or(req.Session, protocol.DefaultSession)
	}
	return protocol.DefaultSession
}
