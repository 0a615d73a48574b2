package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// geminiRequest is the part of the body of POST
// /v1beta/models/MODEL:generateContent and :streamGenerateContent that we need.
type geminiRequest struct {
	Contents []geminiContent `json:"contents"`
	System   geminiContent   `json:"systemInstruction"`
	Tools    []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
		Call *struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
		Response *struct {
			ID       string          `json:"id"`
			Name     string          `json:"name"`
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

// request converts to the common Request, or returns what is wrong.
func (q geminiRequest) request(model string, stream bool, raw json.RawMessage) (Request, error) {
	r := Request{API: Gemini, Model: model, Stream: stream, Raw: raw}
	for _, p := range q.System.Parts {
		r.System += p.Text
	}
	for _, t := range q.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	calls := 0 // calls of the message before
	for i, c := range q.Contents {
		m := Message{Role: "user"}
		if c.Role == "model" {
			m.Role = "assistant"
		}
		for _, p := range c.Parts {
			m.Text += p.Text
			if p.Call != nil {
				m.Calls = append(m.Calls, Call{ID: p.Call.ID, Name: p.Call.Name, Input: p.Call.Args})
			}
			if p.Response != nil {
				m.Results = append(m.Results, Result{ID: p.Response.ID, Text: string(p.Response.Response), Error: strings.Contains(string(p.Response.Response), `"error"`)})
			}
		}
		if len(c.Parts) == 0 {
			return r, fmt.Errorf("contents[%d].parts: must not be empty", i)
		}
		if calls != len(m.Results) {
			return r, fmt.Errorf("contents[%d]: the number of function response parts must be equal to the number of function call parts of the function call turn", i)
		}
		calls = len(m.Calls)
		r.Messages = append(r.Messages, m)
	}
	switch {
	case len(q.Contents) == 0:
		return r, fmt.Errorf("contents is not specified")
	case calls > 0:
		return r, fmt.Errorf("the last function call has no response")
	}
	return r, nil
}

func (m *Model) gemini(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent is gone
	}
	name, method, _ := strings.Cut(r.PathValue("call"), ":")
	if r.Header.Get("X-Goog-Api-Key") != Key {
		m.geminiError(w, http.StatusForbidden, "API key not valid. Please pass a valid API key.")
		return
	}
	if method == "countTokens" {
		write(w, http.StatusOK, map[string]any{"totalTokens": len(raw)/4 + 1})
		return
	}
	var q geminiRequest
	if json.Unmarshal(raw, &q) != nil {
		m.geminiError(w, http.StatusBadRequest, "Invalid JSON payload received.")
		return
	}
	request, err := q.request(name, method == "streamGenerateContent", raw)
	if err != nil {
		m.geminiError(w, http.StatusBadRequest, err.Error())
		return
	}
	answer := m.take(request, "fc_")
	if answer.Status != 0 {
		write(w, answer.Status, geminiFailure(answer.Status, answer.Text))
		return
	}
	in, out := len(raw)/4+1, len(answer.Text)/4+1
	chunk := func(finish string, parts ...any) map[string]any {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return map[string]any{
			"candidates": []any{candidate}, "modelVersion": name, "responseId": number(len(m.Requests())),
			"usageMetadata": map[string]any{"promptTokenCount": in, "candidatesTokenCount": out, "totalTokenCount": in + out},
		}
	}
	var calls []any
	for _, c := range answer.Calls {
		calls = append(calls, map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Name, "args": c.Input}})
	}
	if !request.Stream {
		write(w, http.StatusOK, chunk("STOP", append([]any{map[string]any{"text": answer.Text}}, calls...)...))
		return
	}
	s := newStream(w, r)
	if answer.Thinking != "" {
		s.event("", chunk("", map[string]any{"text": answer.Thinking, "thought": true}))
	}
	for _, piece := range pieces(answer.Text) {
		s.event("", chunk("", map[string]any{"text": piece}))
	}
	s.hold(answer)
	if len(calls) == 0 {
		calls = []any{map[string]any{"text": ""}}
	}
	s.event("", chunk("STOP", calls...))
}

func geminiFailure(status int, message string) map[string]any {
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": "INVALID_ARGUMENT"}}
}

// geminiError answers a request with an error.
func (m *Model) geminiError(w http.ResponseWriter, status int, message string) {
	m.refuse(fmt.Sprint(status, " ", message))
	write(w, status, geminiFailure(status, message))
}
