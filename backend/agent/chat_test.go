package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// program puts a program into a folder that only prints a version.
func program(t *testing.T, folder, name, version string) string {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name)
	write(t, path, "#!/bin/sh\necho "+version+"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChatLaunch(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, ".local/bin")
	for name, version := range map[string]string{
		"claude": "2.1.100", "codex": "0.9.0", "gemini": "0.61.0", "opencode": "1.0.0", "goose": "1.9.0", "copilot": "1.0.0", "qwen": "0.5.2", "kimi": "0.7.0",
	} {
		program(t, bin, name, version)
	}
	p := prober(t, home)
	file := p.Probe(t.Context())
	for kind, want := range map[protocol.AgentKind]string{
		"gemini": "acp gemini --acp", "opencode": "acp opencode acp", "goose": "acp goose acp", "copilot": "acp copilot --acp",
		"qwen": "acp qwen --experimental-acp", "kimi": "acp kimi acp", "claude": "claude claude",
	} {
		cfg := launchConfig(t)
		cfg.Kind = kind
		launched, err := p.ChatLaunch(t.Context(), cfg)
		if err != nil || launched.Missing != nil {
			t.Errorf("%s: %v, %+v", kind, err, launched.Missing)
			continue
		}
		got := strings.Join(append([]string{launched.Driver, filepath.Base(launched.Path)}, launched.Args...), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		if info := find(t, file, kind); info.Chat != launched.Driver {
			t.Errorf("%s: the probe says %q", kind, info.Chat)
		}
		if launched.SignIn == "" {
			t.Errorf("%s: nobody is told how to sign in", kind)
		}
	}
}

func TestChatPrefersTheAdapter(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, ".local/bin")
	program(t, bin, "claude", "2.1.100")
	adapter := program(t, bin, "claude-agent-acp", "0.60.0")
	cfg := launchConfig(t)
	cfg.Kind = protocol.AgentClaude
	launched, err := prober(t, home).ChatLaunch(t.Context(), cfg)
	if err != nil || launched.Driver != DriverACP || launched.Path != adapter || len(launched.Args) != 0 {
		t.Errorf("%v: %+v", err, launched)
	}
}

func TestChatThatIsMissing(t *testing.T) {
	home := t.TempDir()
	program(t, filepath.Join(home, ".local/bin"), "codex", "0.9.0")
	p := prober(t, home)
	for kind, install := range map[protocol.AgentKind]string{
		"codex": "npm install -g @agentclientprotocol/codex-acp@latest", "gemini": "npm install -g @google/gemini-cli@latest", "aider": "",
	} {
		cfg := launchConfig(t)
		cfg.Kind = kind
		launched, err := p.ChatLaunch(t.Context(), cfg)
		if err != nil || launched.Missing == nil || launched.Missing.Install != install {
			t.Errorf("%s: %v, %+v", kind, err, launched.Missing)
		}
	}
	codex := find(t, p.Probe(t.Context()), "codex")
	if !codex.Installed || codex.Chat != "" || codex.ChatInstall == "" {
		t.Errorf("%+v", codex)
	}
}

func TestChatWithACommandOfOnesOwn(t *testing.T) {
	home := t.TempDir()
	path := program(t, filepath.Join(home, "my tools"), "agent", "1")
	cfg := launchConfig(t)
	cfg.Kind, cfg.Command, cfg.Token, cfg.Tab = protocol.AgentCustom, "'"+path+"' --mode 'a b'", "", ""
	launched, err := prober(t, home).ChatLaunch(t.Context(), cfg)
	if err != nil || launched.Driver != DriverACP || launched.Path != path || !slices.Equal(launched.Args, []string{"--mode", "a b"}) {
		t.Errorf("%v: %+v", err, launched)
	}
	for _, pair := range launched.Env {
		if strings.HasPrefix(pair, protocol.EnvToken+"=") || strings.HasPrefix(pair, protocol.EnvTab+"=") || strings.HasPrefix(pair, "TERM=") {
			t.Errorf("a process for many conversations has %s", pair)
		}
	}
}
