package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"pilotfish/backend/protocol"
)

// LaunchConfig says what to start, and in which environment.
type LaunchConfig struct {
	// Kind is an agent of the catalogue, or AgentAuto; empty means AgentAuto.
	Kind protocol.AgentKind
	// Command is the command line of AgentCustom.
	Command string
	// Args are further arguments, with the quoting rules of a shell.
	Args string
	// WorkDir is the folder of Settings; empty means DefaultDir.
	WorkDir string
	// DefaultDir is the app's own folder for agents; it is created when it is
	// used.
	DefaultDir string
	// ProgramDir is the folder of the program `pilotfish`.
	ProgramDir string
	// StateDir has tabs.json and active-tab.json.
	StateDir string
	Session  protocol.SessionName
	Tab      protocol.TabID
	URL      string // http://127.0.0.1:PORT
	Token    string // the agent's own token
	// Commands are described to an agent that accepts a system prompt.
	Commands []Command
}

// Command is a command of `pilotfish`, as described to an agent.
type Command struct {
	Usage   string // "goto URL"
	Summary string // "open a page in the tab"
}

// Launched is what to start.
type Launched struct {
	Path string
	Args []string // without the program itself
	Env  []string
	Dir  string
	Kind protocol.AgentKind
	Name string
	// Missing is set when the agent is not installed and cannot be started.
	Missing *protocol.AgentInfo
}

// Launch prepares the start of an agent. If the agent is not installed, Launch
// returns no error, but sets Missing. It returns CodeBadArgument for an invalid
// kind, command line or working folder.
func (p *Prober) Launch(ctx context.Context, cfg LaunchConfig) (Launched, error) {
	if cfg.Kind == "" || cfg.Kind == protocol.AgentAuto {
		cfg.Kind = p.Auto()
	}
	e, err := entry(cfg.Kind)
	if err != nil {
		return Launched{}, err
	}
	launched := Launched{Kind: e.Kind, Name: e.Name}
	if launched.Dir, err = workDir(cfg); err != nil {
		return Launched{}, err
	}
	if err := p.program(ctx, e, cfg, &launched); err != nil {
		return Launched{}, err
	}
	if launched.Missing != nil {
		return launched, nil
	}
	more, err := split(cfg.Args, cleaned(p.env))
	if err != nil {
		return Launched{}, fmt.Errorf("reading the agent's arguments: %w", err)
	}
	if e.Kind == protocol.AgentClaude {
		launched.Args = append(launched.Args, claudeArgs(cfg, more, !older(cmp.Or(p.version(e.Kind), permissionSince), permissionSince))...)
	}
	launched.Args = append(launched.Args, more...)

	env := withTerminal(p.environment(ctx, filepath.Dir(launched.Path), cfg.ProgramDir))
	for _, pair := range [][2]string{
		{protocol.EnvURL, cfg.URL},
		{protocol.EnvToken, cfg.Token},
		{protocol.EnvSession, string(cfg.Session)},
		{protocol.EnvTab, string(cfg.Tab)},
		{protocol.EnvState, cfg.StateDir},
		{"PWD", launched.Dir},
	} {
		env = set(env, pair[0], pair[1])
	}
	launched.Env = env
	return launched, nil
}

// Auto returns the agent for AgentAuto: claude if it is installed and not known
// to be broken, else the shell. It searches again at each call, so that an
// agent that was installed a moment ago is found.
func (p *Prober) Auto() protocol.AgentKind {
	p.mu.Lock()
	file := p.file
	p.mu.Unlock()
	if file != nil {
		for _, info := range file.Agents {
			if info.Kind == protocol.AgentClaude && info.Problem != "" {
				return protocol.AgentShell
			}
		}
	}
	claude, err := entry(protocol.AgentClaude)
	if err != nil || p.find(claude) == "" {
		return protocol.AgentShell
	}
	return protocol.AgentClaude
}

// program finds the program to start.
func (p *Prober) program(ctx context.Context, e Entry, cfg LaunchConfig, launched *Launched) error {
	switch e.Kind {
	case protocol.AgentShell:
		launched.Path = p.userShell()
		if launched.Path == "" {
			return protocol.NewError(protocol.CodeAgentMissing, "no shell was found", "set SHELL to the path of one")
		}
		launched.Name = filepath.Base(launched.Path)
		launched.Args = shellArgs(launched.Path)
	case protocol.AgentCustom:
		words, err := split(cfg.Command, cleaned(p.env))
		if err != nil {
			return err
		}
		if len(words) == 0 {
			return protocol.NewError(protocol.CodeBadArgument, "the command line of the agent is empty", "name a program in Settings")
		}
		launched.Name = filepath.Base(words[0])
		launched.Path, launched.Args = p.command(ctx, words[0], launched.Dir), words[1:]
		if launched.Path == "" {
			launched.Missing = &protocol.AgentInfo{
				Kind: e.Kind, Name: launched.Name, Problem: words[0] + " was not found, or cannot be started",
			}
		}
	default:
		launched.Path = p.find(e)
		if launched.Path == "" {
			launched.Missing = &protocol.AgentInfo{Kind: e.Kind, Name: e.Name, Install: e.Install, URL: e.URL}
		}
	}
	return nil
}

// command finds the program of a custom command line, as a shell would.
func (p *Prober) command(ctx context.Context, name, dir string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if !executable(name) {
			return ""
		}
		return name
	}
	path := filepath.SplitList(lookup(p.environment(ctx, ""))("PATH"))
	return look(name, joinPath(path, usualFolders(p.home, lookup(p.env))))
}

// shellArgs returns the arguments with which the system's own terminals start a
// shell: on macOS as a login shell, elsewhere as an interactive one. A login
// shell would read /etc/profile, which on Debian sets PATH anew and so removes
// `pilotfish` from it. What the profile adds to PATH is in the environment
// already (see loginPath).
func shellArgs(path string) []string {
	switch filepath.Base(path) {
	case "bash", "zsh", "ksh", "fish", "sh", "dash":
		if runtime.GOOS == "darwin" {
			return []string{"-l"}
		}
		return []string{"-i"}
	}
	return nil
}

// workDir returns the folder in which the agent starts.
func workDir(cfg LaunchConfig) (string, error) {
	if cfg.WorkDir == "" {
		// Only the user may write to it: the agent would run what is in it (an
		// agent's own settings, hooks).
		if err := os.MkdirAll(cfg.DefaultDir, 0o700); err != nil {
			return "", protocol.NewError(protocol.CodeNotWritable, "the agents' folder cannot be made: "+err.Error(), "choose a working folder in Settings")
		}
		return cfg.DefaultDir, nil
	}
	info, err := os.Stat(cfg.WorkDir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", protocol.NewError(protocol.CodeBadArgument, "the working folder "+cfg.WorkDir+" does not exist", "choose another one in Settings")
	case err != nil:
		return "", protocol.NewError(protocol.CodeBadArgument, "the working folder cannot be used: "+err.Error(), "choose another one in Settings")
	case !info.IsDir():
		return "", protocol.NewError(protocol.CodeBadArgument, cfg.WorkDir+" is not a folder", "choose another working folder in Settings")
	}
	return cfg.WorkDir, nil
}

// split splits a command line by the rules of a shell: quotes, "~" and
// variables. No shell is run, and nothing in the line can run a program.
func split(line string, env []string) ([]string, error) {
	words, err := shell.Fields(line, lookup(env))
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the command line cannot be read: "+err.Error(),
			"write one program with its arguments; for pipes and && use sh -c '…'")
	}
	return words, nil
}
