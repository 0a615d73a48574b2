// Package policy decides which actor may do what, and where: which tabs an
// agent may act on and which addresses it may open. It does not know the
// browser: the code that acts asks it first, and again for every hop of a
// navigation.
//
// Site rules decide first; the most specific site wins. Where the rule is to
// ask the user, the question goes through the Broker. The caller is notified at
// once that it waits (Request.Asking): by an event of POST /command, a line on
// the command line's standard error, MCP progress, or an entry of the activity.
// The answer comes from the panel, the window, the tray or a notification; the
// question is then withdrawn everywhere else.
package policy

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// Config is what a Policy needs.
type Config struct {
	// OwnPort returns the port of our own server; 0 while it is down. nil means
	// that there is none.
	OwnPort func() int
	// Rules are the site rules; nil for the defaults.
	Rules *Rules
	// Broker asks the user; without one, everything that needs asking is refused.
	Broker *Broker
	// Private: the browser is the user's own. Then an agent neither sees nor uses a tab that
	// it did not open, before the user gave it (Tab.Given), and has begun on no site.
	Private bool
	// Events receives Owned in a private browser; nil for no events.
	Events *hub.Hub[any]
}

// Owned is the event that an actor owns a further tab, or none any more.
type Owned struct{}

// Policy holds the rules of one session. Its methods are safe for concurrent
// use.
type Policy struct {
	config Config
	rules  *Rules

	mu    sync.Mutex
	owned map[actorKey]map[protocol.TabID]bool
	given map[actorKey]*given
}

type actorKey struct {
	kind protocol.ActorKind
	id   string
}

// New returns a policy under which no agent owns a tab yet.
func New(c Config) *Policy {
	rules := c.Rules
	if rules == nil {
		rules = NewRules(nil, nil)
	}
	return &Policy{config: c, rules: rules, owned: make(map[actorKey]map[protocol.TabID]bool), given: make(map[actorKey]*given)}
}

// Agent reports whether an actor is a program that acts by itself. A user, and
// a shell that a user types in, may do what the browser allows.
func Agent(a protocol.Actor) bool {
	return a.Kind != protocol.ActorUser && a.Kind != protocol.ActorShell
}

// Confirm is Broker.Confirm. Without a broker it returns CodeRefused.
func (p *Policy) Confirm(ctx context.Context, q Request) error {
	if p.config.Broker == nil {
		return p.denied(q, protocol.SiteRule{Decision: protocol.SiteAsk})
	}
	return p.config.Broker.Confirm(ctx, q)
}

// Opened records that an actor opened a tab, which it may then act on.
func (p *Policy) Opened(a protocol.Actor, tab protocol.TabID) {
	p.mu.Lock()
	key := actorKey{a.Kind, a.ID}
	known := p.owned[key][tab]
	if p.owned[key] == nil {
		p.owned[key] = make(map[protocol.TabID]bool)
	}
	p.owned[key][tab] = true
	p.mu.Unlock()
	if !known && p.config.Private {
		p.config.Events.Report(Owned{})
	}
}

// Owned returns the tabs that an actor opened or was given, also closed ones.
func (p *Policy) Owned(a protocol.Actor) []protocol.TabID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.owned[actorKey{a.Kind, a.ID}]))
}

// Forget drops the tabs that an actor owned, because its process has ended.
func (p *Policy) Forget(a protocol.Actor) {
	p.mu.Lock()
	key := actorKey{a.Kind, a.ID}
	owned := len(p.owned[key]) > 0
	delete(p.owned, key)
	p.mu.Unlock()
	if owned && p.config.Private {
		p.config.Events.Report(Owned{})
	}
}

// Tab decides whether an actor may read or act on a tab. An agent may use only
// the tab that it was started beside (own), the tabs that it opened, and the
// tabs that the pages in those opened, unless the user made them do it. In a private browser
// the tab beside it counts once the user gave it. tabs are the open tabs.
func (p *Policy) Tab(a protocol.Actor, own, tab protocol.TabID, tabs []protocol.Tab) error {
	if !Agent(a) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	owned := p.owned[actorKey{a.Kind, a.ID}]
	if from(tab, tabs, func(t protocol.TabID, given bool) bool {
		// A program is beside no tab: the user gives it each that is given.
		beside := t == own || t == tab && a.Kind == protocol.ActorMCP
		return given && beside || t == own && !p.config.Private || owned[t]
	}) {
		return nil
	}
	if p.config.Private {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("tab %s is the user's, in the user's own browser", tab),
			"", protocol.Try("opens a tab of yours", "newtab"), protocol.Try("asks the user for this one", "givetab", string(tab)))
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("tab %s is not yours", tab),
		"use your own tab", protocol.Try("opens one", "newtab"))
}

