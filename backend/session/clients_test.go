package session

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
)

// clients asks what the command line asks about clients.
func (h *fixture) clients(t *testing.T, do protocol.ClientsDo, id string) []protocol.Client {
	t.Helper()
	status, body := h.post(t, h.cli, "/clients", protocol.ClientsRequest{Do: do, ID: id})
	var reply protocol.ClientsReply
	if err := json.Unmarshal(body, &reply); err != nil || status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", do, id, status, body)
	}
	return reply.Clients
}

// clientOf returns the client of a kind.
func clientOf(t *testing.T, list []protocol.Client, kind protocol.ClientKind) protocol.Client {
	t.Helper()
	for _, one := range list {
		if one.Kind == kind {
			return one
		}
	}
	t.Fatalf("no client is a %s: %+v", kind, list)
	return protocol.Client{}
}

// mcp asks as a program that is connected by MCP does. It returns the status, and the
// body, which the caller closes.
func (h *fixture) mcp(t *testing.T, method, path, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", h.port, path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.cli)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(protocol.HeaderProgram, "id Zed")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A client that is revoked loses what it has open at once, and its next request is refused
// with the reason and what to do. Others go on.
func TestARevokedClient(t *testing.T) {
	h := newFixture(t)
	stream := h.mcp(t, http.MethodGet, "/activity/stream", "")
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %s", stream.Status)
	}
	zed := clientOf(t, h.clients(t, protocol.ClientsList, ""), protocol.ClientMCP)
	if zed.Name != "Zed" || zed.Open == 0 || zed.Used == nil {
		t.Errorf("%+v", zed)
	}
	if gone := clientOf(t, h.clients(t, protocol.ClientsRevoke, zed.ID), protocol.ClientMCP); gone.Revoked == nil {
		t.Errorf("%+v", gone)
	}
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Errorf("the stream did not end in order: %v", err)
	}
	refused := h.mcp(t, http.MethodPost, "/command", `{"command":"tabs"}`)
	defer refused.Body.Close()
	said, err := io.ReadAll(refused.Body)
	if err != nil || refused.StatusCode != http.StatusUnauthorized || !strings.Contains(string(said), "the user revoked the access of Zed") || !strings.Contains(string(said), "Connected clients") {
		t.Errorf("%s %s, %v", refused.Status, said, err)
	}

	agent := clientOf(t, h.clients(t, protocol.ClientsList, ""), protocol.ClientTerminal)
	h.clients(t, protocol.ClientsRevoke, agent.ID)
	if status, body := h.post(t, h.agent, "/command", protocol.CommandRequest{Command: "tabs"}); status != http.StatusUnauthorized || !strings.Contains(string(body), "restart the agent in its terminal") {
		t.Errorf("an agent: %d %s", status, body)
	}

	conn, _ := h.socket(t, h.panel, protocol.ExtensionOrigin)
	if conn == nil {
		t.Fatal("the panel's socket does not open")
	}
	waitingIn(t, conn, 0) // it is counted before the first state is sent
	panel := clientOf(t, h.clients(t, protocol.ClientsList, ""), protocol.ClientPanel)
	if panel.Open == 0 {
		t.Errorf("%+v", panel)
	}
	h.clients(t, protocol.ClientsRevoke, panel.ID)
	for {
		if _, _, err := conn.Read(t.Context()); err != nil {
			if websocket.CloseStatus(err) != protocol.CloseUnauthorized {
				t.Errorf("the panel's socket: %v", err)
			}
			break
		}
	}
	if conn, status := h.socket(t, h.panel, protocol.ExtensionOrigin); conn != nil || status != http.StatusUnauthorized {
		t.Errorf("the panel opens it again: %d", status)
	}
}
