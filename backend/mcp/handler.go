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
	// Caller returns the server's configuration for the holder of a token.
	Caller func(auth.Grant) Config
	Logger *slog.Logger
}

// Handler serves MCP over streamable HTTP, behind the gates of the server,
// which pass it the grant of each request. A session belongs to the grant that
// began it; no other grant can use it.
type Handler struct {
	config HandlerConfig
	log    *slog.Logger
	// Clients of 2026-07-28 and later have no sessions: each request is complete
	// in itself, and is cancelled by closing it. Older clients have sessions.
	stateless, stateful http.Handler

	mu      sync.Mutex
	servers map[string]*sdk.Server // by holder
	closed  bool
}

// sessionless is the first version of MCP without sessions.
const sessionless = "2026-07-28"

// maxServers is the number of callers above which callers without a session are
// dropped.
const maxServers = 64

// NewHandler returns a Handler. Close it with Close.
func NewHandler(c HandlerConfig) *Handler {
	h := &Handler{config: c, log: c.Logger.With("component", "mcp"), servers: map[string]*sdk.Server{}}
	options := sdk.StreamableHTTPOptions{
		Logger: h.log, SessionTimeout: mcpSessionIdle, MaxRequestBodyBytes: protocol.MaxBody,
		// The gates have already checked Host and Origin.
		DisableLocalhostProtection: true, PropagateRequestCancellation: true,
	}
	// The SDK compares the caller that began a session with the caller of a later
	// request by the UserID that this function returns. The token itself has been
	// checked before.
	who := sdkauth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		grant, ok := grantOf(ctx)
		if !ok {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: holder(grant), Expiration: time.Now().Add(time.Hour)}, nil
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

// holder names the caller to which a session belongs: several programs may have the same
// token.
func holder(grant auth.Grant) string { return grant.ID + " " + grant.Actor.ID }

// ServeMCP handles one request of the holder of a grant.
func (h *Handler) ServeMCP(w http.ResponseWriter, r *http.Request, grant auth.Grant) {
	r = r.Clone(context.WithValue(r.Context(), grantKey{}, grant))
	r.Header.Set("Authorization", "Bearer checked") // the SDK wants one, and the token may have been in the path
	// Versions are dates, so a later one is also greater as text.
	if r.Header.Get("MCP-Protocol-Version") >= sessionless {
		h.stateless.ServeHTTP(w, r)
		return
	}
	h.stateful.ServeHTTP(w, r)
}

// server returns the server of the request's caller; nil when the handler is
// closed.
func (h *Handler) server(r *http.Request) *sdk.Server {
	grant, ok := grantOf(r.Context())
	h.mu.Lock()
	defer h.mu.Unlock()
	if !ok || h.closed {
		return nil
	}
	if s := h.servers[holder(grant)]; s != nil {
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
	h.servers[holder(grant)] = s
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
