package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// watchingBrowser is what the commands that watch need of a browser.
type watchingBrowser interface {
	Console(ctx context.Context, tab protocol.TabID, after int) (protocol.ConsoleLog, error)
	ClearConsole(ctx context.Context, tab protocol.TabID) error
	StopConsole(ctx context.Context, tab protocol.TabID) error
	Network(ctx context.Context, tab protocol.TabID) (protocol.NetworkLog, error)
	ClearNetwork(ctx context.Context, tab protocol.TabID) error
	StopNetwork(ctx context.Context, tab protocol.TabID) error
	NetworkBody(ctx context.Context, tab protocol.TabID, request string, save bool) (protocol.NetworkBody, error)
	HAR(ctx context.Context, tab protocol.TabID, bodies, secrets bool) (protocol.SavedFile, error)
	NetworkRules(tab protocol.TabID) []protocol.NetworkRule
	AddNetworkRule(ctx context.Context, tab protocol.TabID, rule protocol.NetworkRule) error
	RemoveNetworkRules(ctx context.Context, tab protocol.TabID, pattern string) (int, error)
	Dialogs(ctx context.Context, tab protocol.TabID, policy, text string) (protocol.DialogLog, error)
	Downloads() []protocol.Download
	WaitDownload(ctx context.Context, id string, tab protocol.TabID) (protocol.Download, error)
	NextDownload(ctx context.Context, tab protocol.TabID, known map[string]bool) (protocol.Download, error)
	WatchFor(ctx context.Context, tab protocol.TabID, q protocol.WatchRequest) (protocol.WatchReply, error)
}

func watchingCommands() []command {
	read, act := protocol.ScopeRead, protocol.ScopeAct
	return []command{
		{Spec: Spec{
			Name: "console", Scope: read, Summary: "print what the page wrote to its console, with errors and where they came from",
			Help: "The first call starts recording, and prints what the browser still has from before.",
			Args: []Arg{
				doArg("list", "clear", "stop"),
				{Name: "level", Type: String, Flag: true, Choices: []string{"error", "warning", "info", "log", "debug"}, Help: "only this level and worse"},
				{Name: "find", Type: String, Flag: true, Help: "only entries with this text"},
				{Name: "after", Type: Integer, Flag: true, Min: 0, Max: 1 << 30, Help: "only entries after this number"},
				maxArg(),
			},
			Returns: "entries, dropped, since", Examples: []string{"console", "console --level error", "console clear"},
		}, tab: ownTab, run: runConsole},
		{Spec: Spec{
			Name: "network", Scope: act, Summary: "list the page's network requests, show one, export HAR; block, mock or slow down requests",
			Help: "The first call starts recording; reload to see the page's own requests. In a pattern * stands for any text; a pattern without * matches a part of the address. Cookies and credentials are masked for agents.",
			Args: []Arg{
				doArg("list", "show", "body", "har", "block", "mock", "unblock", "rules", "throttle", "clear", "stop"),
				{Name: "what", Type: String, Help: "a request such as n3 (show, body), a pattern (block, mock, unblock) or a network (throttle)"},
				{Name: "find", Type: String, Flag: true, Help: "list: only addresses with this text"},
				{Name: "type", Type: String, Flag: true, Help: "list: only of this type, such as fetch, xhr, document, script, image"},
				{Name: "method", Type: String, Flag: true, Help: "list: only of this method"},
				{Name: "failed", Type: Boolean, Flag: true, Help: "list: only what failed or was answered with 400 or more"},
				{Name: "status", Type: Integer, Flag: true, Min: 100, Max: 599, Default: "200", Help: "list: only with this status; mock: answer with it"},
				{Name: "body", Type: String, Flag: true, Help: "mock: the body of the answer"},
				{Name: "headers", Type: Lines, Flag: true, Secret: true, Help: "mock: headers of the answer, each as 'Name: value'"},
				{Name: "bodies", Type: Boolean, Flag: true, Help: "har: include the bodies that are still available"},
				{Name: "save", Type: Boolean, Flag: true, Help: "body: into a file"},
				maxArg(),
			},
			Returns:  "the requests, one request, a body, a file, or the rules",
			Examples: []string{"network", "network --failed", "network body n3", "network har --bodies", `network mock '*/api/user' --body '{"name":"Ann"}'`, "network block '*.png'", "network throttle slow-3g"},
		}, tab: ownTab, run: runNetwork},
		{Spec: Spec{
			Name: "dialogs", Scope: act, Summary: "list the dialogs that the page showed, or set how the next ones are answered",
			Help: "Dialogs are alert, confirm, prompt and the question whether to leave. The policy applies to this tab until it is changed.",
			Args: []Arg{
				{Name: "policy", Type: String, Choices: []string{"leave", "accept", "dismiss"}, Help: "how to answer every dialog; leave: show it to the user"},
				{Name: "text", Type: String, Flag: true, Help: "for a prompt that is accepted"},
				maxArg(),
			},
			Returns: "policy, entries", Examples: []string{"dialogs", "dialogs accept --text Ann", "dialogs leave"},
		}, tab: ownTab, run: runDialogs},
		{Spec: Spec{
			Name: "downloads", Scope: read, Summary: "list the downloads, or wait for one and print its path",
			Args: []Arg{
				doArg("list", "wait", "path"),
				{Name: "id", Type: String, Help: "such as d2; the newest of the tab if left out"},
				maxArg(),
			},
			Returns: "the downloads, or one", Examples: []string{"downloads", "downloads wait", "downloads path d2"},
		}, tab: ownTab, run: runDownloads},
		{Spec: Spec{
			Name: "watch", Scope: read, Summary: "wait until something happens in the tab, and report it",
			Help: "Looks for texts and elements in all frames, and does not block the tab for others. console, request and download report what happens from now on, and a download that is already done. In url, console, request and download * stands for any text.",
			Args: []Arg{
				{Name: "kind", Type: String, Required: true, Choices: []string{"text", "element", "url", "console", "request", "download"}, Help: "what to watch"},
				{Name: "value", Type: String, Required: true, Help: "the text or /expression/; the element, such as role=button name=Save; or a pattern"},
				{Name: "gone", Type: Boolean, Flag: true, Help: "wait until the text or element is gone"},
			},
			Returns: "kind, what, afterMs", Examples: []string{"watch text 'Order complete'", "watch url '*/done' --timeout 60s", "watch element .spinner --gone"},
		}, tab: ownTab, run: runWatch},
	}
}

