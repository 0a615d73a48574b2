package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Invocation is a call with checked arguments and a resolved tab. A command's
// handler gets it.
type Invocation struct {
	Actor protocol.Actor
	Own   protocol.TabID // the caller's own tab
	// Tab is the tab to act on. A command that opens a tab sets it, so that its
	// reply is about the new tab.
	Tab  protocol.TabID
	Args Values

	registry *Registry
	// call is the unchanged call, for commands that run others.
	call Call
	// asked is the address that the call opens, about which the user was asked if
	// the rules say so.
	asked string
	// judged is the page that the call was judged on; acts refuses to act on another
	// one; see stands.
	judged string
	acts   func(address string) error
	// shown is what the user was shown of what the call replaces.
	shown []protocol.ApprovalArg
	// secret is the secret that the call may use; its Name is empty for none.
	secret protocol.Secret
	// saving is about files that pages of the tab would save.
	saving saving
	// by is the caller that the browser sees; see By.
	by protocol.Caller
}

// resolve finds the tab that a call means. If that tab is not open, resolve
// returns an error and never uses another tab.
func (in *Invocation) resolve(c *Command) error {
	tabs := in.Tabs()
	want := in.call.Request.Tab
	named := in.Args.Text("tab")
	if named != "" && want != "" && string(want) != named {
		canonical, err := protocol.ParseTabID(string(want))
		if err != nil || string(canonical) != named {
			return BadArgument(fmt.Sprintf("two tabs are named, %s and %s", named, want), "name one")
		}
	}
	if c.Tab == NoTab {
		if want == "" {
			return nil
		}
		// The command does not need a tab, or passes it on. A tab that does not exist
		// is still an error.
		_, err := in.openTab(want, tabs)
		return err
	}
	if named != "" {
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
	id, err := in.openTab(want, tabs)
	if err != nil {
		return err
	}
	in.Tab = id
	if c.Tab == OwnTab || in.call.AtAddress {
		return in.registry.policy.Tab(in.Actor, in.Own, id, tabs)
	}
	return nil
}

// Private reports whether the browser is the user's own.
func (in *Invocation) Private() bool { return in.registry.policy.Private() }

// Can returns an error when the browser cannot do what a part of the command needs.
func (in *Invocation) Can(needs protocol.Capability) error {
	return in.registry.can(needs, in.call.Request.Command)
}

// Tabs returns the open tabs of which the caller may know.
func (in *Invocation) Tabs() []protocol.Tab {
	return in.registry.policy.Sees(in.Actor, in.Own, in.registry.browser.Tabs())
}

// openTab returns the id of an open tab in its canonical form.
func (in *Invocation) openTab(want protocol.TabID, tabs []protocol.Tab) (protocol.TabID, error) {
	id, err := protocol.ParseTabID(string(want))
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(tabs, func(t protocol.Tab) bool { return t.ID == id }) {
		if err := in.MayUse(id); in.IsOpen(id) && err != nil {
			return "", err // the caller may not know of it
		}
		return "", in.unknownTab(id)
	}
	return id, nil
}

// unknownTab returns the error for an id that no open tab has.
func (in *Invocation) unknownTab(id protocol.TabID) error {
	if len(in.registry.browser.Tabs()) == 0 { // one that runs has a tab
		return protocol.NewError(protocol.CodeNotRunning, "the browser is starting, and has no tab "+string(id)+" yet", "repeat the command in a moment", protocol.Try("lists the tabs", "tabs"))
	}
	message := "there is no tab " + string(id)
	if in.registry.browser.WasOpen(id) {
		message = "tab " + string(id) + " is closed"
	}
	return protocol.NewError(protocol.CodeUnknownTab, message, "", protocol.Try("lists the tabs", "tabs"))
}

// Agent reports whether the caller is a program that acts by itself.
func (in *Invocation) Agent() bool { return policy.Agent(in.Actor) }

// Caller returns the name under which the browser stores what the caller saw
// last.
func (in *Invocation) Caller() string { return CallerName(in.Actor) }

// By returns the caller that the browser sees. While the command runs, that is
// the caller of the command; before that, while the call is judged, it is the
// caller of the command that runs this one, or nobody.
func (in *Invocation) By() protocol.Caller { return in.by }

// Shown reports whether the user was shown exactly this difference; see
// Command.Replaces.
func (in *Invocation) Shown(difference []protocol.ApprovalArg) bool {
	return slices.Equal(in.shown, difference)
}

// Means replaces an argument that names files by what it means, before anybody is asked:
// the user is shown that, and the command runs with it.
func (in *Invocation) Means(name string, files []string) error {
	raw, err := json.Marshal(files)
	if err != nil {
		return err
	}
	in.Args, in.call.Request.Args = maps.Clone(in.Args), maps.Clone(in.call.Request.Args)
	in.Args[name], in.call.Request.Args[name] = files, raw
	return nil
}

// BesideSnapshots reports whether the call takes a screenshot that no caller waits
// for.
func (in *Invocation) BesideSnapshots() bool { return in.call.BesideSnapshots }

// CallerName returns the name under which a browser stores what an actor was
// shown and which keys and buttons it holds down.
func CallerName(a protocol.Actor) string { return string(a.Kind) + ":" + a.ID }

// Current returns the address of the call's tab; empty without a tab.
func (in *Invocation) Current() string { return in.address(in.Tab) }

func (in *Invocation) address(tab protocol.TabID) string {
	if tab == "" {
		return ""
	}
	for _, t := range in.registry.browser.Tabs() {
		if t.ID == tab {
			return t.URL
		}
	}
	return ""
}

// Acted is the page that the call acted on: the one that it was judged on, and otherwise
// where its tab is. The tab may have gone elsewhere meanwhile.
func (in *Invocation) Acted() string {
	if in.judged != "" {
		return in.judged
	}
	return in.Current()
}

// IsOpen says whether a tab is open.
func (in *Invocation) IsOpen(id protocol.TabID) bool {
	return slices.ContainsFunc(in.registry.browser.Tabs(), func(t protocol.Tab) bool { return t.ID == id })
}

// Allow returns the check for every hop of a navigation by the caller; nil for
// a user, whose navigations are not checked.
func (in *Invocation) Allow() func(string) error {
	if !in.Agent() {
		return nil
	}
	return func(url string) error { return in.registry.policy.Hop(in.Actor, url, in.asked) }
}

// MayOpen returns an error for an address that the caller may not open.
func (in *Invocation) MayOpen(url string) error { return in.registry.policy.URL(in.Actor, url) }

// MayUse returns an error for a tab that the caller may not act on.
func (in *Invocation) MayUse(tab protocol.TabID) error {
	return in.registry.policy.Tab(in.Actor, in.Own, tab, in.registry.browser.Tabs())
}

// Opened makes a tab the caller's own, because the caller opened it.
func (in *Invocation) Opened(tab protocol.TabID) { in.registry.policy.Opened(in.Actor, tab) }

// Rules returns the site rules.
func (in *Invocation) Rules() *policy.Rules { return in.registry.policy.Rules() }

// Readable returns an error when an agent's tab shows a page that the agent may
// not open: the page may have navigated by itself, or the user opened it in the
// agent's tab.
func (in *Invocation) Readable(ctx context.Context) error { return in.readable(ctx, in.Tab) }

// MayShow returns the check of an address whose contents the caller of in is shown; nil
// for a user, who may read everything.
func MayShow(in *Invocation) func(url string) error {
	if !in.Agent() {
		return nil
	}
	return func(url string) error {
		if url == "" {
			return nil // the tab has not loaded a page yet
		}
		return in.MayOpen(url)
	}
}

func (in *Invocation) readable(ctx context.Context, tab protocol.TabID) error {
	allow := MayShow(in)
	if allow == nil {
		return nil
	}
	info, err := in.registry.browser.Page(ctx, in.By(), tab)
	if err != nil {
		return err
	}
	return allow(info.URL)
}

// MayRead returns an error for another tab that the caller may not read.
func (in *Invocation) MayRead(ctx context.Context, tab protocol.TabID) error {
	if !in.IsOpen(tab) {
		return in.unknownTab(tab)
	}
	if err := in.MayUse(tab); err != nil {
		return err
	}
	return in.readable(ctx, tab)
}

// Named parses a list of tabs. It returns an error if the caller may not act on
// one of them.
func (in *Invocation) Named(text string) ([]protocol.TabID, error) {
	var out []protocol.TabID
	open := in.Tabs()
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := in.openTab(protocol.TabID(part), open)
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

// Foreign returns text of a page for the reply: for an agent in an envelope,
// for a user without what a terminal would interpret.
func (in *Invocation) Foreign(url, text string) string {
	if !in.Agent() {
		return foreign.Clean(text)
	}
	return foreign.Envelope(foreign.Origin(url), text)
}

// Place returns an address as it may appear outside an envelope. A site
// controls everything after its host; for an agent, the full address is
// therefore returned apart, in said, with the other text of the page.
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

// quoted puts an error that repeats text of the page, and is not in an envelope
// yet, into an agent's envelope: the text of a dialog that blocks a command,
// what a script threw, and the names of the elements that a target could have
// meant.
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
	said := e.Saying(in.Foreign(in.Acted(), e.Message))
	said.Page = protocol.PageEnveloped
	return said
}

// located adds the tab, and where it is, to an error that finds no element there: a
// caller that names no tab may mean another one than the one in front.
func (in *Invocation) located(err error) error {
	e := protocol.AsError(err)
	switch e.Code {
	case protocol.CodeNoElement, protocol.CodeAmbiguous, protocol.CodeGone:
	default:
		return err
	}
	if in.Tab == "" {
		return err
	}
	place, _ := in.Place(in.Acted())
	return e.Saying(fmt.Sprintf("%s (%s is at %s)", e.Message, in.Tab, place))
}
