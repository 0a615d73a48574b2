package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// at is a client of an app at an address.
func at(address string) *Client {
	return &Client{host: strings.TrimPrefix(address, "http://"), token: "secret"}
}

// One request uses one connection: a reply in parts, one that the caller cancels,
// and one that comes before the whole body was read.
func TestExchange(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Error("it comes without its token")
		}
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
	defer close(release) // before server.Close, which waits for its handlers
	app := at(server.URL)
	reply, err := app.exchange(t.Context(), request{method: "GET", path: "/parts?a=b"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reply)
	if err != nil || string(text) != "one two" || !strings.HasPrefix(reply.Type, "text/plain") {
		t.Errorf("%q of %q, %v", text, reply.Type, err)
	}
	reply.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := app.exchange(ctx, request{method: "GET", path: "/hangs"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	reply, err = app.exchange(t.Context(), request{method: "POST", path: "/refuses", body: make([]byte, 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Close()
	text, err = io.ReadAll(reply)
	if reply.status != "413 Request Entity Too Large" || string(text) != "too large\n" || err != nil {
		t.Errorf("%s, %q, %v", reply.status, text, err)
	}
}

// An incomplete reply is an error, whatever ended it.
func TestExchangeBroken(t *testing.T) {
	for said, want := range map[string]string{
		"":                           "EOF",
		"SSH-2.0-x\r\n\r\n":          "no reply of HTTP",
		"HTTP/1.0 200 OK\r\nContent": "malformed",
		"HTTP/1.0 200 OK\r\nContent-Length: -4\r\n\r\nfour":        "-4",
		"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\":1}":    "unexpected EOF",
		"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}":    "",
		"HTTP/1.0 200 OK\r\n\r\n{\"a\":1}":                         "",
		"HTTP/1.0 502 Bad Gateway\r\nServer: x\r\n\r\nno such app": "502 Bad Gateway",
	} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, said)
		}()
		var out map[string]int
		err = at(listener.Addr().String()).Fetch(t.Context(), "/x", &out)
		<-done
		listener.Close()
		if want == "" && (err != nil || out["a"] != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v", said, out, err)
		}
	}
	c := &Client{host: "127.0.0.1:1", token: "a\r\nHost: b"}
	if err := c.Fetch(t.Context(), "/x", nil); err == nil || !strings.Contains(err.Error(), "one line") {
		t.Error(err)
	}
}
