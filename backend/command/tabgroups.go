package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// groupsBrowser is what the commands of groups and windows need of a browser.
type groupsBrowser interface {
	Groups(ctx context.Context) ([]protocol.TabGroup, error)
	GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error)
	UngroupTabs(ctx context.Context, tabs []protocol.TabID) error
	SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error
	Windows(ctx context.Context) ([]protocol.Window, error)
	NewWindow(ctx context.Context, background bool) (protocol.TabID, error)
	CloseWindow(ctx context.Context, tabs []protocol.TabID) error
	SetWindow(ctx context.Context, tab protocol.TabID, bounds *protocol.Clip, state string) error
}

func tabsArg(help string) Arg {
	return Arg{Name: "tabs", Type: String, Flag: true, Help: help}
}

func tabGroupCommands() []command {
	act := protocol.ScopeAct
	return []command{
		{Spec: Spec{
			Name: "each", Scope: protocol.ScopeRead, Summary: "run a command in several tabs at the same time",
			Help:    "Each run is checked as if it were called alone. A failure does not stop the others.",
			Args:    []Arg{{Name: "command", Type: String, Required: true, Help: "a command line"}, tabsArg("t1,t2,…; every tab that you may act on if left out")},
			Returns: "one reply for each tab", Examples: []string{"each title", "each 'text --max 500' --tabs t1,t3"},
		}, tab: noTab, run: runEach},
		{Spec: Spec{
			Name: "groups", Scope: act, Summary: "list, make, change and empty groups of tabs",
			Args: []Arg{
				doArg("list", "make", "set", "add", "remove"),
				{Name: "group", Type: Integer, Flag: true, Min: 1, Max: 1<<31 - 1, Help: "for set and add: the group's number"},
				tabsArg("t1,t2,… for make, add and remove; your own when left out"),
				{Name: "name", Type: String, Flag: true, Help: "for make and set"},
				{Name: "color", Type: String, Flag: true, Choices: []string{"grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"}, Help: "for make and set"},
				{Name: "fold", Type: String, Flag: true, Choices: []string{"yes", "no"}, Help: "for set: hide its tabs in the strip"},
			},
			Returns: "the groups", Examples: []string{"groups", "groups make --tabs t2,t3 --name Shop --color green", "groups remove --tabs t3"},
		}, tab: anyTab, run: runGroups},
		{Spec: Spec{
			Name: "windows", Scope: act, Summary: "list, open, close, move and resize windows",
			Args: []Arg{
				doArg("list", "new", "close", "bounds"),
				{Name: "at", Type: ClipArg, Flag: true, Help: "for bounds: x,y,width,height on the screen"},
				{Name: "state", Type: String, Flag: true, Choices: []string{"normal", "minimized", "maximized", "fullscreen"}, Help: "for bounds"},
				{Name: "front", Type: Boolean, Flag: true, Help: "for new: in front; an agent's opens in the background"},
			},
			Returns: "the windows", Examples: []string{"windows", "windows new", "windows bounds --at 0,0,1200,800 --tab t2", "windows close --tab t2"},
		}, tab: anyTab, run: runWindows},
	}
}

// named reads a list of tabs, each of which the caller may act on.
func (in *invocation) named(text string) ([]protocol.TabID, error) {
	var out []protocol.TabID
	open := in.browser.Tabs()
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := protocol.ParseTabID(part)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(open, func(t protocol.Tab) bool { return t.ID == id }) {
			return nil, protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(id), "", protocol.Try("lists the tabs", "tabs"))
		}
		if err := in.policy.Tab(in.actor, in.own, id, open); err != nil {
			return nil, err
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// eachReply is the reply of one tab.
type eachReply struct {
	Tab   protocol.TabID        `json:"tab"`
	Reply protocol.CommandReply `json:"reply"`
}

func runEach(ctx context.Context, in *invocation) (result, error) {
	request, err := ParseLine(in.args.text("command"), Find)
	if err != nil {
		return result{}, err
	}
	if nests(request.Command) {
		return result{}, badArgument("each runs one command, not "+request.Command, "", protocol.Example("each", "title"))
	}
	tabs, err := in.named(in.args.text("tabs"))
	if err != nil {
		return result{}, err
	}
	all := len(tabs) == 0
	if all {
		open := in.browser.Tabs()
		for _, t := range open {
			if in.policy.Tab(in.actor, in.own, t.ID, open) == nil {
				tabs = append(tabs, t.ID)
			}
		}
	}
	in.begun(len(tabs))
	replies := make([]eachReply, len(tabs))
	places := make(chan struct{}, eachTabs)
	var wg sync.WaitGroup
	for i, tab := range tabs {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			one := in.call
			one.Request = request
			one.Request.Tab = tab
			replies[i] = eachReply{tab, in.step(ctx, one, one.Request, nil)}
		})
	}
	wg.Wait()
	if all {
		// A tab that was closed meanwhile is no longer one of all tabs. A browser that
		// ended has no tabs either, but answers with another code: that is an error.
		open := in.browser.Tabs()
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
	done := result{text: strings.Join(parts, "\n"), data: replies}
	if failed > 0 {
		e := first.Reply.Error
		done.failed = e.Saying(fmt.Sprintf("%d of %d failed; %s: %s", failed, len(replies), first.Tab, e.Message))
	}
	return done, nil
}

