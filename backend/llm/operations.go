package llm

import (
	"context"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the user does with model profiles in the window and the panel. None
// returns a key. Agents have none of them: an agent must not spend the user's money.
func (m *Manager) Operations() []op.Operation {
	at := func(path, about string) op.Route {
		return op.Route{Path: "/llm/" + path, Capability: auth.CapabilityModels, Window: true, Panel: true, About: about}
	}
	return []op.Operation{
		op.New("Models", func(ctx context.Context, _ op.Call, _ op.None) (protocol.LLMState, error) {
			return m.State(ctx), nil
		}).At(at("profiles", "The model profiles. They never contain a key.")),
		op.New("SaveModel", func(ctx context.Context, _ op.Call, req protocol.LLMSaveRequest) (protocol.LLMState, error) {
			return m.Save(ctx, req)
		}).At(at("save", "Add or change a model profile and its key.")),
		op.New("DeleteModel", func(ctx context.Context, _ op.Call, req protocol.LLMProfileRequest) (protocol.LLMState, error) {
			return m.Delete(ctx, req.Profile)
		}).At(at("delete", "Delete a model profile and its key.")),
		op.New("ListModels", func(ctx context.Context, _ op.Call, req protocol.LLMProfileRequest) (protocol.LLMModelsReply, error) {
			models, err := m.Models(ctx, req.Profile)
			return protocol.LLMModelsReply{Models: models}, err
		}).At(at("models", "Ask a provider which models it has.")),
		op.New("TestModel", func(ctx context.Context, _ op.Call, req protocol.LLMProfileRequest) (protocol.LLMVerdict, error) {
			return m.Test(ctx, req.Profile), nil
		}).At(at("test", "Test a model with a short prompt.")),
		op.New("LocalModels", func(ctx context.Context, _ op.Call, _ op.None) (protocol.LLMLocalReply, error) {
			return protocol.LLMLocalReply{Found: m.Local(ctx)}, nil
		}).At(at("local", "Look for model servers on this machine.")),
	}
}
