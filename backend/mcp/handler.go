package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// HandlerConfig is what a Handler needs. Caller and Logger are required.
type HandlerConfig struct {
	// Caller returns the server's configuration for the holder of a token.
	Caller func(auth.Grant) Config
	// Isolated returns that for one MCP session of a holder whose grant names no session of the
	// browser: it has a session of its own, until client ends. nil: the holder's share one.
	Isolated func(client context.Context, grant auth.Grant) Config
	Logger   *slog.Logger
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

	// refusing answers a client without MCP sessions where each has a session of its own.
	refusing *sdk.Server

	mu       sync.Mutex
	servers  map[string]*sdk.Server // by holder
	isolated map[*sdk.Server]bool   // one for each MCP session
	closed   bool
}

// sessionless is the first version of MCP without sessions.
const sessionless = "2026-07-28"

// maxServers is the number of callers above which callers without a session are
// dropped, and the most MCP sessions that have a session of the browser each.
const maxServers = 64

// NewHandler returns a Handler. Close it with Close.
func NewHandler(c HandlerConfig) *Handler {
	h := &Handler{config: c, log: c.Logger.With("component", "mcp"), refusing: refusing(), servers: map[string]*sdk.Server{}, isolated: map[*sdk.Server]bool{}}
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
	serve := h.stateful.ServeHTTP
	// Versions are dates, so a later one is also greater as text.
	if r.Header.Get("MCP-Protocol-Version") >= sessionless {
		serve = h.stateless.ServeHTTP
	} else if h.isolates(grant) && r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
		serve = h.serveNew
	}
	serve(w, r)
}

// isolates reports whether each MCP session of a holder has a session of the browser.
func (h *Handler) isolates(grant auth.Grant) bool {
	return h.config.Isolated != nil && grant.Session == ""
}

// serverKey is the context key of the server of a new MCP session.
type serverKey struct{}

// serveNew serves a request that may begin an MCP session, by a server that no other session
// has.
func (h *Handler) serveNew(w http.ResponseWriter, r *http.Request) {
	grant, _ := grantOf(r.Context())
	client, end := context.WithCancel(context.WithoutCancel(r.Context()))
	server := NewServer(h.config.Isolated(client, grant))
	h.mu.Lock()
	full := len(h.isolated) >= maxServers
	if !full {
		h.isolated[server] = true
	}
	h.mu.Unlock()
	if full {
		end()
		http.Error(w, fmt.Sprintf("%d clients have a session of their own, and there are no more; a client's ends with DELETE, or %s after its last request", maxServers, mcpSessionIdle), http.StatusServiceUnavailable)
		return
	}
	h.stateful.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, server)))
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	go func() {
		for session := range server.Sessions() { // one, or none if the request began none
			if closed {
				_ = session.Close()
			}
			_ = session.Wait() // an error of the connection ends it as well
		}
		end()
		h.mu.Lock()
		delete(h.isolated, server)
		h.mu.Unlock()
	}()
}

// refusing returns the server that asks a client for an earlier version of MCP.
func refusing() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "pilotfish"}, nil)
	server.AddReceivingMiddleware(func(sdk.MethodHandler) sdk.MethodHandler {
		return func(context.Context, string, sdk.Request) (sdk.Result, error) {
			earlier := slices.DeleteFunc(sdk.SupportedProtocolVersions(), func(version string) bool { return version >= sessionless })
			data, err := json.Marshal(sdk.UnsupportedProtocolVersionData{Supported: earlier, Requested: sessionless})
			if err != nil {
				return nil, fmt.Errorf("encoding the versions of MCP: %w", err)
			}
			return nil, &jsonrpc.Error{
				Code: sdk.CodeUnsupportedProtocolVersion, Data: data,
				Message: fmt.Sprintf("each client has a browser session of its own here (serve --isolated), which needs an MCP session, and MCP %s has none: use version %s", sessionless, earlier[0]),
			}
		}
	})
	return server
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
	if h.isolates(grant) {
		if s, is := r.Context().Value(serverKey{}).(*sdk.Server); is {
			return s
		}
		return h.refusing // of a request with an MCP session, the SDK finds the server itself
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
	servers := slices.AppendSeq(slices.Collect(maps.Keys(h.isolated)), maps.Values(h.servers))
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
