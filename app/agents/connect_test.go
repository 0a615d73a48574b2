//go:build agents

package agents_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
)

// connectable is a real program that `pilotfish connect` knows and npm has.
type connectable struct {
	name string
	// config is its file of MCP servers, below the home folder, and mine what a user
	// may have in it; claude writes its file itself.
	config, mine string
	// env is what it needs to list its servers and to run without the network.
	env []string
	// listed is the text with which its own list says that our server works, or, for
	// codex, which starts no server to list it, that it is on.
	listed string
	// moved is the variable that moves its folder; "" for a program without one.
	moved string
	// ask returns the arguments that run one prompt, with our tools allowed.
	ask func(prompt string) []string
	// tool returns the name under which its model sees a tool of ours.
	tool func(name string) string
}

// connectables returns the programs; m is the model that they ask.
func connectables(m *model.Model) []connectable {
	return []connectable{
		{
			name: "claude", config: ".claude.json",
			env: []string{
				"ANTHROPIC_BASE_URL=" + m.URL(), "ANTHROPIC_API_KEY=" + model.Key,
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
			},
			listed: "✓ Connected", moved: "CLAUDE_CONFIG_DIR",
			ask:  func(prompt string) []string { return []string{"-p", prompt, "--allowedTools", "mcp__pilotfish"} },
			tool: func(name string) string { return "mcp__pilotfish__" + name },
		},
		{
			name: "codex", config: ".codex/config.toml",
			mine:   "# mine\nmodel = \"x\"\n\n[projects.\"/a\"]\ntrust_level = \"trusted\" # yes\n",
			listed: "enabled", moved: "CODEX_HOME",
		},
		{
			name: "gemini", config: ".gemini/settings.json",
			mine: "{\n  // mine\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}},\n  \"model\": {\"name\": \"gemini-2.5-pro\"},\n  \"general\": {\"enableAutoUpdate\": false},\n  \"privacy\": {\"usageStatisticsEnabled\": false}\n}\n",
			// In a folder that the user does not trust, it starts no server at all.
			env: []string{
				"GOOGLE_GEMINI_BASE_URL=" + m.URL(), "GEMINI_API_KEY=" + model.Key,
				"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
			},
			listed: "Connected", moved: "GEMINI_CLI_HOME",
			ask:  func(prompt string) []string { return []string{"--approval-mode", "yolo", "-p", prompt} },
			tool: func(name string) string { return "mcp_pilotfish_" + name },
		},
		{
			name: "opencode", config: ".config/opencode/opencode.json",
			mine:   "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"theme\": \"system\"\n}\n",
			env:    []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_CONFIG_CONTENT=" + openCodeConfig(m.URL())},
			listed: "connected", moved: "XDG_CONFIG_HOME",
			ask:  func(prompt string) []string { return []string{"run", prompt} },
			tool: func(name string) string { return "pilotfish_" + name },
		},
		{
			name: "qwen", config: ".qwen/settings.json",
			mine:   "{\n  // mine\n  \"general\": {\"disableAutoUpdate\": true}\n}\n",
			env:    []string{"OPENAI_BASE_URL=" + m.OpenAIURL(), "OPENAI_API_KEY=" + model.Key, "OPENAI_MODEL=strong"},
			listed: "Connected",
			ask: func(prompt string) []string {
				return []string{"--auth-type", "openai", "--approval-mode", "yolo", "-p", prompt}
			},
			tool: func(name string) string { return "mcp__pilotfish__" + name },
		},
	}
}

// user is a user with a home folder of their own and one real program on the PATH.
type user struct {
	t    *testing.T
	home string
	env  []string
	// input is what programs get on their standard input.
	input string
}

// newUser returns a user of a program; env is added to the environment.
func newUser(t *testing.T, p connectable, env ...string) user {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	program := tool(t, "build", "agents", "node_modules", ".bin", p.name)
	if err := os.Symlink(program, filepath.Join(bin, p.name)); err != nil {
		t.Fatal(err)
	}
	all := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "NO_COLOR=1", "PILOTFISH_HOME=" + t.TempDir()}
	return user{t: t, home: home, env: slices.Concat(all, p.env, env)}
}

// path adds a folder to the PATH.
func (u user) path(folder string) {
	for i, pair := range u.env {
		if strings.HasPrefix(pair, "PATH=") {
			u.env[i] = pair + ":" + folder
		}
	}
}

// run runs a program in the home folder and returns what it printed.
func (u user) run(program string, args ...string) string {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), limit)
	defer cancel()
	for _, pair := range u.env {
		if folder, ok := strings.CutPrefix(pair, "PATH="); ok && !filepath.IsAbs(program) {
			program = filepath.Join(strings.Split(folder, ":")[0], program)
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = u.home, u.env, strings.NewReader(u.input)
	said, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, said)
	}
	return string(said)
}

