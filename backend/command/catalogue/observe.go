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
	"pilotfish/backend/redact"
)

// reports returns the commands that show what a tab reports: console, network, dialogs,
// downloads.
func (c *commands) reports() []command.Command {
	read, act := protocol.ScopeRead, protocol.ScopeAct
	return []command.Command{
		{Spec: command.Spec{
			Name: "console", Scope: read, Summary: "print what the page wrote to its console, with errors and where they came from",
			Help: "The first call starts recording, and prints what the browser still has from before. open prints the parts of a value, and where the sources of positions in scripts, if the page has source maps; both are not for agents.",
			Args: []command.Arg{
				command.DoArg("list", "clear", "stop", "open", "where"),
				{Name: "what", Type: command.String, Help: "a value such as v3 (open), or positions as address:line:column, separated by spaces (where)"},
				{Name: "from", Type: command.Integer, Flag: true, Min: 0, Max: 1 << 30, Help: "open: begin at this part"},
				{Name: "level", Type: command.String, Flag: true, Choices: []string{"error", "warning", "info", "log", "debug"}, Help: "only this level and worse"},
				{Name: "find", Type: command.String, Flag: true, Help: "only entries with this text"},
				{Name: "after", Type: command.Integer, Flag: true, Min: 0, Max: 1 << 30, Help: "only entries after this number"},
				listing.MaxArg(),
			},
			Returns: "entries, dropped, since; parts, total; or the positions", Examples: []string{"console", "console --level error", "console clear"},
		}, Tab: command.OwnTab, Run: c.runConsole},
		{Spec: command.Spec{
			Name: "network", Scope: act, Summary: "list the page's network requests, show one, export HAR; block, mock or slow down requests",
			Help: "The first call starts recording; reload to see the page's own requests. In a pattern * stands for any text; a pattern without * matches a part of the address. Cookies and credentials are masked for agents. A mocked page, frame, script or style can run code, so an agent's use of one waits for the user; without --type, an agent's JSON answers only requests for data.",
			Args: []command.Arg{
				command.DoArg("list", "show", "body", "har", "block", "mock", "unblock", "rules", "throttle", "clear", "stop"),
				{Name: "what", Type: command.String, Help: "a request such as n3 (show, body), a pattern (block, mock, unblock) or a network (throttle)"},
				{Name: "find", Type: command.String, Flag: true, Help: "list: only addresses with this text"},
				{Name: "type", Type: command.String, Flag: true, Help: "list, mock: only of this type, such as fetch, xhr, document, script, image"},
				{Name: "method", Type: command.String, Flag: true, Help: "list: only of this method"},
				{Name: "failed", Type: command.Boolean, Flag: true, Help: "list: only what failed or was answered with 400 or more"},
				{Name: "status", Type: command.Integer, Flag: true, Min: 100, Max: 599, Default: "200", Help: "list: only with this status; mock: answer with it"},
				{Name: "body", Type: command.String, Flag: true, Help: "mock: the body of the answer"},
				{Name: "headers", Type: command.Lines, Flag: true, Secret: true, Help: "mock: headers of the answer, each as 'Name: value'"},
				{Name: "bodies", Type: command.Boolean, Flag: true, Help: "har: include the bodies that are still available"},
				{Name: "save", Type: command.Boolean, Flag: true, Help: "body: into a file"},
				{Name: "data", Type: command.Boolean, Flag: true, Help: "body: what is not text as data, up to 2 MB"},
				{Name: "masked", Type: command.Boolean, Flag: true, Help: "show, body, har: mask cookies and credentials, as for agents"},
				listing.MaxArg(),
			},
			Returns:  "the requests, one request, a body, a file, or the rules",
			Examples: []string{"network", "network --failed", "network body n3", "network har --bodies", `network mock '*/api/user' --body '{"name":"Ann"}'`, "network block '*.png'", "network throttle slow-3g"},
		}, Tab: command.OwnTab, Answers: mocksCode, Loads: mockLoads, Run: c.runNetwork},
		{Spec: command.Spec{
			Name: "dialogs", Scope: act, Summary: "list the dialogs that the page showed, or set how the next ones are answered",
			Help: "Dialogs are alert, confirm, prompt and the question whether to leave. The policy applies to this tab until it is changed.",
			Args: []command.Arg{
				{Name: "policy", Type: command.String, Choices: []string{"leave", "accept", "dismiss"}, Help: "how to answer every dialog; leave: show it to the user"},
				{Name: "text", Type: command.String, Flag: true, Help: "for a prompt that is accepted"},
				listing.MaxArg(),
			},
			Returns: "policy, entries", Examples: []string{"dialogs", "dialogs accept --text Ann", "dialogs leave"},
		}, Tab: command.OwnTab, Doing: command.Giving(func(args command.Values) bool { return args.Text("text") != "" }), Run: c.runDialogs},
		{Spec: command.Spec{
			Name: "downloads", Scope: read, Summary: "list the downloads, or wait for one and print its path",
			Args: []command.Arg{
				command.DoArg("list", "wait", "path"),
				{Name: "id", Type: command.String, Help: "such as d2; the newest of the tab if left out"},
				listing.MaxArg(),
			},
			Returns: "the downloads, or one", Examples: []string{"downloads", "downloads wait", "downloads path d2"},
		}, Tab: command.OwnTab, Run: c.runDownloads},
		{Spec: command.Spec{
			Name: "watch", Scope: read, Summary: "wait until something happens in the tab, and report it",
			Help: "Looks for texts and elements in all frames, and does not block the tab for others. console, request and download report what happens from now on, and a download that is already done. In url, console, request and download * stands for any text.",
			Args: []command.Arg{
				{Name: "kind", Type: command.String, Required: true, Choices: []string{"text", "element", "url", "console", "request", "download"}, Help: "what to watch"},
				{Name: "value", Type: command.String, Required: true, Help: "the text or /expression/; the element, such as role=button name=Save; or a pattern"},
				{Name: "gone", Type: command.Boolean, Flag: true, Help: "wait until the text or element is gone"},
			},
			Returns: "kind, what, afterMs", Examples: []string{"watch text 'Order complete'", "watch url '*/done' --timeout 60s", "watch element .spinner --gone"},
		}, Tab: command.OwnTab, Run: c.runWatch},
	}
}

