package command

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
)

// facts returns the facts about a target, see Browser.Facts: from the page, or from the panel
// where the app has no access to the page. An action without facts cannot be
// judged and is not done.
func (in *Invocation) facts(ctx context.Context, target string, field bool) (protocol.TargetFacts, error) {
	switch given := in.call.ByPage; {
	case given == nil:
		return in.registry.browser.Facts(ctx, in.By(), in.Tab, target, field)
	case given.Facts == nil:
		return protocol.TargetFacts{}, BadArgument("the target is missing", "")
	default:
		return *given.Facts, nil
	}
}

// leave replies to a call that is allowed and that the panel will carry out.
// The gate cannot check where the action leads, so leave checks the addresses
// that are known.
func (in *Invocation) leave(c *Command) protocol.CommandReply {
	page := in.Current()
	if !c.ByPage || c.Tab != OwnTab || page == "" {
		return failed(in.Tab, BadArgument(c.Name+" cannot be done by the page's own events", ""))
	}
	do, _ := in.doing(c)
	if facts := in.call.ByPage.Facts; facts != nil {
		var leads []string
		if do.Click || do.Enter {
			leads = append(leads, facts.Href)
		}
		if (do.Click || do.Enter) && facts.Submits && facts.Form != nil {
			leads = append(leads, facts.Form.Action)
		}
		for _, to := range leads {
			if !opens(to) {
				continue
			}
			if err := in.registry.policy.Hop(in.Actor, to, page); err != nil {
				return failed(in.Tab, err)
			}
		}
	}
	given := protocol.ByPageLeave{URL: page}
	if c.Opens != nil {
		given.To = in.asked // has been checked, and the user has been asked if the rules say so
	}
	data, err := json.Marshal(given)
	if err != nil {
		return failed(in.Tab, err)
	}
	return protocol.CommandReply{OK: true, Tab: in.Tab, Text: "may be done by the page's own events", Data: data}
}

// carried replies to a call in a browser into which there is no way but its panel. The panel
// that runs a task does that by itself.
func (in *Invocation) carried(ctx context.Context, c *Command) protocol.CommandReply {
	if !c.ByPage || in.Actor.Kind == protocol.ActorTask {
		return failed(in.Tab, protocol.NewError(protocol.CodeNoInput, c.Name+" needs remote debugging, which the browser of this session does not have",
			"use a session that is attached to your browser: `pilotfish sessions new NAME --browser my-chrome`"))
	}
	if ms := in.call.Request.TimeoutMS; ms != 0 {
		timeout, _ := deadline(ms) // it was checked
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if in.call.Watch.On != nil {
		in.call.Watch.On(in.Tab)
	}
	reply := in.registry.browser.Carry(ctx, in.Tab, in.Caller(), c.Name, in.Args, func(ctx context.Context, given protocol.ByPage) protocol.CommandReply {
		asked := in.call
		asked.ByPage = &given
		return in.registry.Execute(ctx, asked)
	})
	if reply.Data != nil {
		reply.Untrusted, reply.Origin = true, foreign.Origin(in.Current())
	}
	return reply
}

// opens reports whether an address leads a tab to another page. An address that
// runs code or starts another program does not.
func opens(address string) bool {
	u, err := url.Parse(address)
	return address != "" && (err != nil || !slices.Contains([]string{"javascript", "mailto", "tel", "sms", "about"}, strings.ToLower(u.Scheme)))
}
