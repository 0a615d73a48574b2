package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// tool calls an MCP tool with a token, in one request and without an MCP
// session.
func (h *fixture) tool(t *testing.T, token, name string, args map[string]any) string {
	t.Helper()
	const version = "2026-07-28"
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": name, "arguments": args,
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/mcp", h.port), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": name} {
		req.Header.Set(header, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// TestAnAgentsTokenIsGivenNoValues: the values of cookies and storage are
// masked for the holder of an agent's token, in every interface and in every
// command that contains the command, even where the user has allowed the agent
// to use them. With the user's own token, the same requests return the values.
func TestAnAgentsTokenIsGivenNoValues(t *testing.T) {
	h := newFixture(t)
	h.rule(t, protocol.SiteRule{Site: "example.com", Kind: protocol.ActionCookies, Decision: protocol.SiteAllow})
	text := func(v any) json.RawMessage {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	post := func(token, path string, body any) string {
		_, got := h.post(t, token, path, body)
		return string(got)
	}
	for _, line := range []string{"cookies", "cookies get sid", "storage", "storage get token", "storage --area session"} {
		name, rest, _ := strings.Cut(line, " ")
		args := map[string]json.RawMessage{}
		switch key, value, _ := strings.Cut(rest, " "); key {
		case "get":
			args["do"], args[map[string]string{"cookies": "name", "storage": "key"}[name]] = text("get"), text(value)
		case "--area":
			args["area"] = text(value)
		}
		request := protocol.CommandRequest{Command: name, Args: args}
		chain := protocol.CommandRequest{Command: "chain", Args: map[string]json.RawMessage{"commands": text([]string{line})}}
		for way, ask := range map[string]func(token string) string{
			"/command": func(token string) string { return post(token, "/command", request) },
			"/batch": func(token string) string {
				return post(token, "/batch", protocol.BatchRequest{Commands: []protocol.CommandRequest{request}})
			},
			"a chain": func(token string) string { return post(token, "/command", chain) },
			"MCP": func(token string) string {
				return h.tool(t, token, "browser_run", map[string]any{"commands": []string{line}})
			},
			"a chain of MCP": func(token string) string {
				return h.tool(t, token, "browser_run", map[string]any{"commands": []string{`chain "` + line + `"`}})
			},
		} {
			if got := ask(h.agent); strings.Contains(got, "topsecret") || !strings.Contains(got, "9 characters") {
				t.Errorf("%s by %s: an agent is told %s", line, way, got)
			}
			// Who connects by MCP is a program, also with the user's token.
			if got := ask(h.cli); strings.Contains(got, "topsecret") == strings.Contains(way, "MCP") {
				t.Errorf("%s by %s: a person is told %s", line, way, got)
			}
		}
	}
}
