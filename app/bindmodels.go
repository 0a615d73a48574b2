package main

import (
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// Models returns the model profiles and the providers. It never contains a key.
func (a *App) Models() (protocol.LLMState, error) {
	models, err := a.models()
	if err != nil {
		return protocol.LLMState{}, err
	}
	return models.State(a.ctx), nil
}

// SaveModel adds or changes a model profile, and its key.
func (a *App) SaveModel(req protocol.LLMSaveRequest) (protocol.LLMState, error) {
	models, err := a.models()
	if err != nil {
		return protocol.LLMState{}, err
	}
	return models.Save(a.ctx, req)
}

// DeleteModel deletes a model profile, and its key.
func (a *App) DeleteModel(profile string) (protocol.LLMState, error) {
	models, err := a.models()
	if err != nil {
		return protocol.LLMState{}, err
	}
	return models.Delete(a.ctx, profile)
}

// ListModels asks a provider which models it has.
func (a *App) ListModels(profile string) ([]protocol.LLMModel, error) {
	models, err := a.models()
	if err != nil {
		return nil, err
	}
	return models.Models(a.ctx, profile)
}

// TestModel asks a model for one word, and returns how that went.
func (a *App) TestModel(profile string) (protocol.LLMVerdict, error) {
	models, err := a.models()
	if err != nil {
		return protocol.LLMVerdict{}, err
	}
	return models.Test(a.ctx, profile), nil
}

// LocalModels looks for model servers on this machine.
func (a *App) LocalModels() ([]protocol.LLMLocal, error) {
	models, err := a.models()
	if err != nil {
		return nil, err
	}
	return models.Local(a.ctx), nil
}

func (a *App) models() (server.Models, error) {
	if models := a.backend.Models(); models != nil {
		return models, nil
	}
	return nil, protocol.NewError(protocol.CodeNotRunning, "The app has no models", "start Pilotfish again")
}
