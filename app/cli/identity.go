package main

import (
	"reflect"
	"strings"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// identityOptions are the options of `sessions start` for the identity and the network
// of a session.
func identityOptions() []syntax.Arg {
	return []syntax.Arg{
		{Name: "color", Flag: true, Help: "the colour of the session's windows: #1a73e8"},
		{Name: "profile", Flag: true, Help: "own, temporary (nothing of it stays), or copy:NAME of another session, once"},
		{Name: "proxy", Flag: true, Help: "http://HOST:PORT, https://… or socks5://…, with USER:PASSWORD@ before the host if it needs a login"},
		{Name: "proxy-secret", Flag: true, Help: "the secret with the proxy's password, instead of a password in --proxy"},
		{Name: "proxy-bypass", Flag: true, Help: "hosts and networks to reach without the proxy, with commas between"},
		{Name: "user-agent", Flag: true, Help: "what the browser calls itself"},
		{Name: "languages", Flag: true, Help: "the languages to ask pages for, the preferred one first: de-DE,en"},
		{Name: "start-pages", Flag: true, Help: "the first pages, with spaces between"},
	}
}

// identityOf returns what the options say; nil when none is given.
func identityOf(in syntax.Invocation) (*protocol.SessionIdentity, error) {
	v := in.Values
	id := protocol.SessionIdentity{
		Color: v["color"], Profile: v["profile"], Proxy: v["proxy"], ProxySecret: v["proxy-secret"], ProxyBypass: commas(v["proxy-bypass"]),
		UserAgent: v["user-agent"], Languages: commas(v["languages"]), StartPages: strings.Fields(v["start-pages"]),
	}
	if len(id.StartPages) == 0 {
		id.StartPages = nil
	}
	if reflect.ValueOf(id).IsZero() {
		return nil, nil //nolint:nilnil // no option is no error
	}
	return &id, nil
}

// commas splits a list.
func commas(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
