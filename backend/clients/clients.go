// Package clients lists the programs that use Pilotfish with a token, and revokes one:
// its connections close at once, and its next request is refused with what to do. The
// side panel and the command line belong to Pilotfish, so they get a new token instead.
package clients

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/caller"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Config is what New needs. All fields are required.
type Config struct {
	Auth    *auth.Authority
	Callers *caller.Resolver
	// RenewPanel gives the panel of a session a new token, and RenewShell the command
	// line. They do not end the old one.
	RenewPanel func(protocol.SessionName)
	Endpoint   *endpoint.Endpoint
}

// Clients are the programs with tokens. Its methods are safe for concurrent use.
type Clients struct{ cfg Config }

// New returns the clients.
func New(cfg Config) *Clients { return &Clients{cfg: cfg} }

// Do carries out a request, and returns all clients.
func (c *Clients) Do(req protocol.ClientsRequest) (protocol.ClientsReply, error) {
	var err error
	switch req.Do {
	case protocol.ClientsList:
	case protocol.ClientsRevoke:
		err = c.revoke(req.ID)
	case protocol.ClientsAllow:
		err = c.allow(req.ID)
	default:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("clients cannot %.40q", req.Do), "use list, revoke or allow")
	}
	return protocol.ClientsReply{Clients: c.list()}, err
}