// files returns every file and folder below the home folder with its content.
func (u user) files() map[string]string {
	u.t.Helper()
	all, home := map[string]string{}, os.DirFS(u.home)
	err := fs.WalkDir(home, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			all[name] = "folder"
			return nil
		}
		text, err := fs.ReadFile(home, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return all
}

// write writes a file below the home folder.
func (u user) write(name, text string) {
	u.t.Helper()
	path := filepath.Join(u.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		u.t.Fatal(err)
	}
}

// read returns a file below the home folder; a missing one is empty.
func (u user) read(name string) string {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.home, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.t.Fatal(err)
	}
	return string(text)
}

// `connect` and `--remove` leave no trace, though the real program is on the PATH and
// may be asked to make the change: neither in a home folder where the program never
// ran, nor beside what a user has written, nor in what claude keeps for itself.
func TestConnectLeavesNoTrace(t *testing.T) {
	pilotfish := tool(t, "build", "bin", "pilotfish")
	m := model.New(model.Steps(model.Reply{Text: "Hello."}))
	defer m.Close()
	check := func(t *testing.T, p connectable, prepare func(user)) {
		t.Helper()
		u := newUser(t, p)
		prepare(u)
		before := u.files()
		u.run(pilotfish, "connect", p.name)
		if text := u.read(p.config); !strings.Contains(text, "pilotfish") {
			t.Fatalf("its settings do not have the server: %s", text)
		}
		u.run(pilotfish, "connect", p.name, "--remove")
		after := u.files()
		for name, text := range after {
			was, ok := before[name]
			switch {
			case ok && was == text:
			case strings.HasPrefix(name, ".claude/backups/"): // it keeps a copy for every change, also of its own
			default:
				t.Errorf("%s was %q, is %q", name, was, text)
			}
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				t.Errorf("%s is gone", name)
			}
		}
	}
	for _, p := range connectables(m) {
		t.Run(p.name+"/fresh", func(t *testing.T) { check(t, p, func(user) {}) })
		t.Run(p.name+"/used", func(t *testing.T) {
			check(t, p, func(u user) {
				if p.name == "claude" {
					u.run("claude", "-p", "Hello.") // it writes its settings itself
					return
				}
				u.write(p.config, p.mine)
			})
		})
	}
}

// The program itself lists our server, and as connected: it has started it.
func TestProgramsListUs(t *testing.T) {
	pilotfish := tool(t, "build", "bin", "pilotfish")
	m := model.New(model.Steps())
	defer m.Close()
	ours := func(said string) string {
		for line := range strings.Lines(said) {
			if strings.Contains(line, "pilotfish") {
				return line
			}
		}
		return ""
	}
	for _, p := range connectables(m) {
		t.Run(p.name, func(t *testing.T) {
			u := newUser(t, p)
			if line := ours(u.run(p.name, "mcp", "list")); line != "" {
				t.Fatalf("before, it lists %q", line)
			}
			u.run(pilotfish, "connect", p.name)
			if line := ours(u.run(p.name, "mcp", "list")); !strings.Contains(line, p.listed) {
				t.Errorf("it lists %q, want %q", line, p.listed)
			}
			u.run(pilotfish, "connect", p.name, "--remove")
			if line := ours(u.run(p.name, "mcp", "list")); line != "" {
				t.Errorf("after --remove it lists %q", line)
			}
		})
		if p.moved == "" {
			continue
		}
		t.Run(p.name+"/moved", func(t *testing.T) {
			moved := t.TempDir()
			u := newUser(t, p, p.moved+"="+moved)
			u.run(pilotfish, "connect", p.name)
			if line := ours(u.run(p.name, "mcp", "list")); !strings.Contains(line, p.listed) {
				t.Errorf("it lists %q, want %q", line, p.listed)
			}
			if text := u.read(p.config); text != "" {
				t.Errorf("the settings in the home folder were changed: %q", text)
			}
		})
	}
}

// With nothing but what `connect` wrote, the program's model uses a tool of ours: it
// opens a page and says what is on it.
func TestConnectedProgramsUseOurTools(t *testing.T) {
	url, _ := form(t)
	for i, p := range connectables(model.New(model.Steps())) {
		if p.ask == nil {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			var p connectable
			m := model.New(func(r model.Request) model.Reply {
				seen := result(r)
				switch {
				case seen != "":
					return model.Reply{Text: "I saw: " + seen}
				case !slices.Contains(r.Tools, p.tool("browser_navigate")):
					return model.Reply{Text: "No tool of that name."}
				}
				return model.Reply{Calls: []model.Call{{Name: p.tool("browser_navigate"), Input: map[string]any{"url": url, "then": "snapshot"}}}}
			})
			defer m.Close()
			p = connectables(m)[i]
			pilotfish, at := serve(t)
			var env []string
			for name, value := range at {
				env = append(env, name+"="+value)
			}
			u := newUser(t, p, env...)
			if p.name == "gemini" {
				u.write(p.config, p.mine) // it reads from there how it signs in
			}
			u.run(pilotfish, "connect", p.name)
			said := u.run(p.name, p.ask("What is on the page?")...)
			if !strings.Contains(said, "edit Name") || !strings.Contains(said, "btn Save") {
				var offered []string
				for _, r := range m.Requests() {
					offered = append(offered, strings.Join(r.Tools, " "))
				}
				t.Errorf("it said %q\nit offered %q\nrefused: %q", said, offered, m.Refused())
			}
		})
	}
}
