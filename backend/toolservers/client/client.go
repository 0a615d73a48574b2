package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
	"pilotfish/backend/redact"
	"pilotfish/backend/toolservers"
)

// Config is what New needs. All fields are required unless they say otherwise.
type Config struct {
	// Offer says which servers a task may use.
	Offer *toolservers.Offer
	// User is asked before a tool is used.
	User question.Asker
	// Launch says how to start a server.
	Launch func(ctx context.Context, server toolservers.Server) (Launch, error)
	// Transport is the way to a server in place of a program that is started; nil
	// outside of tests.
	Transport func(server toolservers.Server) (mcp.Transport, error)
	// Mask masks the user's secrets in a text.
	Mask func(text string) string
	// Version is that of the app; servers are sent it.
	Version string
	Logger  *slog.Logger
}

// Client uses the user's MCP servers for the tasks of a session. Its methods are safe
// for concurrent use.
type Client struct {
	cfg Config
	log *slog.Logger
	// life is the context of the servers; Run ends it.
	life    context.Context //nolint:containedctx // servers start later than the client
	endLife context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool
	tasks  map[string]*use // by the actor's ID
	// known are the tools that servers listed in this run, by the server's name, so that
	// a server starts only when a tool of it is used.
	known map[string]known
}

type known struct {
	server toolservers.Server
	tools  tools
}

// use is one task's use of the servers.
type use struct {
	life context.Context //nolint:containedctx // it ends with the task
	end  context.CancelFunc
	// servers are those that the task may use, by name.
	servers map[string]toolservers.Server
	open    map[string]*opening
	// allowed are the tools that need no further question in this task.
	allowed map[toolName]bool
}

type toolName struct{ server, tool string }

// opening is a server that starts or runs.
type opening struct {
	server toolservers.Server
	begun  chan struct{} // closed once conn or err is set
	conn   *connection
	err    error
}

// New returns a client that has started no server.
func New(cfg Config) *Client {
	c := &Client{cfg: cfg, log: cfg.Logger.With("component", "toolservers_client"), tasks: map[string]*use{}, known: map[string]known{}}
	c.life, c.endLife = context.WithCancel(context.Background())
	return c
}

// Run waits until ctx ends. Then it ends all servers, and returns when they have ended.
func (c *Client) Run(ctx context.Context) {
	<-ctx.Done()
	c.mu.Lock()
	c.closed = true
	for id := range c.tasks {
		c.overLocked(id)
	}
	c.mu.Unlock()
	c.running.Wait()
	c.endLife()
}

// Over ends the servers of a task that has ended. It does not wait.
func (c *Client) Over(actor protocol.Actor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.overLocked(actor.ID)
}

// overLocked ends the servers of a task. The caller holds mu.
func (c *Client) overLocked(id string) {
	u := c.tasks[id]
	if u == nil {
		return
	}
	delete(c.tasks, id)
	u.end()
	for _, one := range u.open {
		c.closeLocked(one)
	}
	u.open = nil
}

// closeLocked ends a server without waiting for it. The caller holds mu.
func (c *Client) closeLocked(one *opening) {
	c.running.Go(func() {
		<-one.begun
		if one.conn != nil {
			one.conn.close()
		}
	})
}

// Names returns the names of the servers that a task may use, or is asked about.
func (c *Client) Names() []protocol.TaskToolServer {
	servers := []protocol.TaskToolServer{}
	for _, name := range c.cfg.Offer.Names() {
		servers = append(servers, protocol.TaskToolServer{Name: name, Tools: []protocol.TaskTool{}})
	}
	return servers
}

// errOver is the error of a call for a task or a session that has ended.
func errOver() error {
	return protocol.NewError(protocol.CodeNotRunning, "the task has ended", "")
}

// Offered returns the servers that a task may use, with their tools. It asks the user
// about those that need it, and starts those whose tools are not known. A server that
// does not work is returned with its error.
func (c *Client) Offered(ctx context.Context, actor protocol.Actor, tab protocol.TabID) ([]protocol.TaskToolServer, error) {
	servers, left := c.cfg.Offer.For(ctx, c.cfg.User, actor, tab)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("asking which MCP servers the task may use: %w", context.Cause(ctx))
	}
	u, err := c.begin(actor.ID, servers)
	if err != nil {
		return nil, err
	}
	list := make([]protocol.TaskToolServer, len(servers))
	var wait sync.WaitGroup
	for i, server := range servers {
		wait.Go(func() {
			found, err := c.toolsOf(ctx, u, server)
			list[i] = protocol.TaskToolServer{Name: server.Name, Tools: found.wire(), More: found.more}
			if err != nil {
				list[i].Error = protocol.AsError(err)
				c.log.Warn("an MCP server cannot be used", "server", server.Name, "error", err, "said", list[i].Error.Detail)
			}
		})
	}
	wait.Wait()
	for _, one := range left {
		list = append(list, protocol.TaskToolServer{Name: one.Server.Name, Tools: []protocol.TaskTool{}, Error: one.Why})
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("listing the tools of the MCP servers: %w", context.Cause(ctx))
	}
	return list, nil
}

