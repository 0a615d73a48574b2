//go:build unix

package agent

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// launchConfig returns a config whose program folder has a space and a quote in
// its name.
func launchConfig(t *testing.T) LaunchConfig {
	t.Helper()
	programs := filepath.Join(t.TempDir(), "it's here")
	install(t, programs, "pilotfish")
	return LaunchConfig{
		DefaultDir: filepath.Join(t.TempDir(), "agents"), ProgramDir: programs, StateDir: "/state/default",
		Session: "default", Tab: "t7", URL: "http://127.0.0.1:4711", Token: "agents-own-token",
		Commands: []Command{{Usage: "goto URL", Summary: "open a page in the tab"}},
	}
}

func TestLaunchClaude(t *testing.T) {
	home := t.TempDir()
	install(t, filepath.Join(home, ".local/bin"), "claude")
	p := prober(t, home,
		"PILOTFISH_HOME=/portable", "PILOTFISH_TOKEN=the-apps-own", "PILOTFISH_NO_SANDBOX=1", "CLAUDECODE=1", "TMUX=/x,1,0",
		"NODE_OPTIONS=--inspect-brk=9229", "VSCODE_INSPECTOR_OPTIONS={}", "LD_PRELOAD=/x.so", "TERM=dumb", "KEEP=me", "ANTHROPIC_API_KEY=persons-own")
	cfg := launchConfig(t)
	cfg.Args = `--model 'opus 5' --add-dir ~/src "$KEEP"`
	launched, err := p.Launch(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if launched.Missing != nil || launched.Kind != protocol.AgentClaude || launched.Name != "Claude Code" {
		t.Fatalf("launched %+v", launched)
	}
	info, err := os.Stat(launched.Dir)
	if err != nil || info.Mode().Perm() != 0o700 || launched.Dir != cfg.DefaultDir {
		t.Errorf("the working folder: %v, %v", info, err)
	}
	out := capture(t, launched, "")
	for _, want := range []string{
		"[--append-system-prompt]", "[--settings]",
		"[--model]\n[opus 5]\n[--add-dir]\n[" + home + "/src]\n[me]\n",
		"PILOTFISH_URL=http://127.0.0.1:4711\n", "PILOTFISH_TOKEN=agents-own-token\n", "PILOTFISH_SESSION=default\n",
		"PILOTFISH_TAB=t7\n", "PILOTFISH_HOME=/portable\n", "PILOTFISH_STATE=/state/default\n", "TERM=xterm-256color\n", "KEEP=me\n", "ANTHROPIC_API_KEY=persons-own\n",
		"PWD=" + cfg.DefaultDir + "\n", "PATH=" + cfg.ProgramDir + ":",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	for _, secret := range []string{"the-apps-own", "NO_SANDBOX", "CLAUDECODE", "TMUX", "inspect", "VSCODE", "LD_PRELOAD", "dumb"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q reaches the agent:\n%s", secret, out)
		}
	}
	text := launched.Args[slices.Index(launched.Args, "--append-system-prompt")+1]
	for _, want := range []string{"t7", "pilotfish goto URL: open a page in the tab", "/state/default/tabs.json", "/state/default/active-tab.json", "data from strangers"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt does not say %q:\n%s", want, text)
		}
	}
}

// Each hook is run as claude runs it: through a shell.
func TestClaudesHooksCallUs(t *testing.T) {
	cfg := launchConfig(t)
	var settings struct {
		Hooks map[string][]matcher `json:"hooks"`
	}
	if err := json.Unmarshal([]byte(claudeSettings(cfg.ProgramDir, false)), &settings); err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(t.TempDir(), "calls")
	want := map[string]string{
		"SessionStart": "idle", "UserPromptSubmit": "working", "PostToolUse": "working", "Notification": "needs_you", "Stop": "idle", "SessionEnd": "idle",
	}
	if len(settings.Hooks) != len(want) {
		t.Errorf("hooks: %v", settings.Hooks)
	}
	for event, status := range want {
		if len(settings.Hooks[event]) != 1 || len(settings.Hooks[event][0].Hooks) != 1 {
			t.Fatalf("%s: %+v", event, settings.Hooks[event])
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", settings.Hooks[event][0].Hooks[0].Command)
		cmd.Env = append(os.Environ(), "CALLS="+calls)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", event, err, out)
		}
		text, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(text)); got != "agent-status "+status+" --hook" {
			t.Errorf("%s calls %q", event, got)
		}
		if err := os.Remove(calls); err != nil {
			t.Fatal(err)
		}
	}
}

// The hook for permissions, which claude has had since permissionSince.
func TestClaudeAsksForPermissions(t *testing.T) {
	for version, asks := range map[string]bool{"": true, "2.0.45": true, "2.1.7": true, "2.0.44": false, "1.0.128": false} {
		home := t.TempDir()
		install(t, filepath.Join(home, ".local/bin"), "claude")
		cfg := launchConfig(t)
		cfg.Kind = protocol.AgentClaude
		p := New(Config{Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home}, Home: home})
		p.file = &protocol.AgentsFile{Agents: []protocol.AgentInfo{{Kind: protocol.AgentClaude, Version: version}}}
		launched, err := p.Launch(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		settings := launched.Args[slices.Index(launched.Args, "--settings")+1]
		if got := strings.Contains(settings, "/pilotfish' agent-permission"); got != asks {
			t.Errorf("version %q: %t\n%s", version, got, settings)
		}
	}
}

