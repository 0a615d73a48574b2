package session

import (
	"context"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// call returns the call of a command by the holder of a grant.
func (g gateway) call(s *Session, r *run, grant auth.Grant, req protocol.CommandRequest, watch command.Watch) command.Call {
	return command.Call{Actor: grant.Actor, Scopes: grant.Scopes, Tab: r.callerTab(s, grant, req.Tab), Request: req, Watch: watch, Confirm: g.m.callers.Uncertain(grant)}
}

// callerTab returns the tab that a call means when it names none: the caller's own. named
// is the tab that the call names.
func (r *run) callerTab(s *Session, grant auth.Grant, named protocol.TabID) protocol.TabID {
	if grant.Actor.Kind != protocol.ActorMCP {
		return s.tabs.OfCaller(grant)
	}
	return s.programs.Tab(grant.Actor, named, &s.tabs, r.policy)
}

// confirmApp asks the user about what the command line asks of the app, where it is
// uncertain that the user asks it.
func (g gateway) confirmApp(ctx context.Context, grant auth.Grant, name protocol.SessionName, req protocol.AppRequest) error {
	if onlyReads(req) {
		return nil
	}
	asked := name
	if req.Action == protocol.AppCreate {
		asked = protocol.DefaultSession // the other one does not exist yet
	}
	return g.confirm(ctx, grant, asked, "app", describeRequest(name, req)...)
}

// confirm asks the user of a session about a request of the command line, where it is
// uncertain that the user makes it.
func (g gateway) confirm(ctx context.Context, grant auth.Grant, name protocol.SessionName, what string, args ...protocol.ApprovalArg) error {
	if !g.m.callers.Uncertain(grant) {
		return nil
	}
	s, err := g.m.Session(name)
	if err != nil {
		return err
	}
	return s.approvals.Broker().Confirm(ctx, policy.Request{Actor: grant.Actor, Command: what, Args: args})
}
