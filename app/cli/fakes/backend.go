// Package fakes has a small honest backend for the tests of the command line: it
// speaks the wire format, checks the token and the content type, and records the
// requests.
package fakes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// Token is the token that the backend accepts.
const Token = "a-token-of-the-tests"

// Backend is a running fake.
type Backend struct {
	server *httptest.Server

	mu       sync.Mutex
	asked    []string
	sessions pools
}

// New starts a backend on a free port of this machine.
func New() *Backend {
	b := &Backend{sessions: newPools()}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /health", b.health)
	routes.Handle("POST /command", b.waiting(b.route(b.command)))
	routes.Handle("POST /app", b.route(b.app))
	routes.Handle("POST /clients", b.route(func(context.Context, []byte) (any, error) { return clients(), nil }))
	routes.Handle("POST /shares", b.route(func(context.Context, []byte) (any, error) {
		return protocol.ShareReply{Address: "ws://127.0.0.1:7/share/S3CR3T", ID: "K2WF7TQA90", Expires: time.Now().Add(time.Hour)}, nil
	}))
	routes.Handle("POST /stored", b.route(func(context.Context, []byte) (any, error) { return stored(), nil }))
	routes.Handle("POST /agent-status", b.route(b.agentStatus))
	routes.Handle("POST /agent-permission", b.route(agentPermission))
	routes.HandleFunc("GET /activity/history", b.history)
	routes.HandleFunc("GET /activity/stream", b.stream)
	routes.Handle("POST /activity/search", b.route(searched))
	routes.Handle("POST /schedules", b.route(schedules))
	b.tasks(routes)
	b.chats(routes)
	b.server = httptest.NewServer(routes)
	return b
}

// URL is the address of the backend.
func (b *Backend) URL() string { return b.server.URL }

// Port is the port of URL.
func (b *Backend) Port() int {
	if address, ok := b.server.Listener.Addr().(*net.TCPAddr); ok {
		return address.Port
	}
	return 0
}

// Close ends the backend, open requests included.
func (b *Backend) Close() {
	b.server.CloseClientConnections()
	b.server.Close()
}

// Asked returns the requests since the last call, each as "path body" on one
// line.
func (b *Backend) Asked() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := strings.Join(b.asked, "\n")
	b.asked = nil
	return asked
}

func (b *Backend) health(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, protocol.Health{Status: "ok", Version: "v9", Protocol: protocol.Version, UptimeS: 61})
}

// entries is the fake's activity. Its first entry is no longer available.
func entries() []protocol.ActivityEntry {
	claude := protocol.Actor{Kind: protocol.ActorTerminal, ID: "x", Name: "claude"}
	return []protocol.ActivityEntry{
		{Index: 2, Actor: claude, Tab: "t3", Command: "goto", Args: map[string]string{"url": "http://a.test/"}, OK: true, DurationMS: 12},
		{Index: 3, Actor: claude, Tab: "t3", Command: "click", Args: map[string]string{"target": "e5"}, Code: protocol.CodeRefused, Summary: "covered by the banner", DurationMS: 3},
	}
}

func (b *Backend) history(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, protocol.ActivityPage{Entries: entries(), Gaps: []protocol.ActivityGap{}, Next: 3, Last: 4})
}

// searched answers a search in two pages: the second entry, and then a navigation
// before it.
func searched(_ context.Context, body []byte) (any, error) {
	var q protocol.ActivityQuery
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	found := protocol.ActivityFound{Entries: entries()[1:], Gaps: []protocol.ActivityGap{}, Shots: []uint64{}, Before: 3, Last: 3}
	if q.Before == 3 {
		you := protocol.Actor{Kind: protocol.ActorUser, Name: "you"}
		found.Entries = []protocol.ActivityEntry{{Index: 2, Kind: protocol.ActivityNavigation, Actor: you, Tab: "t3", Command: "navigation", OK: true, Summary: "http://a.test/"}}
		found.Gaps, found.Before = []protocol.ActivityGap{{From: 1, To: 1}}, 0
	}
	if q.Text == "nothing" {
		found = protocol.ActivityFound{Entries: []protocol.ActivityEntry{}}
	}
	if q.Markdown {
		for _, e := range found.Entries {
			found.Markdown += "- " + e.Command + "\n"
		}
	}
	return found, nil
}

// stream sends the entries and ends, like the stream of an app that quits.
func (b *Backend) stream(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, ": hello\n\nid: 1\nevent: gap\ndata: {\"from\":1,\"to\":1}\n\n")
	for _, e := range entries() {
		data, _ := json.Marshal(e)
		_, _ = fmt.Fprintf(w, "id: %d\nevent: activity\ndata: %s\n\n", e.Index, data)
	}
}

// waiting answers a command that waits for the user, as the real server does for
// a caller that accepts events. Everything else goes to next.
func (b *Backend) waiting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !strings.Contains(string(body), "asks.test") || !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			next.ServeHTTP(w, r)
			return
		}
		question, _ := json.Marshal(protocol.Waiting{Command: "goto", Sentence: "Claude in Chat wants to open a page on http://asks.test"})
		last, _ := json.Marshal(protocol.CommandReply{OK: true, Text: "you said yes"})
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: waiting\ndata: %s\n\n: alive\n\nevent: reply\ndata: %s\n\n", question, last)
	})
}

