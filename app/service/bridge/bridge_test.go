package bridge

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pilotfish/app/cli/client"
	"pilotfish/backend/protocol"
)

// nowhere is an environment in which no app can be found.
func nowhere(t *testing.T) func(string) string {
	t.Helper()
	home := t.TempDir()
	return func(name string) string {
		switch name {
		case protocol.EnvHome, "XDG_RUNTIME_DIR":
			return home
		case client.EnvNoAutostart:
			return "1"
		}
		return ""
	}
}

// Pilot answers requests in order, even without an app.
func TestPilotAnswersInOrder(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n{\n\n" + `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"?"}}` + "\n" + `{"jsonrpc":"2.0","id":3,"method":"session/new","params":{}}`)
	if err := (Streams{Getenv: nowhere(t), Version: "v9", In: in, Out: &out}).Pilot(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{`"id":1,"result":{"protocolVersion":1,`, `"id":null,"error":{"code":-32700`, `"id":2,"error":{"code":-32002`, `"id":3,"result":{"sessionId":"pilot-`, `"available_commands_update"`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("no %s in %q", want, lines)
		}
	}
	if !strings.Contains(lines[0], `"version":"v9"`) {
		t.Error(lines[0])
	}
}

// A line without an end does not fill the memory.
func TestALineIsBounded(t *testing.T) {
	in := strings.NewReader(strings.Repeat("x", protocol.MaxChatBody+128<<10))
	err := readMessages(in, func(rpcMessage) error { return nil }, func(err error) error { return err })
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeTooLarge {
		t.Error(err)
	}
}

// A command without an app fails, and says how to start one.
func TestNoApp(t *testing.T) {
	b := &bridge{find: func(ctx context.Context) (*client.Client, error) { return client.FindOrStart(ctx, nowhere(t)) }}
	reply := b.execute(t.Context(), protocol.CommandRequest{Command: "url", Args: map[string]json.RawMessage{}}, nil)
	if reply.OK || reply.Error == nil || reply.Error.Code != protocol.CodeNotRunning {
		t.Errorf("%+v", reply)
	}
}
