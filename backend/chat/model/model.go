package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/inprocess"
	"pilotfish/backend/llm"
	"pilotfish/backend/protocol"
)

// Toolbox is the tools that a session's model may call.
type Toolbox interface {
	Tools() []Tool
	// Call runs a tool. An error of a call is a result that the model sees.
	Call(ctx context.Context, name string, args json.RawMessage) Result
}

// Tool is a tool as it is described to a model.
type Tool struct {
	Name string
	// Title is what the user is shown.
	Title, About string
	Schema       json.RawMessage
}

// Result is the outcome of a tool call.
type Result struct {
	Text   string
	Images []driver.Image
	Failed bool
}

// Config is what the driver needs. All fields are required.
type Config struct {
	Models *llm.Manager
	// Tools returns the tools of a session; they act as its actor on its tab.
	Tools func(driver.SessionConfig) Toolbox
	// System returns the system prompt of a session.
	System func(driver.SessionConfig) string
}

// Driver runs models.
type Driver struct {
	config Config
}

// New returns the driver.
func New(c Config) (*Driver, error) {
	if c.Models == nil || c.Tools == nil || c.System == nil {
		return nil, errors.New("model: Models, Tools or System is missing")
	}
	return &Driver{config: c}, nil
}

// Start returns the agent of a profile; launch.Kind names the profile. The
// agent runs until it is closed or life ends.
func (d *Driver) Start(life context.Context, launch driver.Launch) (driver.Agent, error) {
	profile, ok := protocol.ModelProfile(launch.Kind)
	if !ok {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.60q is no model", string(launch.Kind)), "")
	}
	if _, err := d.config.Models.Profile(profile); err != nil {
		return nil, err
	}
	return &agent{Agent: inprocess.NewAgent(life), config: d.config, profile: profile}, nil
}

// agent is a running model agent. It has no sign-in of its own: the key is
// entered in the form of the model profile.
type agent struct {
	*inprocess.Agent
	config  Config
	profile string
}

// Open creates a session. It keeps no state, so resuming an earlier session
// needs no work.
func (a *agent) Open(_ context.Context, cfg driver.SessionConfig, sink driver.Sink) (driver.Session, error) {
	if a.Over() {
		return nil, protocol.NewError(protocol.CodeCrashed, "the model agent has ended", "start it again")
	}
	if cfg.History == nil {
		return nil, errors.New("model: the session has no History")
	}
	profile, err := a.config.Models.Profile(a.profile)
	if err != nil {
		return nil, err
	}
	return &session{Session: a.NewSession(cfg.Resume, "model-"), agent: a, cfg: cfg, sink: sink, vision: profile.Vision}, nil
}

// session is one conversation's session.
type session struct {
	*inprocess.Session
	agent  *agent
	cfg    driver.SessionConfig
	sink   driver.Sink
	vision bool
}

// Abilities returns the abilities of the profile.
func (s *session) Abilities() protocol.ChatAbilities {
	return protocol.ChatAbilities{Images: s.vision, Resume: true}
}

// Prompt runs one turn.
func (s *session) Prompt(ctx context.Context, prompt driver.Prompt) (driver.TurnEnd, error) {
	ctx, over := s.Begin(ctx)
	defer over()
	t, err := s.begin(prompt)
	if err != nil {
		return driver.TurnEnd{}, err
	}
	reason, err := t.run(ctx)
	end := driver.TurnEnd{Reason: reason, Usage: t.used()}
	switch {
	case errors.Is(context.Cause(ctx), inprocess.ErrStopped):
		end.Reason = protocol.EndCancelled
		return end, nil
	case ctx.Err() != nil:
		return end, context.Cause(ctx)
	}
	return end, err
}

// Steer returns an error: the next message has to wait for the end of the turn.
func (s *session) Steer(context.Context, driver.Prompt) error {
	return protocol.NewError(protocol.CodeBadArgument, "a model cannot receive a message during a turn", "send it after the turn")
}

// SetOption returns an error: a profile has one model.
func (s *session) SetOption(_ context.Context, id, _ string) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a model has no option %.40q", id), "")
}
