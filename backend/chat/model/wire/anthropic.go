package wire

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// anthropicMaxTokens is the most tokens of one answer. The format requires a
// number, and every model that is still served accepts this one.
const anthropicMaxTokens = 8192

type anthropicMessage struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

// anthropicBlock is a content block of a request.
type anthropicBlock struct {
	Type         string           `json:"type"`
	Text         string           `json:"text,omitempty"`
	Source       *anthropicSource `json:"source,omitempty"`
	ID           string           `json:"id,omitempty"`
	Name         string           `json:"name,omitempty"`
	Input        json.RawMessage  `json:"input,omitempty"`
	ToolUseID    string           `json:"tool_use_id,omitempty"`
	Content      []anthropicBlock `json:"content,omitempty"`
	IsError      bool             `json:"is_error,omitempty"`
	CacheControl *anthropicCache  `json:"cache_control,omitempty"`
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type anthropicCache struct {
	Type string `json:"type"`
}

// anthropicRequest returns the body of POST /messages. The system prompt, the
// tools and all earlier messages are the same in the next request, so they are
// marked for the provider's cache.
func anthropicRequest(r Request) any {
	cache := &anthropicCache{"ephemeral"}
	messages := make([]anthropicMessage, 0, len(r.Messages))
	for i, m := range r.Messages {
		content := anthropicContent(m)
		if last := len(content) - 1; i == len(r.Messages)-1 && last >= 0 {
			if block, ok := content[last].(anthropicBlock); ok {
				block.CacheControl = cache
				content[last] = block
			}
		}
		role := "user"
		if m.Role == Assistant {
			role = "assistant"
		}
		// Results and the text after them are one message of the user.
		if n := len(messages); n > 0 && messages[n-1].Role == role {
			messages[n-1].Content = append(messages[n-1].Content, content...)
			continue
		}
		messages = append(messages, anthropicMessage{Role: role, Content: content})
	}
	body := map[string]any{
		"model": r.Model, "max_tokens": anthropicMaxTokens, "stream": true, "messages": messages,
		"system": []anthropicBlock{{Type: "text", Text: r.System, CacheControl: cache}},
	}
	if len(r.Tools) > 0 {
		tools := make([]any, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = map[string]any{"name": t.Name, "description": t.About, "input_schema": t.Schema}
		}
		body["tools"] = tools
	}
	return body
}

func anthropicContent(m Message) []any {
	var out []any
	if m.Role == Assistant && len(m.Calls) > 0 {
		for _, block := range m.Thinking.Blocks {
			out = append(out, block)
		}
	}
	for _, p := range m.Images {
		out = append(out, anthropicImage(p))
	}
	// The API refuses a text that has only spaces.
	if strings.TrimSpace(m.Text) != "" {
		out = append(out, anthropicBlock{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		out = append(out, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Input})
	}
	for _, result := range m.Results {
		block := anthropicBlock{Type: "tool_result", ToolUseID: result.ID, IsError: result.Failed}
		if strings.TrimSpace(result.Text) != "" {
			block.Content = append(block.Content, anthropicBlock{Type: "text", Text: result.Text})
		}
		for _, p := range result.Images {
			block.Content = append(block.Content, anthropicImage(p))
		}
		out = append(out, block)
	}
	return out
}

func anthropicImage(p Image) anthropicBlock {
	return anthropicBlock{Type: "image", Source: &anthropicSource{Type: "base64", MediaType: p.Mime, Data: base64.StdEncoding.EncodeToString(p.Data)}}
}

type anthropicEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage anthropicUsage `json:"usage"`
	} `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *anthropicUsage `json:"usage"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type anthropicUsage struct {
	Input        int `json:"input_tokens"`
	Output       int `json:"output_tokens"`
	CacheWritten int `json:"cache_creation_input_tokens"`
	CacheRead    int `json:"cache_read_input_tokens"`
}

// anthropicReader reads a stream of events.
type anthropicReader struct {
	said   func(Piece)
	blocks []*anthropicGrowing
	usage  *Usage
	stop   string
	whole  bool
}

// anthropicGrowing is a block of the answer that is being received.
type anthropicGrowing struct {
	index     int
	kind      string
	raw       json.RawMessage // as it was when it began
	id, name  string
	text      strings.Builder // the text, or the arguments of a call
	signature strings.Builder
}

func (r *anthropicReader) take(data []byte) error {
	var e anthropicEvent
	if json.Unmarshal(data, &e) != nil || e.Type == "" {
		return ErrForeign
	}
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		r.usage = &Usage{Input: u.Input + u.CacheWritten + u.CacheRead, Output: u.Output}
	case "content_block_start":
		return r.begin(e)
	case "content_block_delta":
		r.delta(e)
	case "message_delta":
		if e.Delta.StopReason != "" {
			r.stop = e.Delta.StopReason
		}
		if e.Usage != nil && r.usage != nil {
			r.usage.Output = e.Usage.Output
		}
	case "message_stop":
		r.whole = true
		return errWhole
	case "error":
		return &Failure{Message: e.Error.Message, Busy: e.Error.Type == "overloaded_error" || e.Error.Type == "rate_limit_error"}
	}
	return nil // a ping, or an event of a later version
}