// begin sets the servers that a task may use. What runs for it already stays, unless the
// user has changed or taken it away since.
func (c *Client) begin(id string, servers []toolservers.Server) (*use, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errOver()
	}
	u := c.tasks[id]
	if u == nil {
		u = &use{open: map[string]*opening{}, allowed: map[toolName]bool{}}
		u.life, u.end = context.WithCancel(c.life)
		c.tasks[id] = u
	}
	u.servers = map[string]toolservers.Server{}
	for _, server := range servers {
		u.servers[server.Name] = server
	}
	for name, one := range u.open {
		now, offered := u.servers[name]
		same := offered && one.server.Same(now)
		if !same { // what was allowed was allowed to another program
			maps.DeleteFunc(u.allowed, func(of toolName, _ bool) bool { return of.server == name })
		}
		// The headers have the values of credentials, too.
		if !same || !slices.Equal(one.server.Headers, now.Headers) {
			delete(u.open, name)
			c.closeLocked(one)
		}
	}
	return u, nil
}

// toolsOf returns the tools of a server, and starts it if they are not known.
func (c *Client) toolsOf(ctx context.Context, u *use, server toolservers.Server) (tools, error) {
	c.mu.Lock()
	before, ok := c.known[server.Name]
	c.mu.Unlock()
	if ok && before.server.Same(server) {
		return before.tools, nil
	}
	conn, err := c.started(ctx, u, server)
	if err != nil {
		return tools{}, err
	}
	return conn.tools, nil
}

// started returns the running server of a task, and starts it at the first use. A server
// whose start failed is started anew.
func (c *Client) started(ctx context.Context, u *use, server toolservers.Server) (*connection, error) {
	c.mu.Lock()
	if u.life.Err() != nil {
		c.mu.Unlock()
		return nil, errOver()
	}
	one := u.open[server.Name]
	if one == nil {
		one = &opening{server: server, begun: make(chan struct{})}
		u.open[server.Name] = one
		// The start goes on when its caller gives up: the next one finds it.
		c.running.Go(func() { c.open(u, server, one) })
	}
	c.mu.Unlock()
	select {
	case <-one.begun:
		return one.conn, one.err
	case <-ctx.Done():
		return nil, fmt.Errorf("starting the MCP server %s: %w", server.Name, context.Cause(ctx))
	}
}

// open starts a server for a task.
func (c *Client) open(u *use, server toolservers.Server, one *opening) {
	one.conn, one.err = c.connect(u.life, server)
	c.mu.Lock()
	if one.err == nil {
		c.known[server.Name] = known{server, one.conn.tools}
	} else if u.open[server.Name] == one {
		delete(u.open, server.Name) // before a caller learns of it and tries again
	}
	c.mu.Unlock()
	close(one.begun)
}

// drop ends a server that does not answer any more; the next call starts it again.
func (c *Client) drop(u *use, name string, conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := u.open[name]; one != nil && one.conn == conn {
		delete(u.open, name)
		c.closeLocked(one)
	}
}

// Kept returns a text as it may be written: without the user's secrets and credentials.
func (c *Client) Kept(text string) string { return redact.Text(c.cfg.Mask(text)) }

// Call uses a tool for a task. The user is asked first, unless they have allowed it.
func (c *Client) Call(ctx context.Context, actor protocol.Actor, tab protocol.TabID, req protocol.TaskToolRequest) protocol.TaskToolReply {
	text, err := c.call(ctx, actor, tab, req)
	reply := protocol.TaskToolReply{OK: err == nil, Error: protocol.AsError(err)}
	if text != "" || err == nil {
		reply.Text = foreign.Envelope("mcp:"+req.Server, c.cfg.Mask(text))
		reply.Kept.Text = foreign.Envelope("mcp:"+req.Server, c.Kept(text)) // a task that is resumed reads it again
	}
	return reply
}

func (c *Client) call(ctx context.Context, actor protocol.Actor, tab protocol.TabID, req protocol.TaskToolRequest) (string, error) {
	arguments, err := object(req.Arguments)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	u := c.tasks[actor.ID]
	var server toolservers.Server
	offered := false
	if u != nil {
		server, offered = u.servers[req.Server]
	}
	c.mu.Unlock()
	if !offered {
		return "", protocol.NewError(protocol.CodeBadArgument, "this task has no such MCP server", "use those that were listed")
	}
	// The user may have changed the list meanwhile.
	current, ok := c.cfg.Offer.Current(server)
	if !ok {
		return "", protocol.NewError(protocol.CodeRefused, "the user does not offer "+server.Name+" any more", "do it another way")
	}
	conn, err := c.started(ctx, u, server)
	if err != nil {
		return "", err
	}
	named, ok := conn.tools.find(req.Tool)
	if !ok {
		return "", protocol.NewError(protocol.CodeBadArgument, server.Name+" has no such tool", "it has "+strings.Join(conn.tools.names(), ", "))
	}
	if err := c.permitted(ctx, u, actor, tab, current, named, arguments); err != nil {
		return "", err
	}
	text, err := c.answered(ctx, u, server, conn, req.Tool, arguments)
	return server.Mask(text), err
}

