package remote_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/remote"
	"pilotfish/backend/browser/remote/standin"
	"pilotfish/backend/engine"
	"pilotfish/backend/protocol"
)

func open(ctx context.Context, t *testing.T, address, header, secret string, full func(time.Time)) (*remote.Lease, error) {
	t.Helper()
	e, err := engine.Parse(address, header, secret)
	if err != nil {
		t.Fatal(err)
	}
	return remote.Open(ctx, e, full)
}

func never(t *testing.T) func(time.Time) {
	t.Helper()
	return func(time.Time) { t.Error("the engine is not full") }
}

// answers asks the browser of a lease for its version.
func answers(t *testing.T, l *remote.Lease) {
	t.Helper()
	conn := devtools.New(l, slog.New(slog.DiscardHandler), nil)
	served := make(chan error, 1)
	go func() { served <- conn.Serve(t.Context()) }()
	v, err := cdp.Call(t.Context(), conn.Root, browser.GetVersion, cdp.Empty{})
	if err != nil || !strings.Contains(v.Product, "/") {
		t.Errorf("%+v, %v", v, err)
	}
	_ = l.Close()
	if err := <-served; err == nil {
		t.Error("the connection ended without its end")
	}
}

// A browser comes from a WebSocket with a key in the address or a header, and from a Grid,
// whatever host the Grid names. A Grid gets it back.
func TestOpen(t *testing.T) {
	key := standin.New(t)
	key.Authorization = "k3y"
	bearer := standin.New(t)
	bearer.Authorization = "Bearer k3y"
	grid := standin.New(t)
	grid.Authorization = "Basic dXNlcjpwYXNz"
	for _, c := range []struct{ address, header, secret string }{
		{key.Address() + "?token=k3y", "", ""},
		{key.Address() + "?token={secret}", "", "k3y"},
		{bearer.Address(), "Authorization: Bearer {secret}", "k3y"},
		{strings.Replace(grid.Grid(), "://", "://user:pass@", 1), "", ""},
	} {
		l, err := open(t.Context(), t, c.address, c.header, c.secret, never(t))
		if err != nil {
			t.Fatal(err)
		}
		answers(t, l)
		l.End(t.Context())
	}
	if ended := grid.Ended(); len(ended) != 1 {
		t.Errorf("%q", ended)
	}
}

// A full engine is asked again when it says, and what it is not is said.
func TestFull(t *testing.T) {
	e := standin.New(t)
	e.Refuse(standin.Refusal{Status: http.StatusTooManyRequests, RetryAfter: "0"}, standin.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Now().UTC().Format(http.TimeFormat)}, standin.Refusal{Status: http.StatusRequestTimeout, RetryAfter: "0"})
	waits := 0
	l, err := open(t.Context(), t, e.Address(), "", "", func(time.Time) { waits++ })
	if err != nil || waits != 3 {
		t.Fatal(err, waits)
	}
	answers(t, l)
	// The wait ends with the context, and is bounded.
	for text, want := range map[string]time.Duration{"7": 7 * time.Second, "999999": 5 * time.Minute, "": 5 * time.Second, "soon": 5 * time.Second} {
		e.Refuse(standin.Refusal{Status: http.StatusTooManyRequests, RetryAfter: text})
		ctx, cancel := context.WithCancel(t.Context())
		_, err := open(ctx, t, e.Grid(), "", "", func(until time.Time) {
			if got := time.Until(until).Round(time.Second); got != want {
				t.Errorf("%q: %s", text, got)
			}
			cancel()
		})
		if !errors.Is(err, ctx.Err()) {
			t.Error(err)
		}
	}
}

// Every refusal is an error that says what to do, and has no credential.
func TestRefused(t *testing.T) {
	for status, want := range map[int]string{401: "credentials", 403: "credentials", 404: "status 404", 500: "no node has this browser"} {
		e := standin.New(t)
		e.Refuse(standin.Refusal{Status: status})
		_, err := open(t.Context(), t, strings.Replace(e.Grid(), "://", "://user:pa55@", 1), "X-Key: pa55", "", never(t))
		p := protocol.AsError(err)
		if status == 404 {
			want = "no node"
		}
		if p == nil || !strings.Contains(p.Message, want) || p.Hint == "" || strings.Contains(fmt.Sprint(p, err), "pa55") {
			t.Errorf("%d: %+v", status, p)
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved", "/moved/session":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/endless/session":
			for range 1 << 12 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		case "/page/session":
			_, _ = w.Write([]byte("<html>"))
		case "/bare/session":
			_, _ = w.Write([]byte(`{"value":{"sessionId":"s1","capabilities":{}}}`))
		}
	}))
	defer elsewhere.Close()
	ws := "ws" + strings.TrimPrefix(elsewhere.URL, "http")
	for address, want := range map[string]string{
		ws + "/moved": "status 302", ws + "/page": "status 200", ws + "/": "status 200",
		"grid+" + elsewhere.URL + "/moved": "status 302", "grid+" + elsewhere.URL + "/endless": "something else",
		"grid+" + elsewhere.URL + "/page": "something else", "grid+" + elsewhere.URL + "/bare": "se:cdp",
		"ws://127.0.0.1:1/": "cannot be reached: connect: connection refused", "wss://no.invalid/?token=pa55": "no host no.invalid",
	} {
		_, err := open(t.Context(), t, address, "X-Key: pa55", "", never(t))
		if p := protocol.AsError(err); p == nil || !strings.Contains(p.Message, want) || strings.Contains(fmt.Sprint(p, err), "pa55") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A browser that the engine keeps is had again after its connection has broken, also when the
// network was away for a while.
func TestAgain(t *testing.T) {
	for _, c := range []struct{ keeps, leaves bool }{{keeps: true}, {keeps: true, leaves: true}, {}} {
		e := standin.New(t)
		e.Keeps = c.keeps
		l, err := open(t.Context(), t, e.Grid(), "", "", never(t))
		if err != nil {
			t.Fatal(err)
		}
		comeBack, waits := func() {}, 0
		if c.leaves {
			comeBack = e.Leave(t)
		} else {
			e.Cut()
		}
		if !c.keeps {
			e.Kill()
		}
		again, err := l.Again(t.Context(), func(err error) {
			waits++
			if !strings.Contains(err.Error(), "cannot be reached") {
				t.Error(err)
			}
			comeBack()
		})
		if (err == nil) != c.keeps || (waits == 1) != c.leaves {
			t.Fatal(err, waits)
		}
		if c.keeps {
			answers(t, again)
		}
		if n := e.Started(); n != 1 {
			t.Errorf("%d browsers", n)
		}
	}
}