func (r *anthropicReader) begin(e anthropicEvent) error {
	var block struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		Name     string `json:"name"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	}
	if json.Unmarshal(e.ContentBlock, &block) != nil {
		return ErrForeign
	}
	g := &anthropicGrowing{index: e.Index, kind: block.Type, raw: slices.Clone(e.ContentBlock), id: block.ID, name: block.Name}
	r.blocks = append(r.blocks, g)
	r.grow(g, block.Text+block.Thinking)
	return nil
}

// grow adds text to a block and passes it on.
func (r *anthropicReader) grow(g *anthropicGrowing, text string) {
	if text == "" {
		return
	}
	g.text.WriteString(text)
	r.said(Piece{Text: text, Thought: g.kind == "thinking"})
}

func (r *anthropicReader) delta(e anthropicEvent) {
	i := slices.IndexFunc(r.blocks, func(g *anthropicGrowing) bool { return g.index == e.Index })
	if i < 0 {
		return
	}
	g := r.blocks[i]
	switch e.Delta.Type {
	case "text_delta":
		r.grow(g, e.Delta.Text)
	case "thinking_delta":
		r.grow(g, e.Delta.Thinking)
	case "signature_delta":
		g.signature.WriteString(e.Delta.Signature)
	case "input_json_delta":
		g.text.WriteString(e.Delta.PartialJSON)
	}
}

func (r *anthropicReader) answer() (Answer, bool) {
	a := Answer{Message: Message{Role: Assistant}, Stop: StopDone, Usage: r.usage}
	for _, g := range r.blocks {
		switch g.kind {
		case "text":
			a.Text += g.text.String()
		case "tool_use":
			c := Call{ID: g.id, Name: g.name}
			c.Input, c.Broken = object(g.text.String())
			a.Calls = append(a.Calls, c)
		case "thinking":
			// A map of strings can always be encoded.
			block, _ := json.Marshal(map[string]string{"type": "thinking", "thinking": g.text.String(), "signature": g.signature.String()}) //nolint:errchkjson // see above
			a.Thinking.Blocks = append(a.Thinking.Blocks, block)
		case "redacted_thinking":
			a.Thinking.Blocks = append(a.Thinking.Blocks, g.raw)
		}
	}
	switch {
	case r.stop == "max_tokens" || r.stop == "model_context_window_exceeded":
		a.Stop = StopLength
	case r.stop == "refusal":
		a.Stop = StopRefused
	case len(a.Calls) > 0:
		a.Stop = StopCalls
	}
	return a, r.whole
}
