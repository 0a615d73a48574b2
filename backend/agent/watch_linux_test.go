package agent

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/protocol"
)

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// watched runs Watch with probes of its own until the test ends, and returns
// where each result arrives.
func watched(t *testing.T, p *Prober, also Watched) <-chan protocol.AgentsFile {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	probes, ended := make(chan protocol.AgentsFile, 64), make(chan struct{})
	go func() {
		defer close(ended)
		p.Watch(ctx, also, func(ctx context.Context) { probes <- p.Probe(ctx) })
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return probes
}

// until waits for the probe with which something is so.
func until(t *testing.T, probes <-chan protocol.AgentsFile, what string, ok func(protocol.AgentsFile) bool) {
	t.Helper()
	for {
		select {
		case file := <-probes:
			if ok(file) {
				return
			}
		case <-t.Context().Done():
			t.Fatal("not noticed: " + what)
		}
	}
}

func TestAnAgentThatAppearsIsNoticed(t *testing.T) {
	home := t.TempDir()
	p := prober(t, home)
	probes := watched(t, p, Watched{Programs: []string{filepath.Join(home, "opt/browser")}})
	has := func(kind protocol.AgentKind, version string) func(protocol.AgentsFile) bool {
		return func(file protocol.AgentsFile) bool { return find(t, file, kind).Version == version }
	}
	until(t, probes, "nothing", has("codex", ""))

	// In a folder that does not exist yet, and then where nobody but its installer puts it.
	program(t, filepath.Join(home, ".local/bin"), "codex", "1.0.0")
	until(t, probes, "a new agent", has("codex", "1.0.0"))
	program(t, filepath.Join(home, ".opencode/bin"), "opencode", "2.0.0")
	until(t, probes, "an agent in a folder of its own", has("opencode", "2.0.0"))

	mkdir(t, filepath.Join(home, ".codex"))
	write(t, filepath.Join(home, ".codex/auth.json"), "{}")
	until(t, probes, "a sign-in", func(file protocol.AgentsFile) bool { return find(t, file, "codex").SignedIn == protocol.SignInFound })

	program(t, filepath.Join(home, ".local/bin"), "codex", "1.0.10")
	until(t, probes, "a new version", has("codex", "1.0.10"))
	if err := os.Remove(filepath.Join(home, ".local/bin/codex")); err != nil {
		t.Fatal(err)
	}
	until(t, probes, "that it is gone", func(file protocol.AgentsFile) bool { return !find(t, file, "codex").Installed })

	mkdir(t, filepath.Join(home, "opt"))
	write(t, filepath.Join(home, "opt/browser"), "")
	until(t, probes, "another program", func(protocol.AgentsFile) bool { return true })
}

func TestAFolderOfAShellsProfileIsWatchedToo(t *testing.T) {
	home := t.TempDir()
	p := prober(t, home)
	probes := watched(t, p, Watched{})
	until(t, probes, "nothing", func(protocol.AgentsFile) bool { return true })
	program(t, filepath.Join(home, "tools"), "qwen", "3.0.0")
	write(t, filepath.Join(home, ".bash_profile"), "export PATH=\"$HOME/tools:$PATH\"\n")
	until(t, probes, "a PATH that an installer has changed", func(file protocol.AgentsFile) bool { return find(t, file, "qwen").Version == "3.0.0" })
}

func TestWhatIsWatchedWithoutAFolder(t *testing.T) {
	list := watchList{written: map[string]bool{"/nowhere/at/all/program": true}, present: map[string]bool{}}
	folders := list.folders()
	if !folders["/"]["nowhere"] || len(folders) != 1 || len(list.state()) != 0 {
		t.Errorf("%v", folders)
	}
}
