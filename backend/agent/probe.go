package agent

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pilotfish/backend/protocol"
)

// Config is what a Prober needs. Each field may be left empty; then it is that
// of this process.
type Config struct {
	// Env is the environment that agents inherit.
	Env func() []string
	// Home is the person's home folder.
	Home string
	// Shell is the person's shell; empty means $SHELL, then bash, then sh.
	Shell  string
	Logger *slog.Logger
}

// Prober finds agents and prepares their start. It is safe for use by several
// goroutines.
type Prober struct {
	env   func() []string
	home  string
	shell string
	log   *slog.Logger

	probing sync.Mutex // one probe at a time: the second waits, and asks again

	mu     sync.Mutex
	login  []string      // the login shell's PATH
	asked  bool          // login was asked for
	asking chan struct{} // closed when the login shell has answered; nil unless Warm was called
	file   *protocol.AgentsFile
}

// New returns a Prober. It starts nothing.
func New(cfg Config) *Prober {
	p := &Prober{env: cfg.Env, home: cfg.Home, shell: cfg.Shell, log: cfg.Logger}
	if p.env == nil {
		p.env = os.Environ
	}
	if p.home == "" {
		p.home = lookup(p.env())("HOME")
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.log = p.log.With("component", "agent")
	return p
}

// Agents is the result of the last probe; the first call probes.
func (p *Prober) Agents(ctx context.Context) protocol.AgentsFile {
	p.mu.Lock()
	file := p.file
	p.mu.Unlock()
	if file != nil {
		return *file
	}
	return p.Probe(ctx)
}

// Probe looks which agents are installed, and asks each for its version. It asks
// the login shell for its PATH again, because installers write theirs into the
// shell's files. A probe that ctx cut short is not remembered.
func (p *Prober) Probe(ctx context.Context) protocol.AgentsFile {
	p.probing.Lock()
	defer p.probing.Unlock()
	start := time.Now()
	p.askLogin(ctx)

	catalogue := Catalogue()
	file := protocol.AgentsFile{Version: protocol.StateVersion, Agents: make([]protocol.AgentInfo, len(catalogue)), Default: protocol.AgentShell}
	var group errgroup.Group
	group.SetLimit(agentProbes)
	for i, e := range catalogue {
		group.Go(func() error {
			file.Agents[i] = p.probe(ctx, e)
			return nil
		})
	}
	_ = group.Wait() // none of them returns an error
	for _, info := range file.Agents {
		if info.Kind == protocol.AgentClaude && usable(info) {
			file.Default = protocol.AgentClaude
		}
	}
	p.log.InfoContext(ctx, "agents probed", "default", file.Default, "took_ms", time.Since(start).Milliseconds())
	if ctx.Err() == nil {
		p.mu.Lock()
		p.file = &file
		p.mu.Unlock()
	}
	return file
}

// usable reports whether an agent can be started.
func usable(info protocol.AgentInfo) bool { return info.Installed && info.Problem == "" }

// probe looks at one agent.
func (p *Prober) probe(ctx context.Context, e Entry) protocol.AgentInfo {
	info := protocol.AgentInfo{Kind: e.Kind, Name: e.Name, Install: e.Install, URL: e.URL}
	switch e.Kind {
	case protocol.AgentCustom:
		info.Installed = true
		info.Chat = DriverACP
		return info
	case protocol.AgentShell:
		info.Path = p.userShell()
		info.Installed = info.Path != ""
		info.Name = "Shell (" + filepath.Base(info.Path) + ")"
		return info
	}
	if way, path := p.chatWay(e); path != "" {
		info.Chat = way.Driver
	} else {
		info.ChatInstall = chatInstall(e)
	}
	info.Path = p.find(e)
	if info.Path == "" {
		return info
	}
	info.Installed = true
	ctx, cancel := context.WithTimeout(ctx, agentVersionTimeout)
	defer cancel()
	text, err := output(ctx, p.environment(ctx, filepath.Dir(info.Path)), info.Path, "--version")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		// A slow start says nothing against it.
		p.log.WarnContext(ctx, "agent is slow to say its version", "agent", e.Kind, "path", info.Path)
	case err != nil:
		info.Problem = "`" + e.Program + " --version` failed: " + err.Error()
	case e.NotThis != "" && strings.Contains(text, e.NotThis):
		return protocol.AgentInfo{
			Kind: e.Kind, Name: e.Name, Install: e.Install, URL: e.URL,
			Problem: info.Path + " is another program of the same name",
		}
	default:
		info.Version = version(text)
	}
	return info
}

var versionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d+\.\d+(?:\.\d+)*(?:[-+.][0-9A-Za-z][0-9A-Za-z.-]*)?`)
})

// version finds the version number in what `--version` printed; without one the
// first line stands for it.
func version(text string) string {
	if found := versionPattern().FindString(text); found != "" {
		return found
	}
	return firstLine(text)
}

// find looks for an agent's program: on the PATH first, as a terminal would.
func (p *Prober) find(e Entry) string {
	own := make([]string, len(e.Folders))
	for i, folder := range e.Folders {
		own[i] = underHome(folder, p.home)
	}
	return look(e.Program, joinPath(p.searchPath(), own, usualFolders(p.home, lookup(p.env()))))
}

// searchPath is the login shell's PATH, then the one of this process.
func (p *Prober) searchPath() []string {
	p.mu.Lock()
	login := p.login
	p.mu.Unlock()
	return joinPath(login, filepath.SplitList(lookup(p.env())("PATH")))
}

// askLogin takes the login shell's PATH. Without an answer the one that was
// known before stays.
func (p *Prober) askLogin(ctx context.Context) {
	shell := p.userShell()
	text, err := loginPath(ctx, shell, cleaned(p.env()))
	if err != nil {
		p.log.WarnContext(ctx, "the login shell did not say its path", "shell", shell, "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
	if text != "" {
		p.login = filepath.SplitList(text)
	}
}

// Warm returns a function that asks the login shell for its PATH ahead of the
// first start, for the caller to run in a goroutine of its own. From now on a
// start waits for the answer for agentPathWait at most.
func (p *Prober) Warm(ctx context.Context) func() {
	answered := make(chan struct{})
	p.mu.Lock()
	p.asking = answered
	p.mu.Unlock()
	return func() {
		defer close(answered)
		p.askLogin(ctx)
	}
}

// environment is what an agent inherits: cleaned, with the PATH of a terminal.
// first goes before it; the agent's own folder after it, because an agent that a
// version manager installed has its interpreter there.
func (p *Prober) environment(ctx context.Context, last string, first ...string) []string {
	p.mu.Lock()
	asked, asking := p.asked, p.asking
	p.mu.Unlock()
	switch {
	case asked:
	case asking == nil:
		p.askLogin(ctx)
	default:
		// A slow profile must not keep a terminal from starting; the next one has
		// what it said.
		wait := time.NewTimer(agentPathWait)
		defer wait.Stop()
		select {
		case <-asking:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	path := joinPath(first, p.searchPath(), []string{last})
	return set(cleaned(p.env()), "PATH", strings.Join(path, string(os.PathListSeparator)))
}

// userShell is the shell that a terminal would start.
func (p *Prober) userShell() string {
	if p.shell != "" {
		return p.shell
	}
	get := lookup(p.env())
	if shell := get("SHELL"); filepath.IsAbs(shell) && executable(shell) {
		return shell
	}
	folders := joinPath(filepath.SplitList(get("PATH")), []string{"/usr/bin", "/bin", "/usr/local/bin"})
	for _, name := range []string{"bash", "sh"} {
		if path := look(name, folders); path != "" {
			return path
		}
	}
	return ""
}