func (c *commands) runConsole(ctx context.Context, in *command.Invocation) (command.Result, error) {
	switch do := in.Args.Do("list"); do {
	case "open", "where":
		return c.runValues(ctx, in, do)
	case "clear":
		return command.Result{Text: "the console of " + string(in.Tab) + " is empty"}, c.Browser.ClearConsole(ctx, in.Tab)
	case "stop":
		return command.Result{Text: "the console of " + string(in.Tab) + " is not watched any more"}, c.Browser.StopConsole(ctx, in.Tab)
	}
	l, err := c.Browser.Console(ctx, in.Tab, in.Args.Number("after"))
	if err != nil {
		return command.Result{}, err
	}
	worst := []string{"error", "warning", "info", "log", "debug"}
	level := slices.Index(worst, in.Args.Text("level"))
	kept := []protocol.ConsoleEntry{}
	var lines []string
	for _, e := range l.Entries {
		if (level >= 0 && slices.Index(worst, e.Level) > level) || !containsFold(e.Text, in.Args.Text("find")) {
			continue
		}
		kept = append(kept, e)
		text := fmt.Sprintf("%d %s: %s", e.N, e.Level, foreign.Line(e.Text, 2000))
		if e.URL != "" {
			text += fmt.Sprintf(" (%s:%d)", foreign.Line(e.URL, foreign.URLShown), e.Line)
		}
		if e.Level == "error" {
			for _, s := range e.Stack {
				text += "\n    at " + foreign.Line(s, foreign.URLShown)
			}
		}
		lines = append(lines, text)
	}
	l.Entries = kept
	text := listing.Rows(in, in.Current(), lines, "the console is empty")
	if l.Dropped > 0 {
		text += fmt.Sprintf("\n(%d older entries are not kept any more)", l.Dropped)
	}
	return command.Result{Text: text, Data: l}, nil
}

func (c *commands) runNetwork(ctx context.Context, in *command.Invocation) (command.Result, error) {
	what := in.Args.Text("what")
	do := in.Args.Do("list")
	switch do {
	case "show", "body":
		if err := in.Args.Needs("network "+do, "what", "network "+do+" n3"); err != nil {
			return command.Result{}, err
		}
	case "block", "mock":
		if err := in.Args.Needs("network "+do, "what", "network "+do+" '*/api/*'"); err != nil {
			return command.Result{}, err
		}
	}
	switch do {
	case "clear":
		return command.Result{Text: "the requests of " + string(in.Tab) + " are forgotten"}, c.Browser.ClearNetwork(ctx, in.Tab)
	case "stop":
		return command.Result{Text: "the network of " + string(in.Tab) + " is not watched any more"}, c.Browser.StopNetwork(ctx, in.Tab)
	case "show":
		return c.networkShow(ctx, in, what)
	case "body":
		return c.networkBody(ctx, in, what)
	case "har":
		f, err := c.Browser.HAR(ctx, in.By(), in.Tab, in.Args.Flag("bodies"), !masks(in))
		return command.Result{Text: fileText(f, "request"), Data: f}, err
	case "throttle":
		return c.throttle(ctx, in, what)
	case "block", "mock", "unblock", "rules":
		return c.networkRules(ctx, in, do, what)
	}
	return c.networkList(ctx, in)
}

