// Package caller decides on whose behalf a request is made: the holder of its token, the
// agent whose process sends it, the conversation that a process of Chat acts for, or a
// program that the user has connected by MCP. See docs/adr/225.
package caller

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Config is what New needs. All fields are required.
type Config struct {
	Auth *auth.Authority
	// Started returns the values of an environment variable in the process that opened a
	// connection, and in its ancestors, as peer.Started does.
	Started func(client, server netip.AddrPort, variable string) ([]string, error)
	Logger  *slog.Logger
}

// Resolver finds the caller of a request. Its methods are safe for concurrent use.
type Resolver struct {
	cfg Config
	log *slog.Logger
	mcp connected
}

// New returns a Resolver.
func New(cfg Config) *Resolver {
	return &Resolver{cfg: cfg, log: cfg.Logger.With("component", "caller"), mcp: newConnected()}
}

// Resolve returns the grant on whose behalf a request is made. The token of a process
// that serves one agent only is that agent's. Every program of the user can read the
// token of the command line, so with that one:
//   - while a process runs that could read it and should not, a request of that process
//     or of one that it started acts with the process's own grant;
//   - a program that offers the browser to a model by MCP acts as an agent.
func (c *Resolver) Resolve(r auth.Request) (auth.Grant, error) {
	if r.Grant.Shared {
		if served := c.cfg.Auth.Children(r.Grant.ID); len(served) == 1 {
			c.cfg.Auth.Use(served[0].ID)
			return served[0], nil
		}
	}
	if r.Grant.Kind == auth.KindShareMCP { // what it sees is what an agent sees
		r.Grant.Kind = auth.KindAgent
	}
	if r.Grant.Kind != auth.KindCLI {
		return r.Grant, nil
	}
	if c.cfg.Auth.Any(func(other auth.Grant) bool { return other.Unconfined }) {
		tokens, err := c.cfg.Started(r.Client, r.Server, protocol.EnvToken)
		if err != nil {
			c.log.Warn("the sender of a request is not known", "capability", r.Capability, "error", err)
			return auth.Grant{}, protocol.NewError(protocol.CodeForbidden, "Pilotfish cannot tell which program asks, while an agent runs that is not confined",
				"run `pilotfish` as the user that Pilotfish runs as, and let it end by itself")
		}
		if len(tokens) > 0 {
			c.log.Warn("an agent's process used the token of the command line", "capability", r.Capability)
			return c.cfg.Auth.Check(tokens[0], r.Capability)
		}
	}
	return c.program(r)
}

// program returns the grant of a program that is connected by MCP, and for all others
// that of the request.
func (c *Resolver) program(r auth.Request) (auth.Grant, error) {
	name := programName(r.Program)
	if name == "" && r.Capability == auth.CapabilityMCP {
		name = "A program"
	}
	if name == "" {
		return r.Grant, nil
	}
	if !auth.KindAgent.Opens(r.Capability) {
		return auth.Grant{}, protocol.NewError(protocol.CodeForbidden, "this token is not valid for this route", "")
	}
	grant := r.Grant
	id := sha256.Sum256([]byte(r.Program)) // the header may be of any length
	grant.Kind = auth.KindAgent
	grant.Scopes = auth.Scopes{protocol.ScopeRead, protocol.ScopeAct}
	grant.Actor = protocol.Actor{Kind: protocol.ActorMCP, ID: hex.EncodeToString(id[:8]), Name: name + " over MCP", Agent: name}
	return c.mcp.grant(c.cfg.Auth, r.Grant.ID, grant)
}

// longestProgram is how much is shown of a program's name, in characters.
const longestProgram = 40

// programName returns the name in a protocol.HeaderProgram as it is shown to the user.
func programName(header string) string {
	_, name, _ := strings.Cut(header, " ")
	return shown(name)
}

// shown returns a name that a program gave itself as the user sees it.
func shown(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > longestProgram {
		name = string(runes[:longestProgram-1]) + "…"
	}
	return strings.TrimSpace(name)
}

// Conversation returns the grant of the conversation for which a process of Chat acts
// that serves several, whose shells all have the process's token: the tab that a call
// names says which one is meant. Other grants are returned as they are.
func (c *Resolver) Conversation(grant auth.Grant, tab protocol.TabID) (auth.Grant, error) {
	if !grant.Shared {
		return grant, nil
	}
	served := c.cfg.Auth.Children(grant.ID)
	if i := slices.IndexFunc(served, func(one auth.Grant) bool { return one.Tab == tab && tab != "" }); i >= 0 {
		return served[i], nil
	}
	if len(served) == 0 {
		return auth.Grant{}, protocol.NewError(protocol.CodeRefused, grant.Actor.Agent+" serves no conversation at the moment", "say something in its conversation first")
	}
	var tabs []string
	for _, one := range served {
		if one.Tab != "" {
			tabs = append(tabs, string(one.Tab))
		}
	}
	slices.Sort(tabs)
	return auth.Grant{}, protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%s serves %d conversations; say whose tab is meant", grant.Actor.Agent, len(served)),
		"name it with --tab: "+strings.Join(tabs, ", "))
}

// Uncertain reports whether it is uncertain that a request with the token of the command
// line is the user's: an agent runs that is not confined and can read the token. Resolve
// has found the process that asks, but one that has left its agent's tree cannot be found.
func (c *Resolver) Uncertain(grant auth.Grant) bool {
	return grant.Kind == auth.KindCLI && c.cfg.Auth.Any(func(other auth.Grant) bool { return other.Unconfined && other.Actor.Agent != "" })
}
