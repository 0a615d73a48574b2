// Package bridge makes the app available to programs that start this one and talk
// MCP to it over standard input and output.
package bridge

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/app/cli/client"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/mcp"
	"pilotfish/backend/protocol"
)

// Streams serve a protocol over standard input and output to the program that
// started this one.
type Streams struct {
	Getenv  func(string) string
	Version string // of this program
	In      io.Reader
	Out     io.Writer
	// Tab and Session apply to commands that name none.
	Tab     protocol.TabID
	Session protocol.SessionName
	// Isolated gives the client a session of its own, a browser context in the browser of Session.
	Isolated bool
}

// MCP serves the Model Context Protocol. It has the same tools as the app's /mcp;
// each command goes to the app over HTTP. The bridge finds or starts the app at
// the first command, and again after the app was restarted: the client's session
// continues.
func (s Streams) MCP(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a session of its own ends then
	find := func(ctx context.Context) (*client.Client, error) { return client.FindOrStart(ctx, s.Getenv) }
	b := &bridge{find: find, id: rand.Text(), tab: s.Tab, session: s.Session}
	if s.Isolated {
		own := mcp.NewIsolated(cmp.Or(s.Session, protocol.DefaultSession))
		s.Session, b.session, b.isolated = own.Name, own.Name, true
		b.find = func(starting context.Context) (*client.Client, error) {
			c, err := find(starting)
			if err != nil {
				return nil, err
			}
			app := func(ctx context.Context, req protocol.AppRequest) error {
				return c.Post(ctx, "/app", req, &protocol.AppReply{})
			}
			if err := own.Start(starting, app); err != nil {
				return nil, err
			}
			go func() {
				own.Hold(ctx, app)
				b.forget(nil)
			}()
			return c, nil
		}
	}
	tab := s.Tab
	if tab == "" && !s.Isolated {
		tab = protocol.TabID(s.Getenv(protocol.EnvTab))
	}
	server := mcp.NewServer(mcp.Config{
		Version: s.Version, Tab: tab, Session: s.Session, Specs: catalogue.Specs(),
		Caller: b,
		// Standard error belongs to the client, which often shows it.
		Logger: slog.New(slog.DiscardHandler),
	})
	out := &messageWriter{out: s.Out}
	in := &lines{in: bufio.NewReaderSize(s.In, 64<<10), out: out, wait: answersWait}
	err := server.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return protocol.NewError(protocol.CodeInternal, "the client's messages cannot be read: "+err.Error(), "")
}

// bridge sends commands to the app.
type bridge struct {
	// find finds the app, or starts it.
	find func(context.Context) (*client.Client, error)

	// id is of the connection to the program that started this one.
	id string
	// tab and session apply to commands that name none.
	tab     protocol.TabID
	session protocol.SessionName
	// isolated makes session that of all commands.
	isolated bool

	mu      sync.Mutex
	program string // its name
	client  *client.Client
}

// Named records the name of the program that started this one.
func (b *bridge) Named(program string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.program = program
}

// connected returns the app as it was found last, or finds it now.
func (b *bridge) connected(ctx context.Context) (*client.Client, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client != nil {
		return b.client, nil
	}
	c, err := b.find(ctx)
	if err != nil {
		return nil, err
	}
	b.client = c.For(b.id, cmp.Or(b.program, "A program"))
	return b.client, nil
}

// forget drops a client that no longer reaches the app; nil means whichever there is. The next
// command finds the app again, which starts a session of the bridge's own again.
func (b *bridge) forget(c *client.Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c == nil || b.client == c {
		b.client = nil
	}
}

// lost reports whether an error means that the app went away before it accepted
// the command: it has another port or token now, or must be started.
func lost(err error) bool {
	e := protocol.AsError(err)
	return e != nil && (e.Code == protocol.CodeNotRunning || e.Code == protocol.CodeUnauthorized)
}

// Execute runs a command in the app.
func (b *bridge) Execute(ctx context.Context, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
	req.Tab = cmp.Or(req.Tab, b.tab)
	if b.isolated {
		req.Session = b.session
	}
	ctx, cancel := client.Deadline(ctx, client.Patience(time.Duration(req.TimeoutMS)*time.Millisecond))
	defer cancel()
	for again := false; ; again = true {
		var reply protocol.CommandReply
		c, err := b.connected(ctx)
		if err == nil {
			reply, err = c.Command(ctx, req, waiting)
		}
		switch {
		case err == nil:
			return reply
		case again || c == nil || !lost(err):
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		b.forget(c)
	}
}

// Image fetches an image that a command saved.
func (b *bridge) Image(ctx context.Context, path string) ([]byte, string, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return nil, "", err
	}
	query := url.Values{"path": {path}}
	if b.session != "" {
		query.Set("session", string(b.session))
	}
	picture, err := c.Get(ctx, "/file?"+query.Encode(), "")
	if err != nil {
		return nil, "", err
	}
	defer picture.Close()
	data, err := io.ReadAll(io.LimitReader(picture, protocol.MaxImage+1))
	if err != nil {
		return nil, "", fmt.Errorf("reading a picture: %w", err)
	}
	if len(data) > protocol.MaxImage {
		return nil, "", protocol.NewError(protocol.CodeTooLarge, "it is too large to be shown", "take a part of the page with clip, or a lower quality")
	}
	return data, picture.Type, nil
}
