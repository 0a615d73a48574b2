package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"pilotfish/backend/protocol"
)

// testTool is the tool that a test asks the model to call, since a task
// consists only of tool calls.
const testTool = "ready"

// Test asks a profile's model to call a tool, as a task does, and returns the
// result for the user.
func (m *Manager) Test(ctx context.Context, profile string) protocol.LLMVerdict {
	ctx, cancel := context.WithTimeout(ctx, m.testTime)
	defer cancel()
	begun := time.Now()
	err := m.try(ctx, profile)
	verdict := protocol.LLMVerdict{OK: err == nil, Message: "It answers and can call tools", Millis: time.Since(begun).Milliseconds()}
	if e := protocol.AsError(err); e != nil {
		verdict.Message, verdict.Hint = e.Message, e.Hint
	}
	return verdict
}

func (m *Manager) try(ctx context.Context, profile string) error {
	t, err := m.profile(ctx, profile)
	if err != nil {
		return err
	}
	if t.profile.Model == "" {
		return protocol.NewError(protocol.CodeBadArgument, "No model is chosen", "choose one from the list")
	}
	body, err := json.Marshal(t.testPrompt())
	if err != nil {
		return fmt.Errorf("encoding a prompt: %w", err)
	}
	req, err := t.request(ctx, http.MethodPost, t.chatPath(), body)
	if err != nil {
		return err
	}
	res, err := m.client.Do(req)
	if err != nil {
		return t.unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxModelError))
	if err != nil {
		return t.unreachable(err)
	}
	if res.StatusCode != http.StatusOK {
		return t.refusal(res.StatusCode, answer)
	}
	answers, calls := readTest(answer)
	switch {
	case !answers:
		return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s answered, but not like a model", t.base.Host), "check the address: it usually ends with /v1")
	case !calls:
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s answers, but does not call a tool when it is asked to", t.profile.Model), "choose another model: Task and Chat need one that calls tools")
	}
	return nil
}

// testPrompt returns the shortest prompt that asks for a tool call, in the
// provider's format. It requires the tool in the same way as the panel does for
// a step.
func (t target) testPrompt() map[string]any {
	prompt := map[string]any{
		"model":    t.profile.Model,
		"messages": []map[string]string{{"role": "user", "content": "Call the tool " + testTool + "."}},
	}
	const about = "Say that you are ready."
	schema := map[string]any{"type": "object", "properties": map[string]any{"ready": map[string]string{"type": "boolean"}}, "required": []string{"ready"}}
	if t.info.Dialect == protocol.DialectAnthropic {
		prompt["max_tokens"] = 256
		prompt["tools"] = []any{map[string]any{"name": testTool, "description": about, "input_schema": schema}}
		prompt["tool_choice"] = map[string]string{"type": "tool", "name": testTool}
		return prompt
	}
	prompt["tools"] = []any{map[string]any{"type": "function", "function": map[string]any{"name": testTool, "description": about, "parameters": schema}}}
	prompt["tool_choice"] = map[string]any{"type": "function", "function": map[string]string{"name": testTool}}
	// These providers do not accept a function's name here; see openai.ts.
	if slices.Contains([]protocol.LLMProvider{protocol.LLMMistral, protocol.LLMLMStudio, protocol.LLMLlamaCpp, protocol.LLMOllama}, t.info.Provider) {
		prompt["tool_choice"] = "required"
	}
	return prompt
}

// readTest reports whether an answer comes from a model, and whether it calls a
// tool.
func readTest(answer []byte) (answers, calls bool) {
	var said struct {
		Choices []struct {
			Message struct {
				ToolCalls []json.RawMessage `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
		Content []struct {
			Type string `json:"type"`
		} `json:"content"`
	}
	if json.Unmarshal(answer, &said) != nil {
		return false, false
	}
	for _, c := range said.Choices {
		calls = calls || len(c.Message.ToolCalls) > 0
	}
	for _, c := range said.Content {
		calls = calls || c.Type == "tool_use"
	}
	return len(said.Choices)+len(said.Content) > 0, calls
}
