package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// completionsRequest is the part of the body of POST /v1/chat/completions that we
// need.
type completionsRequest struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// request converts to the common Request, or returns what is wrong.
func (q completionsRequest) request(raw json.RawMessage) (Request, error) {
	r := Request{API: OpenAI, Model: q.Model, Stream: q.Stream, Raw: raw}
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	var open []string // calls that wait for their result
	for i, message := range q.Messages {
		m := Message{Role: message.Role}
		text := ""
		if string(message.Content) != "null" {
			text = flat(message.Content)
		}
		if message.Role == "tool" {
			at := slices.Index(open, message.ToolCallID)
			if at < 0 {
				return r, fmt.Errorf("messages[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", i)
			}
			open = slices.Delete(open, at, at+1)
			m.Results = []Result{{ID: message.ToolCallID, Text: text}}
			r.Messages = append(r.Messages, m)
			continue
		}
		if len(open) > 0 {
			return r, fmt.Errorf("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': %s", i, strings.Join(open, ", "))
		}
		m.Text = text
		for _, c := range message.ToolCalls {
			open = append(open, c.ID)
			m.Calls = append(m.Calls, Call{ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(c.Function.Arguments)})
		}
		if message.Role == "system" || message.Role == "developer" {
			r.System += text
		}
		r.Messages = append(r.Messages, m)
	}
	switch {
	case q.Model == "":
		return r, fmt.Errorf("you must provide a model parameter")
	case len(q.Messages) == 0:
		return r, fmt.Errorf("[] is too short - 'messages'")
	case len(open) > 0:
		return r, fmt.Errorf("tool calls without a result: %s", strings.Join(open, ", "))
	}
	return r, nil
}

func (m *Model) openAI(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent is gone
	}
	var q completionsRequest
	switch {
	case key(r) != Key:
		m.openAIError(w, http.StatusUnauthorized, "Incorrect API key provided")
		return
	case json.Unmarshal(raw, &q) != nil:
		m.openAIError(w, http.StatusBadRequest, "we could not parse the JSON body of your request")
		return
	}
	request, err := q.request(raw)
	if err != nil {
		m.openAIError(w, http.StatusBadRequest, err.Error())
		return
	}
	answer := m.take(request, "call_")
	if answer.Status != 0 {
		retryAfter(w, answer)
		write(w, answer.Status, openAIFailure(answer.Text))
		return
	}
	finish := "stop"
	if len(answer.Calls) > 0 {
		finish = "tool_calls"
	}
	var calls []any
	for i, c := range answer.Calls {
		calls = append(calls, map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": encoded(c.Input)}})
	}
	in, out := len(raw)/4+1, len(answer.Text)/4+1
	usage := map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
	head := func(object string) map[string]any {
		return map[string]any{"id": "chatcmpl-" + number(len(m.Requests())), "object": object, "created": 0, "model": q.Model}
	}
	if !q.Stream {
		message := map[string]any{"role": "assistant", "content": answer.Text}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		whole := head("chat.completion")
		whole["choices"], whole["usage"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}, usage
		write(w, http.StatusOK, whole)
		return
	}
	s := newStream(w, r)
	chunk := func(delta map[string]any, finish any) {
		v := head("chat.completion.chunk")
		v["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
		s.event("", v)
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(answer.Thinking) {
		chunk(map[string]any{"reasoning_content": piece}, nil)
	}
	for _, piece := range pieces(answer.Text) {
		chunk(map[string]any{"content": piece}, nil)
	}
	s.hold(answer)
	for i, c := range answer.Calls {
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}}}, nil)
		for _, piece := range pieces(encoded(c.Input)) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
		}
	}
	chunk(map[string]any{}, finish)
	if q.StreamOptions.IncludeUsage {
		v := head("chat.completion.chunk")
		v["choices"], v["usage"] = []any{}, usage
		s.event("", v)
	}
	s.text("data: [DONE]\n\n")
}

func openAIFailure(message string) map[string]any {
	return map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}}
}

// openAIError answers a request with an error.
func (m *Model) openAIError(w http.ResponseWriter, status int, message string) {
	m.refuse(strconv.Itoa(status) + " " + message)
	write(w, status, openAIFailure(message))
}
