//go:build unix

package agent

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// install puts fake agents into a folder.
func install(t *testing.T, folder string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		source, err := filepath.Abs(filepath.Join("testdata/fakes", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(source, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// prober returns a Prober with a home folder of its own, and the PATH of a
// desktop's session.
func prober(t *testing.T, home string, env ...string) *Prober {
	t.Helper()
	return New(Config{Env: append([]string{"HOME=" + home, "PATH=/usr/bin:/bin", "SHELL=/bin/bash"}, env...)})
}

func find(t *testing.T, file protocol.AgentsFile, kind protocol.AgentKind) protocol.AgentInfo {
	t.Helper()
	i := slices.IndexFunc(file.Agents, func(info protocol.AgentInfo) bool { return info.Kind == kind })
	if i < 0 {
		t.Fatalf("the probe says nothing of %s", kind)
	}
	return file.Agents[i]
}

func TestProbe(t *testing.T) {
	home := t.TempDir()
	child := filepath.Join(home, "child")
	install(t, filepath.Join(home, ".local/bin"), "claude", "codex", "goose")
	install(t, filepath.Join(home, ".npm-global/bin"), "aider")
	p := prober(t, home, "AIDER_CHILD="+child)

	file := p.Probe(t.Context())
	t.Cleanup(func() { killChild(t, child) })

	claude := find(t, file, protocol.AgentClaude)
	if !claude.Installed || claude.Version != "2.1.7" || claude.Problem != "" || claude.Path != filepath.Join(home, ".local/bin/claude") {
		t.Errorf("claude: %+v", claude)
	}
	if file.Default != protocol.AgentClaude {
		t.Errorf("the default is %s with claude installed", file.Default)
	}
	codex := find(t, file, "codex")
	if !codex.Installed || !strings.Contains(codex.Problem, "cannot find module 'core'") {
		t.Errorf("a broken agent does not say why: %+v", codex)
	}
	goose := find(t, file, "goose")
	if goose.Installed || !strings.Contains(goose.Problem, "another program") || goose.Install == "" {
		t.Errorf("a stranger of the same name is taken for the agent: %+v", goose)
	}
	aider := find(t, file, "aider")
	if aider.Version != "0.86.1" || aider.Problem != "" {
		t.Errorf("an agent whose child keeps the output: %+v", aider)
	}
	qwen := find(t, file, "qwen")
	if qwen.Installed || qwen.Install == "" || qwen.URL == "" {
		t.Errorf("a missing agent says how to get it: %+v", qwen)
	}
	shell := find(t, file, protocol.AgentShell)
	if shell.Path != "/bin/bash" || shell.Name != "Shell (bash)" {
		t.Errorf("the shell: %+v", shell)
	}
}

func killChild(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("the fake wrote no child: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestAgentsRemembersUntilTheRetry(t *testing.T) {
	home := t.TempDir()
	p := prober(t, home)
	if file := p.Agents(t.Context()); file.Default != protocol.AgentShell {
		t.Fatalf("the default without any agent is %s", file.Default)
	}
	install(t, filepath.Join(home, ".local/bin"), "claude")
	if info := find(t, p.Agents(t.Context()), protocol.AgentClaude); info.Installed {
		t.Error("the result was not remembered")
	}
	if info := find(t, p.Probe(t.Context()), protocol.AgentClaude); !info.Installed {
		t.Error("the retry does not see what was installed")
	}
	if info := find(t, p.Agents(t.Context()), protocol.AgentClaude); !info.Installed {
		t.Error("the result of the retry is not remembered")
	}
}

func TestProbeThatWasCutShortIsNotRemembered(t *testing.T) {
	home := t.TempDir()
	install(t, filepath.Join(home, ".local/bin"), "claude")
	p := prober(t, home)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Probe(ctx)
	if info := find(t, p.Agents(t.Context()), protocol.AgentClaude); info.Version != "2.1.7" {
		t.Errorf("an ended probe was remembered: %+v", info)
	}
}

// The desktop's PATH is not the PATH of a terminal.
func TestAgentOnThePathOfTheLoginShellOnly(t *testing.T) {
	for _, file := range []string{".bash_profile", ".bashrc"} {
		t.Run(file, func(t *testing.T) {
			home := t.TempDir()
			hidden := filepath.Join(home, "tools with space")
			install(t, hidden, "claude")
			// bash -l reads .bash_profile only, which usually reads .bashrc.
			write(t, filepath.Join(home, ".bash_profile"), "echo welcome to this machine\n[ -f ~/.bashrc ] && . ~/.bashrc\n")
			appendTo(t, filepath.Join(home, file), "export PATH=\""+hidden+":$PATH\"\n")
			p := prober(t, home)
			info := find(t, p.Probe(t.Context()), protocol.AgentClaude)
			if info.Path != filepath.Join(hidden, "claude") {
				t.Fatalf("not found on the shell's PATH: %+v", info)
			}
			launched, err := p.Launch(t.Context(), launchConfig(t))
			if err != nil {
				t.Fatal(err)
			}
			if path := lookup(launched.Env)("PATH"); !slices.Contains(filepath.SplitList(path), hidden) {
				t.Errorf("the agent does not have the shell's PATH: %s", path)
			}
		})
	}
}

// hangups makes SIGHUP reach what a test starts, as it reaches all that the app
// starts. The tests may run with SIGHUP ignored, for instance under nohup.
// Children inherit an ignored signal, but not a caught one, so the tests catch
// it.
func hangups(t *testing.T) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
}

func TestLoginShellThatHangsIsEnded(t *testing.T) {
	hangups(t)
	home := t.TempDir()
	child := filepath.Join(home, "child")
	if err := syscall.Mkfifo(child, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".bash_profile"), "sleep 300 &\necho $! >"+child+"\nwait\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pids := make(chan int, 1)
	go func() {
		defer cancel() // has the effect of the deadline, but only once the child runs
		text, err := os.ReadFile(child)
		if err != nil {
			t.Error(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Error(err)
		}
		pids <- pid
	}()
	path, err := loginPath(ctx, "/bin/bash", []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
	if err == nil || path != "" {
		t.Fatalf("a shell that hangs said %q, %v", path, err)
	}
	pid := <-pids
	gone := func() bool { // init may not have reaped it yet
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}
	for deadline := time.Now().Add(3 * time.Minute); !gone(); {
		if time.Now().After(deadline) {
			t.Fatal("what the shell's profile started is left over")
		}
	}
}

// A profile that holds a lock, as pyenv's does, can release it; otherwise each
// later shell of the user would wait for it.
func TestLoginShellIsAskedToEnd(t *testing.T) {
	hangups(t)
	home := t.TempDir()
	lock, manager := filepath.Join(home, "lock"), filepath.Join(home, "manager")
	began, ended := filepath.Join(home, "began"), filepath.Join(home, "ended")
	for _, fifo := range []string{began, ended} {
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Opened for reading and writing, so that neither side waits for the other
	// to open it.
	word, err := os.OpenFile(ended, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer word.Close()
	write(t, manager, "touch "+lock+"\ntrap 'rm "+lock+"; echo ended >"+ended+"' EXIT\n/bin/sh -c 'echo >"+began+"; exec sleep 300'\n")
	write(t, filepath.Join(home, ".bash_profile"), `eval "$(/bin/bash `+manager+`)"`+"\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel() // has the effect of the end of the app
		if _, err := os.ReadFile(began); err != nil {
			t.Error(err)
		}
	}()
	if path, err := loginPath(ctx, "/bin/bash", []string{"HOME=" + home, "PATH=/usr/bin:/bin"}); err == nil {
		t.Fatalf("a shell that was ended said %q", path)
	}
	// The program that the shell had started ends concurrently.
	if err := word.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := word.Read(make([]byte, 16)); err != nil {
		t.Errorf("its program did not end in order: %v", err)
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock is still there")
	}
}

func TestUnknownShellIsNotAsked(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	shell := filepath.Join(t.TempDir(), "strange")
	write(t, shell, "#!/bin/sh\ntouch "+marker+"\n")
	if err := os.Chmod(shell, 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := loginPath(t.Context(), shell, os.Environ()); path != "" || err != nil {
		t.Errorf("an unknown shell said %q, %v", path, err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a shell whose options we do not know was started with ours")
	}
}

func TestNpmPrefixAndVersionManagers(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".npmrc"), "fund=false\nprefix = \"${HOME}/globals\"\n")
	for _, name := range []string{"v18.0.0", "v22.0.0"} {
		install(t, filepath.Join(home, ".nvm/versions/node", name, "bin"), "claude")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(home, ".nvm/versions/node/v18.0.0/bin"), old, old); err != nil {
		t.Fatal(err)
	}
	p := prober(t, home)
	e, err := entry(protocol.AgentClaude)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.find(e), filepath.Join(home, ".nvm/versions/node/v22.0.0/bin/claude"); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	install(t, filepath.Join(home, "globals/bin"), "claude")
	if got, want := p.find(e), filepath.Join(home, "globals/bin/claude"); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

func TestVersion(t *testing.T) {
	for text, want := range map[string]string{
		"2.1.7 (Claude Code)":         "2.1.7",
		"codex-cli 0.50.0-alpha.3\n":  "0.50.0-alpha.3",
		"\naider 0.86.1\n":            "0.86.1",
		"GitHub Copilot CLI v1.2":     "1.2",
		"  nightly build of Tuesday ": "nightly build of Tuesday",
		"":                            "",
	} {
		if got := version(text); got != want {
			t.Errorf("version(%q) = %q, want %q", text, got, want)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	write(t, file, string(old)+text)
}

// capture runs what Launch prepared, and returns its output.
func capture(t *testing.T, launched Launched, input string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), launched.Path, launched.Args...)
	cmd.Env, cmd.Dir, cmd.Stdin = launched.Env, launched.Dir, strings.NewReader(input)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run %s: %v", launched.Path, err)
	}
	return string(out)
}
