package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/app/threats/attempts"
	"pilotfish/backend/protocol"
)

// nobody is an ordinary user that every machine has.
const nobody = 65534

// TestAttempts runs the program of attempts as an agent, with the session bus in the
// user's runtime folder and elsewhere: confined, no way succeeds; unconfined, SECURITY.md
// names each one that does. As root it does the same as an ordinary user. With -short
// each user has the bus in one place.
func TestAttempts(t *testing.T) {
	who := "user"
	if os.Getuid() == 0 {
		who = "root"
		t.Run("as an ordinary user", asNobody)
	}
	for i, place := range []string{"outside", "inside"} {
		if testing.Short() && (i == 0) == (who == "root") {
			continue
		}
		runtime := ""
		if place == "inside" {
			runtime = runtimeFolder(t)
		}
		for _, confined := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, bus %s, confined %t", who, place, confined), func(t *testing.T) {
				// It listens before the agent starts, like that of another desktop.
				bus, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(os.TempDir(), "dbus-"+rand.Text()[:10]))
				if err != nil {
					t.Fatal(err)
				}
				defer bus.Close()
				desk := newDesktop(t, desktop.Config{Width: 1440, Height: 900, Runtime: runtime})
				p := start(t, options{Desktop: desk, Settings: []string{`agent = "custom"`, `agent_command = "bash -i"`, fmt.Sprintf("confine_agents = %t", confined)}})
				panel := p.panel(p.browser(protocol.DefaultSession))
				p.untilScreen(panel, "ready>")
				if info := p.terminal(); info.Confined != confined {
					t.Fatalf("confined: %t", info.Confined)
				}
				security, err := os.ReadFile(filepath.Join(repoRoot(t), "SECURITY.md"))
				if err != nil {
					t.Fatal(err)
				}
				named := strings.Join(strings.Fields(string(security)), " ")
				succeeded := 0
				for _, r := range p.everyWay(panel, bus.Addr().String()) {
					if !r.Succeeded {
						continue
					}
					succeeded++
					if confined {
						t.Errorf("%s succeeded: %s", r.Name, r.Detail)
					} else if !strings.Contains(named, "`"+r.Name+"`") {
						t.Errorf("SECURITY.md does not say that an unconfined agent can %s: %s", r.Name, r.Detail)
					}
				}
				t.Logf("%d succeeded", succeeded)
			})
		}
	}
}

// runtimeFolder is the user's folder in /run/user, made where root can.
func runtimeFolder(t *testing.T) string {
	t.Helper()
	dir := fmt.Sprintf("/run/user/%d", os.Getuid())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Skipf("this user has no runtime folder: %v", err)
	}
	return dir
}

// asNobody runs this test as an ordinary user, in a copy of what it needs.
func asNobody(t *testing.T) {
	root, self := shortDir(t), "app/e2e/e2e.test"
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied(t, executable, filepath.Join(root, self))
	for _, path := range []string{"SECURITY.md", "build/bin", "app/e2e/testdata"} {
		copied(t, filepath.Join(repoRoot(t), path), filepath.Join(root, path))
	}
	home, runtime := filepath.Join(root, "home"), fmt.Sprintf("/run/user/%d", nobody)
	if _, err := os.Stat(runtime); os.IsNotExist(err) {
		defer func() { _ = os.RemoveAll(runtime) }() // it was just made
	}
	for _, dir := range []string{home, runtime} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{root, runtime} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				err = os.Lchown(path, nobody, nobody) //nolint:gosec // folders of the test
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-test.v", "-test.run", "^TestAttempts$"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, self), args...)
	cmd.Dir = filepath.Dir(cmd.Path)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "XAUTHORITY=") || strings.HasPrefix(pair, "PILOTFISH_NO_SANDBOX=")
	}), "HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// copied copies a file or a folder.
func copied(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "cp", "-r", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// everyWay runs the program of attempts in the panel's terminal.
func (p *product) everyWay(panel *tap.Page, bus string) []attempts.Result {
	p.t.Helper()
	p.command("goto", "t1", map[string]string{"url": "data:text/html,<input type=file aria-label=File>"})
	state := filepath.Dir(filepath.Dir(filepath.Dir(p.stateDir())))
	bin := filepath.Join(repoRoot(p.t), "build/bin")
	world, end, err := attempts.Lay(p.ctx, attempts.World{
		Bus: bus, State: state, Config: filepath.Join(p.home, "config"), Profiles: []string{filepath.Join(state, "sessions/default/profile")}, Agent: p.stateDir(),
		Programs: []string{filepath.Join(bin, "Pilotfish"), filepath.Join(bin, "pilotfish"), filepath.Join(bin, "pilotfish-service"), filepath.Join(bin, "pilotfish-tray")},
	})
	defer end()
	if err != nil {
		p.t.Fatal(err)
	}
	if len(world.Singletons) != 1 {
		p.t.Errorf("the browser takes orders at %q", world.Singletons)
	}
	for _, pair := range append(p.desk.Env(), "HOME="+p.home, protocol.EnvHome+"="+p.home) {
		name, value, _ := strings.Cut(pair, "=")
		if _, known := world.Env[name]; known {
			world.Env[name] = value
		}
	}
	known, out := filepath.Join(p.home, "known.json"), filepath.Join(p.stateDir(), "..", "work", "ways")
	if err := world.Write(known); err != nil {
		p.t.Fatal(err)
	}
	p.typeLine(panel, fmt.Sprintf("clear; %s/pilotfish-service attempts --json --known %s >%s; echo tri''ed", bin, known, out))
	p.untilScreen(panel, "tried")
	data, err := os.ReadFile(out)
	if err != nil {
		p.t.Fatal(err)
	}
	var said struct{ Attempts []attempts.Result }
	if err := json.Unmarshal(data, &said); err != nil {
		p.t.Fatalf("%s: %v", data, err)
	}
	p.t.Logf("%s", attempts.Text(said.Attempts))
	if len(said.Attempts) < 100 {
		p.t.Errorf("only %d ways were tried", len(said.Attempts))
	}
	return said.Attempts
}
