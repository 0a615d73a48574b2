package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Gater is a browser that can hold a rule over everything that a tab loads,
// whoever starts it. allow is asked with document for pages and frames, and
// without it for what they load from addresses like one of patterns. A tab that
// is gated already takes the new rule.
type Gater interface {
	Gate(ctx context.Context, tab protocol.TabID, patterns []string, allow func(url string, document bool) error) error
}

// mayAsk says whether a caller without the scope of a command can be given it
// by the person: an agent that may act, for what is sensitive.
func mayAsk(s Spec, call Call) bool {
	return s.Scope == protocol.ScopeSensitive && policy.Agent(call.Actor) && slices.Contains(call.Scopes, protocol.ScopeAct)
}

// authorize refuses what the caller may not do on this page, and waits for the
// person where the rules say so.
func (in *Invocation) authorize(ctx context.Context, c *Command) error {
	page := in.Current()
	if c.Tab == OwnTab && !c.Leaves {
		if err := in.registry.policy.Target(page); err != nil {
			return err
		}
	}
	if !in.Agent() {
		return nil
	}
	if c.Tab == OwnTab {
		if in.call.ByPage == nil { // else there is no way in to gate
			if err := in.Gate(ctx, in.Tab); err != nil {
				return err
			}
		}
		if !c.Leaves && page != "" {
			if err := in.MayOpen(page); err != nil {
				return err
			}
		}
	}
	kind := c.kind()
	switch {
	case c.Scope == protocol.ScopeRead, c.Scope == protocol.ScopeAct && c.Tab != OwnTab && kind == protocol.ActionAct:
		return nil
	case kind == protocol.ActionOpen:
		address, err := c.Opens(in)
		if err != nil || address == "" {
			return err
		}
		page, in.asked = address, address
	case c.Leaves:
		return nil // every page that it comes to is asked about by itself
	case c.ListsNames != nil && c.ListsNames(in) && in.Rules().Decide(kind, page).Decision == protocol.SiteAsk:
		return nil // that something is stored is no secret; what it is stays masked
	}
	args := inFull(c.Spec, in.call.Request.Args)
	request := policy.Request{Actor: in.Actor, Kind: kind, Tab: in.Tab, Page: page, Command: c.Name, Args: args, Asking: in.call.Watch.Asking}
	if in.Rules().Decide(kind, page).Decision == protocol.SiteAsk {
		if request.Target = in.aimed(ctx, c); request.Target != nil {
			request.Args = unsecret(args, *request.Target)
		}
	}
	err := in.registry.policy.Authorize(ctx, request)
	// Where each action is asked about, this one was.
	if err == nil && kind == protocol.ActionAct && in.Rules().Decide(kind, page).Decision == protocol.SiteAllow {
		err = in.weigh(ctx, c, page, args)
	}
	if err != nil || kind == protocol.ActionOpen {
		return err
	}
	if now := in.Current(); foreign.Origin(now) != foreign.Origin(page) {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("tab %s went from %s to %s in the meantime", in.Tab, foreign.Line(foreign.Origin(page), foreign.URLShown), foreign.Line(foreign.Origin(now), foreign.URLShown)), "take a new snapshot, and try again")
	}
	return nil
}

// Gate puts a tab of an agent under the rules for everything that it loads.
func (in *Invocation) Gate(ctx context.Context, tab protocol.TabID) error {
	g, ok := in.registry.browser.(Gater)
	if !ok {
		return nil
	}
	return g.Gate(ctx, tab, in.registry.policy.Patterns(), func(url string, document bool) error {
		if document {
			return in.registry.policy.Hop(in.Actor, url, in.asked)
		}
		return in.registry.policy.Resource(in.Actor, url)
	})
}

// inFull are the arguments as a person is shown them, in the order of the help,
// without secrets.
func inFull(s Spec, args map[string]json.RawMessage) []protocol.ApprovalArg {
	var full []protocol.ApprovalArg
	for _, a := range s.Args {
		raw, given := args[a.Name]
		if !given {
			continue
		}
		if a.Secret && !a.Typed {
			full = append(full, protocol.ApprovalArg{Name: a.Name, Value: hidden})
			continue
		}
		value := string(raw)
		var text string
		var list []string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			value = text
		case json.Unmarshal(raw, &list) == nil:
			value = strings.Join(list, "\n")
		}
		full = append(full, protocol.ApprovalArg{Name: a.Name, Value: value})
	}
	return full
}
