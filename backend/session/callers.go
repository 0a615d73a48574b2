package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// conversation returns the grant of the conversation for which a process of Chat acts
// that serves several, whose shells all have the process's token: the tab that a call
// names says which one is meant. Other grants are returned as they are.
func (g gateway) conversation(grant auth.Grant, tab protocol.TabID) (auth.Grant, error) {
	if !grant.Shared {
		return grant, nil
	}
	served := g.m.auth.Children(grant.ID)
	if i := slices.IndexFunc(served, func(one auth.Grant) bool { return one.Tab == tab && tab != "" }); i >= 0 {
		return served[i], nil
	}
	if len(served) == 0 {
		return auth.Grant{}, protocol.NewError(protocol.CodeRefused, grant.Actor.Agent+" serves no conversation at the moment", "say something in its conversation first")
	}
	var tabs []string
	for _, one := range served {
		if one.Tab != "" {
			tabs = append(tabs, string(one.Tab))
		}
	}
	slices.Sort(tabs)
	return auth.Grant{}, protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%s serves %d conversations; say whose tab is meant", grant.Actor.Agent, len(served)),
		"name it with --tab: "+strings.Join(tabs, ", "))
}

// call returns the call of a command by the holder of a grant.
func (g gateway) call(s *Session, r *run, grant auth.Grant, req protocol.CommandRequest, watch command.Watch) command.Call {
	return command.Call{Actor: grant.Actor, Scopes: grant.Scopes, Tab: r.callerTab(s, grant, req.Tab), Request: req, Watch: watch, Confirm: g.uncertain(grant)}
}

// callerTab returns the tab that a call means when it names none: the caller's own. named
// is the tab that the call names.
func (r *run) callerTab(s *Session, grant auth.Grant, named protocol.TabID) protocol.TabID {
	if grant.Actor.Kind != protocol.ActorMCP {
		return s.tabs.ofCaller(grant)
	}
	return s.programs.of(grant.Actor, named, &s.tabs, r.policy)
}

// uncertain reports whether it is uncertain that a request with the token of the command
// line is the user's: an agent runs that is not confined and can read the token. Where
// the process that asks can be found it has been (server); one that has left its agent's
// tree cannot.
func (g gateway) uncertain(grant auth.Grant) bool {
	return grant.Kind == auth.KindCLI && g.m.auth.Any(func(other auth.Grant) bool { return other.Unconfined && other.Actor.Agent != "" })
}

// confirmApp asks the user about what the command line asks of the app, where it is
// uncertain that the user asks it.
func (g gateway) confirmApp(ctx context.Context, grant auth.Grant, name protocol.SessionName, action protocol.AppAction) error {
	if action == protocol.AppStatus || action == protocol.AppShow || !g.uncertain(grant) {
		return nil
	}
	asked := name
	if action == protocol.AppCreate {
		asked = protocol.DefaultSession // the other one does not exist yet
	}
	s, err := g.m.Session(asked)
	if err != nil {
		return err
	}
	return s.approvals.Broker().Confirm(ctx, policy.Request{
		Actor: grant.Actor, Command: "app", Args: []protocol.ApprovalArg{{Name: "action", Value: string(action)}, {Name: "session", Value: string(name)}},
	})
}

// programTabs are the tabs of the programs that the user has connected by MCP.
type programTabs struct {
	mu  sync.Mutex
	tab map[string]protocol.TabID // by the actor's id
}

// of returns the tab that a program means when it names none: the one that was in front
// when it first needed one, until that is closed. A program may also use a tab that it
// names while that is in front: the user gives it a tab by showing it.
func (p *programTabs) of(a protocol.Actor, named protocol.TabID, tabs *tabList, rules *policy.Policy) protocol.TabID {
	front := tabs.front()
	if named != "" && named == front {
		rules.Opened(a, named)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.tab[a.ID]; own != "" && tabs.has(own) {
		return own
	}
	if front == "" {
		return ""
	}
	if p.tab == nil {
		p.tab = map[string]protocol.TabID{}
	}
	p.tab[a.ID] = front
	rules.Opened(a, front) // also when it has another one later
	return front
}
