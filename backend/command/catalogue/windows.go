package catalogue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// windows returns the commands about groups of tabs and windows.
func (c *commands) windows() []command.Command {
	act := protocol.ScopeAct
	return []command.Command{
		{Spec: command.Spec{
			Name: "groups", Scope: act, Summary: "list, make, change and empty groups of tabs",
			Args: []command.Arg{
				command.DoArg("list", "make", "set", "add", "remove"),
				{Name: "group", Type: command.Integer, Flag: true, Min: 1, Max: 1<<31 - 1, Help: "for set and add: the group's number"},
				{Name: "tabs", Type: command.String, Flag: true, Help: "t1,t2,… for make, add and remove; your own when left out"},
				{Name: "name", Type: command.String, Flag: true, Help: "for make and set"},
				{Name: "color", Type: command.String, Flag: true, Choices: []string{"grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"}, Help: "for make and set"},
				{Name: "fold", Type: command.String, Flag: true, Choices: []string{"yes", "no"}, Help: "for set: hide its tabs in the strip"},
			},
			Returns: "the groups", Examples: []string{"groups", "groups make --tabs t2,t3 --name Shop --color green", "groups remove --tabs t3"},
		}, Tab: command.AnyTab, Run: c.runGroups},
		{Spec: command.Spec{
			Name: "windows", Scope: act, Summary: "list, open, close, move and resize windows",
			Args: []command.Arg{
				command.DoArg("list", "new", "close", "bounds"),
				{Name: "at", Type: command.ClipArg, Flag: true, Help: "for bounds: x,y,width,height on the screen"},
				{Name: "state", Type: command.String, Flag: true, Choices: []string{"normal", "minimized", "maximized", "fullscreen"}, Help: "for bounds"},
				{Name: "front", Type: command.Boolean, Flag: true, Help: "for new: in front; an agent's opens in the background"},
			},
			Returns: "the windows", Examples: []string{"windows", "windows new", "windows bounds --at 0,0,1200,800 --tab t2", "windows close --tab t2"},
		}, Tab: command.AnyTab, Run: c.runWindows},
	}
}

// namedTabs returns the named tabs, or the call's own tab.
func namedTabs(in *command.Invocation) ([]protocol.TabID, error) {
	text := in.Args.Text("tabs")
	if text == "" {
		text = string(in.Tab)
	}
	return in.Named(text)
}

func (c *commands) runGroups(ctx context.Context, in *command.Invocation) (command.Result, error) {
	var err error
	group := in.Args.Number("group")
	change := func(id int) error {
		var title, color *string
		var fold *bool
		if in.Args.Given("name") {
			v := in.Args.Text("name")
			title = &v
		}
		if v := in.Args.Text("color"); v != "" {
			color = &v
		}
		if v := in.Args.Text("fold"); v != "" {
			b := v == "yes"
			fold = &b
		}
		if title == nil && color == nil && fold == nil {
			return nil
		}
		return c.Browser.SetGroup(ctx, id, title, color, fold)
	}
	switch do := in.Args.Do("list"); do {
	case "make", "add", "remove":
		tabs, nerr := namedTabs(in)
		switch {
		case nerr != nil:
			return command.Result{}, nerr
		case do == "remove":
			err = c.Browser.UngroupTabs(ctx, tabs)
		case do == "add" && group == 0:
			return command.Result{}, command.BadArgument("groups add needs --group", "", protocol.Try("lists them", "groups"))
		default:
			if do == "make" {
				group = 0
			}
			if do == "add" {
				if err := c.ownGroup(ctx, in, group); err != nil {
					return command.Result{}, err
				}
			}
			if group, err = c.Browser.GroupTabs(ctx, group, tabs); err == nil {
				err = change(group)
			}
		}
	case "set":
		if group == 0 {
			return command.Result{}, command.BadArgument("groups set needs --group", "", protocol.Try("lists them", "groups"))
		}
		if err := c.ownGroup(ctx, in, group); err != nil {
			return command.Result{}, err
		}
		err = change(group)
	}
	if err != nil {
		return command.Result{}, err
	}
	list, err := c.Browser.Groups(ctx)
	list = slices.DeleteFunc(list, func(g protocol.TabGroup) bool { return !seen(in, &g.Tabs) })
	var lines []string
	for _, g := range list {
		lines = append(lines, fmt.Sprintf("%d %q %s  %s", g.ID, foreign.Line(g.Title, 100), g.Color, tabNames(g.Tabs)))
	}
	return command.Result{Text: listing.Last(lines, 0, "no tab is in a group"), Data: list}, err
}