func runConsole(ctx context.Context, in *invocation) (result, error) {
	switch in.do("list") {
	case "clear":
		return result{text: "the console of " + string(in.tab) + " is empty"}, in.browser.ClearConsole(ctx, in.tab)
	case "stop":
		return result{text: "the console of " + string(in.tab) + " is not watched any more"}, in.browser.StopConsole(ctx, in.tab)
	}
	l, err := in.browser.Console(ctx, in.tab, in.args.number("after"))
	if err != nil {
		return result{}, err
	}
	worst := []string{"error", "warning", "info", "log", "debug"}
	level := slices.Index(worst, in.args.text("level"))
	kept := []protocol.ConsoleEntry{}
	var lines []string
	for _, e := range l.Entries {
		if (level >= 0 && slices.Index(worst, e.Level) > level) || !found(e.Text, in.args.text("find")) {
			continue
		}
		kept = append(kept, e)
		text := fmt.Sprintf("%d %s: %s", e.N, e.Level, line(e.Text, 2000))
		if e.URL != "" {
			text += fmt.Sprintf(" (%s:%d)", line(e.URL, urlShown), e.Line)
		}
		if e.Level == "error" {
			for _, s := range e.Stack {
				text += "\n    at " + line(s, urlShown)
			}
		}
		lines = append(lines, text)
	}
	l.Entries = kept
	text := in.rows(in.current(), lines, "the console is empty")
	if l.Dropped > 0 {
		text += fmt.Sprintf("\n(%d older entries are not kept any more)", l.Dropped)
	}
	return result{text: text, data: l}, nil
}

func runNetwork(ctx context.Context, in *invocation) (result, error) {
	what := in.args.text("what")
	do := in.do("list")
	switch do {
	case "show", "body":
		if err := in.needs("network "+do, "what", "network "+do+" n3"); err != nil {
			return result{}, err
		}
	case "block", "mock":
		if err := in.needs("network "+do, "what", "network "+do+" '*/api/*'"); err != nil {
			return result{}, err
		}
	}
	switch do {
	case "clear":
		return result{text: "the requests of " + string(in.tab) + " are forgotten"}, in.browser.ClearNetwork(ctx, in.tab)
	case "stop":
		return result{text: "the network of " + string(in.tab) + " is not watched any more"}, in.browser.StopNetwork(ctx, in.tab)
	case "show":
		return in.networkShow(ctx, what)
	case "body":
		return in.networkBody(ctx, what)
	case "har":
		f, err := in.browser.HAR(ctx, in.tab, in.args.flag("bodies"), !in.agent())
		return result{text: fileText(f, "request"), data: f}, err
	case "throttle":
		return in.throttle(ctx, what)
	case "block", "mock", "unblock", "rules":
		return in.networkRules(ctx, do, what)
	}
	return in.networkList(ctx)
}

