package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"pilotfish/backend/toolservers"
)

const (
	// byeTimeout is how long the request may take that ends a session.
	byeTimeout = 2 * time.Second
	// maxBody is how much of one reply is read: several messages, in bytes.
	maxBody = 4 * maxMessage
)

// httpWay sends requests to a server at an address, with the server's headers.
type httpWay struct {
	server    toolservers.Server
	transport *http.Transport
	refused   atomic.Int64 // the status of the last reply that is an error; 0 for none
}

func newHTTP(server toolservers.Server) *httpWay {
	return &httpWay{server: server, transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: startTimeout}}
}

// client returns a client that follows no redirect: the headers are for this origin.
func (h *httpWay) client() *http.Client {
	return &http.Client{Transport: h, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// RoundTrip implements http.RoundTripper.
func (h *httpWay) RoundTrip(r *http.Request) (*http.Response, error) {
	cancel := context.CancelFunc(func() {})
	ctx := r.Context()
	if r.Method == http.MethodDelete {
		ctx, cancel = context.WithTimeout(ctx, byeTimeout)
	}
	r = r.Clone(ctx)
	for _, header := range h.server.Headers {
		r.Header.Set(header.Name, header.Value)
	}
	reply, err := h.transport.RoundTrip(r)
	if err != nil {
		cancel()
		return nil, err
	}
	if reply.StatusCode >= http.StatusMultipleChoices {
		h.refused.Store(int64(reply.StatusCode))
	}
	reply.Body = &body{Reader: io.LimitReader(reply.Body, maxBody), Closer: reply.Body, over: cancel}
	return reply, nil
}

// status says which error the server answered, as the end of a sentence.
func (h *httpWay) status() string {
	code := int(h.refused.Load())
	if code == 0 {
		return ""
	}
	return fmt.Sprintf(": it answers %d %s", code, http.StatusText(code))
}

// body is a reply within maxBody. Closing it ends its context.
type body struct {
	io.Reader
	io.Closer
	over func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.over()
	return b.Closer.Close()
}
