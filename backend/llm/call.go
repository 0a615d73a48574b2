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

// Call forwards a prompt to a profile's model and streams the answer into w. The
// body is the provider's own (Anthropic's messages or OpenAI's chat
// completions). An error that is returned was not written: w is untouched then.
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
	defer func() { _ = res.Body.Close() }() // what is left of it nobody wants
	m.log.Info("model called", "provider", string(t.info.Provider), "model", t.profile.Model, "status", res.StatusCode, "first_byte_ms", time.Since(begun).Milliseconds())
	if err := passHeaders(w, res); err != nil {
		return t.unreachable(err)
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxModelError)) // what came before a fault is said
		w.WriteHeader(res.StatusCode)
		_, _ = io.WriteString(w, t.redact(string(text))) // a caller that is gone needs no answer
		return nil
	}
	w.WriteHeader(res.StatusCode)
	return m.stream(cancel, w, t.redacted(res.Body))
}

// errSilent ends an answer in which nothing comes any more.
var errSilent = errors.New("the model stopped in the middle of its answer")

// stream copies an answer as it comes. A model that falls silent is cut off: the
// connection ends without the end of the answer, which no reader takes for one.
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
				return nil // the caller is gone
			}
			if err := flush.Flush(); err != nil {
				return nil // the same
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

// passHeaders hands on what a caller has a use for, and nothing else: no cookie,
// no policy of the provider's.
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

// patience is how a caller wants to wait for a provider.
type patience struct {
	// faults asks again after the provider's own faults (500, 502, 504), too.
	faults bool
	// waiting is told before each wait; nil for nobody.
	waiting func(time.Duration)
}

// send sends a prompt, and again when the provider turns it away because it is
// busy. It waits as long as the provider asks, up to a limit; beyond that the
// caller gets the answer and decides.
func (m *Manager) send(ctx context.Context, t target, body []byte, p patience) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		req, err := t.request(ctx, http.MethodPost, t.chatPath(), body)
		if err != nil {
			return nil, err
		}
		res, err := m.client.Do(req)
		if err != nil {
			// What was sent may have been taken in: only the provider's own word
			// says that it is safe to ask again.
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

// retryAfter says whether a request may be sent again, and after how long. 529 is
// Anthropic's "overloaded".
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
