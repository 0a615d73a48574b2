// Package pilot is the driver of Pilot, our own agent, which runs in this
// process. No program is started, and a message costs no more than its
// commands.
package pilot

import (
	"context"
	"errors"
	"fmt"

	"pilotfish/backend/agent/builtin"
	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/inprocess"
	"pilotfish/backend/protocol"
)

// Config is what the driver needs. Commander is required.
type Config struct {
	// Commander returns what runs the commands of a session. It acts as the
	// session's actor and, where a request names no tab, on the session's tab.
	Commander func(driver.SessionConfig) builtin.Commander
	// Others returns the names, as users know them, of the installed agents
	// that understand more than Pilot; nil for none.
	Others func() []string
}

// Driver starts Pilot.
type Driver struct {
	config  Config
	grammar *grammar.Grammar
}

// New returns the driver.
func New(c Config) (*Driver, error) {
	if c.Commander == nil {
		return nil, errors.New("pilot: Commander is missing")
	}
	if c.Others == nil {
		c.Others = func() []string { return nil }
	}
	return &Driver{config: c, grammar: grammar.New(nil)}, nil
}

// Start returns an agent that runs until it is closed or life ends.
func (d *Driver) Start(life context.Context, _ driver.Launch) (driver.Agent, error) {
	return &pilot{Agent: inprocess.NewAgent(life), driver: d}, nil
}

// pilot is a running Pilot.
type pilot struct {
	*inprocess.Agent
	driver *Driver
}

// Open creates a session. Pilot remembers nothing between messages, so resuming
// an earlier session needs no work.
func (p *pilot) Open(_ context.Context, cfg driver.SessionConfig, sink driver.Sink) (driver.Session, error) {
	if p.Over() {
		return nil, protocol.NewError(protocol.CodeCrashed, "Pilot has ended", "start it again")
	}
	s := &session{Session: p.NewSession(cfg.Resume, "pilot-"), pilot: p, sink: sink, commander: p.driver.config.Commander(cfg)}
	sink.Update(driver.Update{Commands: Commands()})
	return s, nil
}

// session is one session of Pilot.
type session struct {
	*inprocess.Session
	pilot     *pilot
	sink      driver.Sink
	commander builtin.Commander
	calls     int // the number of calls, over all turns
}

// Abilities returns that an earlier session can be resumed.
func (s *session) Abilities() protocol.ChatAbilities { return protocol.ChatAbilities{Resume: true} }

// Prompt carries out a message by the router's plan, or else by a plan of its
// own. If it cannot, it answers why. It ends early with ctx, by Cancel, and
// with the agent.
func (s *session) Prompt(ctx context.Context, prompt driver.Prompt) (driver.TurnEnd, error) {
	plan, understood := prompt.Plan.(grammar.Plan)
	if !understood {
		var unknown *grammar.Unknown
		plan, unknown = s.pilot.driver.grammar.Parse(prompt.Text)
		if len(prompt.Images)+len(prompt.Files) > 0 {
			unknown = &grammar.Unknown{Said: "what is attached"}
		}
		if unknown != nil {
			s.say(builtin.Explain(unknown, s.pilot.driver.config.Others()))
			return driver.TurnEnd{Reason: protocol.EndDone}, nil
		}
	}
	engine := builtin.NewEngine(s.commander, "")
	engine.Chosen = prompt.Refs
	if prompt.MayDecline && !engine.Applies(ctx, plan.Steps[0]) {
		return driver.TurnEnd{Reason: protocol.EndDone, Declined: true}, nil
	}
	out := s.run(ctx, engine, plan)
	end := driver.TurnEnd{Reason: protocol.EndDone, Brief: out.Brief}
	if out.Status == protocol.ToolCancelled {
		end.Reason = protocol.EndCancelled
		if ctx.Err() != nil {
			end.Reason = ""
			return end, context.Cause(ctx)
		}
	}
	return end, nil
}

// run carries out a plan and sends its events to the sink.
func (s *session) run(ctx context.Context, engine *builtin.Engine, plan grammar.Plan) builtin.Outcome {
	ctx, over := s.Begin(ctx)
	defer over()
	first := s.calls
	s.calls += len(plan.Steps)
	return engine.Run(ctx, plan, func(e builtin.Event) {
		s.sink.Update(driver.Update{Tool: toolUpdate(e, fmt.Sprintf("%s-%d", s.ID(), first+e.Step))})
	})
}

func (s *session) say(text string) {
	s.sink.Update(driver.Update{Text: &driver.Chunk{Text: text}})
}

// toolUpdate turns a running step into a tool call, and a finished step into
// its outcome.
func toolUpdate(e builtin.Event, call string) *driver.ToolUpdate {
	kind := "browser"
	u := &driver.ToolUpdate{Call: call, Title: &e.Title, Kind: &kind, Status: &e.Status}
	if e.Status == protocol.ToolRunning {
		return u
	}
	u.Answer = &driver.Answer{Text: e.Text, Which: e.Which}
	if e.Picture {
		u.Answer.Picture = e.Path
	}
	return u
}

// Steer returns an error: a plan cannot change once it has begun.
func (s *session) Steer(context.Context, driver.Prompt) error {
	return protocol.NewError(protocol.CodeBadArgument, "Pilot cannot receive a message during a turn", "send it after the turn")
}

// SetOption returns an error: Pilot has no options.
func (s *session) SetOption(_ context.Context, id, _ string) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("Pilot has no option %.40q", id), "")
}

// Commands returns Pilot's slash commands.
func Commands() []protocol.ChatCommand {
	list := builtin.Commands()
	out := make([]protocol.ChatCommand, len(list))
	for i, c := range list {
		out[i] = protocol.ChatCommand{Name: c.Name, About: c.About, Hint: c.Hint}
	}
	return out
}
