package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// Stream sends a prompt to a profile's model and returns the answer as a
// stream. The body is in the provider's own format, as for Call. If the
// provider refuses the prompt, Stream returns an error for the user: CodeNoKey,
// CodeBadKey, CodeModelSetup, CodeTooLarge for a prompt that is too long for
// the model, or CodeBusy for a rate limit. waiting is called before each wait
// for a busy provider; it may be nil. The caller closes the answer.
func (m *Manager) Stream(ctx context.Context, profile string, body []byte, waiting func(time.Duration)) (io.ReadCloser, error) {
	t, err := m.profile(ctx, profile)
	if err != nil {
		return nil, err
	}
	if t.profile.Model == "" {
		return nil, protocol.NewError(protocol.CodeModelSetup, t.profile.Name+" has no model", "choose one from the list")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	begun := time.Now()
	res, err := m.send(ctx, t, body, patience{faults: true, waiting: waiting})
	if err != nil {
		cancel(nil)
		return nil, err
	}
	m.log.Info("model called", "provider", string(t.info.Provider), "model", t.profile.Model, "status", res.StatusCode, "first_byte_ms", time.Since(begun).Milliseconds())
	if res.StatusCode == http.StatusOK {
		return newAnswer(ctx, t.redacted(res.Body), cancel, m.silence), nil
	}
	defer cancel(nil)
	defer func() { _ = res.Body.Close() }() // the rest of it is not needed
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return nil, t.unreachable(fmt.Errorf("it redirects to another address (%d)", res.StatusCode))
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxModelError)) // an incomplete text is used, too
	if tooLong(res.StatusCode, text) {
		return nil, protocol.NewError(protocol.CodeTooLarge, t.profile.Name+" does not accept a prompt this long", "begin a new conversation")
	}
	return nil, t.refusal(res.StatusCode, text)
}

// answer is a model's answer as a stream. It ends with an error when the model
// stops sending.
type answer struct {
	body    io.ReadCloser
	cancel  context.CancelCauseFunc
	cause   func() error // why the request ended early
	silence time.Duration
	timer   *time.Timer
}

func newAnswer(ctx context.Context, body io.ReadCloser, cancel context.CancelCauseFunc, silence time.Duration) *answer {
	return &answer{
		body: body, cancel: cancel, cause: func() error { return context.Cause(ctx) }, silence: silence,
		timer: time.AfterFunc(silence, func() { cancel(errSilent) }),
	}
}

// Read returns the data that has arrived.
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	a.timer.Reset(a.silence)
	if err != nil && errors.Is(a.cause(), errSilent) {
		err = errSilent
	}
	return n, err
}

// Close ends the request.
func (a *answer) Close() error {
	a.timer.Stop()
	a.cancel(nil)
	return a.body.Close()
}

// tooLong reports whether a provider refused a prompt because of its length.
// Few providers have a code for it; for the others only the message shows it.
func tooLong(status int, body []byte) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return false
	}
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	var inner struct {
		Code any    `json:"code"`
		Type string `json:"type"`
	}
	if json.Unmarshal(body, &e) == nil && json.Unmarshal(e.Error, &inner) == nil {
		if slices.Contains([]any{"context_length_exceeded", "string_above_max_length"}, inner.Code) || inner.Type == "exceed_context_size_error" {
			return true
		}
	}
	said := strings.ToLower(reason(body))
	return slices.ContainsFunc([]string{
		"prompt is too long", "context length", "context window", "context size", "maximum number of tokens", "too many tokens",
	}, func(words string) bool { return strings.Contains(said, words) })
}
