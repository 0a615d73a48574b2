package command

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// byPage are the commands that the panel can do by a page's own events, or, where
// they bring a tab elsewhere, by what the browser lets extensions do.
func byPage(name string) bool {
	return slices.Contains([]string{
		"snapshot", "markdown", "find", "wait", "click", "hover", "fill", "type", "select", "check", "uncheck", "scroll",
		"press", "drag", "goto", "back", "forward", "reload",
	}, name)
}

// facts are what a target is: by the page, or by what the panel says of it where
// the app has no way in. What cannot be judged is not done.
func (in *invocation) facts(ctx context.Context, target string) (protocol.TargetFacts, error) {
	switch given := in.call.ByPage; {
	case given == nil:
		return in.browser.Facts(ctx, in.tab, target)
	case given.Facts == nil:
		return protocol.TargetFacts{}, protocol.NewError(protocol.CodeBadArgument, "the target is missing", "")
	default:
		return *given.Facts, nil
	}
}

// leave answers a command that was allowed and that the panel does itself. The
// gate cannot hold what it leads to, so where that is known it is judged here.
func (in *invocation) leave(ctx context.Context, c *command) protocol.CommandReply {
	page := in.current()
	if !byPage(c.Name) || c.tab != ownTab || page == "" {
		return failed(in.tab, protocol.NewError(protocol.CodeBadArgument, c.Name+" cannot be done by the page's own events", ""))
	}
	do, _, _ := in.doing(ctx, c.Name)
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
			if err := in.policy.Hop(in.actor, to, page); err != nil {
				return failed(in.tab, err)
			}
		}
	}
	given := protocol.ByPageLeave{URL: page}
	if c.Name == "goto" {
		given.To = in.asked // was judged, and the person asked where they want to be
	}
	data, err := json.Marshal(given)
	if err != nil {
		return failed(in.tab, err)
	}
	return protocol.CommandReply{OK: true, Tab: in.tab, Text: "may be done by the page's own events", Data: data}
}

// opens says whether an address leads a tab elsewhere: one that runs code, or
// starts another program, stays where it is.
func opens(address string) bool {
	u, err := url.Parse(address)
	return address != "" && (err != nil || !slices.Contains([]string{"javascript", "mailto", "tel", "sms", "about"}, strings.ToLower(u.Scheme)))
}
