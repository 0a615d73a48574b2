package server

import (
	"context"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Models is what the routes below /llm do: manage model profiles, and send
// prompts.
type Models interface {
	State(ctx context.Context) protocol.LLMState
	Save(ctx context.Context, req protocol.LLMSaveRequest) (protocol.LLMState, error)
	Delete(ctx context.Context, profile string) (protocol.LLMState, error)
	Models(ctx context.Context, profile string) ([]protocol.LLMModel, error)
	Test(ctx context.Context, profile string) protocol.LLMVerdict
	Local(ctx context.Context) []protocol.LLMLocal
	// Call forwards a prompt, the provider's own body, and streams the response.
	// When it returns an error, it has written nothing to w.
	Call(ctx context.Context, w http.ResponseWriter, profile string, body []byte) error
}

// modelRoutes are the routes below /llm. Only the panel may use them: an agent
// must not spend a user's money.
func (s *Server) modelRoutes() []route {
	post := func(path string, body int64, handle func(http.ResponseWriter, *http.Request, call) error, doc routeDoc) route {
		return route{method: http.MethodPost, path: path, capability: auth.CapabilityModels, origin: originExtension, body: body, handle: handle, doc: doc}
	}
	return []route{
		post("/llm/profiles", protocol.MaxBody, handled(func(ctx context.Context, _ auth.Grant, _ struct{}) (protocol.LLMState, error) {
			return s.models.State(ctx), nil
		}), routeDoc{about: "The model profiles. They never contain a key.", in: struct{}{}, out: protocol.LLMState{}}),
		post("/llm/save", protocol.MaxBody, handled(func(ctx context.Context, _ auth.Grant, req protocol.LLMSaveRequest) (protocol.LLMState, error) {
			return s.models.Save(ctx, req)
		}), routeDoc{about: "Add or change a model profile and its key.", in: protocol.LLMSaveRequest{}, out: protocol.LLMState{}}),
		post("/llm/delete", protocol.MaxBody, handled(func(ctx context.Context, _ auth.Grant, req protocol.LLMProfileRequest) (protocol.LLMState, error) {
			return s.models.Delete(ctx, req.Profile)
		}), routeDoc{about: "Delete a model profile and its key.", in: protocol.LLMProfileRequest{}, out: protocol.LLMState{}}),
		post("/llm/models", protocol.MaxBody, handled(func(ctx context.Context, _ auth.Grant, req protocol.LLMProfileRequest) (protocol.LLMModelsReply, error) {
			list, err := s.models.Models(ctx, req.Profile)
			return protocol.LLMModelsReply{Models: list}, err
		}), routeDoc{about: "Ask a provider which models it has.", in: protocol.LLMProfileRequest{}, out: protocol.LLMModelsReply{}}),
		post("/llm/test", protocol.MaxBody, handled(func(ctx context.Context, _ auth.Grant, req protocol.LLMProfileRequest) (protocol.LLMVerdict, error) {
			return s.models.Test(ctx, req.Profile), nil
		}), routeDoc{about: "Test a model with a short prompt.", in: protocol.LLMProfileRequest{}, out: protocol.LLMVerdict{}}),
		post("/llm/local", protocol.MaxBody, handled(func(ctx context.Context, _ auth.Grant, _ struct{}) (protocol.LLMLocalReply, error) {
			return protocol.LLMLocalReply{Found: s.models.Local(ctx)}, nil
		}), routeDoc{about: "Look for model servers on this machine.", in: struct{}{}, out: protocol.LLMLocalReply{}}),
		post("/llm/call", maxModelRequest, s.modelCall, routeDoc{
			about: "Send a prompt in the provider's own format; the key is added here, and the answer streams back as the provider sends it.",
			query: []string{"profile"}, binary: true,
		}),
	}
}

// modelCall forwards a prompt and streams the response until it ends.
func (s *Server) modelCall(w http.ResponseWriter, r *http.Request, c call) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	ctx, release := s.lasting(r, c)
	defer release()
	return s.models.Call(ctx, &flowing{w}, r.URL.Query().Get("profile"), body)
}

// handled makes a route's handler from a function that takes the decoded body
// and returns the reply.
func handled[In, Out any](do func(ctx context.Context, grant auth.Grant, in In) (Out, error)) func(http.ResponseWriter, *http.Request, call) error {
	return func(w http.ResponseWriter, r *http.Request, c call) error {
		var in In
		if err := decode(w, r, &in); err != nil {
			return err
		}
		out, err := do(r.Context(), c.grant, in)
		if err != nil {
			return err
		}
		return reply(w, out)
	}
}
