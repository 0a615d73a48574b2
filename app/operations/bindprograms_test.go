package operations

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/programs"
	"pilotfish/app/service/connecting"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

// The window lists programs, shows and takes back a change, and keeps MCP servers, in the
// files of the user.
func TestTheWindowConnectsPrograms(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("PILOTFISH_HOME", filepath.Join(home, "pilotfish"))
	store := toolservers.NewStore(filepath.Join(home, "mcp-servers.json"), nil)
	place := connecting.Place{Getenv: os.Getenv, Executable: func() (string, error) { return "/opt/no such program", nil }}
	table := Local{Backend: settingsOnly{}, Programs: programs.Programs{Place: place, Servers: store}}.Table()
	cursor := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(cursor), 0o700); err != nil {
		t.Fatal(err)
	}
	const before = `{"mcpServers": {"files": {"command": "npx"}}}`
	if err := os.WriteFile(cursor, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func() string {
		t.Helper()
		text, err := os.ReadFile(cursor)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ask := func(name, request string, reply any) error {
		t.Helper()
		text, err := table.Call(t.Context(), name, op.Call{}, json.RawMessage(request))
		if err != nil {
			return err
		}
		return json.Unmarshal(text, reply)
	}
	var said protocol.ProgramsReply
	if err := ask("Programs", `{"do":"list"}`, &said); err != nil || len(said.Programs) < 10 || said.Programs[2].Name != "cursor" || !said.Programs[2].Installed || said.Programs[2].Connected || said.Done != nil {
		t.Fatalf("%+v, %v", said, err)
	}
	if err := ask("Programs", `{"do":"show","program":"cursor"}`, &said); err != nil || !strings.Contains(said.Done.Change, "+") || file() != before {
		t.Errorf("%+v, %v, %s", said.Done, err, file())
	}
	// The change is made, and the window is informed that the server does not start.
	if err := ask("Programs", `{"do":"connect","program":"cursor"}`, &said); err != nil || said.Done.Problem == nil || said.Done.Tools != 0 || !said.Programs[2].Current || !strings.Contains(file(), "/opt/no such program") {
		t.Errorf("%+v, %v, %s", said.Done, err, file())
	}
	if err := ask("Programs", `{"do":"remove","program":"cursor"}`, &said); err != nil || said.Programs[2].Connected || file() != before {
		t.Errorf("%+v, %v, %s", said.Done, err, file())
	}
	if err := ask("Programs", `{"do":"connect","program":"notepad"}`, &said); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Error(err)
	}
	if err := ask("Programs", `{"do":"dance"}`, &said); protocol.AsError(err).Hint == "" {
		t.Error(err)
	}

	var kept protocol.ToolServersReply
	if err := ask("ToolServers", `{"do":"import","program":"cursor"}`, &kept); err != nil || len(kept.Taken) != 1 || kept.Servers[0].Permission != "ask" || kept.Servers[0].From != "cursor" {
		t.Errorf("%+v, %v", kept, err)
	}
	if err := ask("ToolServers", `{"do":"add","server":{"name":"hub","line":"https://hub.example/mcp","headers":[{"name":"X-Team","value":"blue"}]}}`, &kept); err != nil || !kept.Servers[1].Remote || kept.Servers[1].Headers[0] != "X-Team" {
		t.Errorf("%+v, %v", kept, err)
	}
	if err := ask("ToolServers", `{"do":"permit","name":"hub","permission":"deny"}`, &kept); err != nil || kept.Servers[1].Permission != "deny" {
		t.Errorf("%+v, %v", kept, err)
	}
	kept = protocol.ToolServersReply{}
	if err := ask("ToolServers", `{"do":"remove","name":"files"}`, &kept); err != nil || len(kept.Servers) != 1 {
		t.Errorf("%+v, %v", kept, err)
	}
	for _, wrong := range []string{`{"do":"dance"}`, `{"do":"add"}`, `{"do":"permit","name":"hub","permission":"perhaps"}`, `{"do":"remove","name":"x"}`, `{"do":"import","program":"x"}`} {
		if err := ask("ToolServers", wrong, &kept); protocol.AsError(err) == nil || protocol.AsError(err).Hint == "" {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := (programs.Programs{}).Connect(t.Context(), protocol.ProgramsRequest{}); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Error(err)
	}
}
