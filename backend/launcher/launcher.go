// Package launcher decides what a session's terminals run: which agent, in which folder,
// with which token, and confined or not.
package launcher

import (
	"cmp"
	"context"
	"strings"
	"time"

	"pilotfish/backend/agent"
	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/confine"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/inventory"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
	"pilotfish/backend/terminal"
	"pilotfish/backend/tokens"
	"pilotfish/backend/trust"
)

// folderWait is how long the question about a folder waits in a terminal. Nothing
// but the agent waits for it.
const folderWait = 24 * time.Hour

// Config is what a Launcher needs. All fields are required.
type Config struct {
	Session  protocol.SessionName
	Settings *config.Store
	Agents   *inventory.Inventory
	Folders  *trust.Folders
	// User is asked whether an agent may start in a folder.
	User     question.Asker
	Tokens   *tokens.Tokens
	Endpoint *endpoint.Endpoint
	// Keeper is the program that stays with an agent's processes.
	Keeper string
	// Confine returns what an agent does not see; nil for one that is not confined.
	Confine func(ctx context.Context, kind protocol.AgentKind, asked bool) (*confine.Folders, error)
	// Dirs are the folders of the session.
	Dirs config.SessionDirs
	// Broker has the questions of agents.
	Broker *policy.Broker
	// Commands are listed for an agent that takes instructions as text.
	Commands command.Table
}

// Launcher decides what terminals run. It has no state.
type Launcher struct{ cfg Config }

// New returns a Launcher.
func New(cfg Config) *Launcher { return &Launcher{cfg: cfg} }

// ReadsSettings reports whether agents of a kind read settings in their folder. A
// shell and Pilot do not.
func ReadsSettings(kind protocol.AgentKind) bool {
	return kind != protocol.AgentShell && kind != protocol.AgentPilot
}

// Launch decides what a terminal runs. In a folder that the user was not asked about
// yet, it waits for the answer first.
func (l *Launcher) Launch(ctx context.Context, req terminal.Request) (terminal.Launch, error) {
	dir := l.cfg.Settings.Get().WorkDir
	if req.Resume != "" {
		var err error
		if dir, req.Command, err = l.cfg.Agents.Past.Resume(req.Agent, req.Resume); err != nil {
			return terminal.Launch{}, err
		}
	}
	launched, err := l.launchIn(ctx, req, dir)
	if err != nil || launched.Missing != nil || dir == "" || !ReadsSettings(launched.Kind) {
		return launched, err
	}
	f, err := trust.In(dir)
	if err != nil {
		l.Ended(req.Terminal)
		return terminal.Launch{}, err
	}
	ask, may := l.cfg.Folders.Asked(f)
	switch {
	case may:
		return launched, nil
	case !ask:
		return l.elsewhere(ctx, req)
	}
	l.Ended(req.Terminal) // of its token
	return terminal.Launch{Kind: launched.Kind, Name: launched.Name, Confine: launched.Confine, Wait: func(ctx context.Context) (terminal.Launch, error) {
		asking, cancel := context.WithTimeout(ctx, folderWait)
		defer cancel()
		actor := tokens.TerminalActor(req.Terminal, req.Tab, launched.Kind)
		may, err := l.cfg.Folders.MayStart(asking, l.cfg.User, actor, req.Tab, dir)
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
func (l *Launcher) elsewhere(ctx context.Context, req terminal.Request) (terminal.Launch, error) {
	if req.Resume != "" {
		return terminal.Launch{}, protocol.NewError(protocol.CodeRefused, "you did not allow the folder of this session", "begin a new session instead")
	}
	return l.launchIn(ctx, req, "")
}

// launchIn decides what a terminal runs in a folder; empty for Pilotfish's own. Each
// process has a token of its own, for its tab, which ends with it.
func (l *Launcher) launchIn(ctx context.Context, req terminal.Request, dir string) (terminal.Launch, error) {
	settings := l.cfg.Settings.Get()
	kind, line := cmp.Or(req.Agent, settings.Agent), req.Command
	if kind == protocol.AgentCustom && line == "" {
		line = settings.AgentCommand
	}
	if kind == protocol.AgentAuto {
		kind = l.cfg.Agents.Auto() // so that the actor has the agent's real name
	}
	args := ""
	if l.cfg.Agents.Chosen(settings.Agent, kind) {
		args = settings.AgentArgs
	}
	if kind == protocol.AgentClaude || req.Resume != "" {
		args = strings.TrimSpace(line + " " + args) // line resumes a conversation that continues here
	}
	folders, err := l.cfg.Confine(ctx, kind, req.Confined)
	if err != nil {
		return terminal.Launch{}, err
	}
	l.Ended(req.Terminal) // of the process before
	token := l.cfg.Tokens.Terminal(req.Terminal, req.Tab, kind, folders != nil)
	launched, err := l.cfg.Agents.Launch(ctx, agent.LaunchConfig{
		Kind: kind, Command: line, Args: args,
		WorkDir: dir, DefaultDir: l.cfg.Dirs.Work, ProgramDir: l.cfg.Agents.ProgramDir, StateDir: l.cfg.Dirs.Agent,
		Session: l.cfg.Session, Tab: req.Tab, URL: l.cfg.Endpoint.URL(), Token: token.Reveal(),
		Commands: l.commands(),
	})
	if err != nil || launched.Missing != nil {
		l.Ended(req.Terminal)
	}
	keeper := l.cfg.Keeper
	if kind == protocol.AgentShell {
		keeper = "" // what the user starts in their own shell is theirs
	}
	return terminal.Launch{
		Path: launched.Path, Args: launched.Args, Env: launched.Env, Dir: launched.Dir,
		Kind: launched.Kind, Name: launched.Name, Missing: launched.Missing, Confine: folders, Keeper: keeper,
	}, err
}

// Ended revokes the token of a terminal's agent and ends its approvals, because its process
// has ended, or does not start.
func (l *Launcher) Ended(id protocol.TerminalID) {
	l.cfg.Broker.Gone(protocol.Actor{Kind: protocol.ActorTerminal, ID: string(id)})
	l.cfg.Tokens.EndTerminal(id)
}

// commands returns the commands for an agent that takes instructions as text.
func (l *Launcher) commands() []agent.Command {
	var commands []agent.Command
	for _, spec := range l.cfg.Commands.Specs() {
		commands = append(commands, agent.Command{Usage: spec.Usage(), Summary: spec.Summary})
	}
	return commands
}
