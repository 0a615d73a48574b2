//go:build agents

package agents_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/agent"
	"pilotfish/backend/protocol"
)

// What the first run shows of real agents is so: each has the version that was
// installed, nobody is signed in where nobody has signed in, and a sign-in with codex's
// own command is found, also in a folder that the user has moved.
func TestTheProbeIsRight(t *testing.T) {
	packages := map[protocol.AgentKind]string{
		"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "gemini": "@google/gemini-cli", "opencode": "opencode-ai",
		"copilot": "@github/copilot", "qwen": "@qwen-code/qwen-code",
	}
	var pinned struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	text, err := os.ReadFile(tool(t, "build", "agents", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &pinned)
	}
	if err != nil {
		t.Fatal(err)
	}
	u := newUser(t, connectable{name: "codex"})
	u.path(filepath.Dir(tool(t, "build", "agents", "node_modules", ".bin", "claude")))
	probe := func() map[protocol.AgentKind]protocol.AgentInfo {
		p := agent.New(agent.Config{Home: u.home, Shell: "/bin/sh", Env: u.env})
		found := map[protocol.AgentKind]protocol.AgentInfo{}
		for _, info := range p.Probe(t.Context()).Agents {
			found[info.Kind] = info
		}
		return found
	}
	fresh := probe()
	for tries := 0; slow(fresh, packages) && tries < 5; tries++ {
		fresh = probe()
	}
	for kind, name := range packages {
		got := fresh[kind]
		if !got.Installed || got.Problem != "" || got.Version != pinned.Dependencies[name] {
			t.Errorf("%s is %+v, want version %s", kind, got, pinned.Dependencies[name])
		}
		if kind == "opencode" || kind == "copilot" {
			continue // they do not say
		}
		if got.SignedIn != protocol.SignInNone {
			t.Errorf("%s in a fresh home folder: %q", kind, got.SignedIn)
		}
	}
	moved := t.TempDir()
	u.env = append(u.env, "CODEX_HOME="+moved)
	u.input = "sk-fake-key\n"
	u.run("codex", "login", "--with-api-key")
	if said := u.run("codex", "login", "status"); !strings.Contains(said, "API key configured") {
		t.Fatalf("codex says %q", said)
	}
	if got := probe()["codex"].SignedIn; got != protocol.SignInFound {
		t.Errorf("codex after its login: %q", got)
	}
	u.run("codex", "logout")
	if got := probe()["codex"].SignedIn; got != protocol.SignInNone {
		t.Errorf("codex after its logout: %q", got)
	}
}

// slow reports whether an agent has taken too long to say its version, as on a busy machine.
func slow(found map[protocol.AgentKind]protocol.AgentInfo, packages map[protocol.AgentKind]string) bool {
	for kind := range packages {
		if info := found[kind]; info.Installed && info.Problem == "" && info.Version == "" {
			return true
		}
	}
	return false
}
