package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// One request goes over one connection: a reply in parts, one that is given up,
// and one that comes before the whole body was taken.
func TestDirect(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/parts":
			_, _ = io.WriteString(w, "one ")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(w, "two")
		case "/hangs":
			close(began)
			<-release
		case "/refuses":
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		}
	}))
	defer server.Close()
	defer close(release) // before it: a server ends when its handlers have
	ask := func(ctx context.Context, path string, body io.Reader) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Close = true
		return (&http.Client{Transport: direct{}}).Do(req)
	}
	resp, err := ask(t.Context(), "/parts", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || string(text) != "one two" || resp.Body.Close() != nil {
		t.Errorf("%q, %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := ask(ctx, "/hangs", http.NoBody); !errors.Is(err, context.Canceled) { //nolint:bodyclose // there is no reply
		t.Error(err)
	}
	resp, err = ask(t.Context(), "/refuses", strings.NewReader(strings.Repeat("x", 1<<16)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(resp.Status)
	}
}
