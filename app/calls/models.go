package calls

import (
	"context"

	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// ModelCalls are the calls about model profiles.
type ModelCalls struct {
	ctx context.Context
	of  func() server.Models
}

// NewModelCalls returns the calls. of returns nil while there are no models.
func NewModelCalls(ctx context.Context, of func() server.Models) *ModelCalls {
	return &ModelCalls{ctx: ctx, of: of}
}

// Models returns the model profiles and the providers. It never contains a key.
func (c *ModelCalls) Models() (protocol.LLMState, error) {
	models, err := c.models()
	if err != nil {
		return protocol.LLMState{}, err
	}
	return models.State(c.ctx), nil
}

// SaveModel adds or changes a model profile, and its key.
func (c *ModelCalls) SaveModel(req protocol.LLMSaveRequest) (protocol.LLMState, error) {
	models, err := c.models()
	if err != nil {
		return protocol.LLMState{}, err
	}
	return models.Save(c.ctx, req)
}

// DeleteModel deletes a model profile, and its key.
func (c *ModelCalls) DeleteModel(profile string) (protocol.LLMState, error) {
	models, err := c.models()
	if err != nil {
		return protocol.LLMState{}, err
	}
	return models.Delete(c.ctx, profile)
}

// ListModels asks a provider which models it has.
func (c *ModelCalls) ListModels(profile string) ([]protocol.LLMModel, error) {
	models, err := c.models()
	if err != nil {
		return nil, err
	}
	return models.Models(c.ctx, profile)
}

// TestModel asks a model for one word, and returns how that went.
func (c *ModelCalls) TestModel(profile string) (protocol.LLMVerdict, error) {
	models, err := c.models()
	if err != nil {
		return protocol.LLMVerdict{}, err
	}
	return models.Test(c.ctx, profile), nil
}

// LocalModels looks for model servers on this machine.
func (c *ModelCalls) LocalModels() ([]protocol.LLMLocal, error) {
	models, err := c.models()
	if err != nil {
		return nil, err
	}
	return models.Local(c.ctx), nil
}

func (c *ModelCalls) models() (server.Models, error) {
	if models := c.of(); models != nil {
		return models, nil
	}
	return nil, protocol.NewError(protocol.CodeNotRunning, "The app has no models", "start Pilotfish again")
}
