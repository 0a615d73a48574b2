package model

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Key is the only API key that a Model accepts.
const Key = "sk-fake-model"

// The APIs that a Model speaks.
const (
	Anthropic = "anthropic" // POST /v1/messages
	OpenAI    = "openai"    // POST /v1/chat/completions
	Gemini    = "gemini"    // POST /v1beta/models/MODEL:streamGenerateContent
)

// Request is a request of an agent, in the same form for every API.
type Request struct {
	API      string
	Model    string
	System   string
	Messages []Message
	// Tools are the names of the tools that the agent offers, in the agent's
	// order.
	Tools []string
	// Stream is true when the agent wants the reply as a stream.
	Stream bool
	// Raw is the unchanged body.
	Raw json.RawMessage
}

// Message is one message of a conversation.
type Message struct {
	Role string // user, assistant; for OpenAI also system and tool
	Text string
	// Calls are the tool calls of an assistant message.
	Calls []Call
	// Results are the results of tools.
	Results []Result
}

// Call is one tool call. ID may be empty in a script; the Model then sets one.
type Call struct {
	ID    string
	Name  string
	Input any
}

// Result is the result of a tool call.
type Result struct {
	ID    string
	Text  string
	Error bool
}

// Reply is one turn of the model.
type Reply struct {
	Thinking string // comes before the text; not in Gemini's API
	Text     string
	Calls    []Call
	// Hold keeps a stream open after its text until the channel is closed or the
	// agent disconnects.
	Hold <-chan struct{}
	// Cut closes the connection in the middle of the stream, like a network
	// failure.
	Cut bool
	// Status is an HTTP error instead of a turn, such as 429 or 529, with Text as
	// its message. RetryAfter is the Retry-After header, in seconds.
	Status     int
	RetryAfter string
}

// Script answers requests. It is called from several goroutines.
type Script func(Request) Reply

// Steps returns a Script that answers with the turns in order. The number of
// assistant messages since the last user message (tool results do not count)
// selects the turn. It keeps no state, so a repeated request gets the same
// answer. After the last turn it answers "done".
//
// Agents also make requests for other purposes, such as a title. Those offer no
// tools, and get a short text when the first turn calls a tool.
func Steps(turns ...Reply) Script {
	return func(r Request) Reply {
		if len(r.Tools) == 0 && len(turns) > 0 && len(turns[0].Calls) > 0 {
			return Reply{Text: "A test"}
		}
		said := 0
		for _, m := range slices.Backward(r.Messages) {
			if m.Role == "user" && len(m.Results) == 0 {
				break
			}
			if m.Role == "assistant" {
				said++
			}
		}
		if said >= len(turns) {
			return Reply{Text: "done"}
		}
		return turns[said]
	}
}

// Model is the server. It is safe for concurrent use.
type Model struct {
	server *httptest.Server
	script Script

	mu       sync.Mutex
	requests []Request
	refused  []string
	calls    int
}

// New starts a Model that answers as script says. The caller must call Close.
func New(script Script) *Model {
	m := &Model{script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.anthropic)
	mux.HandleFunc("POST /v1/messages/count_tokens", m.countTokens)
	mux.HandleFunc("POST /v1/chat/completions", m.openAI)
	mux.HandleFunc("POST /v1beta/models/{call}", m.gemini)
	mux.HandleFunc("GET /v1/models", m.models)
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	m.server = httptest.NewServer(mux)
	return m
}

// Close stops the server and closes its connections.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// URL is the base URL of the server, for ANTHROPIC_BASE_URL. OpenAI clients need
// OpenAIURL.
func (m *Model) URL() string { return m.server.URL }

// OpenAIURL is the base URL for OpenAI clients, for OPENAI_BASE_URL.
func (m *Model) OpenAIURL() string { return m.server.URL + "/v1" }

// Requests returns the requests that the script answered, in order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Refused returns why requests were refused. The hosted API would have refused
// them too.
func (m *Model) Refused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.refused)
}

// take records a request and returns the script's answer, with ids for its calls.
func (m *Model) take(r Request, prefix string) Reply {
	m.mu.Lock()
	m.requests = append(m.requests, r)
	m.mu.Unlock()
	answer := m.script(r)
	answer.Calls = slices.Clone(answer.Calls)
	for i := range answer.Calls {
		if answer.Calls[i].ID == "" {
			m.mu.Lock()
			m.calls++
			answer.Calls[i].ID = prefix + number(m.calls)
			m.mu.Unlock()
		}
		if answer.Calls[i].Input == nil {
			answer.Calls[i].Input = map[string]any{}
		}
	}
	return answer
}

// refuse records why a request is refused.
func (m *Model) refuse(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = append(m.refused, why)
}

// models lists one model. Requests may name any model.
func (m *Model) models(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]any{
		"object": "list", "has_more": false,
		"data": []any{map[string]any{"id": "fake-model", "type": "model", "object": "model", "owned_by": "test", "display_name": "Fake", "created": 0, "created_at": "2026-01-01T00:00:00Z"}},
	})
}

// key returns the API key of a request, from either header.
func key(r *http.Request) string {
	if k := r.Header.Get("X-Api-Key"); k != "" {
		return k
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}
