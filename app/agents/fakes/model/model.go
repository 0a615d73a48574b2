package model

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Key is the only API key that a Model takes.
const Key = "sk-fake-model"

// The APIs that a Model speaks.
const (
	Anthropic = "anthropic" // POST /v1/messages
	OpenAI    = "openai"    // POST /v1/chat/completions
	Gemini    = "gemini"    // POST /v1beta/models/MODEL:streamGenerateContent
)

// Request is what an agent asked, the same for every API.
type Request struct {
	API      string
	Model    string
	System   string
	Messages []Message
	// Tools are the names of the tools that the agent offers, in its order.
	Tools []string
	// Stream says whether the agent wants the reply in pieces.
	Stream bool
	// Raw is the body as it came.
	Raw json.RawMessage
}

// Message is one message of a conversation.
type Message struct {
	Role string // user, assistant; for OpenAI also system and tool
	Text string
	// Calls are the tools that an assistant's message calls.
	Calls []Call
	// Results are what tools answered.
	Results []Result
}

// Call is one call of a tool. ID may be empty in a script: it gets one.
type Call struct {
	ID    string
	Name  string
	Input any
}

// Result is the answer of a tool.
type Result struct {
	ID    string
	Text  string
	Error bool
}

// Reply is one turn of the model.
type Reply struct {
	Thinking string // before the text; not over Gemini's API
	Text     string
	Calls    []Call
	// Hold keeps a stream open after its text until the channel is closed or the
	// agent goes away.
	Hold <-chan struct{}
	// Cut ends the connection in the middle of the stream, as a network does.
	Cut bool
	// Status is an HTTP error instead of a turn, such as 429 or 529, with Text as
	// its message. RetryAfter says when to ask again, in seconds.
	Status     int
	RetryAfter string
}

// Script answers requests. It is called from several goroutines.
type Script func(Request) Reply

// Steps answers with the turns in their order: a request gets the one after as
// many as the model has said already since the last person's message that is no
// tool's result. It keeps no state, so that a repeated request gets the same
// answer. After the last one it says "done".
//
// The requests that agents make on the side, such as for a title, offer no tools
// and are answered with a short text when the first turn calls a tool.
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

// New starts a Model, which answers as script says. It ends with Close.
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

// Close ends the server and whatever it still sends.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// URL is the base of the server: ANTHROPIC_BASE_URL. OpenAI's clients want
// OpenAIURL.
func (m *Model) URL() string { return m.server.URL }

// OpenAIURL is the base that OpenAI's clients take: OPENAI_BASE_URL.
func (m *Model) OpenAIURL() string { return m.server.URL + "/v1" }

// Requests are those that were answered by the script, in their order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Refused says why requests were refused: what the hosted API would not have
// taken either.
func (m *Model) Refused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.refused)
}

// take keeps a request and returns the script's answer, its calls with ids.
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

// refuse notes why a request is refused.
func (m *Model) refuse(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = append(m.refused, why)
}

// models lists one model, under any name that is asked for.
func (m *Model) models(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]any{
		"object": "list", "has_more": false,
		"data": []any{map[string]any{"id": "fake-model", "type": "model", "object": "model", "owned_by": "test", "display_name": "Fake", "created": 0, "created_at": "2026-01-01T00:00:00Z"}},
	})
}

// key is the API key of a request, however it is sent.
func key(r *http.Request) string {
	if k := r.Header.Get("X-Api-Key"); k != "" {
		return k
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}