// masks reports whether cookies and credentials are masked: for agents always, for the
// user on request.
func masks(in *command.Invocation) bool { return in.Agent() || in.Args.Flag("masked") }

// maskEntry masks what an agent must not see of a request.
func maskEntry(in *command.Invocation, e protocol.NetworkEntry) protocol.NetworkEntry {
	if !masks(in) {
		return e
	}
	for _, h := range []map[string]string{e.RequestHeaders, e.ResponseHeaders} {
		for name, value := range h {
			if h[name] = redact.Text(value); redact.Header(name) {
				h[name] = foreign.Masked(value)
			}
		}
	}
	e.URL = redact.Text(e.URL)
	e.PostData = foreign.Masked(e.PostData) // a form that the user sent may contain their password
	return e
}

func requestLine(e protocol.NetworkEntry) string {
	how := "…"
	switch {
	case e.Failed != "":
		how = e.Failed
	case e.Status != 0:
		how = fmt.Sprint(e.Status)
	}
	text := fmt.Sprintf("%s %s %s %s  %s", e.ID, how, e.Method, e.Type, foreign.Line(e.URL, foreign.URLShown))
	if e.Done {
		text += fmt.Sprintf("  %.1f KB, %.0f ms", float64(e.Bytes)/1024, e.DurationMS)
	}
	if e.From != "" {
		text += ", from " + e.From
	}
	return text
}

