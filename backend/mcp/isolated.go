package mcp

import (
	"context"
	"crypto/rand"
	"strings"

	"pilotfish/backend/protocol"
)

// Isolated is the session of one MCP client: a browser context in the browser of the session
// Host.
type Isolated struct{ Name, Host protocol.SessionName }

// NewIsolated names a session for one client.
func NewIsolated(host protocol.SessionName) Isolated {
	return Isolated{Name: protocol.SessionName("mcp-" + strings.ToLower(rand.Text()[:8])), Host: host}
}

// App carries out a request of the app itself, in this process or over HTTP.
type App func(context.Context, protocol.AppRequest) error

// Start starts the session.
func (i Isolated) Start(ctx context.Context, app App) error {
	err := app(ctx, protocol.AppRequest{Action: protocol.AppStart, Session: i.Name, Identity: &protocol.SessionIdentity{Browser: protocol.BrowserIn + string(i.Host)}})
	if err != nil {
		// A session that did not start is in the list all the same.
		_ = app(context.WithoutCancel(ctx), protocol.AppRequest{Action: protocol.AppDelete, Session: i.Name})
	}
	return err
}

// Hold returns when ctx, which is the client's life, has ended, or the session earlier, for
// example with that of Host. Nothing of the session is left then.
func (i Isolated) Hold(ctx context.Context, app App) {
	// An error means that the app has ended, and the session with it.
	_ = app(ctx, protocol.AppRequest{Action: protocol.AppHold, Session: i.Name})
}
