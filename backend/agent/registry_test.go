package agent

import (
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func TestTheCatalogueKnowsTheAgentsOfTheRegistry(t *testing.T) {
	kinds, programs, inChat := map[protocol.AgentKind]bool{}, map[string]bool{}, 0
	for _, e := range Catalogue() {
		if kinds[e.Kind] {
			t.Errorf("%s is there twice", e.Kind)
		}
		kinds[e.Kind] = true
		if e.Kind == protocol.AgentShell || e.Kind == protocol.AgentCustom {
			continue
		}
		if programs[e.Program] || e.Program == "" || e.Name == "" || e.Install == "" || !strings.HasPrefix(e.URL, "https://") {
			t.Errorf("%s is incomplete, or has the program of another agent: %+v", e.Kind, e)
		}
		programs[e.Program] = true
		if strings.Contains(e.Install, "sudo") || strings.Contains(e.Install, "http://") {
			t.Errorf("%s: a command that a user pastes needs no other user and no open transport: %s", e.Kind, e.Install)
		}
		if len(e.Chat) == 0 {
			continue
		}
		inChat++
		if chatInstall(e) == "" || e.SignIn == "" {
			t.Errorf("%s: it does not say how it is used in Chat", e.Kind)
		}
	}
	if inChat < 20 {
		t.Errorf("only %d agents can be used in Chat", inChat)
	}
}

func TestAnAgentOfTheRegistryStartsInChat(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, ".local/bin")
	for _, name := range []string{"cline", "droid", "amp", "fast-agent", "fast-agent-acp"} {
		program(t, bin, name, "9.1.0")
	}
	p := prober(t, home)
	p.Probe(t.Context())
	for kind, want := range map[protocol.AgentKind]string{
		"cline": "cline --acp", "droid": "droid exec --output-format acp-daemon", "fast-agent": "fast-agent-acp -x",
	} {
		cfg := launchConfig(t)
		cfg.Kind = kind
		launched, err := p.ChatLaunch(t.Context(), cfg)
		if err != nil || launched.Missing != nil {
			t.Errorf("%s: %v, %+v", kind, err, launched.Missing)
			continue
		}
		if got := strings.Join(append([]string{filepath.Base(launched.Path)}, launched.Args...), " "); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	cfg := launchConfig(t)
	cfg.Kind = "amp"
	launched, err := p.ChatLaunch(t.Context(), cfg)
	if err != nil || launched.Missing == nil || launched.Missing.Install != "npm install -g amp-acp@latest" {
		t.Errorf("amp without its adapter: %v, %+v", err, launched.Missing)
	}
}

func TestSignInsAreLookedForAndNotRead(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, ".local/bin")
	for _, name := range []string{"claude", "codex", "cline", "auggie"} {
		program(t, bin, name, "1.2.3")
	}
	folder := filepath.Join(home, ".codex")
	mkdir(t, folder)
	write(t, filepath.Join(folder, "auth.json"), "not JSON: nobody reads it")
	file := prober(t, home, "AUGMENT_SESSION_AUTH=x").Probe(t.Context())
	for kind, want := range map[protocol.AgentKind]protocol.SignInState{
		"claude": protocol.SignInNone, "codex": protocol.SignInFound, "cline": protocol.SignInUnknown, "auggie": protocol.SignInFound, "gemini": protocol.SignInUnknown,
	} {
		if got := find(t, file, kind).SignedIn; got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// A user who has moved an agent's folder is signed in there, and nowhere else.
func TestSignInsInAMovedFolder(t *testing.T) {
	home, moved := t.TempDir(), t.TempDir()
	bin := filepath.Join(home, ".local/bin")
	for _, name := range []string{"claude", "codex"} {
		program(t, bin, name, "1.2.3")
	}
	mkdir(t, filepath.Join(home, ".codex"))
	write(t, filepath.Join(home, ".codex/auth.json"), "{}")
	write(t, filepath.Join(moved, ".credentials.json"), "{}")
	file := prober(t, home, "CLAUDE_CONFIG_DIR="+moved, "CODEX_HOME="+moved).Probe(t.Context())
	if got := find(t, file, "claude").SignedIn; got != protocol.SignInFound {
		t.Errorf("claude: %q", got)
	}
	if got := find(t, file, "codex").SignedIn; got != protocol.SignInNone {
		t.Errorf("codex: %q", got)
	}
}

func TestTheUsualAgentIsNamedWithoutAProbe(t *testing.T) {
	home := t.TempDir()
	program(t, filepath.Join(home, ".local/bin"), "claude", "2.1.0")
	p := prober(t, home)
	for chosen, want := range map[protocol.AgentKind]string{
		protocol.AgentAuto: "Claude Code", "claude": "Claude Code", "codex": "", protocol.AgentShell: "", protocol.AgentCustom: "", "nobody": "",
	} {
		if got := p.Usual(chosen); got != want {
			t.Errorf("%s: %q, want %q", chosen, got, want)
		}
	}
}
