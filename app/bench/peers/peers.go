// Package peers drives browsers with Pilotfish and with other programs, in turns
// in one run.
package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/protocol"
)

// The peers: other programs that drive a browser for an agent. They come from
// npm, in the versions of app/bench/peers, and use the same browser as Pilotfish.
const (
	AgentBrowser = "agent-browser"
	Playwright   = "playwright-mcp"
	Devtools     = "chrome-devtools-mcp"
)

// peerSource is the folder with the pinned versions, peerFolder the one in which
// the packages are installed. Both are relative to the root of the repository.
func peerSource() string { return filepath.Join("app", "bench", "peers") }
func peerFolder() string { return filepath.Join("build", "cache", "peers") }

// Peers are the installed packages, with the folder for the files of this run.
type Peers struct {
	Modules string // node_modules
	browser string // the browser's program
	dir     string
}

// New installs the packages if they are missing. It downloads no browser, because
// package scripts do not run.
func New(ctx context.Context) (*Peers, error) {
	found, err := chromium.Find("")
	if err != nil {
		return nil, fmt.Errorf("finding a browser: %w", err)
	}
	if err := installPeers(ctx); err != nil {
		return nil, err
	}
	modules, err := filepath.Abs(filepath.Join(peerFolder(), "node_modules"))
	if err != nil {
		return nil, fmt.Errorf("finding the peers: %w", err)
	}
	dir, err := os.MkdirTemp("", "pilotfish-peers-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	return &Peers{Modules: modules, browser: found.Path, dir: dir}, nil
}

// Close removes the files of this run.
func (p *Peers) Close() error { return os.RemoveAll(p.dir) }

// installPeers runs npm when the lock file differs from that of the last
// installation.
func installPeers(ctx context.Context) error {
	if err := os.MkdirAll(peerFolder(), 0o750); err != nil {
		return fmt.Errorf("installing the peers: %w", err)
	}
	lock, err := os.ReadFile(filepath.Join(peerSource(), "package-lock.json"))
	if err != nil {
		return fmt.Errorf("installing the peers: %w", err)
	}
	// The stamp is written last, so that an interrupted installation is repeated.
	stamp := filepath.Join(peerFolder(), "installed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, lock) {
		return nil
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(peerSource(), name))
		if err == nil {
			err = os.WriteFile(filepath.Join(peerFolder(), name), data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("installing the peers: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = peerFolder()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("installing the peers: %w: %.500s", err, out)
	}
	if err := os.WriteFile(stamp, lock, 0o600); err != nil {
		return fmt.Errorf("installing the peers: %w", err)
	}
	return nil
}

// environ keeps a peer's files in the folder of this run, and prevents browser
// downloads and telemetry.
func (p *Peers) environ() []string {
	env := append(
		os.Environ(), "HOME="+p.dir,
		"AGENT_BROWSER_SOCKET_DIR="+filepath.Join(p.dir, "sockets"), "AGENT_BROWSER_EXECUTABLE_PATH="+p.browser,
		"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1", "PUPPETEER_SKIP_DOWNLOAD=1", "CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS=1",
	)
	if sandboxOff() {
		env = append(env, "AGENT_BROWSER_ARGS=--no-sandbox")
	}
	return env
}

// sandboxOff reports whether Chromium runs without its sandbox. As root, Chromium
// does not start with one.
func sandboxOff() bool { return os.Getenv(protocol.EnvSandbox) == "1" }

// agentBrowserProgram returns the native program: its JavaScript launcher would
// only make it slower.
func (p *Peers) agentBrowserProgram() (string, error) {
	system := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}[runtime.GOOS]
	machine := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	program := filepath.Join(p.Modules, "agent-browser", "bin", "agent-browser-"+system+"-"+machine)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := os.Chmod(program, 0o700); err != nil { //nolint:gosec // a program
		return "", fmt.Errorf("%s has no program for this machine: %w", AgentBrowser, err)
	}
	return program, nil
}

// command returns a peer's MCP server on standard input and output.
func (p *Peers) command(ctx context.Context, name string) (*exec.Cmd, error) {
	var args []string
	switch name {
	case AgentBrowser:
		program, err := p.agentBrowserProgram()
		if err != nil {
			return nil, err
		}
		args = []string{program, "mcp"}
	case Playwright:
		args = []string{
			"node", filepath.Join(p.Modules, "@playwright", "mcp", "cli.js"), "--headless", "--isolated", "--executable-path", p.browser,
			"--viewport-size", "1280x720", "--output-dir", filepath.Join(p.dir, "playwright"),
		}
		if sandboxOff() {
			args = append(args, "--no-sandbox")
		}
	case Devtools:
		args = []string{
			"node", filepath.Join(p.Modules, Devtools, "build", "src", "bin", "chrome-devtools-mcp.js"), "--headless", "--isolated", "--executablePath", p.browser,
			"--viewport", "1280x720", "--usageStatistics=false", "--performanceCrux=false",
		}
		if sandboxOff() {
			args = append(args, "--chromeArg=--no-sandbox")
		}
	default:
		return nil, errors.New("there is no peer " + name)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	return cmd, nil
}
