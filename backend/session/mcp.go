package session

import (
	"context"
	"net"
	"net/http"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/mcp"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/task/control"
	"pilotfish/extension"
)

// served is what a server serves, with an MCP handler that ends with it.
type served struct {
	gateway
	*mcp.Handler
	server *server.Server
}

// Run gives the panels the new port, and serves.
func (s *served) Run(ctx context.Context) error {
	s.m.eachSession(func(one *Session) { one.pair() })
	s.m.changed()
	return s.server.Run(ctx)
}

// Close ends the MCP sessions.
func (s *served) Close() { _ = s.Handler.Close() }

// newServer returns a server on a listener.
func (g gateway) newServer(listener net.Listener, key []byte) (endpoint.Server, error) {
	s := &served{gateway: g, Handler: g.newMCP()}
	var err error
	s.server, err = server.New(server.Config{
		Auth: g.m.auth, Sessions: s, Version: g.m.cfg.Version, Listener: listener, Key: key, Welcome: http.HandlerFunc(g.welcome), Control: g.m.control, Operations: g.m.Operations(), Logger: g.m.cfg.Logger,
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// welcome serves the welcome page. It waits for the trial of the confinement, which is
// over long before the browser asks: a first run must not miss what it found.
func (g gateway) welcome(w http.ResponseWriter, r *http.Request) {
	unconfined, err := g.m.confine.Wait(r.Context())
	if err != nil {
		return // the browser has disconnected
	}
	settings := g.m.Settings()
	welcome(w, g.m.agents.Usual(settings.Agent), string(settings.Theme), unconfined)
}

// welcome writes the welcome page, with the name of the agent that a terminal runs. Where
// agents cannot be confined, it says what that means.
func welcome(w http.ResponseWriter, agent, theme string, unconfined *protocol.Error) {
	note := ""
	if unconfined != nil {
		note = "Agents are not confined on this computer: " + unconfined.Message + ". An agent can do all that you can, which includes " +
			"reading Pilotfish’s own files. To confine agents, " + unconfined.Hint + ". SECURITY.md says what remains possible without that."
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", extension.WelcomePolicy())
	_, _ = w.Write(extension.WelcomePage(note, agent, theme)) // an error means that the browser has disconnected
}

// newMCP returns the MCP handler of the registry. Each token's holder gets an
// MCP server of its own.
func (g gateway) newMCP() *mcp.Handler {
	c := mcp.HandlerConfig{Caller: g.mcpFor, Logger: g.m.cfg.Logger}
	if host := g.m.cfg.Isolated; host != "" {
		c.Isolated = func(client context.Context, grant auth.Grant) mcp.Config {
			own := &isolated{Isolated: mcp.NewIsolated(host), gateway: g, client: client}
			grant.Session = own.Name // and it reaches no other one
			return g.mcpOf(grant, own)
		}
	}
	return mcp.NewHandler(c)
}

// mcpFor returns what an MCP server needs for the holder of a grant.
func (g gateway) mcpFor(grant auth.Grant) mcp.Config { return g.mcpOf(grant, nil) }

// mcpOf is mcpFor for a session that is one client's alone; nil for one that others use, too.
func (g gateway) mcpOf(grant auth.Grant, own *isolated) mcp.Config {
	return mcp.Config{
		Version: g.m.cfg.Version, Tab: grant.Tab, Specs: catalogue.Specs(),
		Caller: mcpCaller{g, control.Caller{Find: func(ctx context.Context) (*control.Tasks, error) {
			if grant.Actor.Kind == protocol.ActorScript { // they would use the user's model, in any tab
				return nil, protocol.NewError(protocol.CodeForbidden, "a shared address has no tasks", "use the commands of the browser")
			}
			if err := own.start(ctx); err != nil {
				return nil, err
			}
			return g.tasks(grant)
		}, Grant: grant}, own},
		Logger: g.m.cfg.Logger,
	}
}

// isolated is the session of one MCP client. It starts with the client's first command, and
// again with the next one after its end.
type isolated struct {
	mcp.Isolated
	gateway

	client context.Context // the client's life

	mu   sync.Mutex
	runs bool
}

// start starts the session unless it runs. nil has none to start.
func (o *isolated) start(ctx context.Context) error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.runs {
		return nil
	}
	app := func(ctx context.Context, req protocol.AppRequest) error {
		_, err := o.app(ctx, req)
		return err
	}
	if err := o.Start(ctx, app); err != nil {
		return err
	}
	o.runs = true
	o.m.running.Go(func() {
		o.Hold(o.client, app)
		o.mu.Lock()
		o.runs = false
		o.mu.Unlock()
	})
	return nil
}

// mcpCaller is the holder of a grant, who calls by MCP.
type mcpCaller struct {
	gateway
	control.Caller

	own *isolated
}

func (c mcpCaller) Execute(ctx context.Context, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
	ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
	defer cancel()
	if err := c.own.start(ctx); err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	return c.Command(ctx, c.Grant, req, waiting)
}

func (c mcpCaller) Named(program string) { c.m.callers.Named(c.Grant, program) }

func (c mcpCaller) Image(_ context.Context, path string) ([]byte, string, error) {
	s, err := c.m.pick(c.Grant.Session)
	if err != nil {
		return nil, "", err
	}
	return s.saved.Image(c.Grant.Actor, path)
}
