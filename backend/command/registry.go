package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Browser is what the commands need of a browser. allow is asked about every
// hop of a navigation; nil allows all.
type Browser interface {
	Tabs() []protocol.Tab
	Navigate(ctx context.Context, tab protocol.TabID, url string, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Back(ctx context.Context, tab protocol.TabID, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Forward(ctx context.Context, tab protocol.TabID, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Reload(ctx context.Context, tab protocol.TabID, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Page(ctx context.Context, tab protocol.TabID) (protocol.PageInfo, error)
	Text(ctx context.Context, tab protocol.TabID, limit int) (protocol.PageText, error)
	Screenshot(ctx context.Context, tab protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error)
	NewTab(ctx context.Context, opener protocol.TabID, background bool) (protocol.TabID, error)
	CloseTab(ctx context.Context, tab protocol.TabID) error
	ActivateTab(ctx context.Context, tab protocol.TabID) error

	actBrowser

	Pages
	stateBrowser
	watchingBrowser
	recordingBrowser
	groupsBrowser
	toolsBrowser
}

// Call is one command of one caller.
type Call struct {
	Actor protocol.Actor
	// Scopes are what the caller's token is good for.
	Scopes []protocol.Scope
	// Tab is the caller's own tab: what a request without a tab means. Empty
	// means the tab that the person looks at, for a person's shell only.
	Tab     protocol.TabID
	Request protocol.CommandRequest
	// Note keeps what the call does beside its reply, from several goroutines at
	// once; nil keeps nothing.
	Note func(Note)
	// ByPage asks for leave only: what is allowed is done by the panel.
	ByPage *protocol.ByPage
}

// Registry runs the commands on one browser.
type Registry struct {
	browser Browser
	policy  *policy.Policy
	table   Table
	// allowed are the methods of the protocol that the person allowed; nil: none.
	allowed func(agent bool) []string
}

// New returns the registry of a browser under a policy.
func New(b Browser, p *policy.Policy) *Registry {
	return &Registry{browser: b, policy: p, table: NewTable()}
}

// result is what a handler answers: words, and the same for a program.
type result struct {
	text string
	data any
	// failed is set when only a part was done; text and data say which.
	failed error
}

// invocation is a call whose arguments are checked and whose tab is resolved.
type invocation struct {
	*Registry
	actor protocol.Actor
	own   protocol.TabID // the caller's
	tab   protocol.TabID // to act on
	args  values
	// asked is the address that the person was asked about, or may have been.
	asked string
	// call is as it came, for commands that run others.
	call Call
}

// command is a spec with what it does.
type command struct {
	Spec
	// tab says which tabs the command may be aimed at.
	tab aim
	// first refuses what no word of the person can allow; nil refuses nothing.
	first func(in *invocation) error
	run   func(ctx context.Context, in *invocation) (result, error)
}

// aim is what a command needs of its tab.
type aim int

const (
	noTab  aim = iota // it is about no tab
	anyTab            // the list of tabs may be read by everybody
	ownTab            // its content, or a change: an agent needs it to be its own
)

// Execute runs a command. It always answers: a fault of a handler is an error
// of that call alone.
func (r *Registry) Execute(ctx context.Context, call Call) (reply protocol.CommandReply) {
	began := time.Now()
	defer func() {
		if fault := recover(); fault != nil {
			reply = failed(reply.Tab, protocol.NewError(protocol.CodeInternal,
				fmt.Sprintf("%.60s failed: %v", call.Request.Command, fault), firstFrame()))
		}
		reply.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	}()
	c, err := r.table.find(call.Request.Command)
	if err != nil {
		return failed("", err)
	}
	if !slices.Contains(call.Scopes, c.Scope) && !mayAsk(c.Spec, call) {
		return failed("", protocol.NewError(protocol.CodeForbidden, fmt.Sprintf("%s needs the scope %q, which your token lacks", c.Name, c.Scope), "the user can run it in their own shell"))
	}
	args, err := c.check(call.Request.Args)
	if err != nil {
		return failed("", err)
	}
	timeout, err := deadline(call.Request.TimeoutMS)
	if err != nil {
		return failed("", err)
	}
	in := &invocation{Registry: r, actor: call.Actor, own: call.Tab, args: args, call: call}
	if err := in.resolve(c, call); err != nil {
		return failed("", err)
	}
	reply.Tab = in.tab
	if c.first != nil {
		if err := c.first(in); err != nil {
			return failed(in.tab, err)
		}
	}
	asking, stop := ctx, context.CancelFunc(func() {})
	if call.Request.TimeoutMS != 0 { // else the person has longer than the page
		asking, stop = context.WithTimeout(ctx, timeout)
	}
	err = in.authorize(asking, c, call.Request)
	stop()
	if err != nil {
		return failed(in.tab, err)
	}
	if call.ByPage != nil {
		return in.leave(ctx, c)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx = protocol.WithCaller(ctx, in.caller())
	if policy.Agent(in.actor) {
		ctx = protocol.KeepOrder(ctx)
	}
	res, err := c.run(ctx, in)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = protocol.NewError(protocol.CodeTimeout, c.Name+" did not finish in time", "")
		}
		if e := protocol.AsError(err); e.Code == protocol.CodeTimeout && e.Hint == "" && len(e.Next) == 0 {
			late := e.Saying(e.Message)
			late.Next = []protocol.Suggestion{protocol.MoreTime()}
			err = late
		}
		return failed(in.tab, in.quoted(c.Name, err))
	}
	reply = protocol.CommandReply{OK: true, Tab: in.tab, Text: res.text}
	if res.data != nil {
		data, err := json.Marshal(res.data)
		if err != nil {
			return failed(in.tab, fmt.Errorf("encoding the reply of %s: %w", c.Name, err))
		}
		reply.Data = data
	}
	if res.failed != nil {
		reply.OK, reply.Error = false, protocol.AsError(res.failed)
	}
	return reply
}

func failed(tab protocol.TabID, err error) protocol.CommandReply {
	e := protocol.AsError(err)
	return protocol.CommandReply{Tab: tab, Text: e.Error(), Error: e}
}

// firstFrame is a hint of where a fault was, for the report of it.
func firstFrame() string {
	stack := string(debug.Stack())
	return "please report it with this: " + line(stack, 600)
}

func deadline(ms int) (time.Duration, error) {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case ms == 0:
		return protocol.CommandTimeout, nil
	case ms < 0 || d > protocol.MaxCommandTimeout || d <= 0:
		return 0, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a timeout is from 1 ms to %s", protocol.MaxCommandTimeout), "", protocol.With("", "--timeout", "30s"))
	}
	return d, nil
}

// resolve finds the tab that a call means. A tab that is not open is an error
// and never another tab.
func (in *invocation) resolve(c *command, call Call) error {
	tabs := in.browser.Tabs()
	want := call.Request.Tab
	if c.tab == noTab {
		if want == "" {
			return nil
		}
		// It has no use for a tab, or hands it on; one that is not there is a
		// mistake all the same.
		_, err := openTab(want, tabs)
		return err
	}
	if named := in.args.text("tab"); named != "" {
		if want != "" && string(want) != named {
			canonical, err := protocol.ParseTabID(string(want))
			if err != nil || string(canonical) != named {
				return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("two tabs are named, %s and %s", named, want), "name one")
			}
		}
		want = protocol.TabID(named)
	}
	if want == "" {
		want = call.Tab
	}
	if want == "" && !policy.Agent(call.Actor) {
		for _, t := range tabs {
			if t.Focused || (want == "" && t.Active) {
				want = t.ID
			}
		}
	}
	if want == "" {
		return protocol.NewError(protocol.CodeUnknownTab, "no tab was given, and you have none of your own", "", protocol.With("names one", "--tab", "t1"), protocol.Try("lists them", "tabs"))
	}
	id, err := openTab(want, tabs)
	if err != nil {
		return err
	}
	in.tab = id
	if c.tab == ownTab {
		return in.policy.Tab(in.actor, in.own, id, tabs)
	}
	return nil
}

// openTab is the id of a tab that is open, however it is written.
func openTab(want protocol.TabID, tabs []protocol.Tab) (protocol.TabID, error) {
	id, err := protocol.ParseTabID(string(want))
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(tabs, func(t protocol.Tab) bool { return t.ID == id }) {
		return "", protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(id), "", protocol.Try("lists the tabs", "tabs"))
	}
	return id, nil
}

// allow is the rule for what the caller opens; nil for a person, whose hops are
// the browser's own business.
func (in *invocation) allow() func(string) error {
	if !policy.Agent(in.actor) {
		return nil
	}
	return func(url string) error { return in.policy.Hop(in.actor, url, in.asked) }
}

// readable refuses an agent what it could not have opened: a page that went
// there by itself, or that a person opened in its tab.
func (in *invocation) readable(ctx context.Context) error {
	if !policy.Agent(in.actor) {
		return nil
	}
	info, err := in.browser.Page(ctx, in.tab)
	if err != nil {
		return err
	}
	if info.URL == "" {
		return nil
	}
	return in.policy.URL(in.actor, info.URL)
}

// foreign puts what a page wrote into words: for an agent in an envelope, for a
// person as it is, without what a terminal would obey.
func (in *invocation) foreign(url, text string) string {
	if !policy.Agent(in.actor) {
		return clean(text)
	}
	return envelope(origin(url), text)
}
