package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

type openaiMessage struct {
	Role string `json:"role"`
	// Content is a string, or a list of openaiPart; null if there are only
	// calls.
	Content          any          `json:"content"`
	ReasoningContent string       `json:"reasoning_content,omitempty"`
	ToolCalls        []openaiCall `json:"tool_calls,omitempty"`
	ToolCallID       string       `json:"tool_call_id,omitempty"`
}

type openaiPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	ImageURL *openaiImageURL `json:"image_url,omitempty"`
}

type openaiImageURL struct {
	URL string `json:"url"`
}

type openaiCall struct {
	Index    *int   `json:"index,omitempty"` // only in an answer
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"` // Google's
}

// openaiRequest returns the body of POST /chat/completions.
func openaiRequest(r Request) any {
	messages := []openaiMessage{{Role: "system", Content: r.System}}
	for _, m := range r.Messages {
		messages = append(messages, openaiMessages(m)...)
	}
	body := map[string]any{"model": r.Model, "messages": messages, "stream": true}
	// Mistral refuses the field, and reports the usage without it.
	if r.Provider != protocol.LLMMistral {
		body["stream_options"] = map[string]bool{"include_usage": true}
	}
	if len(r.Tools) > 0 {
		tools := make([]any, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.About, "parameters": t.Schema}}
		}
		body["tools"] = tools
	}
	return body
}

// openaiMessages converts one of our messages. Each result becomes a message. A
// result cannot contain images, so the images of all results follow after the
// last one.
func openaiMessages(m Message) []openaiMessage {
	switch m.Role {
	case Results:
		var out []openaiMessage
		var pictures []Image
		for _, result := range m.Results {
			out = append(out, openaiMessage{Role: "tool", ToolCallID: result.ID, Content: result.Text})
			pictures = append(pictures, result.Images...)
		}
		if len(pictures) > 0 {
			out = append(out, openaiMessage{Role: "user", Content: openaiContent("The pictures that the tools took:", pictures)})
		}
		return out
	case Assistant:
		out := openaiMessage{Role: "assistant", Content: m.Text}
		if len(m.Calls) > 0 {
			out.ReasoningContent = m.Thinking.Text
			if m.Text == "" {
				out.Content = nil
			}
		}
		for _, c := range m.Calls {
			call := openaiCall{ID: c.ID, Type: "function", ExtraContent: c.Extra}
			call.Function.Name, call.Function.Arguments = c.Name, string(c.Input)
			out.ToolCalls = append(out.ToolCalls, call)
		}
		return []openaiMessage{out}
	case User:
	}
	return []openaiMessage{{Role: "user", Content: openaiContent(m.Text, m.Images)}}
}

// openaiContent returns a plain text, or a list of parts if there are images.
// Servers without image support accept only a plain text.
func openaiContent(text string, pictures []Image) any {
	if len(pictures) == 0 {
		return text
	}
	parts := []openaiPart{{Type: "text", Text: text}}
	for _, p := range pictures {
		url := fmt.Sprintf("data:%s;base64,%s", p.Mime, base64.StdEncoding.EncodeToString(p.Data))
		parts = append(parts, openaiPart{Type: "image_url", ImageURL: &openaiImageURL{URL: url}})
	}
	return parts
}