// mine are the named tabs, or the call's own.
func (in *invocation) mine() ([]protocol.TabID, error) {
	text := in.args.text("tabs")
	if text == "" {
		text = string(in.tab)
	}
	return in.named(text)
}

func runGroups(ctx context.Context, in *invocation) (result, error) {
	var err error
	group := in.args.number("group")
	change := func(id int) error {
		var title, color *string
		var fold *bool
		if in.args.given("name") {
			v := in.args.text("name")
			title = &v
		}
		if v := in.args.text("color"); v != "" {
			color = &v
		}
		if v := in.args.text("fold"); v != "" {
			b := v == "yes"
			fold = &b
		}
		if title == nil && color == nil && fold == nil {
			return nil
		}
		return in.browser.SetGroup(ctx, id, title, color, fold)
	}
	switch do := in.do("list"); do {
	case "make", "add", "remove":
		tabs, nerr := in.mine()
		switch {
		case nerr != nil:
			return result{}, nerr
		case do == "remove":
			err = in.browser.UngroupTabs(ctx, tabs)
		case do == "add" && group == 0:
			return result{}, badArgument("groups add needs --group", "", protocol.Try("lists them", "groups"))
		default:
			if do == "make" {
				group = 0
			}
			if do == "add" {
				if err := in.ownGroup(ctx, group); err != nil {
					return result{}, err
				}
			}
			if group, err = in.browser.GroupTabs(ctx, group, tabs); err == nil {
				err = change(group)
			}
		}
	case "set":
		if group == 0 {
			return result{}, badArgument("groups set needs --group", "", protocol.Try("lists them", "groups"))
		}
		if err := in.ownGroup(ctx, group); err != nil {
			return result{}, err
		}
		err = change(group)
	}
	if err != nil {
		return result{}, err
	}
	list, err := in.browser.Groups(ctx)
	var lines []string
	for _, g := range list {
		lines = append(lines, fmt.Sprintf("%d %q %s  %s", g.ID, line(g.Title, 100), g.Color, tabNames(g.Tabs)))
	}
	return result{text: listed(lines, 0, "no tab is in a group"), data: list}, err
}

// ownGroup refuses an agent a group with tabs of others.
func (in *invocation) ownGroup(ctx context.Context, group int) error {
	list, err := in.browser.Groups(ctx)
	if err != nil {
		return err
	}
	for _, g := range list {
		if g.ID == group {
			_, err := in.named(tabNames(g.Tabs))
			return err
		}
	}
	return badArgument(fmt.Sprintf("there is no group %d", group), "", protocol.Try("lists them", "groups"))
}

func tabNames(ids []protocol.TabID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return strings.Join(names, ",")
}

func runWindows(ctx context.Context, in *invocation) (result, error) {
	do := in.do("list")
	if do == "new" {
		background := in.agent()
		if in.args.given("front") {
			background = !in.args.flag("front")
		}
		id, err := in.browser.NewWindow(ctx, background)
		if err != nil {
			return result{}, err
		}
		in.tab = id
		in.policy.Opened(in.actor, id)
		return result{text: string(id) + " is open in a window of its own", data: protocol.PageInfo{Tab: id, URL: "about:blank"}}, nil
	}
	list, err := in.browser.Windows(ctx)
	if err != nil {
		return result{}, err
	}
	if do == "close" || do == "bounds" {
		i := slices.IndexFunc(list, func(w protocol.Window) bool { return slices.Contains(w.Tabs, in.tab) })
		if i < 0 {
			return result{}, protocol.NewError(protocol.CodeUnknownTab, "the tab "+string(in.tab)+" is in no window", "", protocol.Try("lists the windows", "windows"))
		}
		// A window is its tabs': all of them must be the caller's.
		if _, err := in.named(tabNames(list[i].Tabs)); err != nil {
			return result{}, err
		}
		if do == "close" {
			closed := list[i].Tabs
			return result{text: "closed " + tabNames(closed), data: closed}, in.browser.CloseWindow(ctx, closed)
		}
		if !in.args.given("at") && in.args.text("state") == "" {
			return result{}, badArgument("windows bounds needs --at or --state", "", protocol.Example("windows", "bounds", "--at", "0,0,1200,800"))
		}
		if err := in.browser.SetWindow(ctx, in.tab, in.args.clip("at"), in.args.text("state")); err != nil {
			return result{}, err
		}
		if list, err = in.browser.Windows(ctx); err != nil {
			return result{}, err
		}
	}
	var lines []string
	for _, w := range list {
		mark := " "
		if w.Focused {
			mark = "*"
		}
		lines = append(lines, fmt.Sprintf("%s%d %s %d,%d %dx%d  %s", mark, w.ID, w.State, w.Left, w.Top, w.Width, w.Height, tabNames(w.Tabs)))
	}
	return result{text: listed(lines, 0, "no window is open"), data: list}, nil
}
