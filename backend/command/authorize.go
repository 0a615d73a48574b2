package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// kindOf says what a command does, as far as the site rules know.
func kindOf(s Spec) protocol.ActionKind {
	switch s.Name {
	case "goto", "newtab":
		return protocol.ActionOpen
	case "eval":
		return protocol.ActionEval
	case "cookies", "storage", "state":
		return protocol.ActionCookies
	case "download":
		return protocol.ActionDownload
	case "upload":
		return protocol.ActionUpload
	case "clipboard":
		return protocol.ActionClipboard
	case "permissions":
		return protocol.ActionPermissions
	}
	if s.Scope == protocol.ScopeSensitive {
		return protocol.ActionSensitive
	}
	return protocol.ActionAct
}

// leaves says whether a command only brings a tab elsewhere, so that it is of
// use on a page that is refused otherwise.
func leaves(name string) bool {
	return slices.Contains([]string{"goto", "back", "forward", "closetab", "tab"}, name)
}

// mayAsk says whether a caller without the scope of a command can be given it
// by the person: an agent that may act, for what is sensitive.
func mayAsk(s Spec, call Call) bool {
	return s.Scope == protocol.ScopeSensitive && policy.Agent(call.Actor) && slices.Contains(call.Scopes, protocol.ScopeAct)
}

// authorize refuses what the caller may not do on this page, and waits for the
// person where the rules say so.
func (in *invocation) authorize(ctx context.Context, c *command, req protocol.CommandRequest) error {
	page := in.current()
	if c.tab == ownTab && !leaves(c.Name) {
		if err := in.policy.Target(page); err != nil {
			return err
		}
	}
	if !policy.Agent(in.actor) {
		return nil
	}
	if c.tab == ownTab {
		if in.call.ByPage == nil { // else there is no way in to gate
			if err := in.gate(ctx, in.tab); err != nil {
				return err
			}
		}
		if !leaves(c.Name) && page != "" {
			if err := in.policy.URL(in.actor, page); err != nil {
				return err
			}
		}
	}
	kind := kindOf(c.Spec)
	switch {
	case c.Scope == protocol.ScopeRead, c.Scope == protocol.ScopeAct && c.tab != ownTab && kind == protocol.ActionAct:
		return nil
	case kind == protocol.ActionOpen:
		if in.args.text("url") == "" {
			return nil
		}
		address, err := in.address()
		if err != nil {
			return err
		}
		page, in.asked = address, address
	case leaves(c.Name):
		return nil // every page that it comes to is asked about by itself
	case in.lists(c.Name) && in.policy.Rules().Decide(kind, page).Decision == protocol.SiteAsk:
		return nil // that something is stored is no secret; what it is stays masked
	}
	args := inFull(c.Spec, req.Args)
	request := policy.Request{Actor: in.actor, Kind: kind, Tab: in.tab, Page: page, Command: c.Name, Args: args}
	if in.policy.Rules().Decide(kind, page).Decision == protocol.SiteAsk {
		if request.Target = in.aimed(ctx, c); request.Target != nil {
			request.Args = unsecret(args, *request.Target)
		}
	}
	err := in.policy.Authorize(ctx, request)
	// Where each action is asked about, this one was.
	if err == nil && kind == protocol.ActionAct && in.policy.Rules().Decide(kind, page).Decision == protocol.SiteAllow {
		err = in.weigh(ctx, c, page, args)
	}
	if err != nil || kind == protocol.ActionOpen {
		return err
	}
	if now := in.current(); origin(now) != origin(page) {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("tab %s went from %s to %s in the meantime", in.tab, line(origin(page), urlShown), line(origin(now), urlShown)), "take a new snapshot, and try again")
	}
	return nil
}

// lists says whether a command about what a page stores only names it.
func (in *invocation) lists(name string) bool {
	return (name == "cookies" || name == "storage") && in.do("list") == "list"
}

// current is where the call's tab is; empty without one.
func (in *invocation) current() string {
	if in.tab == "" {
		return ""
	}
	for _, t := range in.browser.Tabs() {
		if t.ID == in.tab {
			return t.URL
		}
	}
	return ""
}

// gate puts a tab of an agent under the rules for everything that it loads.
func (in *invocation) gate(ctx context.Context, tab protocol.TabID) error {
	g, ok := in.browser.(Gater)
	if !ok {
		return nil
	}
	return g.Gate(ctx, tab, in.policy.Patterns(), func(url string, document bool) error {
		if document {
			return in.policy.Hop(in.actor, url, in.asked)
		}
		return in.policy.Resource(in.actor, url)
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
		if a.Secret && !a.typed {
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
