package connect_test

import (
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/connect"
	"pilotfish/backend/protocol"
)

func TestOthers(t *testing.T) {
	home := t.TempDir()
	c := connect.New(connect.Config{Homes: connect.Homes{Home: home, Config: filepath.Join(home, ".config")}, State: filepath.Join(home, "s.json")})
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(".claude.json", `{"mcpServers":{"pilotfish":{"command":"pilotfish"},"files":{"command":"npx","args":["-y","files"],"env":{"KEY":"v"}},"far":{"type":"http","url":"https://example.com"},"odd":{"command":"x","env":{"N":1}}}}`)
	put(".codex/config.toml", "[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"files\"]\n[mcp_servers.files.env]\nKEY = \"v\"\n")
	put(".config/opencode/opencode.json", `{"mcp":{"files":{"type":"local","command":["npx","files"],"environment":{"KEY":"v"}}}}`)
	put(".config/goose/config.yaml", "extensions:\n  files:\n    type: stdio\n    cmd: npx\n    args: [files]\n    envs: {KEY: v}\n  developer:\n    type: builtin\n")
	put(".cursor/mcp.json", `{"mcpServers":`)
	for program, servers := range map[string]int{"claude": 3, "codex": 1, "opencode": 1, "goose": 2, "gemini": 0} {
		others, err := c.Others(program)
		if err != nil || len(others) != servers {
			t.Errorf("%s: %+v, %v, want %d", program, others, err, servers)
			continue
		}
		for _, o := range others {
			if good := o.Name == "files"; o.URL == "" && good != (o.Skipped == "") || good && (o.Command != "npx" || o.Args[len(o.Args)-1] != "files" || o.Env["KEY"] != "v") {
				t.Errorf("%s: %+v", program, o)
			}
		}
	}
	others, err := c.Others("claude")
	if err != nil || others[0].Name != "far" || others[0].URL != "https://example.com" || others[0].Skipped != "" {
		t.Errorf("%+v, %v", others, err)
	}
	if _, err := c.Others("cursor"); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := c.Others("notepad"); err == nil {
		t.Error("a program that is not known has servers")
	}
}

// Each program has its own form for a server at an address.
func TestOthersAtAnAddress(t *testing.T) {
	home := t.TempDir()
	c := connect.New(connect.Config{Homes: connect.Homes{Home: home, Config: filepath.Join(home, ".config")}, State: filepath.Join(home, "s.json")})
	for program, file := range map[string][2]string{
		"claude":   {".claude.json", `{"mcpServers":{"a":{"type":"http","url":"https://a.example/mcp","headers":{"X-Key":"v"}},"b":{"type":"sse","url":"https://b.example"},"c":{"type":"http","url":"https://c.example","headers":{"X":"${KEY}"}},"d":{"type":"http"}}}`},
		"codex":    {".codex/config.toml", "[mcp_servers.a]\nurl = \"https://a.example/mcp\"\nhttp_headers = { X-Key = \"v\" }\n[mcp_servers.b]\nurl = \"https://b.example\"\nbearer_token_env_var = \"T\"\n"},
		"gemini":   {".gemini/settings.json", `{"mcpServers":{"a":{"httpUrl":"https://a.example/mcp","headers":{"X-Key":"v"}},"b":{"url":"https://b.example/sse"}}}`},
		"windsurf": {".codeium/windsurf/mcp_config.json", `{"mcpServers":{"a":{"serverUrl":"https://a.example/mcp","headers":{"X-Key":"v"}}}}`},
		"goose":    {".config/goose/config.yaml", "extensions:\n  a:\n    type: streamable_http\n    uri: https://a.example/mcp\n    headers: {X-Key: v}\n"},
	} {
		path := filepath.Join(home, file[0])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		others, err := c.Others(program)
		if err != nil || len(others) == 0 {
			t.Errorf("%s: %+v, %v", program, others, err)
			continue
		}
		for _, o := range others {
			if good := o.Name == "a"; good != (o.Skipped == "") || good && (o.URL != "https://a.example/mcp" || o.Headers["X-Key"] != "v") || !good && o.URL != "" {
				t.Errorf("%s: %+v", program, o)
			}
		}
	}
}
