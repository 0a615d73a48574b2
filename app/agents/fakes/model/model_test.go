package model_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
)

// send posts a body and returns status and answer.
func send(t *testing.T, url, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// events returns the data of a stream's events.
func events(t *testing.T, stream string) (list []map[string]any) {
	t.Helper()
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		list = append(list, v)
	}
	return list
}

func script() model.Script {
	return model.Steps(
		model.Reply{Thinking: "Tabs, then.", Text: "I look at your tabs.", Calls: []model.Call{{Name: "browser_tabs", Input: map[string]any{"do": "list of all the tabs"}}}},
		model.Reply{Text: "One tab: ü."},
	)
}

func TestAnthropicStream(t *testing.T) {
	m := model.New(script())
	defer m.Close()
	const tools = `"tools":[{"name":"browser_tabs","input_schema":{"type":"object"}}]`
	status, text := send(t, m.URL()+"/v1/messages", model.Key, `{"model":"x","max_tokens":9,"stream":true,`+tools+`,"messages":[{"role":"user","content":"hi"}]}`)
	var said, thought, input, stop, id string
	for _, e := range events(t, text) {
		if start, ok := e["content_block"].(map[string]any); ok && start["type"] == "tool_use" {
			id, _ = start["id"].(string)
		}
		delta, _ := e["delta"].(map[string]any)
		for name, into := range map[string]*string{"text": &said, "thinking": &thought, "partial_json": &input, "stop_reason": &stop} {
			if piece, ok := delta[name].(string); ok {
				*into += piece
			}
		}
	}
	if status != 200 || said != "I look at your tabs." || thought != "Tabs, then." || input != `{"do":"list of all the tabs"}` || stop != "tool_use" || id == "" {
		t.Errorf("%d: said %q, thought %q, input %q, stop %q, id %q", status, said, thought, input, stop, id)
	}
	// The tool's result brings the next turn, this time without streaming.
	call := `{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"browser_tabs","input":{}}]}`
	status, text = send(t, m.URL()+"/v1/messages", model.Key, `{"model":"x","max_tokens":9,`+tools+`,"messages":[`+call+`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+id+`","content":[{"type":"text","text":"t1"}]}]}]}`)
	if status != 200 || !strings.Contains(text, "One tab: ü.") || !strings.Contains(text, "end_turn") {
		t.Errorf("%d %s", status, text)
	}
	got := m.Requests()
	if len(got) != 2 || got[1].Messages[2].Results[0].Text != "t1" || got[0].Tools[0] != "browser_tabs" {
		t.Errorf("%+v", got)
	}
	// What the hosted API refuses is refused here, too.
	for body, why := range map[string]string{
		`{"model":"x","max_tokens":9,"messages":[` + call + `]}`:                               "calls tools",
		`{"model":"x","max_tokens":9,"messages":[` + call + `,{"role":"user","content":"?"}]}`: "without `tool_result`",
		`{"model":"x","max_tokens":9,"messages":[]}`:                                           "at least one",
		`{"model":"x","messages":[{"role":"user","content":"hi"}]}`:                            "max_tokens",
	} {
		if status, text := send(t, m.URL()+"/v1/messages", model.Key, body); status != 400 || !strings.Contains(text, why) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if status, _ := send(t, m.URL()+"/v1/messages", "another", `{}`); status != 401 {
		t.Errorf("another key: %d", status)
	}
	if len(m.Refused()) != 5 {
		t.Errorf("refused: %q", m.Refused())
	}
}

func TestOpenAIStream(t *testing.T) {
	m := model.New(script())
	defer m.Close()
	const tools = `"tools":[{"type":"function","function":{"name":"browser_tabs"}}]`
	url := m.OpenAIURL() + "/chat/completions"
	status, text := send(t, url, model.Key, `{"model":"x","stream":true,"stream_options":{"include_usage":true},`+tools+`,"messages":[{"role":"system","content":"be short"},{"role":"user","content":"hi"}]}`)
	var said, input, id, finish string
	usage := false
	for _, e := range events(t, text) {
		usage = usage || e["usage"] != nil
		choices, _ := e["choices"].([]any)
		for _, c := range choices {
			choice, _ := c.(map[string]any)
			if f, ok := choice["finish_reason"].(string); ok {
				finish = f
			}
			delta, _ := choice["delta"].(map[string]any)
			if piece, ok := delta["content"].(string); ok {
				said += piece
			}
			calls, _ := delta["tool_calls"].([]any)
			for _, one := range calls {
				call, _ := one.(map[string]any)
				if got, ok := call["id"].(string); ok {
					id = got
				}
				function, _ := call["function"].(map[string]any)
				if piece, ok := function["arguments"].(string); ok {
					input += piece
				}
			}
		}
	}
	if status != 200 || said != "I look at your tabs." || input != `{"do":"list of all the tabs"}` || finish != "tool_calls" || id == "" || !usage || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Errorf("%d: said %q, input %q, finish %q, id %q, usage %v", status, said, input, finish, id, usage)
	}
	call := `{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"browser_tabs","arguments":"{}"}}]}`
	status, text = send(t, url, model.Key, `{"model":"x",`+tools+`,"messages":[`+call+`,{"role":"tool","tool_call_id":"`+id+`","content":"t1"}]}`)
	if status != 200 || !strings.Contains(text, "One tab: ü.") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := send(t, url, model.Key, `{"model":"x","messages":[`+call+`]}`); status != 400 {
		t.Errorf("%d %s", status, text)
	}
}

// Agents must survive a stream that is cut, one that hangs, and an error.
func TestFaults(t *testing.T) {
	hold := make(chan struct{})
	m := model.New(func(r model.Request) model.Reply {
		switch r.Messages[0].Text {
		case "cut":
			return model.Reply{Text: "half of", Cut: true}
		case "hold":
			return model.Reply{Text: "slow", Hold: hold}
		}
		return model.Reply{Status: 529, Text: "Overloaded"}
	})
	defer m.Close()
	ask := func(text string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.URL()+"/v1/messages", strings.NewReader(`{"model":"x","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"`+text+`"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", model.Key)
		req.Header.Set("Anthropic-Version", "2023-06-01")
		return http.DefaultClient.Do(req)
	}
	resp, err := ask("cut")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err == nil || !strings.Contains(string(text), "half of") {
		t.Errorf("%v: %s", err, text)
	}
	resp, err = ask("hold")
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 64)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	close(hold)
	text, err = io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(text), "message_stop") {
		t.Errorf("%v: %s", err, text)
	}
	resp, err = ask("overload")
	if err != nil {
		t.Fatal(err)
	}
	text, _ = io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 529 || !strings.Contains(string(text), "overloaded_error") {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}