// from reports whether a tab, or one of those by whose pages it was opened without the user,
// is as asked. given is Tab.Given.
func from(tab protocol.TabID, tabs []protocol.Tab, is func(t protocol.TabID, given bool) bool) bool {
	open := make(map[protocol.TabID]protocol.Tab, len(tabs))
	for _, t := range tabs {
		open[t.ID] = t
	}
	for range len(tabs) + 1 { // the limit ends the loop even if openers formed a cycle, which they cannot
		t := open[tab]
		switch {
		case tab == "":
			return false
		case is(tab, t.Given):
			return true
		case t.ByUser:
			return false
		}
		tab = t.Opener
	}
	return false
}

// Shown returns the tabs that agents may know of: in a private browser, those that the user
// gave or that an agent opened, and those that their pages opened.
func (p *Policy) Shown(tabs []protocol.Tab) []protocol.Tab {
	return slices.DeleteFunc(slices.Clone(p.Marked(tabs)), func(t protocol.Tab) bool { return t.Private })
}

// Marked returns the tabs with Private set for those of which no agent may know.
func (p *Policy) Marked(tabs []protocol.Tab) []protocol.Tab {
	if !p.config.Private {
		return tabs
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	marked := slices.Clone(tabs)
	for i, t := range marked {
		marked[i].Private = !from(t.ID, tabs, func(t protocol.TabID, given bool) bool {
			for _, owned := range p.owned {
				given = given || owned[t]
			}
			return given
		})
	}
	return marked
}

// Private reports whether the browser is the user's own.
func (p *Policy) Private() bool { return p.config.Private }

// Sees returns the tabs that an actor may know of: in a private browser, those that it may
// use.
func (p *Policy) Sees(a protocol.Actor, own protocol.TabID, tabs []protocol.Tab) []protocol.Tab {
	if !p.config.Private || !Agent(a) {
		return tabs
	}
	return slices.DeleteFunc(slices.Clone(tabs), func(t protocol.Tab) bool { return p.Tab(a, own, t.ID, tabs) != nil })
}

// agentSchemes are the URL schemes that an agent may open.
var agentSchemes = map[string]bool{"http": true, "https": true, "data": true}

// userSchemes are the URL schemes that a user may open by command.
// javascript: is not one of them: it is code, not an address.
var userSchemes = map[string]bool{
	"http": true, "https": true, "data": true, "file": true, "chrome": true,
	"chrome-extension": true, "view-source": true, "blob": true,
}

// URL decides whether an actor may open an address. It is called again for
// every redirect, and with the IP address of the server that answered.
func (p *Policy) URL(a protocol.Actor, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.200q is not an address", raw), "use one like https://example.com/")
	}
	scheme := strings.ToLower(u.Scheme)
	if ours(u) {
		return refuse(raw, "a page of Pilotfish itself")
	}
	if scheme == "about" {
		if u.Opaque == "blank" || u.Opaque == "srcdoc" || !Agent(a) {
			return nil
		}
		return refuse(raw, "a page of the browser itself")
	}
	if !Agent(a) {
		if userSchemes[scheme] {
			return nil
		}
		return refuse(raw, "not an address that a command may open")
	}
	if !agentSchemes[scheme] {
		return refuse(raw, restricted(scheme))
	}
	if scheme == "data" {
		return nil
	}
	if webStore(u) {
		return refuse(raw, "the web store, where extensions are installed")
	}
	if err := p.host(raw, u); err != nil {
		return err
	}
	if rule := p.rules.Decide(protocol.ActionOpen, raw); rule.Decision == protocol.SiteDeny {
		return refuse(raw, "the site rules do not let agents open it")
	}
	return nil
}

// ours reports whether an address is a page of our extension. No command may
// reach such a page: users answer approvals there.
func ours(u *url.URL) bool {
	for range 2 { // view-source:chrome-extension://…
		if strings.EqualFold(u.Scheme, "chrome-extension") && strings.EqualFold(u.Hostname(), protocol.ExtensionID) {
			return true
		}
		inner, err := url.Parse(u.Opaque)
		if err != nil || u.Opaque == "" {
			return false
		}
		u = inner
	}
	return false
}

