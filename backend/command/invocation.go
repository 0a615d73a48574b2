package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Invocation is a call whose arguments are checked and whose tab is resolved:
// what a command gets to run.
type Invocation struct {
	Actor protocol.Actor
	Own   protocol.TabID // the caller's
	// Tab is the one to act on. A command that opens a tab sets it: its reply is
	// about that one.
	Tab  protocol.TabID
	Args Values

	registry *Registry
	// call is as it came, for commands that run others.
	call Call
	// asked is the address that the person was asked about, or may have been.
	asked string
}

// resolve finds the tab that a call means. A tab that is not open is an error
// and never another tab.
func (in *Invocation) resolve(c *Command) error {
	tabs := in.registry.browser.Tabs()
	want := in.call.Request.Tab
	if c.Tab == NoTab {
		if want == "" {
			return nil
		}
		// It has no use for a tab, or hands it on; one that is not there is a
		// mistake all the same.
		_, err := openTab(want, tabs)
		return err
	}
	if named := in.Args.Text("tab"); named != "" {
		if want != "" && string(want) != named {
			canonical, err := protocol.ParseTabID(string(want))
			if err != nil || string(canonical) != named {
				return BadArgument(fmt.Sprintf("two tabs are named, %s and %s", named, want), "name one")
			}
		}
		want = protocol.TabID(named)
	}
	if want == "" {
		want = in.Own
	}
	if want == "" && !in.Agent() {
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
	in.Tab = id
	if c.Tab == OwnTab {
		return in.registry.policy.Tab(in.Actor, in.Own, id, tabs)
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

// Agent says whether a program that acts by itself called.
func (in *Invocation) Agent() bool { return policy.Agent(in.Actor) }

// Caller names who calls: what they saw last is remembered under this.
func (in *Invocation) Caller() string { return CallerName(in.Actor) }

// CallerName is the name under which a browser remembers what an actor was shown
// and what it holds down.
func CallerName(a protocol.Actor) string { return string(a.Kind) + ":" + a.ID }

// Current is where the call's tab is; empty without one.
func (in *Invocation) Current() string {
	if in.Tab == "" {
		return ""
	}
	for _, t := range in.registry.browser.Tabs() {
		if t.ID == in.Tab {
			return t.URL
		}
	}
	return ""
}

// IsOpen says whether a tab is open.
func (in *Invocation) IsOpen(id protocol.TabID) bool {
	return slices.ContainsFunc(in.registry.browser.Tabs(), func(t protocol.Tab) bool { return t.ID == id })
}

// Allow is the rule for what the caller opens; nil for a person, whose hops are
// the browser's own business.
func (in *Invocation) Allow() func(string) error {
	if !in.Agent() {
		return nil
	}
	return func(url string) error { return in.registry.policy.Hop(in.Actor, url, in.asked) }
}

// MayOpen refuses an address that the caller may not open.
func (in *Invocation) MayOpen(url string) error { return in.registry.policy.URL(in.Actor, url) }

// MayUse refuses a tab that the caller may not act on.
func (in *Invocation) MayUse(tab protocol.TabID) error {
	return in.registry.policy.Tab(in.Actor, in.Own, tab, in.registry.browser.Tabs())
}

// Opened makes a tab the caller's own, because they opened it.
func (in *Invocation) Opened(tab protocol.TabID) { in.registry.policy.Opened(in.Actor, tab) }

// Rules are the site rules.
func (in *Invocation) Rules() *policy.Rules { return in.registry.policy.Rules() }

// Readable refuses an agent what it could not have opened: a page that went
// there by itself, or that a person opened in its tab.
func (in *Invocation) Readable(ctx context.Context) error { return in.readable(ctx, in.Tab) }

func (in *Invocation) readable(ctx context.Context, tab protocol.TabID) error {
	if !in.Agent() {
		return nil
	}
	info, err := in.registry.browser.Page(ctx, tab)
	if err != nil {
		return err
	}
	if info.URL == "" {
		return nil
	}
	return in.MayOpen(info.URL)
}

// MayRead refuses another tab that the caller may not read.
func (in *Invocation) MayRead(ctx context.Context, tab protocol.TabID) error {
	if !in.IsOpen(tab) {
		return protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(tab), "", protocol.Try("lists the tabs", "tabs"))
	}
	if err := in.MayUse(tab); err != nil {
		return err
	}
	return in.readable(ctx, tab)
}

// Named reads a list of tabs, each of which the caller may act on.
func (in *Invocation) Named(text string) ([]protocol.TabID, error) {
	var out []protocol.TabID
	open := in.registry.browser.Tabs()
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := openTab(protocol.TabID(part), open)
		if err != nil {
			return nil, err
		}
		if err := in.registry.policy.Tab(in.Actor, in.Own, id, open); err != nil {
			return nil, err
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// Foreign puts what a page wrote into words: for an agent in an envelope, for a
// person as it is, without what a terminal would obey.
func (in *Invocation) Foreign(url, text string) string {
	if !in.Agent() {
		return foreign.Clean(text)
	}
	return foreign.Envelope(foreign.Origin(url), text)
}

// Place is an address as words of ours may name it. A site writes what comes
// behind its host: an agent is told that apart, with the rest that the page says.
func (in *Invocation) Place(address string) (name string, said []string) {
	full := foreign.Line(address, foreign.URLShown)
	if !in.Agent() {
		return full, nil
	}
	site := foreign.Line(foreign.Origin(address), foreign.URLShown)
	if full == site || full == site+"/" || address == "about:blank" {
		return full, nil
	}
	return site, []string{full}
}

// quoted puts an error that repeats what a page said, and is not in an envelope
// yet, into an agent's: the text of a dialog that keeps a command from its page,
// what a script threw, and the names of what a target could have meant.
func (in *Invocation) quoted(c *Command, err error) error {
	if !in.Agent() {
		return err
	}
	e := protocol.AsError(err)
	switch {
	case e.Page == protocol.PageEnveloped:
		return err
	case e.Page == protocol.PageBare, e.Code == protocol.CodeDialog:
	case e.Code == protocol.CodeScript && c.Throws:
	case foreign.Names(e.Code) && (in.Args.Text("element") != "" || in.Args.Text("scope") != ""):
	default:
		return err
	}
	said := e.Saying(in.Foreign(in.Current(), e.Message))
	said.Page = protocol.PageEnveloped
	return said
}
