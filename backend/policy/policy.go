// Package policy decides which actor may do what, and where: which tabs an
// agent may act on and which addresses it may open. It knows no browser: whoever
// acts asks first, and asks again for every hop of a navigation.
package policy

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// Config says what the policy has to know.
type Config struct {
	// OwnPort returns the port of our own server; 0 while it is down. nil means
	// that there is none.
	OwnPort func() int
}

// Policy is the rules of one session. Its methods are safe for concurrent use.
type Policy struct {
	config Config

	mu    sync.Mutex
	owned map[actorKey]map[protocol.TabID]bool
}

type actorKey struct {
	kind protocol.ActorKind
	id   string
}

// New returns a policy under which no agent owns a tab yet.
func New(c Config) *Policy {
	return &Policy{config: c, owned: make(map[actorKey]map[protocol.TabID]bool)}
}

// Agent says whether an actor is a program that acts by itself. A person, and a
// shell that a person types in, may do what the browser lets them do.
func Agent(a protocol.Actor) bool {
	return a.Kind != protocol.ActorPerson && a.Kind != protocol.ActorShell
}

// Opened notes that an actor opened a tab: it may act on it.
func (p *Policy) Opened(a protocol.Actor, tab protocol.TabID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := actorKey{a.Kind, a.ID}
	if p.owned[key] == nil {
		p.owned[key] = make(map[protocol.TabID]bool)
	}
	p.owned[key][tab] = true
}

// Forget drops what an actor owned; its process is gone.
func (p *Policy) Forget(a protocol.Actor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.owned, actorKey{a.Kind, a.ID})
}

// Tab says whether an actor may read or act on a tab: an agent only on the one
// that it was started beside (own), on those that it opened, and on those that
// the pages in them opened. tabs are the open tabs.
func (p *Policy) Tab(a protocol.Actor, own, tab protocol.TabID, tabs []protocol.Tab) error {
	if !Agent(a) {
		return nil
	}
	openers := make(map[protocol.TabID]protocol.TabID, len(tabs))
	for _, t := range tabs {
		openers[t.ID] = t.Opener
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	owned := p.owned[actorKey{a.Kind, a.ID}]
	at := tab
	for range len(tabs) + 1 { // openers cannot go round, and if they did it would end
		if at == "" {
			break
		}
		if at == own || owned[at] {
			return nil
		}
		at = openers[at]
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("tab %s is not yours", tab),
		"act on your own tab, or open one with `pilotfish newtab`")
}

// agentSchemes are the kinds of address that an agent may open.
var agentSchemes = map[string]bool{"http": true, "https": true, "data": true}

// personSchemes are the kinds of address that a person may open by command.
// javascript: is none of them: it is code and no address.
var personSchemes = map[string]bool{
	"http": true, "https": true, "data": true, "file": true, "chrome": true,
	"chrome-extension": true, "view-source": true, "blob": true,
}

// URL says whether an actor may open an address. It is asked again for every
// redirect, and with the address of the machine that answered.
func (p *Policy) URL(a protocol.Actor, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.200q is not an address", raw), "use one like https://example.com/")
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme == "about" {
		if u.Opaque == "blank" || u.Opaque == "srcdoc" || !Agent(a) {
			return nil
		}
		return refuse(raw, "a page of the browser itself")
	}
	if !Agent(a) {
		if personSchemes[scheme] {
			return nil
		}
		return refuse(raw, "not an address that a command may open")
	}
	if !agentSchemes[scheme] {
		return refuse(raw, "agents open http and https only")
	}
	if scheme == "data" {
		return nil
	}
	return p.host(raw, u)
}

// host refuses what is not the web: our own server, and the addresses at which
// clouds hand out credentials.
func (p *Policy) host(raw string, u *url.URL) error {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if name == "" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.200q names no host", raw), "use one like https://example.com/")
	}
	ip, isIP := address(name)
	if metadataNames[name] || (isIP && (ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast() || metadataAddresses[ip])) {
		return refuse(raw, "the address of this network's or cloud's own services")
	}
	loopback := name == "localhost" || strings.HasSuffix(name, ".localhost") || (isIP && (ip.IsLoopback() || ip.IsUnspecified()))
	if loopback && p.config.OwnPort != nil {
		if port := p.config.OwnPort(); port != 0 && portOf(u) == port && u.Path != "/welcome" {
			return refuse(raw, "Pilotfish's own server")
		}
	}
	return nil
}

func refuse(raw, why string) error {
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.200s is refused: %s", raw, why), "a person can open it in the browser")
}

// metadataNames and metadataAddresses are where clouds serve credentials to
// whoever asks from inside; link-local ones are refused anyway.
var metadataNames = map[string]bool{
	"metadata": true, "metadata.google.internal": true, "metadata.goog": true, "instance-data": true, "instance-data.ec2.internal": true,
}

var metadataAddresses = map[netip.Addr]bool{
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba Cloud
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle Cloud
	netip.MustParseAddr("168.63.129.16"):   true, // Azure
	netip.MustParseAddr("fd00:ec2::254"):   true, // AWS
}

// address reads a host as the browser does: also 0x7f.1 and 2130706433.
func address(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.WithZone("").Unmap(), true
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
