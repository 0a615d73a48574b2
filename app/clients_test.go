package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/calls"
	"pilotfish/backend/auth"
	"pilotfish/backend/caller"
	"pilotfish/backend/clients"
	"pilotfish/backend/protocol"
	"pilotfish/backend/storeddata"
)

// The window lists and revokes clients, and lists, measures and deletes stored data, by two
// calls.
func TestTheWindowAsksForClientsAndStoredData(t *testing.T) {
	b := newFakeBackend()
	a := newApp(App{ctx: t.Context(), backend: b})
	call := func(method, arg string) (string, error) {
		got, err := calls.Call(a, method, []json.RawMessage{json.RawMessage(arg)})
		return string(got), err
	}
	for _, method := range []string{"Clients", "Stored"} {
		if _, err := call(method, `{"do":"list"}`); protocol.AsError(err).Code != protocol.CodeNotRunning {
			t.Errorf("%s without a backend: %v", method, err)
		}
	}
	authority := auth.New(auth.Config{})
	_, token := authority.Mint(auth.KindAgent, auth.Grant{Actor: protocol.Actor{Kind: protocol.ActorTerminal, Agent: "Claude Code"}}, 0)
	b.clients = clients.New(clients.Config{Auth: authority, Callers: caller.New(caller.Config{Auth: authority, Logger: slog.New(slog.DiscardHandler)})})
	got, err := call("Clients", `{"do":"list"}`)
	var list protocol.ClientsReply
	if json.Unmarshal([]byte(got), &list) != nil || err != nil || len(list.Clients) != 1 || strings.Contains(got, token.Reveal()) {
		t.Fatalf("%s, %v", got, err)
	}
	if got, err := call("Clients", `{"do":"revoke","id":"`+list.Clients[0].ID+`"}`); err != nil || got != `{"clients":[]}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := authority.Check(token.Reveal(), auth.CapabilityCommand); err == nil || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("the revoked token: %v", err)
	}

	dir := t.TempDir()
	older := filepath.Join(dir, "logs", "pilotfish.log.1")
	if err := os.MkdirAll(filepath.Dir(older), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(older, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.stored = storeddata.New(storeddata.Config{
		Dir: dir, Logger: slog.New(slog.DiscardHandler), Sessions: func() []protocol.SessionName { return nil },
		Running:      func(protocol.SessionName) bool { return false },
		WhileStopped: func(_ protocol.SessionName, do func() error) error { return do() },
		Stop:         func(context.Context, protocol.SessionName) error { return nil },
		Start:        func(context.Context, protocol.SessionName) error { return nil },
	})
	if got, err := call("Stored", `{"do":"measure","kind":"logs"}`); err != nil || !strings.Contains(got, `"bytes":3,"count":1`) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := call("Stored", `{"do":"delete","kind":"logs"}`); err != nil || !strings.Contains(got, `"freed":3`) {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := os.Stat(older); !os.IsNotExist(err) {
		t.Errorf("the log: %v", err)
	}
}