// Target decides whether commands may act on a tab that shows this address. The
// panel, even in a tab, is for the user only.
func (p *Policy) Target(raw string) error {
	if u, err := url.Parse(raw); err == nil && ours(u) {
		return protocol.NewError(protocol.CodeRefused, "commands do not reach Pilotfish's own pages", "use them by hand")
	}
	return nil
}

// host refuses hosts that are not the public web: our own server, private
// networks without a rule that names the host, and the addresses at which
// clouds serve credentials.
func (p *Policy) host(raw string, u *url.URL) error {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if name == "" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.200q names no host", raw), "use one like https://example.com/")
	}
	ip, isIP := address(name)
	if metadataNames[name] || (isIP && services(ip)) {
		return refuse(raw, "the address of this network's or cloud's own services")
	}
	if loopback(name) && p.config.OwnPort != nil {
		if port := p.config.OwnPort(); port != 0 && portOf(u) == port && u.Path != "/welcome" {
			return refuse(raw, "Pilotfish's own server")
		}
	}
	if isIP && private(ip) && !p.rules.named(u) {
		return refuseNear(raw, u, "an address of the private network")
	}
	return nil
}

// loopback says whether a host's name or number is one of this machine's own.
func loopback(host string) bool {
	ip, isIP := address(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || (isIP && (ip.IsLoopback() || ip.IsUnspecified()))
}

// Address says whether an agent's tab may load from a name with one of its
// addresses. That of localhost and of numbers is judged without a look-up. A
// name of this machine is refused like one of the private network: a page
// elsewhere may have given it, to read what only this machine serves.
func (p *Policy) Address(raw string, ip netip.Addr) error {
	u, err := url.Parse(raw)
	if err != nil {
		return refuse(raw, "not an address")
	}
	ip = inner(ip.WithZone("").Unmap())
	switch {
	case services(ip):
		return refuse(raw, "its name leads to this network's or cloud's own services")
	case p.rules.named(u):
		return nil
	case ip.IsLoopback() || ip.IsUnspecified():
		return refuseNear(raw, u, "its name leads to this machine")
	case private(ip):
		return refuseNear(raw, u, "its name leads to the private network")
	}
	return nil
}

// services says whether an address is of what a network or a cloud serves to
// whoever asks from inside.
func services(ip netip.Addr) bool {
	return ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast() || metadataAddresses[ip]
}

func refuseNear(raw string, u *url.URL, why string) error {
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.200s is refused: %s", raw, why),
		"the user can allow this host in Settings", protocol.Try("allows it, for the user", "rules", "allow", "open", hostOf(u)))
}

// private says whether an address belongs to a network that the public one does
// not reach; this machine itself is none.
func private(ip netip.Addr) bool {
	if ip.IsPrivate() || ip.IsMulticast() {
		return true
	}
	for _, n := range privateNetworks {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// privateNetworks are the networks that netip does not classify: carrier-grade
// NAT (RFC 6598), benchmarks (RFC 2544), IETF assignments (RFC 6890), reserved
// (RFC 1112) and the deprecated site-local IPv6 (RFC 3879).
var privateNetworks = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("fec0::/10"),
}

// inner returns the IPv4 address that is embedded in an IPv6 address of NAT64
// (RFC 6052) or 6to4 (RFC 3056), because both lead to it.
func inner(ip netip.Addr) netip.Addr {
	if !ip.Is6() {
		return ip
	}
	b := ip.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return ip
}

func refuse(raw, why string) error {
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.200s is refused: %s", raw, why), "the user can open it in the browser")
}

// metadataNames and metadataAddresses are where clouds serve credentials to any
// program inside them. Link-local addresses are refused anyway.
var metadataNames = map[string]bool{
	"metadata": true, "metadata.google.internal": true, "metadata.goog": true, "instance-data": true, "instance-data.ec2.internal": true,
}

var metadataAddresses = map[netip.Addr]bool{
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba Cloud
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle Cloud
	netip.MustParseAddr("168.63.129.16"):   true, // Azure
	netip.MustParseAddr("fd00:ec2::254"):   true, // AWS
}

// address parses a host as the browser does, including forms like 0x7f.1 and
// 2130706433.
func address(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return inner(ip.WithZone("").Unmap()), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var n uint64
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 0, 64)
		if err != nil || strings.Contains(part, "_") {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if v > 255 {
				return netip.Addr{}, false
			}
			n |= v << (8 * (3 - i))
			continue
		}
		if v >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		n |= v
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
}

func portOf(u *url.URL) int {
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if strings.EqualFold(u.Scheme, "https") {
		return 443
	}
	return 80
}
