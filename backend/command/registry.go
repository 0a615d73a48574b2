package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"runtime/debug"
	"slices"
	"time"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Browser is the part of the browser that the registry uses to judge a call.
// The package catalogue declares what its commands use to run.
type Browser interface {
	Tabs() []protocol.Tab
	// WasOpen reports whether a tab of this id was open, and no longer is.
	WasOpen(tab protocol.TabID) bool
	Page(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageInfo, error)
	// Gate holds a rule over everything that a tab loads, whoever starts it. allow is asked
	// with document for pages and frames, and without it for what they load; address is
	// asked with each address of a name. saver decides about the files that the tab would
	// save. Workers that no tab has for itself load nothing that is like one of patterns.
	// A tab that is gated already takes the new rule.
	Gate(ctx context.Context, tab protocol.TabID, patterns []string, allow func(url string, document bool) error, address func(url string, ip netip.Addr) error, saver protocol.Saver) error
	// Facts describes a target. field: a text means the field that it labels.
	Facts(ctx context.Context, by protocol.Caller, tab protocol.TabID, target string, field bool) (protocol.TargetFacts, error)
	// ByHand reports whether there is no way into the browser but its panel.
	ByHand() bool
	// Carry has the panel of such a browser carry a command out on a tab, with the page's own
	// events. allow decides, with the facts about the element, whether it may be done.
	Carry(ctx context.Context, tab protocol.TabID, caller, name string, args map[string]any, allow func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply
}

// Call is one command of one caller.
type Call struct {
	Actor protocol.Actor
	// Scopes are the scopes of the caller's token.
	Scopes []protocol.Scope
	// Tab is the caller's own tab, which a request without a tab means. If it is
	// empty, that is the tab that the user looks at, for a user's shell only.
	Tab     protocol.TabID
	Request protocol.CommandRequest
	Watch   Watch
	// Confirm: an agent runs that could act with the rights of this caller, so the user
	// is asked about what an agent must not do.
	Confirm bool
	// AtAddress: the caller has an address of `pilotfish share`, which is for tabs and nothing
	// else of the session; OneTab: for its own tab, and those that pages there open.
	AtAddress, OneTab bool
	// ByPage asks only for permission: the panel carries out what is allowed.
	ByPage *protocol.ByPage
	// BesideSnapshots is set for a screenshot that no caller waits for: other commands
	// may read the tab while it is taken.
	BesideSnapshots bool
	// within is the caller of the command that runs this call as one of several;
	// empty for a call on its own.
	within protocol.Caller
}

// Watch has callbacks for what a call does besides its reply. Several
// goroutines may call them at once. Each may be nil.
type Watch struct {
	// Note is called when the call begins to run other commands, and after each of
	// them.
	Note func(Note)
	// Asking is called with a question to the user as soon as it waits; it must
	// not block.
	Asking func(protocol.Approval)
	// On is called with the tab on which the call may act, before it acts. It must not
	// block.
	On func(tab protocol.TabID)
}

// Registry runs the commands on one browser.
type Registry struct {
	browser Browser
	policy  *policy.Policy
	table   Table
	cannot  map[protocol.Capability]string
	secrets *secrets // nil: there are none
}

// New returns the registry of commands that run on a browser under a policy. cannot is what
// the browser cannot do, with why.
func New(b Browser, p *policy.Policy, commands []Command, cannot map[protocol.Capability]string) *Registry {
	return &Registry{browser: b, policy: p, table: NewTable(commands), cannot: cannot}
}

// Tabs returns the tabs of the browser.
func (r *Registry) Tabs() []protocol.Tab { return r.browser.Tabs() }

// Execute runs a command. It always returns a reply: a panic of a handler is an
// error of that call only.
func (r *Registry) Execute(ctx context.Context, call Call) (reply protocol.CommandReply) {
	began := time.Now()
	defer func() { r.mask(&reply) }()
	defer func() {
		if fault := recover(); fault != nil {
			reply = failed(reply.Tab, protocol.NewError(protocol.CodeInternal,
				fmt.Sprintf("%.60s failed: %v", call.Request.Command, fault), firstFrame()))
		}
		reply.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	}()
	c, err := r.table.command(call.Request.Command)
	if err != nil {
		return failed("", err)
	}
	if !slices.Contains(call.Scopes, c.Scope) && !mayAsk(c.Spec, call) {
		return failed("", protocol.NewError(protocol.CodeForbidden, fmt.Sprintf("%s needs the scope %q, which your token lacks", c.Name, c.Scope), "the user can run it in their own shell"))
	}
	if err := r.can(c.Needs, c.Name); err != nil {
		return failed("", err)
	}
	if err := call.atAddress(c); err != nil {
		return failed("", err)
	}
	args, err := c.Check(call.Request.Args)
	if err != nil {
		return failed("", err)
	}
	timeout, err := deadline(call.Request.TimeoutMS)
	if err != nil {
		return failed("", err)
	}
	in := &Invocation{Actor: call.Actor, Own: call.Tab, Args: args, registry: r, call: call, by: call.within}
	if err := in.resolve(c); err != nil {
		return failed("", err)
	}
	reply.Tab = in.Tab
	if c.First != nil {
		if err := c.First(in); err != nil {
			return failed(in.Tab, err)
		}
	}
	if c.Tab == OwnTab && !c.ByHand && call.ByPage == nil && r.browser.ByHand() {
		return in.carried(ctx, c)
	}
	asking, stop := ctx, context.CancelFunc(func() {})
	if call.Request.TimeoutMS != 0 { // else the user has more time to answer than the page
		asking, stop = context.WithTimeout(ctx, timeout)
	}
	err = in.authorize(asking, c)
	stop()
	if err != nil {
		return failed(in.Tab, in.located(err))
	}
	if call.Watch.On != nil && in.Tab != "" {
		call.Watch.On(in.Tab)
	}
	if call.ByPage != nil {
		return in.leave(c)
	}
	in.by = protocol.Caller{Name: in.Caller(), InOrder: in.Agent(), Acts: in.acts, Tab: in.Tab}
	res, err := in.run(ctx, c, timeout)
	if err != nil {
		return failed(in.Tab, in.located(in.quoted(c, late(c, err))))
	}
	return in.answer(c, res)
}

// can returns an error when the browser cannot do what a command needs.
func (r *Registry) can(needs protocol.Capability, command string) error {
	why := r.cannot[needs]
	if why == "" {
		return nil
	}
	return protocol.NewError(protocol.CodeRefused, command+" is not for the browser of this session: "+why, "use it in a session with a browser of its own")
}

// run runs the command. While the user is asked about a file that a page would save,
// no time passes, and the reply has the decision.
func (in *Invocation) run(ctx context.Context, c *Command, timeout time.Duration) (Result, error) {
	if !in.Agent() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return c.Run(ctx, in)
	}
	patient, cancel := newPatience(ctx, timeout)
	defer cancel()
	in.saving.begin(patient)
	defer in.saving.over()
	res, err := c.Run(patient, in) //nolint:contextcheck // it ends with ctx
	allowed, denied := in.saving.end(ctx)
	switch {
	case denied != nil:
		return Result{}, denied
	case err == nil && allowed > 0:
		res.Text += "\nthe user allowed a download; `downloads wait` prints its path"
	}
	return res, err
}