type openaiChunk struct {
	Choices []struct {
		Delta        openaiDelta `json:"delta"`
		FinishReason string      `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type openaiDelta struct {
	// Content is a string; Mistral's reasoning models send a list.
	Content json.RawMessage `json:"content"`
	Refusal string          `json:"refusal"`
	// The reasoning: DeepSeek, llama.cpp and others use the first name,
	// OpenRouter and Ollama the second.
	ReasoningContent string       `json:"reasoning_content"`
	Reasoning        string       `json:"reasoning"`
	ToolCalls        []openaiCall `json:"tool_calls"`
}

// openaiReader reads a stream of chunks.
type openaiReader struct {
	said   func(Piece)
	text   strings.Builder
	back   strings.Builder // reasoning that has to be sent back
	calls  []*growing
	finish string
	usage  *Usage
}

// growing is a call whose arguments arrive in pieces.
type growing struct {
	index    int
	id, name string
	input    strings.Builder
	extra    json.RawMessage
}

func (r *openaiReader) take(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
		return errWhole
	}
	var chunk openaiChunk
	if json.Unmarshal(data, &chunk) != nil {
		return ErrForeign
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return openaiFailure(chunk.Error)
	}
	if chunk.Usage != nil {
		r.usage = &Usage{Input: chunk.Usage.Input, Output: chunk.Usage.Output}
	}
	for _, c := range chunk.Choices {
		r.delta(c.Delta)
		if c.FinishReason != "" {
			r.finish = c.FinishReason
		}
	}
	return nil
}

func (r *openaiReader) delta(d openaiDelta) {
	r.back.WriteString(d.ReasoningContent)
	if d.Reasoning == "" {
		d.Reasoning = d.ReasoningContent
	}
	text, thought := openaiText(d.Content)
	if thought += d.Reasoning; thought != "" {
		r.said(Piece{Text: thought, Thought: true})
	}
	if text += d.Refusal; text != "" {
		r.text.WriteString(text)
		r.said(Piece{Text: text})
	}
	for _, c := range d.ToolCalls {
		g := r.call(c)
		if g.id == "" {
			g.id = c.ID
		}
		if g.name == "" {
			g.name = c.Function.Name
		}
		g.input.WriteString(c.Function.Arguments)
		if len(c.ExtraContent) > 0 {
			g.extra = c.ExtraContent
		}
	}
}

// call returns the call that a piece belongs to. Some servers send no index,
// and some send the same index for every call; there the id distinguishes the
// calls.
func (r *openaiReader) call(c openaiCall) *growing {
	index := len(r.calls) - 1
	if c.Index != nil {
		index = *c.Index
	}
	at := -1
	for i, g := range slices.Backward(r.calls) {
		if g.index == index {
			at = i
			break
		}
	}
	if at >= 0 && (c.ID == "" || c.ID == r.calls[at].id || r.calls[at].id == "") {
		return r.calls[at]
	}
	if c.Index == nil {
		index = len(r.calls)
	}
	g := &growing{index: index}
	r.calls = append(r.calls, g)
	return g
}

// openaiText reads a content: a string, or Mistral's list of text and thinking.
func openaiText(raw json.RawMessage) (text, thought string) {
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text, ""
	}
	var parts []struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", ""
	}
	for _, p := range parts {
		text += p.Text
		if len(p.Thinking) > 0 {
			said, _ := openaiText(p.Thinking)
			thought += said
		}
	}
	return text, thought
}

func (r *openaiReader) answer() (Answer, bool) {
	a := Answer{Message: Message{Role: Assistant, Text: r.text.String(), Thinking: Thinking{Text: r.back.String()}}, Stop: StopDone, Usage: r.usage}
	for i, g := range r.calls {
		c := Call{ID: g.id, Name: g.name, Extra: g.extra}
		if c.ID == "" {
			c.ID = fmt.Sprintf("call%05d", i+1)
		}
		c.Input, c.Broken = object(strings.TrimSpace(g.input.String()))
		a.Calls = append(a.Calls, c)
	}
	switch {
	case r.finish == "length":
		a.Stop = StopLength
	case r.finish == "content_filter":
		a.Stop = StopRefused
	case len(a.Calls) > 0:
		a.Stop = StopCalls
	}
	return a, r.finish != ""
}

func openaiFailure(raw json.RawMessage) error {
	var e struct {
		Message string `json:"message"`
	}
	var flat string
	switch {
	case json.Unmarshal(raw, &e) == nil && e.Message != "":
		return &Failure{Message: e.Message}
	case json.Unmarshal(raw, &flat) == nil && flat != "":
		return &Failure{Message: flat}
	}
	return &Failure{Message: "it gave no reason"}
}
