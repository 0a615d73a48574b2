package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// modelList is the response to GET /models. All providers use OpenAI's format;
// some of them add the fields besides id.
type modelList struct {
	Data []struct {
		ID            string `json:"id"`
		Name          string `json:"name"`
		DisplayName   string `json:"display_name"`
		ContextLength int    `json:"context_length"`     // OpenRouter
		MaxContext    int    `json:"max_context_length"` // Mistral, LM Studio
		ContextWindow int    `json:"context_window"`     // Groq
	} `json:"data"`
}

// Models asks a profile's provider for its models, sorted by id.
func (m *Manager) Models(ctx context.Context, profile string) ([]protocol.LLMModel, error) {
	t, err := m.profile(ctx, profile)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, modelTestTimeout)
	defer cancel()
	return models(ctx, m.client, t)
}

func models(ctx context.Context, client *http.Client, t target) ([]protocol.LLMModel, error) {
	if err := t.listless(); err != nil {
		return nil, err
	}
	path := "/models"
	if t.info.Dialect == protocol.DialectAnthropic {
		path += "?limit=1000"
	}
	req, err := t.request(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, err
	}
	if _, query, found := strings.Cut(path, "?"); found {
		req.URL.RawQuery = query
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, t.unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModelList))
	if err != nil {
		return nil, t.unreachable(err)
	}
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s has no list of models below this address", t.base.Host), "check the address: it usually ends with /v1; where there is no list, write the model's name")
	default:
		return nil, t.refusal(res.StatusCode, body)
	}
	var list modelList
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s did not answer with a list of models", t.base.Host), "check the address: it usually ends with /v1")
	}
	if list.Data == nil {
		// Another program uses the port of a model server.
		return nil, protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s did not answer with a list of models", t.base.Host), "check the address: it usually ends with /v1")
	}
	out := make([]protocol.LLMModel, 0, len(list.Data))
	for _, one := range list.Data {
		// Google writes "models/gemini-…" and accepts the name without the
		// prefix.
		id := strings.TrimPrefix(one.ID, "models/")
		out = append(out, protocol.LLMModel{ID: id, Name: cmp.Or(one.DisplayName, one.Name), Context: max(one.ContextLength, one.MaxContext, one.ContextWindow)})
	}
	slices.SortFunc(out, func(a, b protocol.LLMModel) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// refusal returns an error for the user about a provider's error response.
func (t target) refusal(status int, body []byte) error {
	said := t.redact(reason(body))
	if said != "" {
		said = ": " + said
	}
	name := t.profile.Name
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return protocol.NewError(protocol.CodeBadKey, name+" refuses the key"+said, "enter the key again, and check that it may use this model")
	case http.StatusNotFound:
		return protocol.NewError(protocol.CodeModelSetup, fmt.Sprintf("%s has no model %q at this address%s", name, t.profile.Model, said), "choose a model from the list, and check the address")
	case http.StatusPaymentRequired:
		return protocol.NewError(protocol.CodeRefused, name+" requires payment"+said, "check your account there")
	case http.StatusTooManyRequests:
		return protocol.NewError(protocol.CodeBusy, name+" has reached its rate limit"+said, "wait a moment, or check your limits there")
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return protocol.NewError(protocol.CodeBadArgument, name+" does not accept the request"+said, "check the model's name")
	}
	return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s answered with the error %d%s", name, status, said), "try again, or choose another model")
}

// reason returns the message of a provider's error response, at most 300 bytes.
func reason(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	text := strings.TrimSpace(string(body))
	// Google wraps the object in a list.
	if json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")), &e) != nil {
		if strings.HasPrefix(text, "<") {
			return "" // an HTML page is of no use as a message
		}
		return shorten(text)
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Error, &inner) == nil && inner.Message != "" {
		return shorten(inner.Message)
	}
	var flat string
	if json.Unmarshal(e.Error, &flat) == nil && flat != "" {
		return shorten(flat)
	}
	return shorten(e.Message)
}

// shorten cuts a message to 300 bytes. It removes the full stop at its end,
// because our messages have none and clients add one.
func shorten(s string) string {
	const most = 300
	s = strings.TrimRight(strings.TrimSpace(s), ".")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