// list returns the clients: by kind, then by session, then the oldest first.
func (c *Clients) list() []protocol.Client {
	list := []protocol.Client{}
	for _, h := range c.holders() {
		one := protocol.Client{ID: h.Grant.ID, Kind: kindOf(h.Grant), Name: c.name(h.Grant), Session: h.Grant.Session, Tab: h.Grant.Tab, Made: h.Made, Open: h.Open}
		if one.Kind == protocol.ClientScript || one.Kind == protocol.ClientControl {
			one.Expires = &h.Expires
		}
		if !h.Used.IsZero() {
			used := h.Used
			one.Used = &used
		}
		list = append(list, one)
	}
	for _, gone := range c.cfg.Callers.Revoked() {
		at := gone.At
		list = append(list, protocol.Client{ID: gone.Actor.ID, Kind: protocol.ClientMCP, Name: gone.Actor.Agent, Made: at, Revoked: &at})
	}
	slices.SortFunc(list, func(a, b protocol.Client) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), protocol.CompareSessions(a.Session, b.Session), a.Made.Compare(b.Made), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// holders returns the grants that are shown. The agent process of several conversations
// is one client with them: revoking it ends theirs.
func (c *Clients) holders() []auth.Holder {
	all := c.cfg.Auth.Holders()
	shared := map[string]*auth.Holder{}
	for i := range all {
		if all[i].Grant.Shared {
			shared[all[i].Grant.ID] = &all[i]
		}
	}
	for _, h := range all {
		if process := shared[h.Grant.Parent]; process != nil {
			process.Open += h.Open
			if h.Used.After(process.Used) {
				process.Used = h.Used
			}
		}
	}
	return slices.DeleteFunc(all, func(h auth.Holder) bool {
		return h.Grant.Kind == auth.KindAttach || shared[h.Grant.Parent] != nil
	})
}

func kindOf(g auth.Grant) protocol.ClientKind {
	switch {
	case g.Kind == auth.KindPanel:
		return protocol.ClientPanel
	case g.Kind == auth.KindCLI:
		return protocol.ClientShell
	case g.Kind == auth.KindShare, g.Kind == auth.KindShareMCP:
		return protocol.ClientScript
	case g.Kind == auth.KindControl:
		return protocol.ClientControl
	case g.Actor.Kind == protocol.ActorMCP:
		return protocol.ClientMCP
	case g.Actor.Kind == protocol.ActorTerminal:
		return protocol.ClientTerminal
	default:
		return protocol.ClientChat
	}
}

// rank is the order of the kinds in a list.
func rank(kind protocol.ClientKind) int {
	return slices.Index([]protocol.ClientKind{protocol.ClientMCP, protocol.ClientScript, protocol.ClientTerminal, protocol.ClientChat, protocol.ClientControl, protocol.ClientPanel, protocol.ClientShell}, kind)
}

func (c *Clients) name(g auth.Grant) string {
	switch kindOf(g) {
	case protocol.ClientPanel:
		return "Side panel"
	case protocol.ClientShell:
		return "Command line"
	case protocol.ClientControl:
		return controlpage.Name(g)
	case protocol.ClientMCP:
		return cmp.Or(c.cfg.Callers.Names(g), g.Actor.Agent)
	case protocol.ClientScript:
		name := "Shared address"
		if g.Kind == auth.KindShareMCP {
			name += " of MCP"
		}
		if !g.Scopes.Has(protocol.ScopeAct) {
			name += ", to read"
		}
		return name
	default:
		return cmp.Or(g.Actor.Agent, "Shell")
	}
}

// find returns the client that an ID means, or the only one that begins with it.
func (c *Clients) find(id string) (protocol.Client, error) {
	var found []protocol.Client
	for _, one := range c.list() {
		if id != "" && len(one.ID) >= len(id) && strings.EqualFold(one.ID[:len(id)], id) {
			found = append(found, one)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return protocol.Client{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("no connected client has the id %.40q", id), "it may have ended by itself; `pilotfish clients` lists them")
	default:
		return protocol.Client{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%d clients have an id that begins with %.40q", len(found), id), "give more of it; `pilotfish clients` lists them")
	}
}

// revoke ends a client.
func (c *Clients) revoke(id string) error {
	one, err := c.find(id)
	if err != nil {
		return err
	}
	all := c.cfg.Auth.Holders()
	i := slices.IndexFunc(all, func(h auth.Holder) bool { return h.Grant.ID == one.ID })
	if i < 0 { // revoked already, or it has just ended
		return nil
	}
	grant, why := all[i].Grant, refusal(one)
	switch one.Kind {
	case protocol.ClientMCP:
		c.cfg.Callers.Revoke(grant, why)
		return nil
	case protocol.ClientPanel:
		c.cfg.RenewPanel(grant.Session)
	case protocol.ClientShell:
		if err := c.cfg.Endpoint.NewToken(); err != nil {
			return err
		}
	case protocol.ClientTerminal, protocol.ClientChat, protocol.ClientScript, protocol.ClientControl:
	}
	c.cfg.Auth.Refuse(grant.ID, why)
	return nil
}

// refusal is the error that the requests of a revoked client get.
func refusal(one protocol.Client) *protocol.Error {
	hint := map[protocol.ClientKind]string{
		protocol.ClientMCP:      "the user can allow it again in the Pilotfish window: Settings, Connected clients",
		protocol.ClientTerminal: "restart the agent in its terminal to give it a new token",
		protocol.ClientChat:     "restart the agent in Chat to give it a new token",
		protocol.ClientPanel:    "close the panel and open it again",
		protocol.ClientScript:   "`pilotfish share` makes a new address",
		protocol.ClientControl:  "run `pilotfish control` for another address",
		protocol.ClientShell:    "run the command again: the new token is in the app's own file",
	}[one.Kind]
	return protocol.NewError(protocol.CodeUnauthorized, fmt.Sprintf("the user revoked the access of %s at %s", one.Name, time.Now().Format("15:04")), hint)
}

// allow lets a revoked program come back.
func (c *Clients) allow(id string) error {
	one, err := c.find(id)
	if err != nil {
		return err
	}
	if one.Revoked == nil {
		return protocol.NewError(protocol.CodeBadArgument, one.Name+" is not revoked", "`pilotfish clients` shows which are")
	}
	c.cfg.Callers.Allow(one.ID)
	return nil
}

// Operations are what the user does with clients in the window and on the command line.
func (c *Clients) Operations() []op.Operation {
	return []op.Operation{
		op.New("Clients", func(_ context.Context, _ op.Call, req protocol.ClientsRequest) (protocol.ClientsReply, error) {
			return c.Do(req)
		}).At(op.Route{Path: "/clients", Capability: auth.CapabilityApp, Window: true, About: "The programs that are connected, with their tokens: list them, or revoke one. The reply has all of them."}),
	}
}