// route makes the checks of the real server, and turns an error into its reply.
func (b *Backend) route(answer func(ctx context.Context, body []byte) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		var result any
		err := json.NewDecoder(r.Body).Decode(&body)
		switch {
		case r.Header.Get("Authorization") != "Bearer "+Token:
			err = protocol.NewError(protocol.CodeUnauthorized, "the token is not valid", "open a new terminal")
			reply(w, http.StatusUnauthorized, map[string]any{"error": err})
			return
		case r.Header.Get("Content-Type") != "application/json" || err != nil:
			reply(w, http.StatusUnsupportedMediaType, map[string]any{"error": protocol.NewError(protocol.CodeBadArgument, "not JSON", "")})
			return
		}
		b.mu.Lock()
		b.asked = append(b.asked, r.URL.Path+" "+string(body))
		b.mu.Unlock()
		if result, err = answer(r.Context(), body); err != nil {
			reply(w, http.StatusConflict, map[string]any{"error": protocol.AsError(err)})
			return
		}
		reply(w, http.StatusOK, result)
	})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the caller went away
}

// command knows a page whose title contains control sequences, a page that never
// answers, and a tab that does not exist.
func (b *Backend) command(ctx context.Context, body []byte) (any, error) {
	var req protocol.CommandRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	if req.Tab == "t9" {
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeUnknownTab, "there is no tab t9", "", protocol.Try("lists them", "tabs"))}, nil
	}
	if _, ours := b.started(req.Session); ours {
		return b.pooled(ctx, req)
	}
	switch target := string(req.Args["url"]); {
	case strings.Contains(target, "hangs"):
		<-ctx.Done()
		return nil, ctx.Err()
	case strings.Contains(target, "refused"):
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeNavigation, "the page could not be loaded", "is the server running?")}, nil
	}
	return protocol.CommandReply{OK: true, Tab: "t1", Text: fmt.Sprintf("%s done", req.Command), Data: json.RawMessage(`{"title":"\u001b]0;x\u0007"}`)}, nil
}

func (b *Backend) app(ctx context.Context, body []byte) (any, error) {
	var req protocol.AppRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	if req.Session == "nobody" {
		return nil, protocol.NewError(protocol.CodeUnknownSession, "there is no session nobody", "`pilotfish sessions` lists them")
	}
	if err := b.pool(ctx, req); err != nil {
		return nil, err
	}
	started := time.Now().Add(-time.Hour)
	return protocol.AppReply{Sessions: append([]protocol.SessionInfo{
		{
			Name: protocol.DefaultSession, State: protocol.SessionRunning, StartedAt: &started, Panel: protocol.PanelConnected,
			Browser:  &protocol.BrowserInfo{Name: "Chromium", Version: "156.0.1"},
			Warnings: []protocol.Error{{Code: protocol.CodeNoSandbox, Message: "the browser runs without its sandbox"}},
			Tabs: []protocol.Tab{
				{ID: "t1", Title: "A page\nt2 not a tab", URL: "http://a.test/", Focused: true, Agent: &protocol.TabAgent{Name: "claude", Status: protocol.AgentWorking}},
				{ID: "t12", Title: strings.Repeat("long ", 100), URL: "http://b.test/"},
			},
		},
		{Name: "work", State: protocol.SessionFailed, Error: protocol.NewError(protocol.CodeNoBrowser, "no browser was found", "install Chromium")},
	}, b.members()...)}, nil
}

// clients is a program that is connected by MCP, an agent, one that was revoked, and the
// command line.
func clients() *protocol.ClientsReply {
	ago := func(d time.Duration) *time.Time {
		at := time.Now().Add(-d)
		return &at
	}
	return &protocol.ClientsReply{Clients: []protocol.Client{
		{ID: "R4KZ2MWX", Kind: protocol.ClientMCP, Name: "Zed\n", Made: *ago(3 * time.Hour), Used: ago(5 * time.Minute), Open: 1},
		{ID: "3f0c8a52", Kind: protocol.ClientMCP, Name: "Cursor", Made: *ago(time.Hour), Revoked: ago(time.Minute)},
		{ID: "K2WF7TQA90", Kind: protocol.ClientScript, Name: "Shared address", Session: "work", Tab: "t3", Made: *ago(10 * time.Minute), Expires: ago(-50*time.Minute - 5*time.Second), Open: 1},
		{ID: "B7QP", Kind: protocol.ClientTerminal, Name: "Claude Code", Session: "work", Tab: "t3", Made: *ago(72 * time.Hour), Used: ago(90 * time.Second)},
		{ID: "X3UV4567890", Kind: protocol.ClientShell, Name: "Command line", Made: *ago(10 * time.Minute)},
	}}
}

// stored is data of two sessions, and of the app.
func stored() *protocol.StoredReply {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	return &protocol.StoredReply{Freed: 2_500_000_000, Data: []protocol.StoredData{
		{Kind: protocol.StoredCaches, About: "Copies of what sites sent.", Unit: protocol.StoredUnitFile, Parts: []protocol.StoredPart{
			{Session: protocol.DefaultSession, Bytes: 1_500_000, Count: 2, Oldest: &at, InUse: true}, {Session: "work", Bytes: 5, Count: 1},
		}},
		{Kind: protocol.StoredLogs, About: "What the app did.", Unit: protocol.StoredUnitFile, Parts: []protocol.StoredPart{{Bytes: 12_000, Count: 3}}},
	}}
}

// agentPermission answers what the name of the tool says.
func agentPermission(_ context.Context, body []byte) (any, error) {
	var req protocol.ToolPermissionRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	decision := map[string]protocol.ToolDecision{"Allowed": protocol.ToolAllowed, "Denied": protocol.ToolDenied, "Open": protocol.ToolUndecided}[req.Tool]
	if decision == "" && req.Tool != "Strange" {
		return nil, errors.New("this cannot be shown")
	}
	return protocol.ToolPermissionReply{Decision: decision}, nil
}

func (b *Backend) agentStatus(_ context.Context, body []byte) (any, error) {
	var req protocol.AgentStatusRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	if req.Status == "" {
		return nil, errors.New("no status")
	}
	return struct{}{}, nil
}
