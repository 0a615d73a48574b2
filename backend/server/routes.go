package server

import (
	"context"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// origin is a route's rule for the Origin header.
type origin int

const (
	// originExtension allows exactly our extension's Origin. Its POSTs and
	// WebSockets always carry one.
	originExtension origin = iota
	// originNoPage allows requests without an Origin, as command lines and our
	// extension's GETs send them, and our extension's Origin; never a page's.
	originNoPage
)

// route is one line of the table.
type route struct {
	method string
	path   string
	// capability is what the token must allow; empty: no token is needed.
	capability auth.Capability
	origin     origin
	// once is true if the token is for a single use.
	once bool
	// socket marks a WebSocket: the token comes as a subprotocol.
	socket bool
	// body is the limit of the request's body in bytes; 0 means that it has none.
	body   int64
	handle func(w http.ResponseWriter, r *http.Request, c call) error
	// doc is the route's documentation in docs/reference/http.md.
	doc routeDoc
}

// routeDoc is the documentation of a route: what it does, the parameters of its query,
// its messages as values of their types, those of its events, and whether it replies
// with bytes.
type routeDoc struct {
	about   string
	query   []string
	in, out any
	stream  any
	binary  bool
}

// call holds the caller's grant, and the channel that tells a socket that the
// server stops.
type call struct {
	grant    auth.Grant
	stopping <-chan struct{}
}

// table returns every route of this server, by path and method.
func (s *Server) table() map[string]map[string]route {
	list := []route{
		{
			method: http.MethodGet, path: "/health", origin: originNoPage, handle: s.health,
			doc: routeDoc{about: "Report that the server is running; ?challenge=HEX proves its identity.", query: []string{"challenge"}, out: protocol.Health{}},
		},
		{
			method: http.MethodPost, path: "/inspector/pick", capability: auth.CapabilityPanel, origin: originExtension, body: protocol.MaxBody, handle: handled(func(ctx context.Context, g auth.Grant, req protocol.PickRequest) (protocol.PickReply, error) {
				return s.sessions.Pick(ctx, g, req)
			}),
			doc: routeDoc{about: "Let the user of a panel pick an element of a tab's page, with the browser's own picker. The panel's socket delivers the picked element.", in: protocol.PickRequest{}, out: protocol.PickReply{}},
		},

		{
			method: http.MethodGet, path: "/panel", capability: auth.CapabilityPanel, origin: originExtension, socket: true, handle: s.panel,
			doc: routeDoc{about: "The side panel's socket."},
		},
		{
			method: http.MethodPost, path: "/pty-session", capability: auth.CapabilityTerminal, origin: originExtension, body: protocol.MaxBody, handle: s.ptySession,
			doc: routeDoc{about: "Find or start a terminal, and mint the token for its socket.", in: protocol.PtySessionRequest{}, out: protocol.PtySessionReply{}},
		},
		{
			method: http.MethodPost, path: "/pty-restart", capability: auth.CapabilityTerminal, origin: originExtension, body: protocol.MaxBody, handle: onTerminals(s, func(ctx context.Context, t Terminals, _ auth.Grant, req protocol.PtyRestartRequest) (protocol.TerminalInfo, error) {
				return t.Restart(ctx, req)
			}),
			doc: routeDoc{about: "Start a terminal's program again.", in: protocol.PtyRestartRequest{}, out: protocol.TerminalInfo{}},
		},
		{
			method: http.MethodPost, path: "/pty-close", capability: auth.CapabilityTerminal, origin: originExtension, body: protocol.MaxBody, handle: onTerminals(s, func(ctx context.Context, t Terminals, _ auth.Grant, req protocol.PtyCloseRequest) (struct{}, error) {
				return struct{}{}, t.Close(ctx, req.Terminal)
			}),
			doc: routeDoc{about: "End a terminal.", in: protocol.PtyCloseRequest{}, out: struct{}{}},
		},
		{
			method: http.MethodGet, path: "/ws", capability: auth.CapabilityAttach, origin: originExtension, once: true, socket: true, handle: s.terminal,
			doc: routeDoc{about: "A terminal's socket."},
		},

		{
			method: http.MethodPost, path: "/command", capability: auth.CapabilityCommand, origin: originNoPage, body: protocol.MaxBody, handle: s.command,
			doc: routeDoc{about: "Run one command. A command that fails is a reply with its error. A client that accepts text/event-stream is told at once when the command waits for the user: `waiting` has the question, `reply`, the last event, the reply.", in: protocol.CommandRequest{}, out: protocol.CommandReply{}, stream: protocol.Waiting{}},
		},
		{
			method: http.MethodPost, path: "/batch", capability: auth.CapabilityCommand, origin: originNoPage, body: protocol.MaxBody, handle: s.batch,
			doc: routeDoc{about: "Run commands in order, stopping at the first that fails unless told to continue.", in: protocol.BatchRequest{}, out: protocol.BatchReply{}},
		},
		{
			method: http.MethodGet, path: "/tabs", capability: auth.CapabilityTabs, origin: originNoPage, handle: s.tabs,
			doc: routeDoc{about: "List the tabs.", query: []string{"session"}, out: protocol.TabsFile{}},
		},
		{
			method: http.MethodGet, path: "/agents", capability: auth.CapabilityAgents, origin: originNoPage, handle: s.agents,
			doc: routeDoc{about: "Which agents are installed.", query: []string{"session"}, out: protocol.AgentsFile{}},
		},
		{
			method: http.MethodPost, path: "/agents/probe", capability: auth.CapabilityProbe, origin: originNoPage, body: protocol.MaxBody, handle: s.agentsProbe,
			doc: routeDoc{about: "Look again which agents are installed.", in: struct{}{}, out: protocol.AgentsFile{}},
		},
		{
			method: http.MethodPost, path: "/agent-status", capability: auth.CapabilityAgentStatus, origin: originNoPage, body: protocol.MaxBody, handle: onTerminals(s, func(_ context.Context, t Terminals, g auth.Grant, req protocol.AgentStatusRequest) (struct{}, error) {
				return struct{}{}, t.SetStatus(g.Terminal, req.Status, req.Message)
			}),
			doc: routeDoc{about: "An agent reports what it is doing.", in: protocol.AgentStatusRequest{}, out: struct{}{}},
		},
		{
			method: http.MethodPost, path: "/agent-permission", capability: auth.CapabilityAgentStatus, origin: originNoPage, body: protocol.MaxBody, handle: handled(func(ctx context.Context, g auth.Grant, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error) {
				return s.sessions.AskTool(ctx, g, req)
			}),
			doc: routeDoc{about: "The agent of a terminal asks the user whether it may use a tool of its own. `undecided` means that its own prompt decides.", in: protocol.ToolPermissionRequest{}, out: protocol.ToolPermissionReply{}},
		},
		{
			method: http.MethodPost, path: "/app", capability: auth.CapabilityApp, origin: originNoPage, body: protocol.MaxBody, handle: handled(func(ctx context.Context, g auth.Grant, req protocol.AppRequest) (protocol.AppReply, error) {
				return s.sessions.App(ctx, g, req)
			}),
			doc: routeDoc{about: "The app itself: start and stop its sessions, or quit.", in: protocol.AppRequest{}, out: protocol.AppReply{}},
		},
		{
			method: http.MethodGet, path: "/activity/history", capability: auth.CapabilityActivity, origin: originNoPage, handle: s.activityHistory,
			doc: routeDoc{about: "What was done in a session, oldest first. An agent sees its own.", query: []string{"after", "limit", "session"}, out: protocol.ActivityPage{}},
		},
		{
			method: http.MethodGet, path: "/activity/stream", capability: auth.CapabilityActivity, origin: originNoPage, handle: s.activityStream,
			doc: routeDoc{about: "The same as server-sent events, and what is new as it happens: `activity` has an entry, `waiting` one of a command that waits for the user, `gap` the indexes that are gone. Without `after` only what is new.", query: []string{"after", "session"}, stream: protocol.ActivityEntry{}},
		},
		{
			method: http.MethodGet, path: "/file", capability: auth.CapabilityFile, origin: originNoPage, handle: s.file,
			doc: routeDoc{about: "A screenshot, document or download of the session. An agent gets those of its own commands.", query: []string{"path", "session"}, binary: true},
		},
	}
	if s.welcome != nil {
		list = append(list, route{
			method: http.MethodGet, path: "/welcome", origin: originNoPage, handle: s.welcomePage,
			doc: routeDoc{about: "The page that a new browser opens with."},
		})
	}
	if s.mcp != nil {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			rt := route{
				method: method, path: "/mcp", capability: auth.CapabilityMCP, origin: originNoPage, handle: s.serveMCP,
				doc: routeDoc{about: "The Model Context Protocol over streamable HTTP."},
			}
			if method == http.MethodPost {
				rt.body = protocol.MaxBody
			}
			list = append(list, rt)
		}
	}
	list = append(list, route{
		method: http.MethodPost, path: "/chat/file", capability: auth.CapabilityPanel, origin: originExtension, body: protocol.MaxBody, handle: s.fileData,
		doc: routeDoc{about: "An image or file of a conversation or of a step in the browser, as data for the panel.", in: protocol.FileRequest{}, out: protocol.ChatAttachment{}},
	})
	list = append(list, activityRoutes(s)...)
	if s.schedules != nil {
		list = append(list, scheduleRoute(s.schedules))
	}
	if s.models != nil {
		list = append(list, s.modelRoutes()...)
	}
	if s.tasks != nil {
		list = append(list, s.taskRoutes()...)
	}
	if s.chat != nil {
		list = append(list, s.chatRoutes()...)
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
