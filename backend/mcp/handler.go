package mcp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// HandlerConfig is what a Handler needs. All fields are required.
type HandlerConfig struct {
	// Caller makes the server's configuration for the holder of a token.
	Caller func(auth.Grant) Config
	Logger *slog.Logger
}

// Handler serves MCP over streamable HTTP, behind the gates of the server: it
// is called with the grant that they found. A session belongs to the grant that
// began it, and opens for no other.
type Handler struct {
	config HandlerConfig
	log    *slog.Logger
	// Clients of 2026-07-28 and later have no sessions: each request is whole in
	// itself, and cancelled by ending it. Older ones have.
	stateless, stateful http.Handler

	mu      sync.Mutex
	servers map[string]*sdk.Server // by grant
	closed  bool
}

// sessionless is the first version of the protocol without sessions.
const sessionless = "2026-07-28"

// maxServers is how many callers are kept; those without a session make room.
const maxServers = 64

// NewHandler returns a Handler. It is closed by Close.
func NewHandler(c HandlerConfig) *Handler {
	h := &Handler{config: c, log: c.Logger.With("component", "mcp"), servers: map[string]*sdk.Server{}}
	options := sdk.StreamableHTTPOptions{
		Logger: h.log, SessionTimeout: mcpSessionIdle, MaxRequestBodyBytes: protocol.MaxBody,
		// Our gates look at Host and Origin before.
		DisableLocalhostProtection: true, PropagateRequestCancellation: true,
	}
	// The SDK compares who began a session with who goes on with it by what this
	// layer tells it; the token itself was checked before.
	who := sdkauth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		grant, ok := grantOf(ctx)
		if !ok {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: grant.ID, Expiration: time.Now().Add(time.Hour)}, nil
	}, nil)
	h.stateful = who(sdk.NewStreamableHTTPHandler(h.server, &options))
	alone := options
	alone.Stateless = true
	h.stateless = who(sdk.NewStreamableHTTPHandler(h.server, &alone))
	return h
}

// grantKey is the context key of a request's grant.
type grantKey struct{}

func grantOf(ctx context.Context) (auth.Grant, bool) {
	grant, ok := ctx.Value(grantKey{}).(auth.Grant)
	return grant, ok
}

// ServeMCP answers one request of the holder of a grant.
func (h *Handler) ServeMCP(w http.ResponseWriter, r *http.Request, grant auth.Grant) {
	r = r.WithContext(context.WithValue(r.Context(), grantKey{}, grant))
	// A later version compares greater as text, too: they are dates.
	if r.Header.Get("MCP-Protocol-Version") >= sessionless {
		h.stateless.ServeHTTP(w, r)
		return
	}
	h.stateful.ServeHTTP(w, r)
}

// server is the one of the request's caller; nil when the handler is closed.
func (h *Handler) server(r *http.Request) *sdk.Server {
	grant, ok := grantOf(r.Context())
	h.mu.Lock()
	defer h.mu.Unlock()
	if !ok || h.closed {
		return nil
	}
	if s := h.servers[grant.ID]; s != nil {
		return s
	}
	if len(h.servers) >= maxServers {
		for id, s := range h.servers {
			if len(slices.Collect(s.Sessions())) == 0 {
				delete(h.servers, id)
			}
		}
	}
	s := NewServer(h.config.Caller(grant))
	h.servers[grant.ID] = s
	return s
}

// Close ends every session and refuses new ones.
func (h *Handler) Close() error {
	h.mu.Lock()
	h.closed = true
	servers := h.servers
	h.servers = map[string]*sdk.Server{}
	h.mu.Unlock()
	var errs []error
	for _, s := range servers {
		for session := range s.Sessions() {
			errs = append(errs, session.Close())
		}
	}
	return errors.Join(errs...)
}
