package server

import (
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// origin is what a route asks of the Origin header.
type origin int

const (
	// originExtension: exactly our extension. Its POSTs and WebSockets always
	// carry an Origin.
	originExtension origin = iota
	// originNoPage: no Origin, as command lines send it and our extension's GET
	// does, or our extension. Never a page's.
	originNoPage
)

// route is one line of the table.
type route struct {
	method string
	path   string
	// door is what the token must open; empty asks for no token.
	door   auth.Door
	origin origin
	// once takes a token of single use.
	once bool
	// socket is a WebSocket: the token comes as a subprotocol.
	socket bool
	// body bounds the request's body in bytes; 0 means that it has none.
	body   int64
	handle func(w http.ResponseWriter, r *http.Request, c call) error
}

// call is who calls, and what a socket must look at while it is open.
type call struct {
	grant    auth.Grant
	stopping <-chan struct{}
}

// table is every route that exists.
func (s *Server) table() map[string]map[string]route {
	list := []route{
		{method: http.MethodGet, path: "/health", origin: originNoPage, handle: s.health},

		{method: http.MethodGet, path: "/panel", door: auth.DoorPanel, origin: originExtension, socket: true, handle: s.panel},
		{method: http.MethodPost, path: "/pty-session", door: auth.DoorTerminal, origin: originExtension, body: protocol.MaxBody, handle: s.ptySession},
		{method: http.MethodPost, path: "/pty-restart", door: auth.DoorTerminal, origin: originExtension, body: protocol.MaxBody, handle: s.ptyRestart},
		{method: http.MethodPost, path: "/pty-close", door: auth.DoorTerminal, origin: originExtension, body: protocol.MaxBody, handle: s.ptyClose},
		{method: http.MethodGet, path: "/ws", door: auth.DoorAttach, origin: originExtension, once: true, socket: true, handle: s.terminal},

		{method: http.MethodPost, path: "/command", door: auth.DoorCommand, origin: originNoPage, body: protocol.MaxBody, handle: s.command},
		{method: http.MethodPost, path: "/batch", door: auth.DoorCommand, origin: originNoPage, body: protocol.MaxBody, handle: s.batch},
		{method: http.MethodGet, path: "/tabs", door: auth.DoorTabs, origin: originNoPage, handle: s.tabs},
		{method: http.MethodGet, path: "/agents", door: auth.DoorAgents, origin: originNoPage, handle: s.agents},
		{method: http.MethodPost, path: "/agents/probe", door: auth.DoorProbe, origin: originNoPage, body: protocol.MaxBody, handle: s.agentsProbe},
		{method: http.MethodPost, path: "/agent-status", door: auth.DoorAgentStatus, origin: originNoPage, body: protocol.MaxBody, handle: s.agentStatus},
		{method: http.MethodPost, path: "/app", door: auth.DoorApp, origin: originNoPage, body: protocol.MaxBody, handle: s.app},
	}
	if s.welcome != nil {
		list = append(list, route{method: http.MethodGet, path: "/welcome", origin: originNoPage, handle: s.welcomePage})
	}
	table := map[string]map[string]route{}
	for _, rt := range list {
		if table[rt.path] == nil {
			table[rt.path] = map[string]route{}
		}
		table[rt.path][rt.method] = rt
	}
	return table
}
