package policy

import (
	"strings"

	"pilotfish/backend/protocol"
)

// place is what a task was let do on a site until it is over.
type place struct {
	kind protocol.ActionKind
	site string
}

// given is what an actor was given for as long as it lives.
type given struct {
	goal  string
	hosts []string
	may   map[place]bool
}

// Begin names the pages that an actor begins on, once: there, and on sites that
// the goal names, it may enter data without a word. An actor that never began
// may everywhere.
func (p *Policy) Begin(a protocol.Actor, goal string, pages ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := actorKey{a.Kind, a.ID}
	if p.given[key] != nil {
		return
	}
	g := &given{goal: strings.ToLower(goal), may: make(map[place]bool)}
	for _, page := range pages {
		if u := siteOf(page); u != nil {
			g.hosts = append(g.hosts, hostOf(u))
		}
	}
	p.given[key] = g
}

// Learn lets an actor that began enter data on a page's site, too.
func (p *Policy) Learn(a protocol.Actor, page string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g, u := p.given[actorKey{a.Kind, a.ID}], siteOf(page); g != nil && u != nil {
		g.hosts = append(g.hosts, hostOf(u))
	}
}

// Known says whether an actor may enter data on a page's site without a word.
func (p *Policy) Known(a protocol.Actor, page string) bool {
	u := siteOf(page)
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.given[actorKey{a.Kind, a.ID}]
	if g == nil || u == nil {
		return true
	}
	host := strings.TrimPrefix(hostOf(u), "www.")
	if strings.Contains(g.goal, host) {
		return true
	}
	for _, known := range g.hosts {
		known = strings.TrimPrefix(known, "www.")
		if host == known || strings.HasSuffix(host, "."+known) || strings.HasSuffix(known, "."+host) {
			return true
		}
	}
	return false
}

// allowed says whether an actor was let do a kind of thing on a site until it is
// over.
func (p *Policy) allowed(a protocol.Actor, kind protocol.ActionKind, site string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.given[actorKey{a.Kind, a.ID}]
	return g != nil && g.may[place{kind, site}]
}

// allow lets an actor do a kind of thing on a site until it is over.
func (p *Policy) allow(a protocol.Actor, kind protocol.ActionKind, site string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := actorKey{a.Kind, a.ID}
	if p.given[key] == nil {
		p.given[key] = &given{may: make(map[place]bool)}
	}
	p.given[key].may[place{kind, site}] = true
}

// Over drops what an actor was given: a task has ended.
func (p *Policy) Over(a protocol.Actor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.given, actorKey{a.Kind, a.ID})
}
