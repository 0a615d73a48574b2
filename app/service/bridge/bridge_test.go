package bridge

import (
	"context"
	"encoding/json"
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

// A command without an app fails, and says how to start one.
func TestNoApp(t *testing.T) {
	b := &bridge{find: func(ctx context.Context) (*client.Client, error) { return client.FindOrStart(ctx, nowhere(t)) }}
	reply := b.Execute(t.Context(), protocol.CommandRequest{Command: "url", Args: map[string]json.RawMessage{}}, nil)
	if reply.OK || reply.Error == nil || reply.Error.Code != protocol.CodeNotRunning {
		t.Errorf("%+v", reply)
	}
}
