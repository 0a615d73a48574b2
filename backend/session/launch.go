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
)

// The size of a terminal that starts before its panel ever was there: about that
// of Chromium's side panel as it opens first. A program that drew for the right
// size need not draw again.
const (
	firstCols = 44
	firstRows = 46
)

// launcher starts the agents of a session's terminals.
type launcher struct{ s *Session }

// first starts the agent of a tab that has none.
func (l launcher) first(ctx context.Context, r *run, tab protocol.TabID) {
	for _, t := range r.terminals.List() {
		if t.Tab == tab {
			return
		}
	}
	if _, err := r.terminals.Start(ctx, protocol.PtySessionRequest{
		Tab: tab, Cols: cmp.Or(r.memory.Cols, firstCols), Rows: cmp.Or(r.memory.Rows, firstRows),
	}); err != nil && ctx.Err() == nil {
		// The panel shows it: it asks for the terminal itself and gets the error.
		l.s.log.Warn("the first terminal could not be started", "error", err)
	}
}

// launch decides what a terminal runs. Each process has a token of its own, for
// its tab, which ends with it.
func (l launcher) launch(ctx context.Context, id protocol.TerminalID, tab protocol.TabID, kind protocol.AgentKind, line string) (terminal.Launch, error) {
	r := l.s.running()
	if r == nil {
		return terminal.Launch{}, protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s is not running", l.s.name), "")
	}
	settings := l.s.m.cfg.Settings.Get()
	if kind == "" {
		kind = settings.Agent
	}
	if kind == protocol.AgentCustom && line == "" {
		line = settings.AgentCommand
	}
	if kind == protocol.AgentAuto {
		kind = l.s.m.agents.prober.Auto() // who acts is named by what it is
	}
	args := ""
	if l.s.m.agents.chosen(settings.Agent, kind) {
		args = settings.AgentArgs
	}
	if kind == protocol.AgentClaude {
		args = strings.TrimSpace(line + " " + args) // a conversation that goes on here
	}
	l.s.terminalEnded(id) // of the process before
	token := l.s.tokens.Terminal(id, tab, kind)
	launched, err := l.s.m.agents.prober.Launch(ctx, agent.LaunchConfig{
		Kind: kind, Command: line, Args: args,
		WorkDir: settings.WorkDir, DefaultDir: r.workDir, ProgramDir: l.s.m.agents.programDir, StateDir: r.agentDir,
		Session: l.s.name, Tab: tab, URL: l.s.m.endpoint.URL(), Token: token.Reveal(),
		Commands: agentCommands(),
	})
	if err != nil || launched.Missing != nil {
		l.s.terminalEnded(id)
	}
	return terminal.Launch{
		Path: launched.Path, Args: launched.Args, Env: launched.Env, Dir: launched.Dir,
		Kind: launched.Kind, Name: launched.Name, Missing: launched.Missing,
	}, err
}

// agentCommands is what an agent that takes a text is told of the commands.
func agentCommands() []agent.Command {
	var commands []agent.Command
	for _, spec := range catalogue.Specs() {
		commands = append(commands, agent.Command{Usage: spec.Usage(), Summary: spec.Summary})
	}
	return commands
}

// grace is how long a terminal lives without a viewer.
func (l launcher) grace() time.Duration {
	return time.Duration(l.s.m.cfg.Settings.Get().TerminalGraceMinutes) * time.Minute
}

// startURL is the first page of a session that restores none.
func (s *Session) startURL() string {
	if url := s.m.cfg.Settings.Get().StartURL; url != "" {
		return url
	}
	if s.m.cfg.Headless {
		return "about:blank"
	}
	return s.m.endpoint.URL() + "/welcome"
}
