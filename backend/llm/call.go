package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Call forwards a prompt to a profile's model and streams the answer into w.
// The body is in the provider's own format (Anthropic's messages or OpenAI's
// chat completions). When Call returns an error, it has written nothing to w.
func (m *Manager) Call(ctx context.Context, w http.ResponseWriter, profile string, body []byte) error {
	t, err := m.profile(ctx, profile)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := time.Now()
	res, err := m.send(ctx, t, body, patience{})
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // the rest of it is not needed
	m.log.Info("model called", "provider", string(t.info.Provider), "model", t.profile.Model, "status", res.StatusCode, "first_byte_ms", time.Since(begun).Milliseconds())
	if err := passHeaders(w, res); err != nil {
		return t.unreachable(err)
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxModelError)) // an incomplete text is passed on, too
		w.WriteHeader(res.StatusCode)
		_, _ = io.WriteString(w, t.redact(string(text))) // if the caller has disconnected, it needs no answer
		return nil
	}
	w.WriteHeader(res.StatusCode)
	return m.stream(cancel, w, t.redacted(res.Body))
}

// errSilent is the cause when an answer is ended because no more data arrives.
var errSilent = errors.New("the model stopped in the middle of its answer")

// stream copies an answer as it arrives. If the model stops sending, the
// connection is aborted without a proper end, so that no reader takes the
// answer for complete.
func (m *Manager) stream(cancel context.CancelCauseFunc, w http.ResponseWriter, body io.Reader) error {
	silence := time.AfterFunc(m.silence, func() { cancel(errSilent) })
	defer silence.Stop()
	flush := http.NewResponseController(w)
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		silence.Reset(m.silence)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return nil // the caller has disconnected
			}
			if err := flush.Flush(); err != nil {
				return nil // the caller has disconnected
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			m.log.Warn("a model's answer broke off", "error", err)
			panic(http.ErrAbortHandler)
		}
	}
}

// passHeaders copies the headers that a caller needs, and no others: no cookies
// and no policies of the provider.
func passHeaders(w http.ResponseWriter, res *http.Response) error {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return fmt.Errorf("it redirects to another address (%d)", res.StatusCode)
	}
	for _, name := range []string{"Content-Type", "Retry-After", "Request-Id", "X-Request-Id"} {
		if value := res.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	return nil
}

// patience says how to wait for a busy provider.
type patience struct {
	// faults: also retry after the provider's own errors (500, 502, 504).
	faults bool
	// waiting is called before each wait; it may be nil.
	waiting func(time.Duration)
}

// send sends a prompt, and sends it again when the provider refuses it because
// it is busy. It waits as long as the provider asks, up to a limit; beyond that
// it returns the response, and the caller decides.
func (m *Manager) send(ctx context.Context, t target, body []byte, p patience) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		req, err := t.request(ctx, http.MethodPost, t.chatPath(), body)
		if err != nil {
			return nil, err
		}
		res, err := m.client.Do(req)
		if err != nil {
			// The provider may have processed the request. Only a response of
			// the provider shows that a retry is safe.
			return nil, t.unreachable(err)
		}
		wait, again := retryAfter(res, attempt, p.faults)
		if !again || attempt == modelAttempts {
			return res, nil
		}
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxModelError)) // for the log only
		_ = res.Body.Close()
		m.log.Info("model is busy, waiting", "provider", string(t.info.Provider), "status", res.StatusCode, "wait", wait, "said", t.redact(string(bytes.TrimSpace(text))))
		if p.waiting != nil {
			p.waiting(wait)
		}
		pause := time.NewTimer(wait)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, fmt.Errorf("waiting for the model: %w", context.Cause(ctx))
		}
	}
}

// retryAfter reports whether a request may be sent again, and after how long.
// 529 is Anthropic's status for "overloaded".
func retryAfter(res *http.Response, attempt int, faults bool) (time.Duration, bool) {
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, 529:
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		if !faults {
			return 0, false
		}
	default:
		return 0, false
	}
	wait, asked := askedWait(res.Header)
	if !asked {
		wait = min(modelBackoff<<(attempt-1), modelMaxBackoff)
		wait += time.Duration(rand.Int64N(int64(wait)/4 + 1)) //nolint:gosec // jitter, no secret
	}
	return wait, wait <= modelMaxRetryAfter
}

// askedWait reads Retry-After (RFC 9110: seconds or a date) and OpenAI's finer
// retry-after-ms.
func askedWait(h http.Header) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return time.Duration(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}