// answer makes a reply from a result.
func (in *Invocation) answer(c *Command, res Result) protocol.CommandReply {
	reply := protocol.CommandReply{OK: true, Tab: in.Tab, Text: res.Text}
	if res.Data != nil {
		data, err := json.Marshal(res.Data)
		if err != nil {
			return failed(in.Tab, fmt.Errorf("encoding the reply of %s: %w", c.Name, err))
		}
		reply.Data = data
		// What only the user writes, such as rules, is the user's.
		if c.Scope != protocol.ScopeAdmin {
			reply.Untrusted = true
			if page := in.Acted(); page != "" {
				reply.Origin = foreign.Origin(page)
			}
		}
	}
	if res.Failed != nil {
		reply.OK, reply.Error = false, protocol.AsError(res.Failed)
	}
	return reply
}

// late adds to a timeout error the suggestion of a longer timeout.
func late(c *Command, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = protocol.NewError(protocol.CodeTimeout, c.Name+" did not finish in time", "")
	}
	e := protocol.AsError(err)
	if e.Code != protocol.CodeTimeout || e.Hint != "" || len(e.Next) > 0 {
		return err
	}
	said := e.Saying(e.Message)
	said.Next = []protocol.Suggestion{protocol.MoreTime()}
	return said
}

func failed(tab protocol.TabID, err error) protocol.CommandReply {
	e := protocol.AsError(err)
	return protocol.CommandReply{Tab: tab, Text: e.Error(), Error: e}
}

// firstFrame returns a hint with the stack, shortened, for a bug report.
func firstFrame() string {
	stack := string(debug.Stack())
	return "please report it with this: " + foreign.Line(stack, 600)
}

func deadline(ms int) (time.Duration, error) {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case ms == 0:
		return protocol.CommandTimeout, nil
	case ms < 0 || d > protocol.MaxCommandTimeout || d <= 0:
		return 0, BadArgument(fmt.Sprintf("a timeout is from 1 ms to %s", protocol.MaxCommandTimeout), "", protocol.With("", "--timeout", "30s"))
	}
	return d, nil
}
