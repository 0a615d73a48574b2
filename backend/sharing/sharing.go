// Package sharing makes addresses at which other programs of the user, such as scripts with
// Playwright or Puppeteer, speak the DevTools protocol with tabs of a session, and serves them
// under the rules of the session. At an address of MCP a program acts as an agent, whose calls
// command.Registry judges.
package sharing

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/browser/scripts"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/op"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

// Session is what addresses need of a session that runs.
type Session struct {
	Name     protocol.SessionName
	Auth     *auth.Authority
	Endpoint *endpoint.Endpoint
	Policy   *policy.Policy
	Browser  *browser.Browser
	Recorder *recorder.Recorder
	Secrets  *secret.Store
}

// Operations are what the user does with addresses. find returns a session. The list of
// addresses and their end are those of all connected programs (package clients).
func Operations(find func(protocol.SessionName) (Session, error)) []op.Operation {
	return []op.Operation{
		op.Of(find, "Share", func(_ context.Context, s Session, call op.Call, req protocol.ShareRequest) (protocol.ShareReply, error) {
			return s.Make(call.Grant.Actor, req)
		}).At(op.Route{
			Path: "/shares", Capability: auth.CapabilityApp,
			About: "An address at which other programs speak the DevTools protocol, or MCP, with tabs of a session. /clients lists and ends them.",
		}),
	}
}

// Make makes an address.
func (s Session) Make(by protocol.Actor, req protocol.ShareRequest) (protocol.ShareReply, error) {
	life := time.Duration(req.Seconds) * time.Second
	if req.Seconds == 0 {
		life = protocol.ShareLife
	}
	if req.Seconds < 0 || life > protocol.MaxShareLife {
		return protocol.ShareReply{}, protocol.NewError(protocol.CodeBadArgument, "an address is good for at most 24 hours", "give a shorter time, such as 1h")
	}
	if s.Policy.Private() {
		return protocol.ShareReply{}, protocol.NewError(protocol.CodeRefused, "tabs of your own browser are not shared", "share those of a session with a browser of its own")
	}
	if req.Tab != "" && !s.has(req.Tab) {
		return protocol.ShareReply{}, protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %.40q", req.Tab), "", protocol.Try("lists them", "tabs"))
	}
	scopes := auth.Scopes{protocol.ScopeRead}
	if !req.Read {
		scopes = append(scopes, protocol.ScopeAct)
	}
	id := strings.ToLower(rand.Text()[:6])
	kind, address := auth.KindShare, "ws://127.0.0.1:%d"+protocol.SharePath+"%s"
	if req.MCP {
		kind, address = auth.KindShareMCP, "http://127.0.0.1:%d"+protocol.ShareMCPPath+"%s"
	}
	grant, token := s.Auth.Mint(kind, auth.Grant{
		Session: s.Name, Tab: req.Tab, Scopes: scopes,
		Actor: protocol.Actor{Kind: protocol.ActorScript, ID: id, Name: "script " + id, Tab: req.Tab},
	}, life)
	s.Recorder.Shared(by, req.Tab, fmt.Sprintf("made an address for %s, good for %s", grant.Actor.Name, life), nil)
	return protocol.ShareReply{
		Address: fmt.Sprintf(address, s.Endpoint.Port(), token.Reveal()),
		ID:      grant.ID, Expires: time.Now().Add(life),
	}, nil
}

func (s Session) has(tab protocol.TabID) bool {
	for _, t := range s.Browser.Tabs() {
		if t.ID == tab {
			return true
		}
	}
	return false
}

// Serve serves a program that comes with the grant of an address.
func (s Session) Serve(ctx context.Context, grant auth.Grant, socket scripts.Socket) error {
	r := &rules{s: s, actor: grant.Actor, read: !grant.Scopes.Has(protocol.ScopeAct), acting: map[protocol.TabID]func(){}}
	defer r.over()
	s.Recorder.Shared(grant.Actor, grant.Tab, "connected", nil)
	defer s.Recorder.Shared(grant.Actor, grant.Tab, "disconnected", nil)
	return s.Browser.Share(ctx, socket, scripts.Terms{Tab: grant.Tab, Read: r.read, Rules: r})
}

