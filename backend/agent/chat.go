package agent

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
)

// The drivers of Chat.
const (
	DriverACP    = "acp"    // the Agent Client Protocol
	DriverClaude = "claude" // claude's own stream-json
)

// ChatWay is a way to run an agent in Chat.
type ChatWay struct {
	Driver  string
	Program string
	Args    []string
	// Before are the arguments for versions before Since, if they differ.
	Before []string
	Since  string
	// Install is the command that installs Program, if it is not the command
	// for the agent itself.
	Install string
}

// ChatLaunched is what to start for Chat, and with which driver.
type ChatLaunched struct {
	Launched
	Driver string
	// SignIn says how a user signs in, for an agent that offers no way itself.
	SignIn string
}

// ChatLaunch prepares the start of an agent for Chat. Since one process may
// serve many conversations, its environment names a tab and a token only if cfg
// does. For an agent that is not installed, or cannot run in Chat, it sets
// Missing; Missing.Install is then the command that makes Chat possible.
func (p *Prober) ChatLaunch(ctx context.Context, cfg LaunchConfig) (ChatLaunched, error) {
	e, err := entry(cfg.Kind)
	if err != nil {
		return ChatLaunched{}, err
	}
	launched := ChatLaunched{Launched: Launched{Kind: e.Kind, Name: e.Name}, Driver: DriverACP, SignIn: e.SignIn}
	if launched.Dir, err = workDir(cfg); err != nil {
		return ChatLaunched{}, err
	}
	if e.Kind == protocol.AgentCustom {
		if err := p.program(ctx, e, cfg, &launched.Launched); err != nil {
			return ChatLaunched{}, err
		}
	} else {
		way, path := p.chatWay(e)
		if path == "" {
			launched.Missing = &protocol.AgentInfo{Kind: e.Kind, Name: e.Name, Install: chatInstall(e), URL: e.URL}
			if len(e.Chat) == 0 {
				launched.Missing.Problem = e.Name + " can be used in a terminal only"
			}
		}
		launched.Driver, launched.Path, launched.Args = way.Driver, path, way.args(p.version(e.Kind))
	}
	if launched.Missing == nil {
		launched.Env = p.chatEnvironment(ctx, cfg, &launched.Launched)
	}
	return launched, nil
}

// chatEnvironment returns the environment of an agent without a terminal.
func (p *Prober) chatEnvironment(ctx context.Context, cfg LaunchConfig, launched *Launched) []string {
	env := p.environment(ctx, filepath.Dir(launched.Path), cfg.ProgramDir)
	for _, pair := range [][2]string{
		{protocol.EnvURL, cfg.URL},
		{protocol.EnvToken, cfg.Token},
		{protocol.EnvSession, string(cfg.Session)},
		{protocol.EnvTab, string(cfg.Tab)},
		{protocol.EnvState, cfg.StateDir},
		{"PWD", launched.Dir},
	} {
		if pair[1] != "" {
			env = set(env, pair[0], pair[1])
		}
	}
	return env
}

// chatWay returns the best way to run an agent in Chat whose program is
// installed, and the path of that program.
func (p *Prober) chatWay(e Entry) (ChatWay, string) {
	for _, way := range e.Chat {
		if path := p.find(Entry{Program: way.Program, Folders: e.Folders}); path != "" {
			return way, path
		}
	}
	return ChatWay{}, ""
}

// chatInstall returns the command that makes Chat with an agent possible.
func chatInstall(e Entry) string {
	for _, way := range e.Chat {
		switch {
		case way.Install != "":
			return way.Install
		case way.Program == e.Program:
			return e.Install
		}
	}
	return ""
}

// args returns the arguments for a version of the agent; an unknown version
// counts as a new one.
func (w ChatWay) args(version string) []string {
	if w.Since != "" && version != "" && older(version, w.Since) {
		return w.Before
	}
	return w.Args
}

// version returns the version of an agent that the probe found.
func (p *Prober) version(kind protocol.AgentKind) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil {
		for _, info := range p.file.Agents {
			if info.Kind == kind {
				return info.Version
			}
		}
	}
	return ""
}

// older reports whether a version is older than another one; it compares only
// numbers.
func older(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range b {
		var x int
		if i < len(a) {
			digits := strings.IndexFunc(a[i], func(r rune) bool { return r < '0' || r > '9' })
			if digits < 0 {
				digits = len(a[i])
			}
			x, _ = strconv.Atoi(a[i][:digits]) // an empty string is 0
		}
		y, _ := strconv.Atoi(b[i]) // our own versions are numbers
		if x != y {
			return x < y
		}
	}
	return false
}