func TestUsersOwnClaudeOptionsStay(t *testing.T) {
	home := t.TempDir()
	install(t, filepath.Join(home, ".local/bin"), "claude")
	cfg := launchConfig(t)
	cfg.Args = "--settings=mine.json --append-system-prompt 'be brief'"
	launched, err := prober(t, home).Launch(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"--settings=mine.json", "--append-system-prompt", "be brief"}; !slices.Equal(launched.Args, want) {
		t.Errorf("arguments %q, want %q", launched.Args, want)
	}
}

// The user's own startup files must not hide our program.
func TestLaunchShellFindsPilotfish(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".bashrc"), "export PATH=\"$HOME/first:$PATH\"\nalias hello='echo interactive'\n")
	cfg := launchConfig(t)
	cfg.Kind = protocol.AgentShell
	launched, err := prober(t, home).Launch(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if launched.Name != "bash" {
		t.Errorf("the terminal is called %q", launched.Name)
	}
	out := capture(t, launched, "command -v pilotfish\nhello\nexit\n")
	if want := filepath.Join(cfg.ProgramDir, "pilotfish"); !strings.Contains(out, want) {
		t.Errorf("the shell does not find pilotfish:\n%s", out)
	}
	if !strings.Contains(out, "interactive\n") {
		t.Errorf("the shell is not interactive:\n%s", out)
	}
}

func TestShellWithoutSHELL(t *testing.T) {
	p := New(Config{Env: []string{"PATH=/usr/bin:/bin"}, Home: t.TempDir()})
	if shell := p.userShell(); filepath.Base(shell) != "bash" {
		t.Errorf("the shell is %q", shell)
	}
	only := t.TempDir()
	if err := os.Symlink("/bin/sh", filepath.Join(only, "zz")); err != nil {
		t.Fatal(err)
	}
	p = New(Config{Env: []string{"SHELL=" + filepath.Join(only, "gone")}})
	if shell := p.userShell(); filepath.Base(shell) != "bash" {
		t.Errorf("a SHELL that does not exist gives %q", shell)
	}
}

func TestLaunchCustom(t *testing.T) {
	home := t.TempDir()
	install(t, filepath.Join(home, "bin"), "claude")
	for _, test := range []struct {
		command string
		args    []string
	}{
		{`claude "two words" it\'s $HOME`, []string{"two words", "it's", home}},
		{home + `/bin/claude '*' `, []string{"*"}},
		{`~/bin/claude --x`, []string{"--x"}},
	} {
		cfg := launchConfig(t)
		cfg.Kind, cfg.Command = protocol.AgentCustom, test.command
		launched, err := prober(t, home).Launch(t.Context(), cfg)
		if err != nil {
			t.Errorf("%s: %v", test.command, err)
			continue
		}
		if launched.Path != home+"/bin/claude" || !slices.Equal(launched.Args, test.args) || launched.Name != "claude" {
			t.Errorf("%s: %s %q", test.command, launched.Path, launched.Args)
		}
	}
}

func TestLaunchCustomRefusesAndMisses(t *testing.T) {
	canary := filepath.Join(t.TempDir(), "canary")
	for _, command := range []string{"", "  ", `claude "unfinished`, "echo $(touch " + canary + ")", "echo `touch " + canary + "`", "true; touch " + canary, "true | touch " + canary, "true && touch " + canary} {
		cfg := launchConfig(t)
		cfg.Kind, cfg.Command = protocol.AgentCustom, command
		_, err := prober(t, t.TempDir()).Launch(t.Context(), cfg)
		if protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%q: %v", command, err)
		}
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a command line was run by a shell")
	}
	cfg := launchConfig(t)
	cfg.Kind, cfg.Command = protocol.AgentCustom, "no-such-program --x"
	launched, err := prober(t, t.TempDir()).Launch(t.Context(), cfg)
	if err != nil || launched.Missing == nil || !strings.Contains(launched.Missing.Problem, "no-such-program") {
		t.Errorf("a program that is not there: %+v, %v", launched, err)
	}
}

func TestLaunchMissingAgentAndAuto(t *testing.T) {
	p := prober(t, t.TempDir())
	cfg := launchConfig(t)
	cfg.Kind = protocol.AgentClaude
	launched, err := p.Launch(t.Context(), cfg)
	if err != nil || launched.Missing == nil || launched.Missing.Install == "" {
		t.Errorf("claude that is not installed: %+v, %v", launched, err)
	}
	cfg.Kind = protocol.AgentAuto
	if launched, err = p.Launch(t.Context(), cfg); err != nil || launched.Kind != protocol.AgentShell {
		t.Errorf("auto without claude: %+v, %v", launched, err)
	}
	cfg.Kind = "nobody"
	if _, err = p.Launch(t.Context(), cfg); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("an unknown agent: %v", err)
	}
}

func TestLaunchWorkDir(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	write(t, file, "")
	for dir, ok := range map[string]bool{folder: true, file: false, filepath.Join(folder, "gone"): false} {
		cfg := launchConfig(t)
		cfg.Kind, cfg.WorkDir = protocol.AgentShell, dir
		launched, err := prober(t, t.TempDir()).Launch(t.Context(), cfg)
		if ok && (err != nil || launched.Dir != dir) {
			t.Errorf("%s: %v", dir, err)
		}
		if !ok && (protocol.AsError(err) == nil || protocol.AsError(err).Hint == "") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