func (in *invocation) throttle(ctx context.Context, name string) (result, error) {
	c, ok := conditions()[name]
	if !ok && name != "off" {
		return result{}, badArgument(fmt.Sprintf("there is no network %.40q", name), "use offline, slow-3g, fast-3g, slow-4g, fast-4g, dsl or off")
	}
	return in.emulate(ctx, func(e *protocol.Emulation) {
		e.Network = nil
		if name != "off" {
			c.Name = name
			e.Network = &c
		}
	})
}

func (in *invocation) networkRules(ctx context.Context, do, what string) (result, error) {
	switch do {
	case "unblock":
		if _, err := in.browser.RemoveNetworkRules(ctx, in.tab, what); err != nil {
			return result{}, err
		}
	case "block", "mock":
		rule := protocol.NetworkRule{Pattern: what, Block: do == "block"}
		if do == "mock" {
			headers, err := readHeaders(in.args.list("headers"))
			if err != nil {
				return result{}, err
			}
			rule.Headers, rule.Body, rule.Status = headers, in.args.text("body"), in.args.number("status")
			if rule.Status == 0 {
				rule.Status = 200
			}
		}
		if err := in.browser.AddNetworkRule(ctx, in.tab, rule); err != nil {
			return result{}, err
		}
	}
	rules := in.browser.NetworkRules(in.tab)
	var lines []string
	for _, r := range rules {
		how := fmt.Sprintf("%d, %d bytes", r.Status, len(r.Body))
		if r.Block {
			how = "blocked"
		}
		lines = append(lines, fmt.Sprintf("%s  %s  used %s", line(r.Pattern, urlShown), how, plural(r.Hits, "time")))
	}
	return result{text: listed(lines, in.args.number("max"), "nothing is blocked or mocked in "+string(in.tab)), data: rules}, nil
}

// secretHeaders let their holder act for the person.
var secretHeaders = map[string]bool{
	"cookie": true, "set-cookie": true, "authorization": true, "proxy-authorization": true, "x-api-key": true, "x-auth-token": true, "x-csrf-token": true, "x-xsrf-token": true,
}

// forAgents masks what an agent is not to have of a request.
func (in *invocation) forAgents(e protocol.NetworkEntry) protocol.NetworkEntry {
	if !in.agent() {
		return e
	}
	for _, h := range []map[string]string{e.RequestHeaders, e.ResponseHeaders} {
		for name, value := range h {
			if secretHeaders[strings.ToLower(name)] {
				h[name] = masked(value)
			}
		}
	}
	e.PostData = masked(e.PostData) // a form that the person sent has their password in it
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
	text := fmt.Sprintf("%s %s %s %s  %s", e.ID, how, e.Method, e.Type, line(e.URL, urlShown))
	if e.Done {
		text += fmt.Sprintf("  %.1f KB, %.0f ms", float64(e.Bytes)/1024, e.DurationMS)
	}
	if e.From != "" {
		text += ", from " + e.From
	}
	return text
}

func (in *invocation) networkList(ctx context.Context) (result, error) {
	l, err := in.browser.Network(ctx, in.tab)
	if err != nil {
		return result{}, err
	}
	kept := []protocol.NetworkEntry{}
	var lines []string
	for _, e := range l.Entries {
		switch {
		case !found(e.URL, in.args.text("find")),
			in.args.text("type") != "" && !strings.EqualFold(e.Type, in.args.text("type")),
			in.args.text("method") != "" && !strings.EqualFold(e.Method, in.args.text("method")),
			in.args.given("status") && e.Status != in.args.number("status"),
			in.args.flag("failed") && e.Failed == "" && e.Status < 400:
			continue
		}
		kept = append(kept, in.forAgents(e))
		lines = append(lines, requestLine(e))
	}
	l.Entries = kept
	text := in.rows(in.current(), lines, "no such request since "+string(in.tab)+" is watched; a reload shows the page's own")
	if l.Dropped > 0 {
		text += fmt.Sprintf("\n(%d older requests are not kept any more)", l.Dropped)
	}
	return result{text: text, data: l}, nil
}

func (in *invocation) networkShow(ctx context.Context, id string) (result, error) {
	l, err := in.browser.Network(ctx, in.tab)
	if err != nil {
		return result{}, err
	}
	for _, e := range l.Entries {
		if e.ID != id {
			continue
		}
		e = in.forAgents(e)
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
				lines = append(lines, fmt.Sprintf("%s %s: %s", part.mark, line(n, 100), line(part.headers[n], 1000)))
			}
		}
		if e.PostData != "" {
			lines = append(lines, "> "+line(e.PostData, 4000))
		}
		return result{text: in.foreign(e.URL, strings.Join(lines, "\n")), data: e}, nil
	}
	return result{}, badArgument(fmt.Sprintf("there is no request %.40q in %s", id, in.tab), "", protocol.Try("lists them", "network"))
}

