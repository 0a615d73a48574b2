package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"pilotfish/backend/protocol"
)

// anthropicVersion is the version of Anthropic's API that we use.
const anthropicVersion = "2023-06-01"

// target is a profile with everything that is needed to reach its model.
type target struct {
	profile protocol.LLMProfile
	info    protocol.LLMProviderInfo
	base    *url.URL
	key     string
}

// newClient returns a client that follows no redirects: a redirect would send
// the key to another address.
func newClient(transport http.RoundTripper, dial time.Duration) *http.Client {
	if transport == nil {
		transport = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: dial}).DialContext,
			TLSHandshakeTimeout:   dial,
			ResponseHeaderTimeout: modelSilence,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   4,
			IdleConnTimeout:       90 * time.Second,
		}
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// chatPath is the route for prompts.
func (t target) chatPath() string {
	if t.info.Dialect == protocol.DialectAnthropic {
		return "/messages"
	}
	return "/chat/completions"
}

// request returns a request to the provider, with the key in the provider's
// header.
func (t target) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, below(t.shaped(), path), reader)
	if err != nil {
		return nil, fmt.Errorf("making the request to the model: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "Pilotfish")
	if t.info.Dialect == protocol.DialectAnthropic {
		req.Header.Set("Anthropic-Version", anthropicVersion)
	}
	switch {
	case t.key == "":
	case t.info.Provider == protocol.LLMAzure:
		req.Header.Set("Api-Key", t.key)
	case t.info.Dialect == protocol.DialectAnthropic:
		req.Header.Set("X-Api-Key", t.key)
	default:
		req.Header.Set("Authorization", "Bearer "+t.key)
	}
	return req, nil
}

// unreachable returns an error for the user when a provider did not respond at
// all.
func (t target) unreachable(err error) error {
	host := t.base.Host
	if ctxErr, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && ctxErr.Timeout() {
		return protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("%s did not answer in time (%s)", t.profile.Name, host), "try again, or choose another model")
	}
	hint := "check the address and the network"
	if t.info.URL != "" && !t.info.NeedsKey {
		hint = "start " + t.info.Name + ", or check the address"
	}
	var why string
	if op, ok := errors.AsType[*net.OpError](err); ok {
		why = op.Err.Error()
	} else if u, ok := errors.AsType[*url.Error](err); ok {
		why = u.Err.Error()
	} else {
		why = err.Error()
	}
	return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s cannot be reached at %s: %s", t.profile.Name, host, t.redact(why)), hint)
}
