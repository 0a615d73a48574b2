package agents

import (
	"context"
	"encoding/json"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/model"
	"pilotfish/backend/mcp"
	"pilotfish/backend/protocol"
)

// DriverModel is the driver of model profiles, as protocol.AgentInfo names it.
const DriverModel = "model"

// newModelDriver returns the driver of model profiles; nil if there are none.
func (a *Agents) newModelDriver() (*model.Driver, error) {
	if a.cfg.Models == nil {
		return nil, nil
	}
	return model.New(model.Config{Models: a.cfg.Models, Tools: a.modelTools, System: a.modelSystem})
}

// modelStarter returns how to start a model profile as an agent; false if kind
// names no profile.
func (a *Agents) modelStarter(kind protocol.AgentKind) (driver.Starter, bool, error) {
	if a.model == nil {
		return driver.Starter{}, false, nil
	}
	id, named := protocol.ModelProfile(kind)
	if !named {
		// A shell gives the profile's name, not its id.
		for _, p := range a.cfg.Models.Profiles() {
			if strings.EqualFold(p.Name, string(kind)) {
				id, named = p.ID, true
				break
			}
		}
	}
	if !named {
		return driver.Starter{}, false, nil
	}
	profile, err := a.cfg.Models.Profile(id)
	if err != nil {
		return driver.Starter{}, true, err
	}
	return driver.Starter{
		Driver: a.model, Launch: driver.Launch{Kind: protocol.ModelAgent(id), Name: profile.Name}, FromJournal: true,
	}, true, nil
}

// modelToolbox is the tools of a conversation; they run in this process.
type modelToolbox struct{ *mcp.Toolbox }

// modelTools returns the browser's tools for a model: the same that an agent
// process gets over MCP, with the same actor, tab and scopes.
func (a *Agents) modelTools(cfg driver.SessionConfig) model.Toolbox {
	return modelToolbox{a.toolbox(cfg)}
}

func (a *Agents) toolbox(cfg driver.SessionConfig) *mcp.Toolbox {
	return mcp.NewToolbox(a.cfg.Caller(a.cfg.Tokens.Grant(cfg.Actor, cfg.Tab)))
}

// Tools returns the tools as the driver needs them.
func (b modelToolbox) Tools() []model.Tool {
	list := b.Toolbox.Tools()
	out := make([]model.Tool, len(list))
	for i, t := range list {
		out[i] = model.Tool{Name: t.Name, Title: t.Title, About: t.Description, Schema: t.Schema}
	}
	return out
}

// Call runs a tool.
func (b modelToolbox) Call(ctx context.Context, name string, args json.RawMessage) model.Result {
	r := b.Toolbox.Call(ctx, name, args)
	out := model.Result{Text: r.Text, Failed: r.Failed}
	for _, image := range r.Images {
		out.Images = append(out.Images, driver.Image(image))
	}
	return out
}

// modelSystem returns the system prompt of a model.
func (a *Agents) modelSystem(cfg driver.SessionConfig) string {
	return where(cfg.Tab) + " " + manners + "\n\n" + a.toolbox(cfg).Instructions()
}
