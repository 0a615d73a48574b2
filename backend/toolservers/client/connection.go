package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/confine"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
	"pilotfish/backend/redact"
	"pilotfish/backend/toolservers"
)

// Launch says how to start a server's program.
type Launch struct {
	confine.Program
	// Folders are what it sees otherwise than its user; nil for a server that is not
	// confined. Keeper is the program that adopts what one of those leaves behind.
	Folders *confine.Folders
	Keeper  string
	Guard   *proc.Guard
	// End is called when it has ended; nil for no callback.
	End func()
}

// protocolVersion is the version that is asked for. With a later one the SDK first sends
// server/discover, and servers exist that never answer what they do not know before
// initialize: the start would wait for its timeout.
const protocolVersion = "2025-11-25"

// connection is a server that runs for a task.
type connection struct {
	session *mcp.ClientSession
	tools   tools
	// program is the server's process, http the way to one at an address; nil for none.
	program *program
	http    *httpWay
}

// connect starts a server and lists its tools. The start ends with task, the server with
// close or with the client.
func (c *Client) connect(task context.Context, server toolservers.Server) (*connection, error) {
	ctx, cancel := context.WithTimeout(task, startTimeout)
	defer cancel()
	conn := &connection{}
	transport, err := c.transport(ctx, server, conn)
	if err != nil {
		return nil, err
	}
	if conn.program != nil {
		// A write to a server that does not read ignores the context.
		defer context.AfterFunc(ctx, conn.program.cut)()
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "pilotfish", Version: c.cfg.Version}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	// The SDK's session keeps the values of its context, and ends with Close.
	if conn.session, err = sdk.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion}); err == nil {
		conn.tools, err = list(ctx, conn.session)
	}
	if err == nil {
		return conn, nil
	}
	if conn.program != nil {
		conn.program.noteEnd()
	}
	conn.close()
	switch {
	case task.Err() != nil:
		return nil, errOver()
	case ctx.Err() != nil:
		return nil, conn.failed(server, protocol.CodeTimeout, fmt.Sprintf("%s did not start within %s", server.Name, startTimeout))
	}
	if server.Remote() {
		c.log.Info("an MCP server does not answer as one", "server", server.Name, "error", redact.Text(server.Mask(err.Error())))
		return nil, conn.failed(server, protocol.CodeNotRunning, server.Name+" does not answer as an MCP server"+conn.http.status())
	}
	return nil, conn.failed(server, protocol.CodeCrashed, server.Name+" does not work as an MCP server"+conn.ending())
}

// failed is the error of a server that cannot be used. What it wrote to its standard
// error is the detail.
func (c *connection) failed(server toolservers.Server, code protocol.Code, message string) *protocol.Error {
	hint := "`pilotfish mcp-servers` shows the command that starts it; try that in a terminal"
	if server.Remote() {
		hint = "`pilotfish mcp-servers` shows its address; look whether it and its headers are right"
	}
	e := protocol.NewError(code, message, hint)
	if c.program != nil {
		e.Detail = foreign.Field(redact.Text(server.Mask(c.program.said.last())))
	}
	return e
}

// ending says how the server's process ended, as the end of a sentence.
func (c *connection) ending() string {
	if c.program == nil {
		return ""
	}
	exit := c.program.process.Exit()
	if c.program.wrapped {
		exit = confine.Exit(exit)
	}
	switch {
	case exit.Signal == "" && exit.Code > 0:
		return fmt.Sprintf(": it ended with exit code %d", exit.Code)
	case c.program.left:
		return ": it ended"
	}
	return ""
}

// transport returns the way to a server, and starts its program.
func (c *Client) transport(ctx context.Context, server toolservers.Server, conn *connection) (mcp.Transport, error) {
	if c.cfg.Transport != nil {
		return c.cfg.Transport(server)
	}
	if server.Remote() {
		conn.http = newHTTP(server)
		return &mcp.StreamableClientTransport{
			Endpoint: server.URL, HTTPClient: conn.http.client(), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxMessage,
		}, nil
	}
	launch, err := c.cfg.Launch(ctx, server)
	if err != nil {
		return nil, err
	}
	started, err := start(c.life, launch) //nolint:contextcheck // it outlives its start
	if err != nil {
		if launch.End != nil {
			launch.End()
		}
		return nil, protocol.NewError(protocol.CodeNotRunning, server.Name+" cannot be started: "+err.Error(), "`pilotfish mcp-servers` shows the command that starts it")
	}
	conn.program = started
	return &mcp.IOTransport{Reader: started.out, Writer: started.in, MaxLineLength: maxMessage}, nil
}

// close ends the connection and the server: it closes the server's input, and stops what
// does not end by itself. It returns when the process tree is gone.
func (c *connection) close() {
	if c.program != nil {
		_ = c.program.in.Close() // the session closes it again
	}
	if c.session != nil {
		_ = c.session.Close() // the server may have ended before
	}
	if c.program != nil {
		c.program.end()
	}
	if c.http != nil {
		c.http.transport.CloseIdleConnections()
	}
}

// program is the process of a server.
type program struct {
	process *proc.Process
	wrapped bool // see confine.Prepare
	in, out *os.File
	said    *tail
	over    func()
	left    bool // it ended before we ended it
}

// start starts a server's program. It ends with life.
func start(life context.Context, launch Launch) (*program, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the server's input: %w", err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the server's output: %w", err), stdin.Close(), in.Close())
	}
	said := &tail{}
	prepared, wrapped := confine.Prepare(launch.Program, launch.Folders, launch.Keeper)
	process, err := proc.Start(life, proc.Config{
		Path: prepared.Path, Args: prepared.Args, Env: prepared.Env, Dir: prepared.Dir,
		Stdin: stdin, Stdout: stdout, Stderr: said, Guard: launch.Guard,
	})
	_, _ = stdin.Close(), stdout.Close() // the server has its own
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, err
	}
	return &program{process: process, wrapped: wrapped, in: in, out: out, said: said, over: launch.End}, nil
}

// cut closes the pipes, so that nobody waits for the server any more.
func (p *program) cut() { _, _ = p.in.Close(), p.out.Close() }

// noteEnd records whether the server ended by itself. A server that fails closes its
// output a moment before it has ended.
func (p *program) noteEnd() {
	wait := time.NewTimer(endWait)
	defer wait.Stop()
	select {
	case <-p.process.Exited():
		p.left = true
	case <-wait.C:
	}
}

// end waits a moment for the server to end, and stops it.
func (p *program) end() {
	wait := time.NewTimer(endWait)
	defer wait.Stop()
	select {
	case <-p.process.Exited():
	case <-wait.C:
	}
	_ = p.process.Stop("the task ended") // proc logs what is left over
	p.cut()
	if p.over != nil {
		p.over()
	}
}

// tail keeps the end of what a server writes to its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxStderr; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

// last returns the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
