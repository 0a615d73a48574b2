package catalogue

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
)

// waitArg is the argument for how long a navigation waits.
func waitArg() command.Arg {
	return command.Arg{
		Name: "wait", Type: command.String, Flag: true, Choices: []string{"load", "dom", "commit"}, Default: "load",
		Help: "how long to wait: until everything has loaded (load), the document is parsed (dom), or the page begins (commit)",
	}
}

// navigation returns the commands that navigate a tab, and those about tabs.
func (c *commands) navigation() []command.Command {
	act, read := protocol.ScopeAct, protocol.ScopeRead
	return []command.Command{
		{Spec: command.Spec{
			Name: "goto", Aliases: []string{"open", "navigate", "go"}, Scope: act,
			Summary:  "open an address in the tab and wait until it is loaded",
			Help:     "An address without http:// gets https://, or http:// on this machine. The reply gives the final address and the HTTP status.",
			Args:     []command.Arg{{Name: "url", Type: command.String, Required: true, Help: "the address"}, waitArg()},
			Returns:  "tab, url, title, status, dialog",
			Examples: []string{"goto example.com", "goto localhost:3000/login --wait dom"},
		}, Tab: command.OwnTab, Kind: protocol.ActionOpen, Leaves: true, ByPage: true, Opens: opensAddress, Run: c.runGoto},
		{Spec: command.Spec{
			Name: "back", Scope: act, Summary: "go one page back", Args: []command.Arg{waitArg()},
			Returns: "tab, url, title, dialog", Examples: []string{"back"},
		}, Tab: command.OwnTab, Leaves: true, ByPage: true, Run: c.runBack},
		{Spec: command.Spec{
			Name: "forward", Aliases: []string{"fwd"}, Scope: act, Summary: "go one page forward", Args: []command.Arg{waitArg()},
			Returns: "tab, url, title, dialog", Examples: []string{"forward"},
		}, Tab: command.OwnTab, Leaves: true, ByPage: true, Run: c.runForward},
		{Spec: command.Spec{
			Name: "reload", Aliases: []string{"refresh"}, Scope: act, Summary: "load the page again, also after a crash", Args: []command.Arg{waitArg()},
			Returns: "tab, url, title, status, dialog", Examples: []string{"reload"},
		}, Tab: command.OwnTab, ByPage: true, Run: c.runReload},
		{Spec: command.Spec{
			Name: "url", Scope: read, Summary: "print the tab's address",
			Returns: "tab, url, title", Examples: []string{"url", "url --tab t2"},
		}, Tab: command.AnyTab, Run: c.runURL},
		{Spec: command.Spec{
			Name: "title", Scope: read, Summary: "print the page's title",
			Returns: "tab, url, title", Examples: []string{"title"},
		}, Tab: command.AnyTab, Run: c.runTitle},
		{Spec: command.Spec{
			Name: "text", Aliases: []string{"read"}, Scope: read,
			Summary: "print the visible text of the page, line by line",
			Args: []command.Arg{{
				Name: "max", Type: command.Integer, Flag: true, Min: 1, Max: protocol.TextLimit, Default: "200000",
				Help: "at most so many characters; the reply gives the total",
			}},
			Returns: "url, title, text, length", Examples: []string{"text", "text --max 4000"},
		}, Tab: command.OwnTab, Run: c.runText},
		{Spec: command.Spec{
			Name: "tabs", Scope: read, Summary: "list the open tabs",
			Help:    "* marks the tab in front of its window, ! one that crashed.",
			Returns: "the tabs", Examples: []string{"tabs"},
		}, Tab: command.NoTab, Run: c.runTabs},
		{Spec: command.Spec{
			Name: "tab", Aliases: []string{"activate", "focus-tab"}, Scope: act, Summary: "bring a tab to the front of its window",
			Args:    []command.Arg{{Name: "tab", Type: command.TabArg, Help: "the tab; your own if left out"}},
			Returns: "the tab", Examples: []string{"tab t2"},
		}, Tab: command.OwnTab, Leaves: true, ByHand: true, Run: c.runTab},
		{Spec: command.Spec{
			Name: "newtab", Aliases: []string{"new", "tab-new"}, Scope: act, Summary: "open a tab, empty or with a page",
			Help:    "An agent's tab opens in the background, a user's in front.",
			Args:    []command.Arg{{Name: "url", Type: command.String, Help: "the address; an empty tab without it"}, {Name: "front", Type: command.Boolean, Flag: true, Help: "open it in front"}, waitArg()},
			Returns: "tab, url, title, status, dialog", Examples: []string{"newtab example.com", "newtab --front"},
		}, Tab: command.NoTab, Kind: protocol.ActionOpen, OpensTab: true, Opens: opensAddress, Run: c.runNewTab},
		{Spec: command.Spec{
			Name: "givetab", Aliases: []string{"give", "tab-give"}, Scope: protocol.ScopeSensitive, Summary: "let agents use a tab of your own browser, or take it back",
			Help:    "In your own browser agents use only the tabs that they opened, and those that you gave. An agent that runs this asks you.",
			Args:    []command.Arg{{Name: "tab", Type: command.TabArg, Help: "the tab; your own if left out"}, {Name: "back", Type: command.Boolean, Flag: true, Help: "take it back"}},
			Returns: "tab, given", Examples: []string{"givetab t2", "givetab t2 --back"},
		}, Tab: command.NoTab, First: onlyOfUser, Confirms: c.asksForTab, Run: c.runGiveTab},
		{Spec: command.Spec{
			Name: "closetab", Aliases: []string{"close", "tab-close"}, Scope: act, Summary: "close a tab",
			Args:    []command.Arg{{Name: "tab", Type: command.TabArg, Help: "the tab; your own if left out"}},
			Returns: "tab", Examples: []string{"closetab t3"},
		}, Tab: command.OwnTab, Leaves: true, ByHand: true, Run: c.runCloseTab},
	}
}

