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

// mayAsk reports whether the user may be asked for a command whose scope the
// caller lacks: yes for a sensitive command of an agent that has the scope act.
func mayAsk(s Spec, call Call) bool {
	return s.Scope == protocol.ScopeSensitive && policy.Agent(call.Actor) && slices.Contains(call.Scopes, protocol.ScopeAct)
}

// atAddress refuses what an address of `pilotfish share` is not for: the user's terminals,
// secrets and rules, windows, and with OneTab the list of tabs and new ones.
func (call Call) atAddress(c *Command) error {
	switch {
	case !call.AtAddress, c.Tab == OwnTab, c.Nests, c.Name == "url", c.Name == "title", !call.OneTab && (c.Name == "tabs" || c.OpensTab):
		return nil
	}
	return protocol.NewError(protocol.CodeForbidden, c.Name+" is not for a shared address", "the user can run it in their own shell")
}

// authorize returns an error for what the caller may not do on this page, and
// waits for the user where the rules say so.
func (in *Invocation) authorize(ctx context.Context, c *Command) error {
	page := in.Current()
	if c.Tab == OwnTab && !c.Leaves {
		if err := in.registry.policy.Target(page); err != nil {
			return err
		}
	}
	if err := sealed(in, c, page); err != nil {
		return err
	}
	if !in.Agent() {
		if err := confirm(ctx, in, c, page); err != nil {
			return err
		}
		return mayUseSecret(ctx, in, c, page, nil)
	}
	begin(in)
	if c.Tab == OwnTab {
		if in.call.ByPage == nil { // else the app has no access to the page that it could gate
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
		return nil // every page that the navigation leads to is checked by itself
	case c.ListsNames != nil && c.ListsNames(in) && in.Rules().Decide(kind, page).Decision == protocol.SiteAsk:
		in.judged, in.acts = page, in.stands(policy.Request{Actor: in.Actor, Kind: kind, Tab: in.Tab, Page: page, Command: c.Name})
		return nil // that something is stored is no secret; what it is stays masked
	}
	args := inFull(c.Spec, in.call.Request.Args)
	if asked, err := mayConfirm(ctx, in, c, args); asked || err != nil {
		return err
	}
	request := policy.Request{Actor: in.Actor, Kind: kind, Tab: in.Tab, Page: page, Command: c.Name, Args: args, Asking: in.call.Watch.Asking}
	if in.registry.policy.Asks(request) {
		if request.Target = in.aimed(ctx, c); request.Target != nil {
			request.Args, request.Target = unsecret(args, *request.Target), unnamed(in, request.Target)
		}
	}
	asked, err := in.registry.policy.Judge(ctx, request)
	// The user who is asked about an action answers for its consequence, too.
	if err == nil && kind == protocol.ActionAct && !asked {
		err = in.weigh(ctx, c, page, args)
	}
	if err == nil && kind == protocol.ActionOpen && policy.Carries(page) && !asked {
		err = mayGive(ctx, in, c, page, args)
	}
	if err == nil && kind == protocol.ActionDownload {
		in.saving.grant()
	}
	if err == nil && c.Loads != nil {
		err = mayLoad(ctx, in, c, args)
	}
	if err == nil && c.Replaces != nil {
		err = mayReplace(ctx, in, c, args)
	}
	if err == nil && c.Answers != nil {
		err = mayAnswer(ctx, in, c, args)
	}
	if err == nil {
		err = mayUseSecret(ctx, in, c, page, args)
	}
	if err != nil || kind == protocol.ActionOpen {
		return err
	}
	in.judged, in.acts = page, in.stands(request)
	if now := in.Current(); now != "" {
		return in.acts(now)
	}
	return nil
}

// mayLoad judges the addresses inside the values of a call like those that are opened.
func mayLoad(ctx context.Context, in *Invocation, c *Command, args []protocol.ApprovalArg) error {
	for _, address := range c.Loads(in) {
		if err := in.MayOpen(address); err != nil {
			return err
		}
		if err := in.registry.policy.Authorize(ctx, policy.Request{
			Actor: in.Actor, Kind: protocol.ActionOpen, Tab: in.Tab, Page: address, Command: c.Name, Args: args, Asking: in.call.Watch.Asking,
		}); err != nil {
			return err
		}
		if !policy.Carries(address) {
			continue
		}
		if err := mayGive(ctx, in, c, address, args); err != nil {
			return err
		}
	}
	return nil
}

// confirm asks about a call of the user's that only the user may make, where it is not
// certain that the user makes it; see Call.Confirm.
func confirm(ctx context.Context, in *Invocation, c *Command, page string) error {
	if !in.call.Confirm || c.Scope != protocol.ScopeSensitive && c.Scope != protocol.ScopeAdmin {
		return nil
	}
	return in.registry.policy.Confirm(ctx, policy.Request{
		Actor: in.Actor, Tab: in.Tab, Page: page, Command: c.Name, Args: inFull(c.Spec, in.call.Request.Args), Asking: in.call.Watch.Asking,
	})
}

// begin notes on which page an agent begins, at its first command. A task begins by
// itself.
func begin(in *Invocation) {
	if p := in.registry.policy; in.Actor.Kind != protocol.ActorTask && !p.Begun(in.Actor) {
		p.Begin(in.Actor, "", in.address(in.Own))
	}
}

// stands refuses to act on another page than a request was judged on, and what a rule
// denies by then: a command waits, for the user and for its turn on the tab.
func (in *Invocation) stands(q policy.Request) func(address string) error {
	if q.Page == "" {
		q.Page = "about:blank" // what a tab shows before its first page
	}
	return func(now string) error {
		if from, to := foreign.Origin(q.Page), foreign.Origin(now); from != to {
			return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("tab %s moved from %s to %s while %s waited; nothing was done", q.Tab, foreign.Line(from, foreign.URLShown), foreign.Line(to, foreign.URLShown), q.Command), "take a new snapshot, and ask again")
		}
		return in.registry.policy.Denies(q)
	}
}

