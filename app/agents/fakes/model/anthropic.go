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

// messagesRequest is the part of the body of POST /v1/messages that we need.
type messagesRequest struct {
	Model     string          `json:"model"`
	MaxTokens int             `json:"max_tokens"`
	System    json.RawMessage `json:"system"`
	Stream    bool            `json:"stream"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// block is one content block of a message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// blocks parses a content: a text, or a list of blocks.
func blocks(raw json.RawMessage) ([]block, error) {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}, nil
	}
	var list []block
	err := json.Unmarshal(raw, &list)
	return list, err
}

// flat returns the text of a content.
func flat(raw json.RawMessage) string {
	list, err := blocks(raw)
	if err != nil {
		return ""
	}
	var parts []string
	for _, b := range list {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// request converts to the common Request, or returns what is wrong.
func (q messagesRequest) request(raw json.RawMessage) (Request, error) {
	r := Request{API: Anthropic, Model: q.Model, System: flat(q.System), Stream: q.Stream, Raw: raw}
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	var open []string // calls of the last assistant message
	for i, message := range q.Messages {
		list, err := blocks(message.Content)
		if err != nil {
			return r, fmt.Errorf("messages.%d.content: %w", i, err)
		}
		m := Message{Role: message.Role}
		var texts, answered, called []string
		for _, b := range list {
			switch b.Type {
			case "text":
				texts = append(texts, b.Text)
			case "tool_use":
				called = append(called, b.ID)
				m.Calls = append(m.Calls, Call{ID: b.ID, Name: b.Name, Input: b.Input})
			case "tool_result":
				if !slices.Contains(open, b.ToolUseID) {
					return r, fmt.Errorf("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", i, b.ToolUseID)
				}
				answered = append(answered, b.ToolUseID)
				m.Results = append(m.Results, Result{ID: b.ToolUseID, Text: flat(b.Content), Error: b.IsError})
			}
		}
		for _, id := range open {
			if !slices.Contains(answered, id) {
				return r, fmt.Errorf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s", i, id)
			}
		}
		open = called
		m.Text = strings.Join(texts, "\n")
		r.Messages = append(r.Messages, m)
	}
	switch {
	case q.Model == "":
		return r, fmt.Errorf("model: Field required")
	case len(q.Messages) == 0:
		return r, fmt.Errorf("messages: at least one message is required")
	case q.Messages[0].Role != "user":
		return r, fmt.Errorf("messages: first message must use the \"user\" role")
	case len(open) > 0:
		return r, fmt.Errorf("messages: the last message calls tools: %s", strings.Join(open, ", "))
	}
	return r, nil
}

// read checks a request's headers and reads its body. ok is false when the
// request was refused.
func (m *Model) read(w http.ResponseWriter, r *http.Request) (q messagesRequest, raw []byte, ok bool) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return q, nil, false // the agent is gone
	}
	switch {
	case key(r) != Key:
		m.anthropicError(w, http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
	case r.Header.Get("Anthropic-Version") == "":
		m.anthropicError(w, http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required")
	case json.Unmarshal(raw, &q) != nil:
		m.anthropicError(w, http.StatusBadRequest, "invalid_request_error", "the body is no JSON")
	default:
		return q, raw, true
	}
	return q, nil, false
}

func (m *Model) anthropic(w http.ResponseWriter, r *http.Request) {
	q, raw, ok := m.read(w, r)
	if !ok {
		return
	}
	request, err := q.request(raw)
	if err == nil && q.MaxTokens < 1 {
		err = fmt.Errorf("max_tokens: Field required")
	}
	if err != nil {
		m.anthropicError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	answer := m.take(request, "toolu_")
	if answer.Status != 0 {
		kind := map[int]string{http.StatusTooManyRequests: "rate_limit_error", 529: "overloaded_error", http.StatusUnauthorized: "authentication_error"}[answer.Status]
		if kind == "" {
			kind = "api_error"
		}
		retryAfter(w, answer)
		write(w, answer.Status, anthropicFailure(kind, answer.Text))
		return
	}
	stop := "end_turn"
	if len(answer.Calls) > 0 {
		stop = "tool_use"
	}
	usage := map[string]any{"input_tokens": len(raw)/4 + 1, "output_tokens": len(answer.Text)/4 + 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message := map[string]any{"id": "msg_" + number(len(m.Requests())), "type": "message", "role": "assistant", "model": q.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !q.Stream {
		message["content"], message["stop_reason"] = anthropicContent(answer), stop
		write(w, http.StatusOK, message)
		return
	}
	s := newStream(w, r)
	named := func(name string, v map[string]any) {
		v["type"] = name
		s.event(name, v)
	}
	named("message_start", map[string]any{"message": message})
	named("ping", map[string]any{})
	index := 0
	part := func(start map[string]any, deltas ...map[string]any) {
		named("content_block_start", map[string]any{"index": index, "content_block": start})
		for _, delta := range deltas {
			named("content_block_delta", map[string]any{"index": index, "delta": delta})
		}
		named("content_block_stop", map[string]any{"index": index})
		index++
	}
	if answer.Thinking != "" {
		var deltas []map[string]any
		for _, piece := range pieces(answer.Thinking) {
			deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": piece})
		}
		deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": "c2lnbmVk"})
		part(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if answer.Text != "" || len(answer.Calls) == 0 {
		var deltas []map[string]any
		for _, piece := range pieces(answer.Text) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
		part(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	s.hold(answer)
	for _, c := range answer.Calls {
		var deltas []map[string]any
		for _, piece := range pieces(encoded(c.Input)) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
		}
		part(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}, deltas...)
	}
	named("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	named("message_stop", map[string]any{})
}

// anthropicContent makes the content of a complete turn.
func anthropicContent(answer Reply) []any {
	content := []any{}
	if answer.Thinking != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": answer.Thinking, "signature": "c2lnbmVk"})
	}
	if answer.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": answer.Text})
	}
	for _, c := range answer.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input})
	}
	return content
}

func (m *Model) countTokens(w http.ResponseWriter, r *http.Request) {
	if _, raw, ok := m.read(w, r); ok {
		write(w, http.StatusOK, map[string]any{"input_tokens": len(raw)/4 + 1})
	}
}

func anthropicFailure(kind, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

// anthropicError answers a request with an error.
func (m *Model) anthropicError(w http.ResponseWriter, status int, kind, message string) {
	m.refuse(strconv.Itoa(status) + " " + message)
	write(w, status, anthropicFailure(kind, message))
}
