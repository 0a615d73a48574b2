package llm

import (
	"context"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the user does with model profiles in the window. None returns a key.
func (m *Manager) Operations() []op.Operation {
	return []op.Operation{
		op.New("Models", func(ctx context.Context, _ op.Call, _ op.None) (protocol.LLMState, error) {
			return m.State(ctx), nil
		}),
		op.New("SaveModel", func(ctx context.Context, _ op.Call, req protocol.LLMSaveRequest) (protocol.LLMState, error) {
			return m.Save(ctx, req)
		}),
		op.New("DeleteModel", func(ctx context.Context, _ op.Call, req protocol.LLMProfileRequest) (protocol.LLMState, error) {
			return m.Delete(ctx, req.Profile)
		}),
		// The models that a profile's provider offers.
		op.New("ListModels", func(ctx context.Context, _ op.Call, req protocol.LLMProfileRequest) (protocol.LLMModelsReply, error) {
			models, err := m.Models(ctx, req.Profile)
			return protocol.LLMModelsReply{Models: models}, err
		}),
		// TestModel asks a model for one word.
		op.New("TestModel", func(ctx context.Context, _ op.Call, req protocol.LLMProfileRequest) (protocol.LLMVerdict, error) {
			return m.Test(ctx, req.Profile), nil
		}),
		// LocalModels looks for model servers on this computer.
		op.New("LocalModels", func(ctx context.Context, _ op.Call, _ op.None) (protocol.LLMLocalReply, error) {
			return protocol.LLMLocalReply{Found: m.Local(ctx)}, nil
		}),
	}
}
