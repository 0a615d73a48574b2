package agent

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pilotfish/backend/protocol"
)

// Config configures a Prober. An empty field means the value of this process.
type Config struct {
	// Env is the environment that agents inherit.
	Env []string
	// Home is the user's home folder.
	Home string
	// Shell is the user's shell; empty means $SHELL, then bash, then sh.
	Shell  string
	Logger *slog.Logger
}

// Prober finds agents and prepares their start. It is safe for concurrent use.
type Prober struct {
	env   []string
	home  string
	shell string
	log   *slog.Logger

	probing sync.Mutex // one probe at a time: a second one waits, and then probes again

	mu     sync.Mutex
	login  []string      // the login shell's PATH
	asked  bool          // login was queried
	asking chan struct{} // closed when the login shell has answered; nil unless Warm was called
	file   *protocol.AgentsFile
}

// New returns a Prober. It starts nothing.
func New(cfg Config) *Prober {
	p := &Prober{env: cfg.Env, home: cfg.Home, shell: cfg.Shell, log: cfg.Logger}
	if p.env == nil {
		p.env = os.Environ()
	}
	if p.home == "" {
		p.home = lookup(p.env)("HOME")
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.log = p.log.With("component", "agent")
	return p
}

// Agents returns the result of the last probe; the first call probes.
func (p *Prober) Agents(ctx context.Context) protocol.AgentsFile {
	p.mu.Lock()
	file := p.file
	p.mu.Unlock()
	if file != nil {
		return *file
	}
	return p.Probe(ctx)
}

// Probe finds out which agents are installed, and their versions. It asks the
// login shell for its PATH again, because installers add their folders in the
// shell's files. The result is not stored if ctx ended during the probe.
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
	_ = group.Wait() // none of the functions returns an error
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

// probe checks one agent.
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
	info.Installed, info.SignIn, info.SignedIn = true, e.SignIn, p.signedIn(e)
	ctx, cancel := context.WithTimeout(ctx, agentVersionTimeout)
	defer cancel()
	text, err := output(ctx, p.environment(ctx, filepath.Dir(info.Path)), info.Path, "--version")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		// A slow start does not mean that the agent is broken.
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

// Usual returns the name of the agent that a terminal runs with this setting;
// empty for a shell, a command of the user's own, and an agent that is not
// installed. It starts nothing.
func (p *Prober) Usual(chosen protocol.AgentKind) string {
	if chosen == protocol.AgentAuto {
		chosen = protocol.AgentClaude
	}
	e, err := entry(chosen)
	if err != nil || e.Program == "" || p.find(e) == "" {
		return ""
	}
	return e.Name
}

// signedIn looks for a sign-in of an agent: whether its file is there, or a
// variable with a key is set. It reads neither.
func (p *Prober) signedIn(e Entry) protocol.SignInState {
	get := lookup(p.env)
	for _, key := range e.Keys {
		if get(key) != "" {
			return protocol.SignInFound
		}
	}
	for _, file := range p.signInFiles(e) {
		if _, err := os.Stat(file); err == nil {
			return protocol.SignInFound
		}
	}
	// On other systems some agents keep their sign-in in the keychain.
	if len(e.SignedIn) == 0 || runtime.GOOS != "linux" {
		return protocol.SignInUnknown
	}
	return protocol.SignInNone
}

var versionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d+\.\d+(?:\.\d+)*(?:[-+.][0-9A-Za-z][0-9A-Za-z.-]*)?`)
})

// signInFiles returns the files that an agent writes when a user signs in, where this
// user has them.
func (p *Prober) signInFiles(e Entry) []string {
	files := make([]string, len(e.SignedIn))
	moved := ""
	if e.Moves != "" {
		moved = lookup(p.env)(e.Moves)
	}
	for i, file := range e.SignedIn {
		files[i] = underHome(file, p.home)
		if rest, ok := strings.CutPrefix(file, e.Moved+"/"); ok && filepath.IsAbs(moved) {
			files[i] = filepath.Join(moved, rest)
		}
	}
	return files
}

// version returns the version number in the output of `--version`, or else its
// first line.
func version(text string) string {
	if found := versionPattern().FindString(text); found != "" {
		return found
	}
	return firstLine(text)
}

// find searches for an agent's program, first on the PATH, as a terminal would.
func (p *Prober) find(e Entry) string {
	own := make([]string, len(e.Folders))
	for i, folder := range e.Folders {
		own[i] = underHome(folder, p.home)
	}
	return look(e.Program, joinPath(p.searchPath(), own, usualFolders(p.home, lookup(p.env))))
}

// searchPath returns the login shell's PATH, followed by that of this process.
func (p *Prober) searchPath() []string {
	p.mu.Lock()
	login := p.login
	p.mu.Unlock()
	return joinPath(login, filepath.SplitList(lookup(p.env)("PATH")))
}

// askLogin asks the login shell for its PATH. Without an answer the previous
// PATH stays.
func (p *Prober) askLogin(ctx context.Context) {
	shell := p.userShell()
	text, err := loginPath(ctx, shell, cleaned(p.env))
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

// Warm returns a function that asks the login shell for its PATH before the
// first start; the caller runs it in a goroutine. From now on a start waits for
// the answer for at most agentPathWait.
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

// Program returns the path and the environment of a program that the user named as in
// their terminal. The path of one that is not found is its name.
func (p *Prober) Program(ctx context.Context, name string) (path string, env []string) {
	env = p.environment(ctx, "")
	if strings.ContainsRune(name, filepath.Separator) {
		return name, env
	}
	return cmp.Or(look(name, filepath.SplitList(lookup(env)("PATH"))), name), env
}

// environment returns the environment of an agent: cleaned, with the PATH of a
// terminal. The folders first are put before that PATH. The agent's own folder,
// last, is put after it, because an agent that a version manager installed has
// its interpreter there.
func (p *Prober) environment(ctx context.Context, last string, first ...string) []string {
	p.mu.Lock()
	asked, asking := p.asked, p.asking
	p.mu.Unlock()
	switch {
	case asked:
	case asking == nil:
		p.askLogin(ctx)
	default:
		// A slow profile must not delay the start of a terminal; the next start
		// has the answer.
		wait := time.NewTimer(agentPathWait)
		defer wait.Stop()
		select {
		case <-asking:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	path := joinPath(first, p.searchPath(), []string{last})
	return set(cleaned(p.env), "PATH", strings.Join(path, string(os.PathListSeparator)))
}

// userShell returns the shell that a terminal would start.
func (p *Prober) userShell() string {
	if p.shell != "" {
		return p.shell
	}
	get := lookup(p.env)
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
