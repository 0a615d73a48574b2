package gate

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Lookup returns the addresses of a host's name.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// The limits of looking names up.
const (
	lookupTime = 5 * time.Second  // after that a name has no address
	lookupKept = 10 * time.Second // how long an answer counts
	lookupMost = 512              // how many answers are kept
)

// names are the addresses of hosts, each looked up once for all requests that
// come meanwhile.
type names struct {
	lookup Lookup

	mu    sync.Mutex
	known map[string]*answer
}

// answer is what a look-up gives, when done is closed.
type answer struct {
	done  chan struct{}
	until time.Time
	addrs []netip.Addr
}

// nameOf returns the host of an address if only a look-up says where it leads:
// numbers say it themselves, and localhost is this machine.
func nameOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
	default:
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return ""
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	return host
}

// of returns the addresses of a host. A name that cannot be looked up has none:
// behind a proxy only the proxy knows it.
func (n *names) of(ctx context.Context, host string) []netip.Addr {
	a, mine := n.answer(host, time.Now())
	if mine {
		ctx, cancel := context.WithTimeout(ctx, lookupTime)
		addrs, err := n.lookup(ctx, host)
		cancel()
		if err != nil {
			n.drop(host, a)
		}
		a.addrs = addrs
		close(a.done)
	}
	select {
	case <-a.done:
		return a.addrs
	case <-ctx.Done():
		return nil
	}
}

// answer returns the answer for a host, and whether the caller has to give it.
func (n *names) answer(host string, now time.Time) (a *answer, mine bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a := n.known[host]; a != nil && now.Before(a.until) {
		return a, false
	}
	if len(n.known) >= lookupMost {
		clear(n.known)
	}
	a = &answer{done: make(chan struct{}), until: now.Add(lookupKept)}
	n.known[host] = a
	return a, true
}

func (n *names) drop(host string, a *answer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known[host] == a {
		delete(n.known, host)
	}
}
