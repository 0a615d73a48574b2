// Package bridge offers the app to programs that start this one and talk to it over
// its standard streams: to a model by MCP, and Pilot by the Agent Client Protocol.
package bridge

import (
	"context"
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

// Streams are what the program offers to the one that started it, over its
// standard streams.
type Streams struct {
	Getenv  func(string) string
	Version string // of this program
	In      io.Reader
	Out     io.Writer
	// Tab and Session are where commands go that name none.
	Tab     protocol.TabID
	Session protocol.SessionName
}

// MCP serves the Model Context Protocol. The tools are the same as those of the
// app's /mcp; each command goes to the app by HTTP. The app is looked for, or
// started, when the first command comes, and again after it was restarted: the
// client's session outlives it.
func (s Streams) MCP(ctx context.Context) error {
	b := &bridge{find: func(ctx context.Context) (*client.Client, error) { return client.FindOrStart(ctx, s.Getenv) }}
	tab := s.Tab
	if tab == "" {
		tab = protocol.TabID(s.Getenv(protocol.EnvTab))
	}
	server := mcp.NewServer(mcp.Config{
		Version: s.Version, Tab: tab, Session: s.Session, Specs: catalogue.Specs(),
		Execute: func(ctx context.Context, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
			if req.Tab == "" && s.Tab != "" {
				req.Tab = s.Tab
			}
			return b.execute(ctx, req, waiting)
		},
		Image: func(ctx context.Context, path string) ([]byte, string, error) {
			return b.image(ctx, path, s.Session)
		},
		Tasks: &bridgedTasks{bridge: b, tab: s.Tab, session: s.Session},
		// Standard error belongs to the client, which often shows it.
		Logger: slog.New(slog.DiscardHandler),
	})
	err := server.Run(ctx, &sdk.StdioTransport{})
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return protocol.NewError(protocol.CodeInternal, "the client's messages cannot be read: "+err.Error(), "")
}

// bridge carries commands to the app.
type bridge struct {
	// find finds the app, or starts it.
	find func(context.Context) (*client.Client, error)

	mu     sync.Mutex
	client *client.Client
}

// connected is the app as it was found last, or as it is found now.
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
	c.Keep()
	b.client = c
	return c, nil
}

// forget drops a client that does not reach the app any more.
func (b *bridge) forget(c *client.Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client == c {
		b.client = nil
		c.Close()
	}
}

// lost says whether an error means that the app went away before the command was
// taken: it has another port or token now, or has to be started.
func lost(err error) bool {
	e := protocol.AsError(err)
	return e != nil && (e.Code == protocol.CodeNotRunning || e.Code == protocol.CodeUnauthorized)
}

func (b *bridge) execute(ctx context.Context, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
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

// image fetches a picture that a command saved.
func (b *bridge) image(ctx context.Context, path string, session protocol.SessionName) ([]byte, string, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return nil, "", err
	}
	query := url.Values{"path": {path}}
	if session != "" {
		query.Set("session", string(session))
	}
	resp, err := c.Get(ctx, "/file?"+query.Encode(), nil)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, protocol.MaxImage+1))
	if err != nil {
		return nil, "", fmt.Errorf("reading a picture: %w", err)
	}
	if len(data) > protocol.MaxImage {
		return nil, "", protocol.NewError(protocol.CodeTooLarge, "it is too large to be shown", "take a part of the page with clip, or a lower quality")
	}
	return data, resp.Header.Get("Content-Type"), nil
}