// waitUntil returns the state to wait for: the caller's choice, or load.
func waitUntil(in *command.Invocation) protocol.WaitUntil {
	if w := in.Args.Text("wait"); w != "" {
		return protocol.WaitUntil(w)
	}
	return protocol.WaitLoad
}

// arrived describes where a tab is after a navigation.
func arrived(in *command.Invocation, info protocol.PageInfo, err error) (command.Result, error) {
	if err != nil {
		return command.Result{}, err
	}
	place, said := in.Place(info.URL)
	text := fmt.Sprintf("%s is at %s", in.Tab, place)
	if info.Status != 0 && (info.Status < 200 || info.Status > 299) {
		text += fmt.Sprintf(" (HTTP %d)", info.Status)
	}
	if title := foreign.Title(info.Title, info.URL); title != "" {
		said = append(said, title)
	}
	if d := info.Dialog; d != nil {
		text += "; " + command.DialogOpened(in.Tab, d)
		said = append(said, "dialog: "+foreign.Line(d.Message, foreign.TitleShown))
	}
	if len(said) > 0 {
		text += "\n" + in.Foreign(info.URL, strings.Join(said, "\n"))
	}
	return command.Result{Text: text, Data: info}, nil
}

func (c *commands) runGoto(ctx context.Context, in *command.Invocation) (command.Result, error) {
	to, err := givenAddress(in)
	if err != nil {
		return command.Result{}, err
	}
	info, err := c.Browser.Navigate(ctx, in.By(), in.Tab, to, waitUntil(in), in.Allow())
	return arrived(in, info, err)
}

// notHosts are words before a colon that are always a URL scheme and never a
// host.
var notHosts = map[string]bool{
	"javascript": true, "data": true, "file": true, "about": true, "chrome": true, "blob": true, "mailto": true, "tel": true, "view-source": true, "chrome-extension": true,
}

// schemeless parses an address as users type it: a host, perhaps a port and a
// path. "localhost:3000" is such an address, although "localhost" looks like a
// scheme.
func schemeless(raw string) (host, port string, ok bool) {
	at := strings.IndexAny(raw, "/?#")
	if at < 0 {
		at = len(raw)
	}
	host = raw[:at]
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i:]
		if digits := port[1:]; digits == "" || len(digits) > 5 || strings.Trim(digits, "0123456789") != "" {
			return "", "", false
		}
	}
	if notHosts[strings.ToLower(host)] && strings.Contains(raw, ":") {
		return "", "", false
	}
	if inner, isIP := strings.CutPrefix(host, "["); isIP {
		inner, closed := strings.CutSuffix(inner, "]")
		return host, port, closed && inner != "" && strings.Trim(inner, "0123456789abcdefABCDEF:.") == "" && !strings.ContainsAny(raw, "\n")
	}
	for i, r := range host {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && (i == 0 || r != '.' && r != '-') {
			return "", "", false
		}
	}
	return host, port, host != "" && !strings.Contains(raw, "\n")
}

