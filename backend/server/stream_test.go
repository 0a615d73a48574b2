package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/auth"
)

// stream opens a stream; the caller reads its body.
func (w *world) stream(ctx context.Context, t *testing.T, path, origin, token string, header http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", w.port, path), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func (w *world) tryStream(t *testing.T, path, origin, token string) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := w.stream(ctx, t, path, origin, token, nil)
	defer res.Body.Close()
	return res.StatusCode
}

// events reads n events, each returned as "name id data".
func events(t *testing.T, res *http.Response, n int) []string {
	t.Helper()
	var out []string
	in := bufio.NewScanner(res.Body)
	fields := map[string]string{}
	for len(out) < n && in.Scan() {
		if name, value, ok := strings.Cut(in.Text(), ": "); ok {
			fields[name] = value
			continue
		}
		if fields["event"] != "" {
			out = append(out, fields["event"]+" "+fields["id"]+" "+fields["data"])
		}
		fields = map[string]string{}
	}
	if len(out) < n {
		t.Fatalf("the stream ended after %q: %v", out, in.Err())
	}
	return out
}

// A client that reads a stream with curl can continue after the last event that it
// received.
func TestStream(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindAgent)
	for _, c := range []struct {
		query, last string
		want        []string
	}{
		{"?task=a&after=1", "", []string{"one 2 2", "one 3 3"}},
		{"?task=a", "", []string{"one 1 1", "one 2 2", "one 3 3"}},
		// The reader was cut off after 2: the header counts, not the old URL.
		{"?task=a&after=0", "2", []string{"one 3 3"}},
	} {
		header := http.Header{}
		if c.last != "" {
			header.Set("Last-Event-ID", c.last)
		}
		ctx, cancel := context.WithCancel(t.Context())
		res := w.stream(ctx, t, "/task/stream"+c.query, "", token, header)
		if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("content type %q", kind)
		}
		if got := events(t, res, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s after %q: %q", c.query, c.last, got)
		}
		cancel()
		res.Body.Close()
	}
	for _, query := range []string{"?after=x", "?after=-1", "?after=99999999999999999999"} {
		res := w.stream(t.Context(), t, "/activity/stream"+query, "", token, nil)
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", query, res.Status)
		}
	}
}

// A stream ends with its token, and with the server; goleak checks that nothing
// of it is left.
func TestActivityStreamEndsWithItsToken(t *testing.T) {
	w := start(t, nil)
	grant, token := w.mint(auth.KindCLI)
	res := w.stream(t.Context(), t, "/activity/stream?after=2", "", token, nil)
	defer res.Body.Close()
	events(t, res, 1)
	w.auth.Revoke(grant.ID)
	ended(t, res, "token")

	_, token = w.mint(auth.KindCLI)
	last := w.stream(t.Context(), t, "/activity/stream?after=2", "", token, nil)
	defer last.Body.Close()
	events(t, last, 1)
	done := make(chan error, 1)
	go func() { done <- w.stop() }()
	ended(t, last, "server")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := w.fixture.count("followed"); n != 2 {
		t.Errorf("%d of 2 readers ended", n)
	}
}

// ended reads to the end of a stream.
func ended(t *testing.T, res *http.Response, name string) {
	t.Helper()
	in := bufio.NewScanner(res.Body)
	for in.Scan() {
		if strings.HasPrefix(in.Text(), "data:") {
			t.Errorf("%s: %s after the end", name, in.Text())
		}
	}
}

// A GET has in its query what the operation takes.
func TestQueries(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	for query, want := range map[string]string{
		"/activity/history?after=1&limit=20&other=3":               `{"took":{"after":1,"limit":20}}`,
		"/activity/history":                                        `{"took":{}}`,
		"/chat/history?conversation=c%221&before=7&limit=&after=2": `{"took":{"before":7,"conversation":"c\"1"}}`,
	} {
		if got := w.do(t, ask{path: query, token: token}); got.body != want {
			t.Errorf("%s: %d, %s, want %s", query, got.status, got.body, want)
		}
	}
	for _, query := range []string{"limit=x", "after=x", "limit=-1", "after=1.5", "after=1e3"} {
		if got := w.do(t, ask{path: "/activity/history?" + query, token: token}); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got.status)
		}
	}
}

// The user's shell names the session; an agent's token is bound to one.
func TestATasksSession(t *testing.T) {
	w := start(t, nil)
	_, shell := w.mint(auth.KindCLI)
	w.do(t, ask{method: "POST", path: "/task/run?session=work", token: shell, body: `{"goal":"x"}`})
	if g := w.fixture.lastGrant(t); g.Session != "work" {
		t.Errorf("session %q", g.Session)
	}
	_, agent := w.mint(auth.KindAgent)
	w.do(t, ask{method: "POST", path: "/task/run?session=work", token: agent, body: `{"goal":"x"}`})
	if g := w.fixture.lastGrant(t); g.Session == "work" {
		t.Error("an agent chose another session")
	}
	if bad := w.do(t, ask{method: "POST", path: "/task/run?session=../x", token: shell, body: `{"goal":"x"}`}); bad.status != http.StatusBadRequest && bad.status != http.StatusNotFound {
		t.Errorf("a session that is none: %d", bad.status)
	}
}

func TestFileIsADownload(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindAgent)
	got := w.do(t, ask{path: "/file?path=shot.png", token: token})
	if got.body != "not really a picture" || got.header.Get("Content-Type") != "image/png" ||
		got.header.Get("Content-Disposition") != "attachment; filename=shot.png" || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%+v", got)
	}
	if got := w.do(t, ask{path: "/file", token: token}); got.status != http.StatusBadRequest {
		t.Errorf("without a path: %d", got.status)
	}
}

func TestMCPReachesItsHandler(t *testing.T) {
	w := start(t, nil)
	grant, token := w.mint(auth.KindAgent)
	if got := w.do(t, ask{method: "POST", path: "/mcp", token: token, body: `{"jsonrpc":"2.0"}`}); got.body != `{"jsonrpc":"2.0"}` {
		t.Errorf("%+v", got)
	}
	if w.fixture.lastGrant(t).ID != grant.ID {
		t.Error("the handler was not told who calls")
	}
}
