package command

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// facts are what a target is: by the page, or by what the panel says of it where
// the app has no way in. What cannot be judged is not done.
func (in *Invocation) facts(ctx context.Context, target string) (protocol.TargetFacts, error) {
	switch given := in.call.ByPage; {
	case given == nil:
		return in.registry.browser.Facts(ctx, in.Tab, target)
	case given.Facts == nil:
		return protocol.TargetFacts{}, BadArgument("the target is missing", "")
	default:
		return *given.Facts, nil
	}
}

// leave answers a command that was allowed and that the panel does itself. The
// gate cannot hold what it leads to, so where that is known it is judged here.
func (in *Invocation) leave(ctx context.Context, c *Command) protocol.CommandReply {
	page := in.Current()
	if !c.ByPage || c.Tab != OwnTab || page == "" {
		return failed(in.Tab, BadArgument(c.Name+" cannot be done by the page's own events", ""))
	}
	do, _ := in.doing(ctx, c)
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
		given.To = in.asked // was judged, and the person asked where they want to be
	}
	data, err := json.Marshal(given)
	if err != nil {
		return failed(in.Tab, err)
	}
	return protocol.CommandReply{OK: true, Tab: in.Tab, Text: "may be done by the page's own events", Data: data}
}

// opens says whether an address leads a tab elsewhere: one that runs code, or
// starts another program, stays where it is.
func opens(address string) bool {
	u, err := url.Parse(address)
	return address != "" && (err != nil || !slices.Contains([]string{"javascript", "mailto", "tel", "sms", "about"}, strings.ToLower(u.Scheme)))
}