// ownGroup returns an error when an agent uses a group with tabs that it may
// not act on.
func (c *commands) ownGroup(ctx context.Context, in *command.Invocation, group int) error {
	list, err := c.Browser.Groups(ctx)
	if err != nil {
		return err
	}
	for _, g := range list {
		if g.ID == group {
			_, err := in.Named(tabNames(g.Tabs))
			return err
		}
	}
	return command.BadArgument(fmt.Sprintf("there is no group %d", group), "", protocol.Try("lists them", "groups"))
}

// seen leaves only the tabs of which the caller may know, and reports whether there are any.
func seen(in *command.Invocation, ids *[]protocol.TabID) bool {
	known := in.Tabs()
	*ids = slices.DeleteFunc(*ids, func(id protocol.TabID) bool {
		return !slices.ContainsFunc(known, func(t protocol.Tab) bool { return t.ID == id })
	})
	return len(*ids) > 0
}

func tabNames(ids []protocol.TabID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return strings.Join(names, ",")
}

func (c *commands) runWindows(ctx context.Context, in *command.Invocation) (command.Result, error) {
	do := in.Args.Do("list")
	if do == "new" {
		background := in.Agent()
		if in.Args.Given("front") {
			background = !in.Args.Flag("front")
		}
		id, err := c.Browser.NewWindow(ctx, background)
		if err != nil {
			return command.Result{}, err
		}
		in.Tab = id
		in.Opened(id)
		return command.Result{Text: string(id) + " is open in a window of its own", Data: protocol.PageInfo{Tab: id, URL: "about:blank"}}, nil
	}
	list, err := c.Browser.Windows(ctx)
	if err != nil {
		return command.Result{}, err
	}
	if do == "close" || do == "bounds" {
		i := slices.IndexFunc(list, func(w protocol.Window) bool { return slices.Contains(w.Tabs, in.Tab) })
		if i < 0 {
			return command.Result{}, protocol.NewError(protocol.CodeUnknownTab, "the tab "+string(in.Tab)+" is in no window", "", protocol.Try("lists the windows", "windows"))
		}
		// The command affects all tabs of the window, so the caller must be allowed
		// to act on all of them.
		if _, err := in.Named(tabNames(list[i].Tabs)); err != nil {
			return command.Result{}, err
		}
		if do == "close" {
			closed := list[i].Tabs
			return command.Result{Text: "closed " + tabNames(closed), Data: closed}, c.Browser.CloseWindow(ctx, closed)
		}
		if !in.Args.Given("at") && in.Args.Text("state") == "" {
			return command.Result{}, command.BadArgument("windows bounds needs --at or --state", "", protocol.Example("windows", "bounds", "--at", "0,0,1200,800"))
		}
		if err := c.Browser.SetWindow(ctx, in.Tab, in.Args.Clip("at"), in.Args.Text("state")); err != nil {
			return command.Result{}, err
		}
		if list, err = c.Browser.Windows(ctx); err != nil {
			return command.Result{}, err
		}
	}
	list = slices.DeleteFunc(list, func(w protocol.Window) bool { return !seen(in, &w.Tabs) })
	var lines []string
	for _, w := range list {
		mark := " "
		if w.Focused {
			mark = "*"
		}
		lines = append(lines, fmt.Sprintf("%s%d %s %d,%d %dx%d  %s", mark, w.ID, w.State, w.Left, w.Top, w.Width, w.Height, tabNames(w.Tabs)))
	}
	return command.Result{Text: listing.Last(lines, 0, "no window is open"), Data: list}, nil
}
