package catalogue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// eachTabs is how many tabs `each` works on at once.
const eachTabs = 8

// each returns the command that runs another one in several tabs.
func (c *commands) each() []command.Command {
	return []command.Command{
		{Spec: command.Spec{
			Name: "each", Scope: protocol.ScopeRead, Summary: "run a command in several tabs at the same time",
			Help:    "Each run is checked as if it were called alone. A failure does not stop the others.",
			Args:    []command.Arg{{Name: "command", Type: command.String, Required: true, Help: "a command line"}, {Name: "tabs", Type: command.String, Flag: true, Help: "t1,t2,…; every tab that you may act on if left out"}},
			Returns: "one reply for each tab", Examples: []string{"each title", "each 'text --max 500' --tabs t1,t3"},
		}, Tab: command.NoTab, Nests: true, Run: c.runEach},
	}
}

// eachReply is the reply of one tab.
type eachReply struct {
	Tab   protocol.TabID        `json:"tab"`
	Reply protocol.CommandReply `json:"reply"`
}

func (c *commands) runEach(ctx context.Context, in *command.Invocation) (command.Result, error) {
	request, nests, err := in.Read(in.Args.Text("command"))
	if err != nil {
		return command.Result{}, err
	}
	if nests {
		return command.Result{}, command.BadArgument("each runs one command, not "+request.Command, "", protocol.Example("each", "title"))
	}
	tabs, err := in.Named(in.Args.Text("tabs"))
	if err != nil {
		return command.Result{}, err
	}
	all := len(tabs) == 0
	if all {
		for _, t := range in.Tabs() {
			if in.MayUse(t.ID) == nil {
				tabs = append(tabs, t.ID)
			}
		}
	}
	in.Begun(len(tabs))
	replies := make([]eachReply, len(tabs))
	places := make(chan struct{}, eachTabs)
	var wg sync.WaitGroup
	for i, tab := range tabs {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			one := request
			one.Tab = tab
			replies[i] = eachReply{tab, in.Step(ctx, one)}
		})
	}
	wg.Wait()
	if all {
		// A tab that was closed in the meantime no longer counts as one of all tabs.
		// A browser that ended has no tabs either, but it returns another code: that
		// is an error.
		open := c.Browser.Tabs()
		replies = slices.DeleteFunc(replies, func(r eachReply) bool {
			return !r.Reply.OK && r.Reply.Error.Code == protocol.CodeUnknownTab &&
				!slices.ContainsFunc(open, func(t protocol.Tab) bool { return t.ID == r.Tab })
		})
	}
	var parts []string
	failed := 0
	var first eachReply
	for _, r := range replies {
		parts = append(parts, string(r.Tab)+": "+r.Reply.Text)
		if !r.Reply.OK {
			if failed++; failed == 1 {
				first = r
			}
		}
	}
	if len(parts) == 0 {
		parts = []string{"no tab to act on"}
	}
	done := command.Result{Text: strings.Join(parts, "\n"), Data: replies}
	if failed > 0 {
		e := first.Reply.Error
		done.Failed = e.Saying(fmt.Sprintf("%d of %d failed; %s: %s", failed, len(replies), first.Tab, e.Message))
	}
	return done, nil
}