func (in *invocation) networkBody(ctx context.Context, id string) (result, error) {
	b, err := in.browser.NetworkBody(ctx, in.tab, id, in.args.flag("save"))
	if err != nil {
		return result{}, err
	}
	if in.agent() { // what an agent may not open it may not read here either
		if err := in.policy.URL(in.actor, b.Entry.URL); err != nil {
			return result{}, err
		}
	}
	b.Entry = in.forAgents(b.Entry)
	if b.Path != "" {
		b.Text = ""
		return result{text: fmt.Sprintf("%s\n%d bytes", b.Path, b.Bytes), data: b}, nil
	}
	if b.Text == "" && b.Bytes > 0 {
		return result{text: fmt.Sprintf("%d bytes of %s; --save writes them into a file", b.Bytes, line(b.Entry.MIME, 80)), data: b}, nil
	}
	runes := []rune(b.Text)
	more, limit := "", bodyShown
	if n := in.args.number("max"); n > 0 {
		limit = n
	}
	if len(runes) > limit {
		b.Text = string(runes[:limit])
		more = fmt.Sprintf("\n(%d of %d characters; --save writes all into a file)", limit, len(runes))
	}
	return result{text: in.foreign(b.Entry.URL, b.Text) + more, data: b}, nil
}

// bodyShown is how much of a body a reply carries, in characters.
const bodyShown = 20_000

func runDialogs(ctx context.Context, in *invocation) (result, error) {
	l, err := in.browser.Dialogs(ctx, in.tab, in.args.text("policy"), in.args.text("text"))
	if err != nil {
		return result{}, err
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
		text := fmt.Sprintf("%d %s %q: %s", d.N, d.Type, line(d.Message, 500), how)
		if d.Answer != "" {
			text += fmt.Sprintf(" with %q", line(d.Answer, 200))
		}
		lines = append(lines, text)
	}
	return result{text: "policy: " + l.Policy + "\n" + in.rows(in.current(), lines, "no dialog since it is watched"), data: l}, nil
}

func runDownloads(ctx context.Context, in *invocation) (result, error) {
	id, do := in.args.text("id"), in.do("list")
	mine := func(d protocol.Download) bool {
		return !in.agent() || (d.Tab != "" && in.policy.Tab(in.actor, in.own, d.Tab, in.browser.Tabs()) == nil)
	}
	var list []protocol.Download
	for _, d := range in.browser.Downloads() {
		if mine(d) {
			list = append(list, d)
		}
	}
	if do == "list" {
		var lines []string
		for _, d := range list {
			text := fmt.Sprintf("%s %s %s", d.ID, d.State, line(d.Name, 200))
			switch d.State {
			case "running":
				text += fmt.Sprintf("  %d of %d bytes", d.Received, d.Total)
			case "done":
				text += fmt.Sprintf("  %d bytes  %s", d.Received, d.Path)
			}
			lines = append(lines, text)
		}
		return result{text: in.rows(in.current(), lines, "no downloads"), data: list}, nil
	}
	if id != "" && !slices.ContainsFunc(list, func(d protocol.Download) bool { return d.ID == id }) {
		return result{}, badArgument(fmt.Sprintf("there is no download %.40q", id), "", protocol.Try("lists them", "downloads"))
	}
	if do == "path" && !slices.ContainsFunc(list, func(d protocol.Download) bool { return (id == "" || d.ID == id) && d.State == "done" }) {
		return result{}, badArgument("that download is not done", "", protocol.Try("waits for it", "downloads", "wait"))
	}
	d, err := in.browser.WaitDownload(ctx, id, in.tab)
	if err != nil {
		return result{}, err
	}
	if !mine(d) {
		return result{}, protocol.NewError(protocol.CodeRefused, "that download is not yours", "", protocol.Try("lists yours", "downloads"))
	}
	if d.State != "done" {
		return result{}, protocol.NewError(protocol.CodeNavigation, "the download "+d.ID+" was canceled", "do what started it once more")
	}
	return result{text: in.foreign(d.URL, d.Path), data: d}, nil
}

func runWatch(ctx context.Context, in *invocation) (result, error) {
	q := protocol.WatchRequest{Kind: in.args.text("kind"), Value: in.args.text("value"), Gone: in.args.flag("gone")}
	if q.Gone && q.Kind != "text" && q.Kind != "element" {
		return result{}, badArgument("--gone is for text and element", "", protocol.Example("watch", "element", ".spinner", "--gone"))
	}
	reply, err := in.browser.WatchFor(ctx, in.tab, q)
	if err != nil {
		return result{}, err
	}
	if policy.Agent(in.actor) { // the page may be another by now
		if err := in.readable(ctx); err != nil {
			return result{}, err
		}
	}
	return result{text: fmt.Sprintf("%s, after %.0f ms: %s", reply.Kind, reply.AfterMS, in.foreign(reply.Origin, line(reply.What, 1000))), data: reply}, nil
}
