package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"unicode"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// caller returns the grant on whose behalf a request is made. The token of a process that
// serves one agent only is that agent's. Every program of the user can read the token of
// the command line, so with that one:
//   - while a process runs that could read it and should not, a request of that process
//     or of one that it started acts with the process's own grant;
//   - a program that offers the browser to a model by MCP acts as an agent.
func (g *gates) caller(rt route, r *http.Request, grant auth.Grant) (auth.Grant, error) {
	if grant.Shared {
		if served := g.auth.Children(grant.ID); len(served) == 1 {
			return served[0], nil
		}
	}
	if grant.Kind != auth.KindCLI {
		return grant, nil
	}
	if g.started != nil && g.auth.Any(func(other auth.Grant) bool { return other.Unconfined }) {
		values, err := g.startedWith(r.Context(), protocol.EnvToken)
		if err != nil {
			g.log.Warn("the sender of a request is not known", "path", rt.path, "error", err)
			return auth.Grant{}, protocol.NewError(protocol.CodeForbidden, "Pilotfish cannot tell which program asks, while an agent runs that is not confined",
				"run `pilotfish` as the user that Pilotfish runs as, and let it end by itself")
		}
		if len(values) > 0 {
			g.log.Warn("an agent's process used the token of the command line", "path", rt.path)
			return g.auth.Check(values[0], rt.capability)
		}
	}
	program := programName(r.Header.Get(protocol.HeaderProgram))
	if program == "" && rt.capability == auth.CapabilityMCP {
		program = "A program"
	}
	if program == "" {
		return grant, nil
	}
	if !auth.KindAgent.Opens(rt.capability) {
		return auth.Grant{}, protocol.NewError(protocol.CodeForbidden, "this token is not valid for this route", "")
	}
	// The header may be of any length.
	id := sha256.Sum256([]byte(r.Header.Get(protocol.HeaderProgram)))
	grant.Kind = auth.KindAgent
	grant.Scopes = auth.Scopes{protocol.ScopeRead, protocol.ScopeAct}
	grant.Actor = protocol.Actor{Kind: protocol.ActorMCP, ID: hex.EncodeToString(id[:8]), Name: program + " over MCP", Agent: program}
	return grant, nil
}

// longestProgram is how much is shown of a program's name, in characters.
const longestProgram = 40

// programName returns the name in a protocol.HeaderProgram as it is shown to the user.
func programName(header string) string {
	_, name, _ := strings.Cut(header, " ")
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

// startedWith returns the values of a variable in the process that sent a request, and
// in its ancestors.
func (s *Server) startedWith(ctx context.Context, variable string) ([]string, error) {
	conn, ok := ctx.Value(connKey{}).(net.Conn)
	if !ok {
		return nil, errors.New("the request has no connection")
	}
	client, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	server, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return nil, err
	}
	return s.started(client, server, variable)
}
