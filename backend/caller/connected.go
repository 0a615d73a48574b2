package caller

import (
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

const (
	// maxPrograms is how many connected programs are known at once. One more replaces
	// the one that has asked for nothing for the longest time.
	maxPrograms = 64
	// maxRevoked is how many revoked programs are remembered.
	maxRevoked = 256
	// maxNames is how many names are kept of programs that cannot be distinguished.
	maxNames = 4
)

// connected are the programs that are connected by MCP. They share the token of the
// command line, and each has a grant of its own below that token's: so it can be seen and
// ended alone.
type connected struct {
	mu       sync.Mutex
	programs map[string]*program // by the actor's id
	revoked  map[string]Revoked
	order    []string // of revoked, oldest first
}

// program is one connected program.
type program struct {
	grant auth.Grant
	used  time.Time
	names []string // that it gave itself within MCP
}

// Revoked is a program that was revoked and may not come back.
type Revoked struct {
	Actor protocol.Actor
	At    time.Time
	why   *protocol.Error
}

func newConnected() connected {
	return connected{programs: map[string]*program{}, revoked: map[string]Revoked{}}
}

// grant returns the grant of a program, which depends on that of its token.
func (c *connected) grant(authority *auth.Authority, token string, wanted auth.Grant) (auth.Grant, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := wanted.Actor.ID
	if gone, is := c.revoked[id]; is {
		return auth.Grant{}, gone.why
	}
	if p := c.programs[id]; p != nil && p.grant.Parent == token && authority.Use(p.grant.ID) {
		p.used = time.Now()
		return p.grant, nil
	}
	for len(c.programs) >= maxPrograms {
		c.drop(authority)
	}
	wanted.Parent = token
	grant, _ := authority.Mint(auth.KindAgent, wanted, 0) // its own token is never used
	if !authority.Use(grant.ID) {
		return auth.Grant{}, protocol.NewError(protocol.CodeUnauthorized, "this token is not valid, or not any more", "")
	}
	c.programs[id] = &program{grant: grant, used: time.Now()}
	return grant, nil
}

// drop ends the program that has asked for nothing for the longest time.
func (c *connected) drop(authority *auth.Authority) {
	oldest := ""
	for id, p := range c.programs {
		if oldest == "" || p.used.Before(c.programs[oldest].used) {
			oldest = id
		}
	}
	authority.Revoke(c.programs[oldest].grant.ID)
	delete(c.programs, oldest)
}

// Named records a name that a program gave itself within MCP. Programs that use /mcp
// without a header cannot be distinguished, so that one grant may have several names.
func (c *Resolver) Named(grant auth.Grant, name string) {
	name = shown(name)
	c.mcp.mu.Lock()
	defer c.mcp.mu.Unlock()
	p := c.mcp.programs[grant.Actor.ID]
	if p == nil || p.grant.ID != grant.ID || name == "" || slices.Contains(p.names, name) {
		return
	}
	if p.names = append(p.names, name); len(p.names) > maxNames {
		p.names = p.names[1:]
	}
}

// Names returns the names that a connected program gave itself within MCP; empty for
// none.
func (c *Resolver) Names(grant auth.Grant) string {
	c.mcp.mu.Lock()
	defer c.mcp.mu.Unlock()
	if p := c.mcp.programs[grant.Actor.ID]; p != nil && p.grant.ID == grant.ID {
		return strings.Join(p.names, ", ")
	}
	return ""
}

// Revoke ends the grant of a connected program. Its next request is refused with why,
// until Allow.
func (c *Resolver) Revoke(grant auth.Grant, why *protocol.Error) {
	c.mcp.mu.Lock()
	defer c.mcp.mu.Unlock()
	id := grant.Actor.ID
	if _, is := c.mcp.revoked[id]; !is {
		c.mcp.order = append(c.mcp.order, id)
	}
	actor := grant.Actor
	if p := c.mcp.programs[id]; p != nil && len(p.names) > 0 {
		actor.Agent = strings.Join(p.names, ", ")
	}
	c.mcp.revoked[id] = Revoked{Actor: actor, At: time.Now(), why: why}
	if len(c.mcp.order) > maxRevoked {
		delete(c.mcp.revoked, c.mcp.order[0])
		c.mcp.order = c.mcp.order[1:]
	}
	delete(c.mcp.programs, id)
	c.cfg.Auth.Revoke(grant.ID)
}

// Revoked returns the programs that may not come back, oldest first.
func (c *Resolver) Revoked() []Revoked {
	c.mcp.mu.Lock()
	defer c.mcp.mu.Unlock()
	list := make([]Revoked, 0, len(c.mcp.order))
	for _, id := range c.mcp.order {
		list = append(list, c.mcp.revoked[id])
	}
	return list
}

// Allow lets a revoked program come back. id is the ID of its actor.
func (c *Resolver) Allow(id string) {
	c.mcp.mu.Lock()
	defer c.mcp.mu.Unlock()
	delete(c.mcp.revoked, id)
	c.mcp.order = slices.DeleteFunc(c.mcp.order, func(one string) bool { return one == id })
}
