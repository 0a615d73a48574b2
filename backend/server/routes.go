package server

import (
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
	// originControl allows exactly the control page's Origin.
	originControl
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
	// inPath means that the token is the rest of the path: for clients of other protocols,
	// which send no headers of ours. They may send it in Authorization as well.
	inPath bool
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
	own      bool // the request was sent to the server's own name
}

// table returns every route of this server, by path and method.
func (s *Server) table() map[string]map[string]route {
	list := []route{
		{
			method: http.MethodGet, path: "/health", origin: originNoPage, handle: s.health,
			doc: routeDoc{about: "Report that the server is running; ?challenge=HEX proves its identity.", query: []string{"challenge"}, out: protocol.Health{}},
		},
		{
			method: http.MethodPost, path: "/pair", origin: originExtension, body: maxPairRequest, handle: s.pair,
			doc: routeDoc{about: "A panel without a pairing waits until the user has entered the code that it shows.", in: protocol.PairRequest{}, out: protocol.PairReply{}},
		},
		{
			method: http.MethodGet, path: "/panel", capability: auth.CapabilityPanel, origin: originExtension, socket: true, handle: s.panel,
			doc: routeDoc{about: "The side panel's socket, or that of the task page.", query: []string{protocol.PanelTasks}},
		},
		{
			method: http.MethodPost, path: "/pty-session", capability: auth.CapabilityTerminal, origin: originExtension, body: protocol.MaxBody, handle: s.ptySession,
			doc: routeDoc{about: "Find or start a terminal, and mint the token for its socket.", in: protocol.PtySessionRequest{}, out: protocol.PtySessionReply{}},
		},
		{
			method: http.MethodGet, path: "/ws", capability: auth.CapabilityAttach, origin: originExtension, once: true, socket: true, handle: s.terminal,
			doc: routeDoc{about: "A terminal's socket."},
		},
		{
			method: http.MethodGet, path: protocol.SharePath, capability: auth.CapabilityShare, origin: originNoPage, socket: true, inPath: true, handle: s.share,
			doc: routeDoc{about: "The DevTools protocol with the tabs of an address that `pilotfish share` has printed. The secret is the rest of the path, or the token of an Authorization header."},
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
			method: http.MethodGet, path: "/file", capability: auth.CapabilityFile, origin: originNoPage, handle: s.file,
			doc: routeDoc{about: "A screenshot, document or download of the session. An agent gets those of its own commands.", query: []string{"path", "session"}, binary: true},
		},
		{
			method: http.MethodPost, path: "/llm/call", capability: auth.CapabilityModels, origin: originExtension, body: maxModelRequest, handle: s.modelCall,
			doc: routeDoc{
				about: "Send a prompt in the provider's own format; the key is added here, and the answer streams back as the provider sends it.",
				query: []string{"profile"}, binary: true,
			},
		},
	}
	if s.welcome != nil {
		list = append(list, route{
			method: http.MethodGet, path: "/welcome", origin: originNoPage, handle: s.welcomePage,
			doc: routeDoc{about: "The page that a new browser opens with."},
		})
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		rt := route{
			method: method, path: "/mcp", capability: auth.CapabilityMCP, origin: originNoPage, handle: s.serveMCP,
			doc: routeDoc{about: "The Model Context Protocol over streamable HTTP."},
		}
		if method == http.MethodPost {
			rt.body = protocol.MaxBody
		}
		shared := rt
		shared.path, shared.capability, shared.inPath = protocol.ShareMCPPath, auth.CapabilityShareMCP, true
		shared.doc.about = "The same at an address that `pilotfish share --mcp` has printed. The secret is the rest of the path, or the token of an Authorization header."
		list = append(list, rt, shared)
	}
	list = append(append(list, s.controlRoutes()...), s.operationRoutes()...)
	table := map[string]map[string]route{}
	for _, rt := range list {
		if table[rt.path] == nil {
			table[rt.path] = map[string]route{}
		}
		table[rt.path][rt.method] = rt
	}
	return table
}
