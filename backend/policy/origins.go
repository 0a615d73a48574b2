package policy

import (
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// place is a kind of action that an actor was allowed on a site until the actor
// ends.
type place struct {
	kind protocol.ActionKind
	site string
}

// given is what an actor is allowed until it ends.
type given struct {
	goal  string
	hosts []string
	may   map[place]bool
}

// Begun says whether an actor has begun; see Begin.
func (p *Policy) Begun(a protocol.Actor) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.given[actorKey{a.Kind, a.ID}] != nil
}

// Begin sets, once, the pages that an actor begins on. On their sites, and on
// sites that the goal names, the actor may enter data without asking. An actor
// without a call of Begin may do so everywhere. In a private browser the user may be signed in
// everywhere, so no page counts, and only what the goal names.
func (p *Policy) Begin(a protocol.Actor, goal string, pages ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := actorKey{a.Kind, a.ID}
	if p.given[key] != nil {
		return
	}
	g := &given{goal: strings.ToLower(goal), may: make(map[place]bool)}
	if p.config.Private {
		pages = nil
	}
	for _, page := range pages {
		if u := siteOf(page); u != nil {
			g.hosts = append(g.hosts, hostOf(u))
		}
	}
	p.given[key] = g
}

// Learn allows an actor that has begun to enter data on a page's site too.
func (p *Policy) Learn(a protocol.Actor, page string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g, u := p.given[actorKey{a.Kind, a.ID}], siteOf(page); g != nil && u != nil {
		g.hosts = append(g.hosts, hostOf(u))
	}
}

// Known says whether an actor may enter data on a page's site without a word. A page
// without a site is no site that anybody named.
func (p *Policy) Known(a protocol.Actor, page string) bool {
	u := siteOf(page)
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.given[actorKey{a.Kind, a.ID}]
	if g == nil || u == nil {
		return g == nil
	}
	host := hostOf(u)
	return strings.Contains(g.goal, strings.TrimPrefix(host, "www.")) ||
		slices.ContainsFunc(g.hosts, func(known string) bool { return related(known, host) })
}

// related reports whether two hosts are one, or one is below the other.
func related(one, other string) bool {
	one, other = strings.TrimPrefix(one, "www."), strings.TrimPrefix(other, "www.")
	return one == other || strings.HasSuffix(one, "."+other) || strings.HasSuffix(other, "."+one)
}

// Elsewhere reports whether an address that a page leads to is of another site
// than the page's.
func Elsewhere(page, address string) bool {
	from, to := siteOf(page), siteOf(address)
	return to != nil && (from == nil || !related(hostOf(from), hostOf(to)))
}

// allowed reports whether an actor was allowed a kind of action on a site until
// the actor ends.
func (p *Policy) allowed(a protocol.Actor, kind protocol.ActionKind, site string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.given[actorKey{a.Kind, a.ID}]
	return g != nil && g.may[place{kind, site}]
}

// allow allows an actor a kind of action on a site until the actor ends.
func (p *Policy) allow(a protocol.Actor, kind protocol.ActionKind, site string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := actorKey{a.Kind, a.ID}
	if p.given[key] == nil {
		p.given[key] = &given{may: make(map[place]bool)}
	}
	p.given[key].may[place{kind, site}] = true
}

// Over drops what an actor was allowed, because its task has ended.
func (p *Policy) Over(a protocol.Actor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.given, actorKey{a.Kind, a.ID})
}