// mayReplace asks the user about a call that replaces what belongs to somebody
// else. The answer is for the difference that was shown.
func mayReplace(ctx context.Context, in *Invocation, c *Command, args []protocol.ApprovalArg) error {
	difference, err := c.Replaces(ctx, in)
	if err != nil || len(difference) == 0 {
		return err
	}
	in.shown = difference
	return in.registry.policy.Authorize(ctx, policy.Request{
		Actor: in.Actor, Kind: protocol.ActionSensitive, Tab: in.Tab, Once: true, Command: c.Name, Args: append(slices.Clone(args), difference...), Asking: in.call.Watch.Asking,
	})
}

// mayConfirm asks the user about a call that no rule can allow. asked is false when the
// rules decide. A rule that denies such calls everywhere also denies this one.
func mayConfirm(ctx context.Context, in *Invocation, c *Command, args []protocol.ApprovalArg) (asked bool, err error) {
	if c.Confirms == nil {
		return false, nil
	}
	shown := c.Confirms(in)
	if len(shown) == 0 {
		return false, nil
	}
	q := policy.Request{Actor: in.Actor, Kind: c.kind(), Tab: in.Own, Command: c.Name, Args: append(slices.Clone(args), shown...), Asking: in.call.Watch.Asking}
	if err := in.registry.policy.Denies(q); err != nil {
		return true, err
	}
	in.shown = shown
	return true, in.registry.policy.Confirm(ctx, q)
}

// mayAnswer judges a call that answers requests with what can run as code: like
// code that runs on every site that it may answer for.
func mayAnswer(ctx context.Context, in *Invocation, c *Command, args []protocol.ApprovalArg) error {
	pattern := c.Answers(in)
	if pattern == "" {
		return nil
	}
	request := policy.Request{Actor: in.Actor, Kind: protocol.ActionEval, Tab: in.Tab, Command: c.Name, Args: args, Asking: in.call.Watch.Asking}
	origin, one := policy.PatternOrigin(pattern)
	if !one {
		request.Everywhere, request.Once = true, true
		return in.registry.policy.Authorize(ctx, request)
	}
	request.Page = origin + "/"
	if err := in.MayOpen(request.Page); err != nil {
		return err
	}
	return in.registry.policy.Authorize(ctx, request)
}

// Gate applies the rules to everything that an agent's tab loads.
func (in *Invocation) Gate(ctx context.Context, tab protocol.TabID) error {
	in.registry.secrets.acts(in.Actor, tab)
	return in.registry.browser.Gate(ctx, tab, in.registry.policy.Patterns(), func(url string, document bool) error {
		if document {
			return in.registry.policy.Hop(in.Actor, url, in.asked)
		}
		return in.registry.policy.Resource(in.Actor, url)
	}, in.registry.policy.Address, saver{in, tab})
}

// inFull returns the arguments as the user sees them, in the order of the help
// and without secrets.
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
