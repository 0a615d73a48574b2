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
	DriverClaude = "claude" // claude's own stream of JSON
)

// ChatWay is a way to talk to an agent in Chat.
type ChatWay struct {
	Driver  string
	Program string
	Args    []string
	// Before are the arguments of versions before Since, where they were others.
	Before []string
	Since  string
	// Install is the command that installs Program, when that is not the agent's
	// own.
	Install string
}

// ChatLaunched is what to start for Chat, and by which driver.
type ChatLaunched struct {
	Launched
	Driver string
	// SignIn says how a person signs in when the agent offers no way by itself.
	SignIn string
}

// ChatLaunch prepares the start of an agent for Chat. As one process may serve
// many conversations, its environment names no tab, and a token only when cfg has
// one. An agent that is not installed, or has no way to be talked to, is Missing;
// its Install is then the command that makes it possible.
func (p *Prober) ChatLaunch(ctx context.Context, cfg LaunchConfig) (ChatLaunched, error) {
	if cfg.Kind == protocol.AgentPilot {
		return p.pilot(ctx, cfg)
	}
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

// pilot is the agent of ours, as a process like the others.
func (p *Prober) pilot(ctx context.Context, cfg LaunchConfig) (ChatLaunched, error) {
	dir, err := workDir(cfg)
	if err != nil {
		return ChatLaunched{}, err
	}
	launched := ChatLaunched{Driver: DriverACP, Launched: Launched{
		Kind: protocol.AgentPilot, Name: "Pilot", Path: filepath.Join(cfg.ProgramDir, "pilotfish"), Args: []string{"agent"}, Dir: dir,
	}}
	launched.Env = p.chatEnvironment(ctx, cfg, &launched.Launched)
	return launched, nil
}

// chatEnvironment is that of an agent without a terminal.
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

// chatWay is the best way to talk to an agent whose program is there, and the
// path of that program.
func (p *Prober) chatWay(e Entry) (ChatWay, string) {
	for _, way := range e.Chat {
		if path := p.find(Entry{Program: way.Program, Folders: e.Folders}); path != "" {
			return way, path
		}
	}
	return ChatWay{}, ""
}

// chatInstall is the command that makes Chat with an agent possible.
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

// args are the arguments for a version of the agent; one that is not known is
// taken for a new one.
func (w ChatWay) args(version string) []string {
	if w.Since != "" && version != "" && older(version, w.Since) {
		return w.Before
	}
	return w.Args
}

// version is what the probe heard of an agent.
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

// older reports whether a version comes before another one; numbers only count.
func older(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range b {
		var x int
		if i < len(a) {
			digits := strings.IndexFunc(a[i], func(r rune) bool { return r < '0' || r > '9' })
			if digits < 0 {
				digits = len(a[i])
			}
			x, _ = strconv.Atoi(a[i][:digits]) // nothing is 0
		}
		y, _ := strconv.Atoi(b[i]) // ours are numbers
		if x != y {
			return x < y
		}
	}
	return false
}