func (c *commands) networkList(ctx context.Context, in *command.Invocation) (command.Result, error) {
	l, err := c.Browser.Network(ctx, in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	kept := []protocol.NetworkEntry{}
	var lines []string
	for _, e := range l.Entries {
		e = maskEntry(in, e) // before the filter, which would otherwise tell what is masked
		switch {
		case !containsFold(e.URL, in.Args.Text("find")),
			in.Args.Text("type") != "" && !strings.EqualFold(e.Type, in.Args.Text("type")),
			in.Args.Text("method") != "" && !strings.EqualFold(e.Method, in.Args.Text("method")),
			in.Args.Given("status") && e.Status != in.Args.Number("status"),
			in.Args.Flag("failed") && e.Failed == "" && e.Status < 400:
			continue
		}
		kept = append(kept, e)
		lines = append(lines, requestLine(e))
	}
	l.Entries = kept
	text := listing.Rows(in, in.Current(), lines, "no such request since "+string(in.Tab)+" is watched; a reload shows the page's own")
	if l.Dropped > 0 {
		text += fmt.Sprintf("\n(%d older requests are not kept any more)", l.Dropped)
	}
	return command.Result{Text: text, Data: l}, nil
}

func (c *commands) networkShow(ctx context.Context, in *command.Invocation, id string) (command.Result, error) {
	l, err := c.Browser.Network(ctx, in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	for _, e := range l.Entries {
		if e.ID != id {
			continue
		}
		e = maskEntry(in, e)
		lines := []string{requestLine(e)}
		for _, part := range []struct {
			mark    string
			headers map[string]string
		}{{">", e.RequestHeaders}, {"<", e.ResponseHeaders}} {
			names := make([]string, 0, len(part.headers))
			for n := range part.headers {
				names = append(names, n)
			}
			slices.Sort(names)
			for _, n := range names {
				lines = append(lines, fmt.Sprintf("%s %s: %s", part.mark, foreign.Line(n, 100), foreign.Line(part.headers[n], 1000)))
			}
		}
		if e.PostData != "" {
			lines = append(lines, "> "+foreign.Line(e.PostData, 4000))
		}
		return command.Result{Text: in.Foreign(e.URL, strings.Join(lines, "\n")), Data: e}, nil
	}
	return command.Result{}, command.BadArgument(fmt.Sprintf("there is no request %.40q in %s", id, in.Tab), "", protocol.Try("lists them", "network"))
}

func (c *commands) networkBody(ctx context.Context, in *command.Invocation, id string) (command.Result, error) {
	b, err := c.Browser.NetworkBody(ctx, in.Tab, id, in.Args.Flag("save"), !masks(in))
	if err != nil {
		return command.Result{}, err
	}
	if in.Agent() { // an agent must not read here what it may not open
		if err := in.MayOpen(b.Entry.URL); err != nil {
			return command.Result{}, err
		}
	}
	b.Entry = maskEntry(in, b.Entry)
	more, limit := "", bodyShown
	if in.Args.Flag("data") {
		limit = bodyData
	} else {
		b.Data = nil
	}
	if b.Path != "" {
		b.Text = ""
		return command.Result{Text: fmt.Sprintf("%s\n%d bytes", b.Path, b.Bytes), Data: b}, nil
	}
	if b.Text == "" && b.Bytes > 0 {
		return command.Result{Text: fmt.Sprintf("%d bytes of %s; --save writes them into a file", b.Bytes, foreign.Line(b.Entry.MIME, 80)), Data: b}, nil
	}
	runes := []rune(b.Text)
	if n := in.Args.Number("max"); n > 0 {
		limit = n
	}
	if len(runes) > limit {
		b.Text = string(runes[:limit])
		more = fmt.Sprintf("\n(%d of %d characters; --save writes all into a file)", limit, len(runes))
	}
	return command.Result{Text: in.Foreign(b.Entry.URL, b.Text) + more, Data: b}, nil
}

// bodyShown is how many characters of a body a reply contains; bodyData with --data.
const (
	bodyShown = 20_000
	bodyData  = 200_000
)

func (c *commands) runDialogs(ctx context.Context, in *command.Invocation) (command.Result, error) {
	l, err := c.Browser.Dialogs(ctx, in.Tab, in.Args.Text("policy"), in.Args.Text("text"))
	if err != nil {
		return command.Result{}, err
	}
	var lines []string
	for _, d := range l.Entries {
		how := "dismissed"
		switch {
		case d.Open:
			how = "open"
		case d.Accepted:
			how = "accepted"
		}
		if d.ByPolicy {
			how += " by policy"
		}
		text := fmt.Sprintf("%d %s %q: %s", d.N, d.Type, foreign.Line(d.Message, 500), how)
		if d.Answer != "" {
			text += fmt.Sprintf(" with %q", foreign.Line(d.Answer, 200))
		}
		lines = append(lines, text)
	}
	return command.Result{Text: "policy: " + l.Policy + "\n" + listing.Rows(in, in.Current(), lines, "no dialog since it is watched"), Data: l}, nil
}

func (c *commands) runDownloads(ctx context.Context, in *command.Invocation) (command.Result, error) {
	id, do := in.Args.Text("id"), in.Args.Do("list")
	mine := func(d protocol.Download) bool {
		return !in.Agent() || (d.Tab != "" && in.MayUse(d.Tab) == nil)
	}
	var list []protocol.Download
	for _, d := range c.Browser.Downloads() {
		if mine(d) {
			list = append(list, d)
		}
	}
	if do == "list" {
		var lines []string
		for _, d := range list {
			text := fmt.Sprintf("%s %s %s", d.ID, d.State, foreign.Line(d.Name, 200))
			switch d.State {
			case "running":
				text += fmt.Sprintf("  %d of %d bytes", d.Received, d.Total)
			case "done":
				text += fmt.Sprintf("  %d bytes  %s", d.Received, d.Path)
			}
			lines = append(lines, text)
		}
		return command.Result{Text: listing.Rows(in, in.Current(), lines, "no downloads"), Data: list}, nil
	}
	if id != "" && !slices.ContainsFunc(list, func(d protocol.Download) bool { return d.ID == id }) {
		return command.Result{}, command.BadArgument(fmt.Sprintf("there is no download %.40q", id), "", protocol.Try("lists them", "downloads"))
	}
	if do == "path" && !slices.ContainsFunc(list, func(d protocol.Download) bool { return (id == "" || d.ID == id) && d.State == "done" }) {
		return command.Result{}, command.BadArgument("that download is not done", "", protocol.Try("waits for it", "downloads", "wait"))
	}
	d, err := c.Browser.WaitDownload(ctx, id, in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	if !mine(d) {
		return command.Result{}, protocol.NewError(protocol.CodeRefused, "that download is not yours", "", protocol.Try("lists yours", "downloads"))
	}
	if d.State != "done" {
		return command.Result{}, protocol.NewError(protocol.CodeNavigation, "the download "+d.ID+" was canceled", "do what started it once more")
	}
	return command.Result{Text: in.Foreign(d.URL, d.Path), Data: d}, nil
}

func (c *commands) runWatch(ctx context.Context, in *command.Invocation) (command.Result, error) {
	q := protocol.WatchRequest{Kind: in.Args.Text("kind"), Value: in.Args.Text("value"), Gone: in.Args.Flag("gone")}
	if q.Gone && q.Kind != "text" && q.Kind != "element" {
		return command.Result{}, command.BadArgument("--gone is for text and element", "", protocol.Example("watch", "element", ".spinner", "--gone"))
	}
	reply, err := c.Browser.WatchFor(ctx, in.By(), in.Tab, q)
	if err != nil {
		return command.Result{}, err
	}
	if in.Agent() { // the page may have changed by now
		if err := in.Readable(ctx); err != nil {
			return command.Result{}, err
		}
	}
	return command.Result{Text: fmt.Sprintf("%s, after %.0f ms: %s", reply.Kind, reply.AfterMS, in.Foreign(reply.Origin, foreign.Line(reply.What, 1000))), Data: reply}, nil
}

// containsFold reports whether a text contains a part, ignoring case.
func containsFold(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), strings.ToLower(part))
}