// rules are those of the session for one connection, as for an agent. Where they ask the user
// about what an agent does on a page, the user has answered by making the address; about
// sites and files they ask.
type rules struct {
	s     Session
	actor protocol.Actor
	read  bool

	mu     sync.Mutex
	acting map[protocol.TabID]func()
}

// Shows refuses the pages that no agent may see, those on whose site agents may not act, and
// those on whose site a secret of the user was entered: code could read it.
func (r *rules) Shows(address string) error {
	if address == "" || address == "about:blank" {
		return nil
	}
	if err := r.s.Policy.URL(r.actor, address); err != nil {
		return err
	}
	if r.s.Secrets.Held(policy.Origin(address)) {
		return protocol.NewError(protocol.CodeRefused, "a secret of the user was entered on this site", "")
	}
	for _, kind := range []protocol.ActionKind{protocol.ActionAct, protocol.ActionEval} {
		if !r.read && r.s.Policy.Rules().Decide(kind, address).Decision == protocol.SiteDeny {
			return protocol.NewError(protocol.CodeRefused, "the site rules let no agent act there", "")
		}
	}
	return nil
}

// Loads implements scripts.Rules.
func (r *rules) Loads(address string, document bool) error {
	if document {
		return r.s.Policy.Hop(r.actor, address, "")
	}
	return r.s.Policy.Resource(r.actor, address)
}

// Cookies needs a rule that allows it: they have what scripts of the page cannot read.
func (r *rules) Cookies(page string) error {
	if r.s.Policy.Rules().Decide(protocol.ActionCookies, page).Decision == protocol.SiteAllow {
		return nil
	}
	return protocol.NewError(protocol.CodeRefused, "no site rule allows cookies of this page to be read", "the user can allow it in Settings")
}

// Address implements scripts.Rules.
func (r *rules) Address(address string, ip netip.Addr) error { return r.s.Policy.Address(address, ip) }

// Patterns implements scripts.Rules.
func (r *rules) Patterns() []string { return r.s.Policy.Patterns() }

// Saver implements scripts.Rules.
func (r *rules) Saver(tab protocol.TabID) protocol.Saver { return saver{r, tab} }

// Acts implements scripts.Rules.
func (r *rules) Acts(tab protocol.TabID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.acting[tab] == nil {
		r.acting[tab] = r.s.Recorder.Acting(r.actor, tab)
	}
}

func (r *rules) over() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, over := range r.acting {
		over()
	}
}

// Navigates implements scripts.Rules.
func (r *rules) Navigates(tab protocol.TabID, address string) {
	r.s.Recorder.Shared(r.actor, tab, "open "+address, nil)
}

// Refused implements scripts.Rules.
func (r *rules) Refused(tab protocol.TabID, method string, why error) {
	r.s.Recorder.Shared(r.actor, tab, method+": "+protocol.AsError(why).Message, protocol.NewError(protocol.CodeRefused, method, ""))
}

// saver asks about files, as for an agent.
type saver struct {
	r   *rules
	tab protocol.TabID
}

// Asks implements protocol.Saver.
func (s saver) Asks(address string) bool { return s.r.s.Policy.Saves(s.r.actor, address) }

// Save implements protocol.Saver.
func (s saver) Save(address, name string, _ bool) func(context.Context, func()) error {
	return func(ctx context.Context, begin func()) error {
		err := s.r.s.Policy.Authorize(ctx, policy.Request{
			Actor: s.r.actor, Kind: protocol.ActionDownload, Tab: s.tab, Page: strings.TrimPrefix(address, "blob:"), Command: "download",
			Args: []protocol.ApprovalArg{{Name: "address", Value: address}, {Name: "file", Value: name}},
		})
		if err == nil {
			begin()
		}
		return err
	}
}