// answered calls a tool and returns its answer. A tool that reports an error is an error
// with the text of it.
func (c *Client) answered(ctx context.Context, u *use, server toolservers.Server, conn *connection, name string, arguments json.RawMessage) (string, error) {
	limited, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	defer context.AfterFunc(u.life, cancel)() //nolint:contextcheck // the task's end ends the call, too
	result, err := c.send(limited, u, server, conn, &mcp.CallToolParams{Name: name, Arguments: arguments})
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return "", fmt.Errorf("waiting for an answer of %s: %w", server.Name, context.Cause(ctx))
	case u.life.Err() != nil:
		return "", errOver()
	case limited.Err() != nil:
		return "", protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("%s did not answer within %s", server.Name, callTimeout), "ask for less, or do it another way")
	case !refusal(err):
		c.drop(u, server.Name, conn)
		return "", protocol.NewError(protocol.CodeCrashed, server.Name+" has ended, or wrote what is no message", "the next call starts it again")
	default:
		// An error of the protocol: its text is the server's.
		return bounded(err.Error()), protocol.NewError(protocol.CodeRefused, server.Name+" refuses the call", "look at the tool's arguments")
	}
	if result.IsError {
		return answer(result), protocol.NewError(protocol.CodeRefused, server.Name+" reports an error", "")
	}
	return answer(result), nil
}

// send calls a tool. It returns soon after ctx has ended, and ends a server that does not
// even take the call.
func (c *Client) send(ctx context.Context, u *use, server toolservers.Server, conn *connection, params *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	var result *mcp.CallToolResult
	var err error
	done := make(chan struct{})
	c.running.Go(func() {
		defer close(done)
		result, err = conn.session.CallTool(ctx, params)
	})
	select {
	case <-done:
		return result, err
	case <-ctx.Done():
	}
	wait := time.NewTimer(deafWait)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
		c.drop(u, server.Name, conn)
		<-done // the connection closes
	}
	return result, err
}

// refusal reports whether an error is the server's answer, and not a broken connection.
func refusal(err error) bool {
	_, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && !errors.Is(err, mcp.ErrConnectionClosed)
}

// permitted asks the user whether a task may use a tool, unless they have allowed it:
// always, for this task, or, for a tool that claims to change nothing, once before.
func (c *Client) permitted(ctx context.Context, u *use, actor protocol.Actor, tab protocol.TabID, server toolservers.Server, used tool, arguments json.RawMessage) error {
	if server.Allows(used.Name) {
		return nil
	}
	key := toolName{server.Name, used.Name}
	c.mu.Lock()
	allowed := u.allowed[key]
	c.mu.Unlock()
	if allowed {
		return nil
	}
	answer, err := c.cfg.User.Ask(ctx, approval(actor, tab, key, arguments))
	if err != nil {
		return err
	}
	switch answer {
	case protocol.AnswerOnce:
		if !used.readOnly {
			return nil
		}
	case protocol.AnswerTask:
	case protocol.AnswerAlways:
		c.cfg.Offer.AllowTool(server, used.Name)
	default:
		return protocol.NewError(protocol.CodeDenied, "the user does not allow it", "do it another way, or ask the user")
	}
	c.mu.Lock()
	u.allowed[key] = true
	c.mu.Unlock()
	return nil
}

// approval asks whether a task may use a tool, with all that is sent to it.
func approval(actor protocol.Actor, tab protocol.TabID, of toolName, arguments json.RawMessage) protocol.Approval {
	var indented bytes.Buffer
	if json.Indent(&indented, arguments, "", "  ") != nil {
		indented.Write(arguments) // cannot happen: it is an object
	}
	return protocol.Approval{
		Actor: actor, Tab: tab, Command: protocol.ToolQuestion, Kind: protocol.ActionSensitive,
		Args: []protocol.ApprovalArg{
			{Name: "server", Value: of.server}, {Name: "tool", Value: of.tool}, {Name: "arguments", Value: indented.String()},
		},
		Options: []protocol.PermissionOption{
			{ID: "once", Name: "Allow once", Kind: protocol.AnswerOnce},
			{ID: "always", Name: "Always", Kind: protocol.AnswerAlways},
			{ID: "deny", Name: "Deny", Kind: protocol.AnswerDeny},
		},
	}
}
