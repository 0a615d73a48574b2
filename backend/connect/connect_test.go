package connect_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/connect"
	"pilotfish/backend/protocol"
)

// TestMain is also the MCP server that the tests connect: an ordinary one, with one tool.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "mcp" {
		server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		mcp.AddTool(server, &mcp.Tool{Name: "look"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// settings are what programs have in their files before: comments, other servers, odd
// white space, no line end.
var settings = map[string]struct{ file, text string }{
	"claude":   {".claude.json", "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"x\": {\n      \"type\": \"stdio\",\n      \"command\": \"x\"\n    }\n  },\n  \"userID\": \"1\"\n}"},
	"codex":    {".codex/config.toml", "# mine\nmodel = \"o3\"   # the big one\n\n[projects.\"/src\"]\ntrust_level = \"trusted\"\n"},
	"cursor":   {".cursor/mcp.json", "{\"mcpServers\":{\"x\":{\"url\":\"http://localhost:1\"}}}"},
	"vscode":   {".config/Code/User/mcp.json", "{\n\t\"servers\": {\n\t\t\"x\": {\"type\": \"http\", \"url\": \"http://localhost\"}, // remote\n\t},\n\t\"inputs\": [],\n}\n"},
	"gemini":   {".gemini/settings.json", "{\n  \"security\": {\"auth\": {\"selectedType\": \"oauth-personal\"}}\n}\n"},
	"opencode": {".config/opencode/opencode.jsonc", "{\n  // theme\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"theme\": \"system\"\n}\n"},
	"zed":      {".config/zed/settings.json", "// Zed settings\n{\n  \"ui_font_size\": 16,\n  \"theme\": {\n    \"mode\": \"system\",\n  },\n}\n"},
	"windsurf": {".codeium/windsurf/mcp_config.json", "{}\n"},
	"goose":    {".config/goose/config.yaml", "extensions:\n  developer:\n    bundled: true\n    enabled: true   # needed\nGOOSE_PROVIDER: anthropic\n"},
	"copilot":  {".copilot/mcp-config.json", "{\n  \"mcpServers\": {}\n}\n"},
	"qwen":     {".qwen/settings.json", "{\r\n  \"a\": 1\r\n}\r\n"},
}

// make1 returns the connections of a home folder, for a PATH.
func make1(t *testing.T, path string) (*connect.Connections, string) {
	t.Helper()
	t.Setenv("PATH", path)
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return connect.New(connect.Config{
		Homes: connect.Homes{Home: home, Config: filepath.Join(home, ".config")}, State: filepath.Join(dir, "state", "connected.json"),
		Server: connect.Server{Command: own, Args: []string{"mcp"}}, Skill: "---\nname: pilotfish\n---\n",
	}), home
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every program: the change is shown first, made, read back by the form that the
// program has, started, and taken back to the byte. The file keeps its mode.
func TestEveryProgram(t *testing.T) {
	programs := connect.Programs()
	if len(programs) != len(settings) {
		t.Fatalf("%d programs, %d in the test", len(programs), len(settings))
	}
	for _, p := range programs {
		t.Run(p.Name, func(t *testing.T) {
			c, home := make1(t, "")
			had := settings[p.Name]
			path := filepath.Join(home, had.file)
			put(t, path, had.text, 0o640)
			text := func() string {
				t.Helper()
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}
			done, err := c.Add(t.Context(), p.Name, true)
			if err != nil || text() != had.text || !strings.Contains(done.Change, "+") || done.Connected {
				t.Fatalf("dry: %+v, %v", done, err)
			}
			if done, err = c.Add(t.Context(), p.Name, false); err != nil || !done.Connected || !done.Current {
				t.Fatalf("%+v, %v\n%s", done, err, text())
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if done.Skill != "" {
				if _, err := os.Stat(done.Skill); err != nil {
					t.Error(err)
				}
			}
			server, err := c.Entry(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			tools, err := connect.Verify(t.Context(), server, home, append(os.Environ(), "GORACE=atexit_sleep_ms=0"))
			if err != nil || len(tools) != 1 || tools[0] != "look" {
				t.Errorf("%v, %v", tools, err)
			}
			if again, err := c.Add(t.Context(), p.Name, false); err != nil || again.Change != "" {
				t.Errorf("connected twice: %+v, %v", again, err)
			}
			if done, err = c.Remove(p.Name, false); err != nil || done.Connected || text() != had.text {
				t.Errorf("%+v, %v\n%q was\n%q", done, err, text(), had.text)
			}
			if _, err := os.Stat(filepath.Dir(done.Skill)); done.Skill != "" && err == nil {
				t.Error("the skill is left")
			}
			if done, err = c.Remove(p.Name, false); err != nil || done.Change != "" {
				t.Errorf("removed twice: %+v, %v", done, err)
			}
			if _, err := c.Entry(p.Name); protocol.AsError(err).Code != protocol.CodeNotRunning {
				t.Error(err)
			}
		})
	}
}

// A program without settings gets a file, which goes again.
func TestFirstSettings(t *testing.T) {
	c, home := make1(t, "")
	for _, p := range connect.Programs() {
		done, err := c.Add(t.Context(), p.Name, false)
		if err != nil || !done.Current {
			t.Fatalf("%s: %+v, %v", p.Name, done, err)
		}
		if _, err := c.Remove(p.Name, false); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(done.File); err == nil {
			t.Errorf("%s is left", done.File)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// An entry of another Pilotfish is changed, and comes back.
func TestAnotherPilotfish(t *testing.T) {
	c, home := make1(t, "")
	path := filepath.Join(home, ".cursor/mcp.json")
	had := `{"mcpServers": {"pilotfish": {"command": "/old/pilotfish", "args": ["mcp"]}}}`
	put(t, path, had, 0o600)
	for _, s := range c.List() {
		if s.Name == "cursor" && (!s.Connected || s.Current) {
			t.Errorf("%+v", s)
		}
	}
	if _, err := c.Add(t.Context(), "cursor", false); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Remove("cursor", false); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || strings.Contains(string(b), "/old/pilotfish") {
		t.Errorf("%s, %v", b, err)
	}
}

// The program's own command does it when it changes nothing else. When it fails,
// reformats the file, or writes something else, we do it.
func TestOwnCommand(t *testing.T) {
	had := "{\n  \"mcpServers\": {},\n  \"n\": 1\n}\n"
	for name, one := range map[string]struct {
		script string
		own    bool
	}{
		"adds":      {`printf '{\n  "mcpServers": {"pilotfish": {"type": "stdio", "command": "%s", "args": ["mcp"]}},\n  "n": 1\n}\n' "$7" > "$HOME/.claude.json"`, true},
		"reformats": {`printf '{"mcpServers": {"pilotfish": {"type": "stdio", "command": "%s", "args": ["mcp"]}}, "n": 2}' "$7" > "$HOME/.claude.json"`, false},
		"fails":     {`echo broken >> "$HOME/.claude.json"; exit 1`, false},
		"does none": {`exit 0`, false},
	} {
		t.Run(name, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), "claude")
			put(t, bin, "#!/bin/sh\n"+one.script+"\n", 0o700)
			c, home := make1(t, filepath.Dir(bin)+":/usr/bin:/bin")
			t.Setenv("HOME", home)
			path := filepath.Join(home, ".claude.json")
			put(t, path, had, 0o600)
			done, err := c.Add(t.Context(), "claude", false)
			if err != nil || !done.Current || (done.Own != "") != one.own {
				t.Fatalf("%+v, %v", done, err)
			}
			b, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(b), "\"n\": 1\n}\n") {
				t.Errorf("%s, %v", b, err)
			}
			if _, err := c.Remove("claude", false); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != had {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

// A program that never ran is not started: it would set itself up, too.
func TestOwnCommandOfAProgramThatNeverRan(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "claude")
	c, home := make1(t, filepath.Dir(bin)+":/usr/bin:/bin")
	put(t, bin, "#!/bin/sh\ntouch '"+filepath.Join(home, "ran")+"'\n", 0o700)
	if done, err := c.Add(t.Context(), "claude", false); err != nil || !done.Current {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("it was started")
	}
}

// A variable that moves a program's folder moves its settings and its skills.
func TestMovedFolders(t *testing.T) {
	c, home := make1(t, "")
	moved := filepath.Join(home, "moved")
	c.Homes.Getenv = func(name string) string {
		if name == "CODEX_HOME" {
			return "not absolute"
		}
		return moved
	}
	for name, want := range map[string][2]string{
		"claude":   {filepath.Join(moved, ".claude.json"), filepath.Join(moved, "skills")},
		"gemini":   {filepath.Join(moved, ".gemini/settings.json"), filepath.Join(moved, ".gemini/skills")},
		"opencode": {filepath.Join(moved, "opencode/opencode.json"), filepath.Join(moved, "opencode/skills")},
		"codex":    {filepath.Join(home, ".codex/config.toml"), filepath.Join(home, ".codex/skills")},
		"qwen":     {filepath.Join(home, ".qwen/settings.json"), filepath.Join(home, ".qwen/skills")},
	} {
		done, err := c.Add(t.Context(), name, true)
		if err != nil || done.File != want[0] || filepath.Dir(filepath.Dir(done.Skill)) != want[1] {
			t.Errorf("%s: %s, %s, %v", name, done.File, done.Skill, err)
		}
	}
}

func TestWhatIsLeftAsItIs(t *testing.T) {
	c, home := make1(t, "")
	if _, err := c.Add(t.Context(), "emacs", false); protocol.AsError(err).Code != protocol.CodeBadArgument || !strings.Contains(protocol.AsError(err).Hint, "claude") {
		t.Error(err)
	}
	put(t, filepath.Join(home, ".cursor/mcp.json"), `{"mcpServers": [`, 0o600)
	if _, err := c.Add(t.Context(), "cursor", false); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Error(err)
	}
	for _, s := range c.List() {
		if (s.Problem != "") != (s.Name == "cursor") {
			t.Errorf("%+v", s)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, ".qwen/settings.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(t.Context(), "qwen", false); err == nil {
		t.Error("a folder was written")
	}
	if _, err := connect.Verify(t.Context(), connect.Server{Command: "/bin/false"}, home, nil); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Error(err)
	}
	var gone *os.PathError
	if _, err := os.Stat(filepath.Join(home, ".claude.json")); !errors.As(err, &gone) {
		t.Error(err)
	}
}

// A link to a file elsewhere stays a link.
func TestLinkedSettings(t *testing.T) {
	c, home := make1(t, "")
	target := filepath.Join(home, "dotfiles", "mcp.json")
	put(t, target, "{}\n", 0o600)
	link := filepath.Join(home, ".cursor/mcp.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(t.Context(), "cursor", false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(target); err != nil || !strings.Contains(string(b), "pilotfish") {
		t.Errorf("%s, %v", b, err)
	}
}
