package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// share makes an address for scripts, lists those that there are, and ends one. The list and
// the end are those of connected programs.
func (p *program) share(ctx context.Context, in syntax.Invocation) error {
	action, id := in.Values["action"], in.Values["id"]
	if action == "list" || action == "end" {
		req := protocol.ClientsRequest{Do: protocol.ClientsList}
		if action == "end" {
			if id == "" {
				return protocol.NewError(protocol.CodeBadArgument, "which address?", "", protocol.Try("lists them", "share", "list"))
			}
			req = protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: id}
		}
		var reply protocol.ClientsReply
		if err := p.post(ctx, in, "/clients", req, &reply); err != nil {
			return err
		}
		reply.Clients = slices.DeleteFunc(reply.Clients, func(c protocol.Client) bool { return c.Kind != protocol.ClientScript })
		if in.JSON {
			return p.printJSON(reply)
		}
		return p.print(clientLines(reply.Clients, time.Now()))
	}
	req := protocol.ShareRequest{Tab: in.Tab, Read: in.Values["read"] == "true", MCP: in.Values["mcp"] == "true"}
	if text := in.Values["for"]; text != "" {
		life, err := time.ParseDuration(text)
		if err != nil || life < time.Second || life > protocol.MaxShareLife {
			return syntax.Bad("--for is a time up to 24h, such as 30m, not %.40q", text)
		}
		req.Seconds = int(life.Seconds())
	}
	route := "/shares"
	if in.Session != "" {
		route += "?session=" + url.QueryEscape(string(in.Session))
	}
	var reply protocol.ShareReply
	if err := p.post(ctx, in, route, req, &reply); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	say.Note(p.stderr, fmt.Sprintf("Good until %s; `pilotfish share end %.*s` ends it. Everyone who has the address has the tabs.",
		reply.Expires.Local().Format("2006-01-02 15:04"), shortClientID, reply.ID))
	return p.print(reply.Address + "\n")
}

// shareSpec declares the command share.
func shareSpec() syntax.Spec {
	return syntax.Spec{
		Name: "share", Summary: "print an address at which Playwright, Puppeteer or an agent uses tabs of the session", Group: syntax.GroupApp,
		Help: "chromium.connectOverCDP(address) and puppeteer.connect({browserWSEndpoint: address}) take it. A script sees the tabs of the session, or with --tab that one and those that its pages open, and never Pilotfish's own pages. Site rules hold as for an agent. It cannot give pages files of this computer, read cookies without a rule, make browser contexts, or use what concerns the whole browser. With --read it cannot run code either: of the DevTools protocol it gets screenshots, DOM, accessibility tree, styles and network events; most methods of Playwright and Puppeteer need code. With --mcp the address is one of an MCP server over HTTP: its holder uses the commands of the browser as an agent does, without terminals, windows, secrets and tasks. The secret is a part of the address: everyone who has it has the tabs, until it ends.",
		Args: []syntax.Arg{
			{Name: "action", Choices: []string{"new", "list", "end"}, Help: "what to do; new when it is left out"},
			{Name: "id", Help: "end: the address, as list shows it; its first characters are enough"},
			{Name: "for", Flag: true, Help: "how long it is good: 30m (1h when it is left out, at most 24h)"},
			{Name: "mcp", Kind: syntax.KindBool, Flag: true, Help: "an address of the Model Context Protocol, not of the DevTools protocol"},
			{Name: "read", Kind: syntax.KindBool, Flag: true, Help: "nothing can be changed at the address"},
		},
		Examples: []string{"pilotfish share", "pilotfish share --tab t3 --for 30m", "pilotfish share --mcp --read", "pilotfish share list", "pilotfish share end R4KZ2M"},
	}
}
