package llm

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pilotfish/backend/protocol"
)

// everywhere responds for every provider, and records the requests.
type everywhere struct {
	mu     sync.Mutex
	asked  []*http.Request
	answer map[string]string // by host; without an entry OpenAI's empty response, "-" for no server
}

// RoundTrip answers a request.
func (e *everywhere) RoundTrip(req *http.Request) (*http.Response, error) {
	e.mu.Lock()
	e.asked = append(e.asked, req)
	e.mu.Unlock()
	body, ok := e.answer[req.URL.Host]
	switch {
	case body == "-":
		return nil, errors.New("connection refused")
	case !ok:
		body = `{"object":"list","data":[{"id":"m"}],"choices":[{"message":{"tool_calls":[{}]}}],"content":[{"type":"tool_use"}]}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func (e *everywhere) manager(t *testing.T) *Manager {
	t.Helper()
	m, err := New(Config{Path: filepath.Join(t.TempDir(), "m.json"), Transport: e, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Each provider is reached at its own address, in its own format, with the key
// in its own header.
func TestEachProvidersShape(t *testing.T) {
	bearer := map[string]string{"Authorization": "Bearer " + secret}
	for _, c := range []struct {
		provider protocol.LLMProvider
		url      string
		chat     string
		models   string // empty: it has no list of models
		headers  map[string]string
	}{
		{protocol.LLMAnthropic, "", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/models?limit=1000", map[string]string{"X-Api-Key": secret, "Anthropic-Version": "2023-06-01"}},
		{protocol.LLMAnthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/models?limit=1000", nil},
		{protocol.LLMOpenAI, "", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models", bearer},
		{protocol.LLMOpenAI, "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models", bearer},
		{protocol.LLMGoogle, "", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "https://generativelanguage.googleapis.com/v1beta/openai/models", bearer},
		{protocol.LLMGoogle, "https://generativelanguage.googleapis.com/v1beta", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "https://generativelanguage.googleapis.com/v1beta/openai/models", bearer},
		{protocol.LLMAzure, "https://mine.openai.azure.com/", "https://mine.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21", "", map[string]string{"Api-Key": secret}},
		{protocol.LLMAzure, "https://mine.openai.azure.com/openai/deployments/other/chat/completions?api-version=2025-01-01-preview", "https://mine.openai.azure.com/openai/deployments/other/chat/completions?api-version=2025-01-01-preview", "", map[string]string{"Api-Key": secret}},
		{protocol.LLMAzure, "https://mine.openai.azure.com/openai/v1", "https://mine.openai.azure.com/openai/v1/chat/completions", "https://mine.openai.azure.com/openai/v1/models", map[string]string{"Api-Key": secret}},
		{protocol.LLMOpenRouter, "", "https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1/models", bearer},
		{protocol.LLMMistral, "", "https://api.mistral.ai/v1/chat/completions", "https://api.mistral.ai/v1/models", bearer},
		{protocol.LLMGroq, "", "https://api.groq.com/openai/v1/chat/completions", "https://api.groq.com/openai/v1/models", bearer},
		{protocol.LLMDeepSeek, "", "https://api.deepseek.com/v1/chat/completions", "https://api.deepseek.com/v1/models", bearer},
		{protocol.LLMQwen, "", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/models", bearer},
		{protocol.LLMCompatible, "https://models.example/v1", "https://models.example/v1/chat/completions", "https://models.example/v1/models", bearer},
		{protocol.LLMOllama, "", "http://127.0.0.1:11434/v1/chat/completions", "http://127.0.0.1:11434/v1/models", nil},
		{protocol.LLMLMStudio, "", "http://127.0.0.1:1234/v1/chat/completions", "http://127.0.0.1:1234/v1/models", nil},
		{protocol.LLMLlamaCpp, "", "http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/models", nil},
	} {
		net := &everywhere{}
		m := net.manager(t)
		state, err := m.Save(t.Context(), protocol.LLMSaveRequest{Profile: protocol.LLMProfile{Provider: c.provider, URL: c.url, Model: "m"}, Key: new(string(secret))})
		if err != nil {
			t.Fatal(err)
		}
		id := state.Profiles[0].ID
		if v := m.Test(t.Context(), id); !v.OK {
			t.Errorf("%s %s: %+v", c.provider, c.url, v)
		}
		asked := net.asked[0]
		if got := asked.URL.String(); got != c.chat {
			t.Errorf("%s %s: asked at %s, want %s", c.provider, c.url, got, c.chat)
		}
		for name, want := range c.headers {
			if got := asked.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", c.provider, name, got)
			}
		}
		list, err := m.Models(t.Context(), id)
		switch e := protocol.AsError(err); {
		case c.models == "":
			if e == nil || !strings.Contains(e.Message, "lists no deployments") || len(net.asked) != 1 {
				t.Errorf("%s: models %v, %v", c.provider, list, err)
			}
		case err != nil || len(list) != 1 || net.asked[1].URL.String() != c.models:
			t.Errorf("%s: models %v, %v, asked at %s", c.provider, list, err, net.asked[1].URL)
		}
	}
}

// Model servers on this machine are found if they answer as such, and nothing
// else is requested.
func TestLocalServersAreFound(t *testing.T) {
	net := &everywhere{answer: map[string]string{
		"127.0.0.1:11434": `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3"}]}`,
		"127.0.0.1:1234":  "-",
		"127.0.0.1:8080":  `{"hello":"I am another server"}`,
	}}
	m := net.manager(t)
	if len(net.asked) != 0 {
		t.Errorf("asked %d times before anybody wanted to know", len(net.asked))
	}
	found := m.Local(context.Background())
	if len(found) != 1 || found[0].Provider != protocol.LLMOllama || len(found[0].Models) != 2 || found[0].Models[0].ID != "llama3" {
		t.Errorf("found %+v", found)
	}
}
