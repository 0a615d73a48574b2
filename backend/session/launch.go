package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"pilotfish/backend/agent"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal"
	"pilotfish/backend/tokens"
	"pilotfish/backend/trust"
)

// The size of a terminal that starts before any panel has reported one: about
// the size of Chromium's side panel when it first opens. A program that drew
// for the right size need not draw again.
const (
	firstCols = 44
	firstRows = 46
)

// launcher starts the agents of a session's terminals.
type launcher struct{ s *Session }

// first starts the agent of a tab that has no terminal.
func (l launcher) first(ctx context.Context, r *run, tab protocol.TabID) {
	for _, t := range r.terminals.List() {
		if t.Tab == tab {
			return
		}
	}
	if _, err := r.terminals.Start(ctx, protocol.PtySessionRequest{
		Tab: tab, Cols: cmp.Or(r.memory.Cols, firstCols), Rows: cmp.Or(r.memory.Rows, firstRows),
	}); err != nil && ctx.Err() == nil {
		// The user sees the error in the panel: it requests the terminal itself and
		// gets the same error.
		l.s.log.Warn("the first terminal could not be started", "error", err)
	}
}

// launch decides what a terminal runs. In a folder that the user was not asked about
// yet, it waits for the answer first.
func (l launcher) launch(ctx context.Context, req terminal.Request) (terminal.Launch, error) {
	dir := l.s.m.cfg.Settings.Get().WorkDir
	if req.Resume != "" {
		var err error
		if dir, req.Command, err = l.s.m.agents.Past.Resume(req.Agent, req.Resume); err != nil {
			return terminal.Launch{}, err
		}
	}
	launched, err := l.launchIn(ctx, req, dir)
	if err != nil || launched.Missing != nil || dir == "" || !readsSettings(launched.Kind) {
		return launched, err
	}
	f, err := trust.In(dir)
	if err != nil {
		l.s.terminalEnded(req.Terminal)
		return terminal.Launch{}, err
	}
	ask, may := l.s.m.folders.Asked(f)
	switch {
	case may:
		return launched, nil
	case !ask:
		return l.elsewhere(ctx, req)
	}
	l.s.terminalEnded(req.Terminal) // of its token
	return terminal.Launch{Kind: launched.Kind, Name: launched.Name, Confine: launched.Confine, Wait: func(ctx context.Context) (terminal.Launch, error) {
		asking, cancel := context.WithTimeout(ctx, folderWait)
		defer cancel()
		actor := tokens.TerminalActor(req.Terminal, req.Tab, launched.Kind)
		may, err := l.s.m.folders.MayStart(asking, l.s.approvals.Broker(), actor, req.Tab, dir)
		switch {
		case err != nil:
			return terminal.Launch{}, err
		case may:
			return l.launchIn(ctx, req, dir)
		}
		return l.elsewhere(ctx, req)
	}}, nil
}

// elsewhere decides what a terminal runs whose folder the user did not allow. A session of
// an agent is only in its own folder.
func (l launcher) elsewhere(ctx context.Context, req terminal.Request) (terminal.Launch, error) {
	if req.Resume != "" {
		return terminal.Launch{}, protocol.NewError(protocol.CodeRefused, "you did not allow the folder of this session", "begin a new session instead")
	}
	return l.launchIn(ctx, req, "")
}

// launchIn decides what a terminal runs in a folder; empty for Pilotfish's own. Each
// process has a token of its own, for its tab, which ends with it.
func (l launcher) launchIn(ctx context.Context, req terminal.Request, dir string) (terminal.Launch, error) {
	r := l.s.running()
	if r == nil {
		return terminal.Launch{}, protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s is not running", l.s.name), "")
	}
	settings := l.s.m.cfg.Settings.Get()
	kind, line := cmp.Or(req.Agent, settings.Agent), req.Command
	if kind == protocol.AgentCustom && line == "" {
		line = settings.AgentCommand
	}
	if kind == protocol.AgentAuto {
		kind = l.s.m.agents.Prober.Auto() // so that the actor has the agent's real name
	}
	args := ""
	if l.s.m.agents.Chosen(settings.Agent, kind) {
		args = settings.AgentArgs
	}
	if kind == protocol.AgentClaude || req.Resume != "" {
		args = strings.TrimSpace(line + " " + args) // line resumes a conversation that continues here
	}
	folders, err := l.s.confinement(ctx, kind, req.Confined)
	if err != nil {
		return terminal.Launch{}, err
	}
	l.s.terminalEnded(req.Terminal) // of the process before
	token := l.s.tokens.Terminal(req.Terminal, req.Tab, kind, folders != nil)
	launched, err := l.s.m.agents.Prober.Launch(ctx, agent.LaunchConfig{
		Kind: kind, Command: line, Args: args,
		WorkDir: dir, DefaultDir: r.workDir, ProgramDir: l.s.m.agents.ProgramDir, StateDir: r.agentDir,
		Session: l.s.name, Tab: req.Tab, URL: l.s.m.endpoint.URL(), Token: token.Reveal(),
		Commands: agentCommands(),
	})
	if err != nil || launched.Missing != nil {
		l.s.terminalEnded(req.Terminal)
	}
	keeper := l.s.m.cfg.Program
	if kind == protocol.AgentShell {
		keeper = "" // what the user starts in their own shell is theirs
	}
	return terminal.Launch{
		Path: launched.Path, Args: launched.Args, Env: launched.Env, Dir: launched.Dir,
		Kind: launched.Kind, Name: launched.Name, Missing: launched.Missing, Confine: folders, Keeper: keeper,
	}, err
}

// agentCommands returns the list of commands for an agent that takes
// instructions as text.
func agentCommands() []agent.Command {
	var commands []agent.Command
	for _, spec := range catalogue.Specs() {
		commands = append(commands, agent.Command{Usage: spec.Usage(), Summary: spec.Summary})
	}
	return commands
}

// grace returns how long a terminal runs without a viewer.
func (l launcher) grace() time.Duration {
	return time.Duration(l.s.m.cfg.Settings.Get().TerminalGraceMinutes) * time.Minute
}

// startURL returns the first page of a session that restores no tabs.
func (s *Session) startURL() string {
	if url := s.m.cfg.Settings.Get().StartURL; url != "" {
		return url
	}
	if s.m.cfg.Headless {
		return "about:blank"
	}
	return s.m.endpoint.URL() + "/welcome"
}
