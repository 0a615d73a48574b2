package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/mcp"
	"pilotfish/backend/protocol"
)

// begun is an MCP session with a session of its own: its calls, and its life.
type begun struct {
	*backend

	life context.Context
}

// isolating is a Handler where each MCP session has a session of its own, which begin gets.
// Shared is what the others have.
func isolating(t *testing.T, shared *backend) (h *mcp.Handler, begin chan begun) {
	t.Helper()
	begin = make(chan begun, 100)
	h = mcp.NewHandler(mcp.HandlerConfig{
		Caller: func(auth.Grant) mcp.Config { return shared.config("") }, Logger: slog.New(slog.DiscardHandler),
		Isolated: func(life context.Context, _ auth.Grant) mcp.Config {
			one := begun{&backend{}, life}
			begin <- one
			c := one.config("")
			c.Specs = slices.DeleteFunc(c.Specs, func(s command.Spec) bool { return s.Name != "url" }) // many servers are made
			return c
		},
	})
	return h, begin
}

// post sends a message in one request, and returns the answer.
func post(t *testing.T, h *mcp.Handler, grant auth.Grant, method, session, version, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/mcp", strings.NewReader(body))
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session, "MCP-Protocol-Version": version} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeMCP(w, r, grant)
	return w
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	callURL    = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_run","arguments":{"commands":["url"]}}}`
)

// TestIsolated: each MCP session has a server of its own. It is reached with its id and by its
// holder only, and ends with DELETE, with its idle time, or with the handler.
func TestIsolated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &backend{}
		h, begin := isolating(t, shared)
		grant := auth.Grant{ID: "grant"}
		var ids []string
		var clients []begun
		for range 3 {
			answer := post(t, h, grant, http.MethodPost, "", "", initialize)
			ids, clients = append(ids, answer.Header().Get("Mcp-Session-Id")), append(clients, <-begin)
		}
		for _, c := range []struct {
			name, id string
			grant    auth.Grant
			status   int
		}{
			{"its own", ids[0], grant, http.StatusOK},
			{"of another holder", ids[0], auth.Grant{ID: "another"}, http.StatusForbidden},
			{"guessed", strings.Repeat("A", len(ids[0])), grant, http.StatusNotFound},
		} {
			if answer := post(t, h, c.grant, http.MethodPost, c.id, "2025-11-25", callURL); answer.Code != c.status {
				t.Errorf("%s: %d", c.name, answer.Code)
			}
		}
		if clients[0].last() == "" || clients[1].last()+clients[2].last() != "" {
			t.Error("a call has not reached its own session alone")
		}
		if answer := post(t, h, grant, http.MethodDelete, ids[0], "2025-11-25", ""); answer.Code != http.StatusNoContent {
			t.Error(answer.Code)
		}
		<-clients[0].life.Done()
		if answer := post(t, h, grant, http.MethodPost, ids[0], "2025-11-25", callURL); answer.Code != http.StatusNotFound {
			t.Errorf("after its end: %d", answer.Code)
		}
		if clients[1].life.Err() != nil {
			t.Error("another one has ended, too")
		}
		last := time.Now()
		post(t, h, grant, http.MethodPost, ids[1], "2025-11-25", callURL)
		<-clients[1].life.Done()
		if idle := time.Since(last); idle != 30*time.Minute {
			t.Errorf("it has ended after %s", idle)
		}
		<-clients[2].life.Done()
		// A request that is no start leaves nothing, and one with a session in its grant has that.
		if answer := post(t, h, grant, http.MethodPost, "", "2025-11-25", callURL); answer.Code != http.StatusOK {
			t.Error(answer.Code)
		}
		<-(<-begin).life.Done()
		agent := auth.Grant{ID: "agent", Session: "work"}
		id := post(t, h, agent, http.MethodPost, "", "", initialize).Header().Get("Mcp-Session-Id")
		post(t, h, agent, http.MethodPost, id, "2025-11-25", callURL)
		if shared.last() == "" || len(begin) > 0 {
			t.Error("an agent of a session does not work there")
		}
		for range 64 {
			post(t, h, grant, http.MethodPost, "", "", initialize)
		}
		answer := post(t, h, grant, http.MethodPost, "", "", initialize)
		if answer.Code != http.StatusServiceUnavailable || !strings.Contains(answer.Body.String(), "64 clients have") {
			t.Errorf("%d: %s", answer.Code, answer.Body)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		for len(begin) > 0 {
			<-(<-begin).life.Done()
		}
	})
}

// TestIsolatedWithoutSessions: a client that knows an earlier version of MCP uses that; another
// one reads why it is refused.
func TestIsolatedWithoutSessions(t *testing.T) {
	h, begin := isolating(t, &backend{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeMCP(w, r, auth.Grant{ID: "grant"}) }))
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		srv.Close()
	})
	s := overHTTP(t, srv.URL, &bearer{}, "")
	if got := s.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("negotiated %s", got)
	}
	if r := call(t, s, "browser_run", m{"commands": []string{"url"}}); said(r) != "did url" {
		t.Errorf("%+v", r)
	}
	one := <-begin
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-one.life.Done()
	refused := strings.Replace(callURL, `"arguments"`, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}},"arguments"`, 1)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(refused))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "browser_run"} {
		req.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var reply struct {
		Error struct {
			Code    int
			Message string
			Data    sdk.UnsupportedProtocolVersionData
		}
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &reply); err != nil || reply.Error.Code != sdk.CodeUnsupportedProtocolVersion || !strings.Contains(reply.Error.Message, "serve --isolated") || reply.Error.Data.Supported[0] != "2025-11-25" || len(begin) > 0 {
		t.Errorf("%s: %s, %v", answer.Status, text, err)
	}
}

// TestIsolatedSession: a session that did not start is not left in the list.
func TestIsolatedSession(t *testing.T) {
	own := mcp.NewIsolated("work")
	var asked []protocol.AppRequest
	fails := protocol.NewError(protocol.CodeUnknownSession, "there is none", "")
	app := func(_ context.Context, req protocol.AppRequest) error {
		if asked = append(asked, req); req.Action == protocol.AppStart {
			return fails
		}
		return nil
	}
	if err := own.Start(t.Context(), app); !errors.Is(err, fails) || len(asked) != 2 || asked[0].Identity.Browser != "in:work" || asked[1].Action != protocol.AppDelete || asked[1].Session != own.Name {
		t.Errorf("%v: %+v", err, asked)
	}
	if other := mcp.NewIsolated("work"); other.Name == own.Name {
		t.Error("two clients have one name")
	}
}
