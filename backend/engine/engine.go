// Package engine is the address of an engine, which runs browsers elsewhere, and what opens
// it. backend/browser/remote connects to it.
package engine

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// SecretMark stands for the value of a secret in an address or a header.
const SecretMark = "{secret}"

// Allowed says how an address is written.
const Allowed = "write it as wss://HOST/PATH or grid+https://HOST/; ws:// and grid+http:// are for this machine"

// Plain before an address allows a connection to another machine that is not encrypted, as
// inside of a cluster.
const Plain = "plain+"

// Engine is where a browser comes from. Its address and header may have credentials, which
// no method returns. The zero value is none.
type Engine struct {
	at     *url.URL // without the credentials of a Grid
	grid   bool
	header http.Header
}

// Is reports whether the setting of a session's browser is the address of an engine.
func Is(setting string) bool { return strings.Contains(setting, "://") }

// Parse reads an address, and a header "Name: value" that is sent with each request; empty
// for none. secret replaces SecretMark in both. An error quotes neither.
func Parse(address, header, secret string) (Engine, error) {
	bad := func(what string) (Engine, error) {
		return Engine{}, protocol.NewError(protocol.CodeBadArgument, "browser: "+what, Allowed)
	}
	address, allowed := strings.CutPrefix(strings.ReplaceAll(address, SecretMark, url.QueryEscape(secret)), Plain)
	scheme, grid := strings.CutPrefix(address, "grid+")
	u, err := url.Parse(scheme)
	if err != nil || u.Hostname() == "" || u.Fragment != "" {
		return bad("this is not the address of an engine")
	}
	plain := false
	switch {
	case grid && u.Scheme == "https", !grid && u.Scheme == "wss":
	case grid && u.Scheme == "http", !grid && u.Scheme == "ws":
		plain = true
	default:
		return bad(fmt.Sprintf("no engine has an address with %.20q", u.Scheme))
	}
	if plain && !allowed && !loopback(u.Hostname()) {
		return Engine{}, protocol.NewError(protocol.CodeBadArgument, "browser: the connection to "+u.Hostname()+" would not be encrypted",
			"use wss:// or grid+https://, or write "+Plain+" before the address where nobody else can read what is sent, with what opens the engine")
	}
	e := Engine{at: u, grid: grid, header: make(http.Header)}
	if u.User != nil {
		password, _ := u.User.Password()
		r := http.Request{Header: e.header}
		r.SetBasicAuth(u.User.Username(), password)
		u.User = nil
	}
	if header != "" {
		name, value, ok := strings.Cut(header, ":")
		value = strings.TrimSpace(strings.ReplaceAll(value, SecretMark, secret))
		if name = strings.TrimSpace(name); !ok || name == "" || value == "" || strings.ContainsAny(name+value, "\r\n") {
			return Engine{}, protocol.NewError(protocol.CodeBadArgument, "browser_header: this is not a header", "write it as \"Authorization: Bearer "+SecretMark+"\"")
		}
		e.header.Set(name, value)
	}
	return e, nil
}

// Origin is the origin of the engine at an address, for which its secret is: wss://HOST/ has
// that of https://HOST. It is empty for what is no address.
func Origin(address string) string {
	u, err := url.Parse(strings.TrimPrefix(strings.TrimPrefix(address, Plain), "grid+"))
	if err != nil {
		return ""
	}
	scheme := "https"
	if u.Scheme == "ws" || u.Scheme == "http" {
		scheme = "http"
	}
	return scheme + "://" + u.Host
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Address is where it is, without a login. It may have a key in its query.
func (e Engine) Address() *url.URL { return e.at }

// Grid reports whether it is a Selenium Grid, not a WebSocket.
func (e Engine) Grid() bool { return e.grid }

// Header is sent with each request. It has the credentials.
func (e Engine) Header() http.Header { return e.header.Clone() }

// Set reports whether it is an engine, not the zero value.
func (e Engine) Set() bool { return e.at != nil }

// Name is what is shown of the engine: its host.
func (e Engine) Name() string {
	if e.at == nil {
		return ""
	}
	return e.at.Host
}

// String is Name, so that no credential is printed.
func (e Engine) String() string { return e.Name() }

// GoString is Name.
func (e Engine) GoString() string { return e.Name() }

// LogValue is Name.
func (e Engine) LogValue() slog.Value { return slog.StringValue(e.Name()) }