// opensAddress returns the address that a call opens; "" for none.
func opensAddress(in *command.Invocation) (string, error) {
	if in.Args.Text("url") == "" {
		return "", nil
	}
	return givenAddress(in)
}

// givenAddress completes the url argument and checks it against the policy.
func givenAddress(in *command.Invocation) (string, error) {
	raw := strings.TrimSpace(in.Args.Text("url"))
	full := raw
	if filepath.IsAbs(raw) && !in.Agent() {
		full = (&url.URL{Scheme: "file", Path: raw}).String()
	} else if host, port, ok := schemeless(raw); ok {
		switch {
		case isHere(host):
			full = "http://" + raw
		case port != "" || strings.Contains(host, ".") || strings.HasPrefix(host, "["):
			full = "https://" + raw
		}
	}
	if err := in.MayOpen(full); err != nil {
		return "", err
	}
	return full, nil
}

// isHere reports whether a host is this computer, where https is rare.
func isHere(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "[::1]" || host == "0.0.0.0"
}

func (c *commands) runBack(ctx context.Context, in *command.Invocation) (command.Result, error) {
	info, err := c.Browser.Back(ctx, in.By(), in.Tab, waitUntil(in), in.Allow())
	return arrived(in, info, err)
}

func (c *commands) runForward(ctx context.Context, in *command.Invocation) (command.Result, error) {
	info, err := c.Browser.Forward(ctx, in.By(), in.Tab, waitUntil(in), in.Allow())
	return arrived(in, info, err)
}

func (c *commands) runReload(ctx context.Context, in *command.Invocation) (command.Result, error) {
	// A page that the user opened here may be one that an agent may not load.
	if err := in.Readable(ctx); err != nil {
		return command.Result{}, err
	}
	info, err := c.Browser.Reload(ctx, in.By(), in.Tab, waitUntil(in), in.Allow())
	return arrived(in, info, err)
}

func (c *commands) runURL(ctx context.Context, in *command.Invocation) (command.Result, error) {
	info, err := c.Browser.Page(ctx, in.By(), in.Tab)
	return command.Result{Text: in.Foreign(info.URL, foreign.Line(info.URL, 4*foreign.URLShown)), Data: info}, err
}

func (c *commands) runTitle(ctx context.Context, in *command.Invocation) (command.Result, error) {
	info, err := c.Browser.Page(ctx, in.By(), in.Tab)
	return command.Result{Text: in.Foreign(info.URL, foreign.Line(info.Title, 4*foreign.TitleShown)), Data: info}, err
}

func (c *commands) runText(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if err := in.Readable(ctx); err != nil {
		return command.Result{}, err
	}
	limit := in.Args.Number("max")
	if limit == 0 {
		limit = protocol.TextLimit
	}
	page, err := c.Browser.Text(ctx, in.By(), in.Tab, limit)
	if err != nil {
		return command.Result{}, err
	}
	// The tab may have navigated between the check and the reading.
	if in.Agent() {
		if err := in.MayOpen(page.URL); err != nil {
			return command.Result{}, err
		}
	}
	text := in.Foreign(page.URL, page.Text)
	if shown := len([]rune(page.Text)); shown < page.Length {
		text += fmt.Sprintf("\n(%d of %d characters; --max shows more)", shown, page.Length)
	}
	return command.Result{Text: text, Data: page}, nil
}

func (c *commands) runTabs(_ context.Context, in *command.Invocation) (command.Result, error) {
	tabs := in.Tabs()
	var lines []string
	for _, t := range tabs {
		mark := " "
		switch {
		case t.Crashed:
			mark = "!"
		case t.Active:
			mark = "*"
		}
		place, said := in.Place(t.URL)
		row := fmt.Sprintf("%s%s %s", mark, t.ID, place)
		if t.ID == in.Own {
			row += " (yours)"
		}
		if title := foreign.Title(t.Title, t.URL); title != "" {
			said = append(said, title)
		}
		if len(said) > 0 {
			row += "  " + in.Foreign(t.URL, strings.Join(said, "  "))
		}
		lines = append(lines, row)
	}
	if len(lines) == 0 {
		lines = append(lines, "no tab is open")
	}
	return command.Result{Text: strings.Join(lines, "\n"), Data: tabs}, nil
}

func (c *commands) runTab(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if err := c.Browser.ActivateTab(ctx, in.Tab); err != nil {
		return command.Result{}, err
	}
	for _, t := range in.Tabs() {
		if t.ID == in.Tab {
			place, said := in.Place(t.URL)
			text := fmt.Sprintf("%s is in front: %s", t.ID, place)
			if len(said) > 0 {
				text += "\n" + in.Foreign(t.URL, said[0])
			}
			return command.Result{Text: text, Data: t}, nil
		}
	}
	return command.Result{}, protocol.NewError(protocol.CodeUnknownTab, "tab "+string(in.Tab)+" was closed in the meantime", "", protocol.Try("lists the tabs", "tabs"))
}

func (c *commands) runNewTab(ctx context.Context, in *command.Invocation) (command.Result, error) {
	to, err := opensAddress(in)
	if err != nil {
		return command.Result{}, err
	}
	beside := in.Own
	if !in.IsOpen(beside) {
		beside = "" // its own tab is closed, which is no reason to fail
	}
	background := in.Agent()
	if in.Args.Given("front") {
		background = !in.Args.Flag("front")
	}
	id, err := c.Browser.NewTab(ctx, beside, background)
	if err != nil {
		return command.Result{}, err
	}
	in.Tab = id
	in.Opened(id)
	if in.Agent() { // before anything is loaded in the tab, whoever starts it
		if err := in.Gate(ctx, id); err != nil {
			return command.Result{}, err
		}
	}
	if to == "" {
		return command.Result{Text: string(id) + " is open", Data: protocol.PageInfo{Tab: id, URL: "about:blank"}}, nil
	}
	info, err := c.Browser.Navigate(ctx, in.By(), id, to, waitUntil(in), in.Allow())
	res, err := arrived(in, info, err)
	if err != nil {
		// Close a tab that shows nothing; keep one that is still loading.
		if protocol.AsError(err).Code == protocol.CodeTimeout {
			return command.Result{}, protocol.AsError(err).Saying(fmt.Sprintf("%s is open, but %s", id, protocol.AsError(err).Message))
		}
		_ = c.Browser.CloseTab(context.WithoutCancel(ctx), id)
		in.Tab = ""
		return command.Result{}, err
	}
	return res, nil
}

func (c *commands) runCloseTab(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if err := c.Browser.CloseTab(ctx, in.Tab); err != nil {
		return command.Result{}, err
	}
	return command.Result{Text: string(in.Tab) + " is closed", Data: protocol.PageInfo{Tab: in.Tab}}, nil
}

// toGive returns the tab that givetab means: the one it names, else the caller's own.
func toGive(in *command.Invocation) protocol.TabID {
	if named := in.Args.Text("tab"); named != "" {
		return protocol.TabID(named)
	}
	return in.Own
}

// onlyOfUser refuses a tab that is not open, and an agent that asks for a tab where agents
// have theirs anyway.
func onlyOfUser(in *command.Invocation) error {
	if id := toGive(in); id != "" && !in.IsOpen(id) {
		return protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(id), "", protocol.Try("lists the tabs", "tabs"))
	}
	if !in.Agent() || in.Private() {
		return nil
	}
	return protocol.NewError(protocol.CodeRefused, "tabs are given in the user's own browser only, and this one is Pilotfish's", "use your own tab", protocol.Try("opens one", "newtab"))
}

// asksForTab returns what the user is shown of the tab that an agent asks for.
func (c *commands) asksForTab(in *command.Invocation) []protocol.ApprovalArg {
	for _, t := range c.Browser.Tabs() {
		if t.ID == toGive(in) {
			return []protocol.ApprovalArg{{Name: "tab", Value: string(t.ID)}, {Name: "title", Value: foreign.Line(t.Title, foreign.TitleShown)}, {Name: "address", Value: foreign.Line(t.URL, foreign.URLShown)}}
		}
	}
	return []protocol.ApprovalArg{{Name: "tab", Value: string(toGive(in))}}
}

func (c *commands) runGiveTab(_ context.Context, in *command.Invocation) (command.Result, error) {
	id := toGive(in)
	if id == "" {
		return command.Result{}, command.BadArgument("no tab was given, and you have none of your own", "", protocol.Example("givetab", "t2"))
	}
	if !in.Private() {
		return command.Result{Text: "this browser is Pilotfish's own: agents can use the tab beside them, and those that they opened", Data: protocol.GivenTab{Tab: id, Given: true}}, nil
	}
	given, text := !in.Args.Flag("back"), fmt.Sprintf("agents can use %s", id)
	if !given {
		text = fmt.Sprintf("agents cannot use %s any more, unless they opened it", id)
	}
	return command.Result{Text: text, Data: protocol.GivenTab{Tab: id, Given: given}}, c.Browser.GiveTab(id, given)
}
