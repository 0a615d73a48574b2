package client

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

// remote returns a client of the server docs at an address.
func remote(t *testing.T, url string) *fixture {
	t.Helper()
	f := newFixture(t, addDocs)
	server := toolservers.Server{Name: "docs", URL: url, Headers: []toolservers.Header{{Name: "X-Team", Value: "blue-team"}}}
	f.store = toolservers.NewStore(filepath.Join(t.TempDir(), "mcp-servers.json"), nil)
	if err := errors.Join(f.store.Add(t.Context(), server), f.store.Permit("docs", toolservers.Allow)); err != nil {
		t.Fatal(err)
	}
	f.cfg.Transport = nil
	f.cfg.Offer = toolservers.NewOffer(f.store, slog.New(slog.DiscardHandler))
	return f
}

// A server at an address gets its headers with every request, and no other server does.
func TestRemote(t *testing.T) {
	docs := mcp.NewServer(&mcp.Implementation{Name: "docs", Version: "1"}, nil)
	addDocs(docs)
	var without, ended atomic.Int32
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return docs }, nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "blue-team" {
			without.Add(1)
		}
		if r.Method == http.MethodDelete {
			ended.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	defer site.Close()
	f := remote(t, site.URL)
	if list := f.offered(t); len(list) != 1 || list[0].Error != nil || len(list[0].Tools) == 0 {
		t.Fatalf("%+v", list)
	}
	if reply := f.use(t, "search", `{"query":"milk"}`); !reply.OK || !strings.Contains(reply.Text, "3 pages about milk") {
		t.Errorf("%+v", reply)
	}
	f.Over(task)
	f.running.Wait()
	if without.Load() != 0 || ended.Load() != 1 {
		t.Errorf("%d requests without the header, %d ends of the session", without.Load(), ended.Load())
	}
}

// A server that refuses or sends elsewhere is not used, and nothing is sent elsewhere.
func TestRemoteThatDoesNotWork(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, c := range []struct {
		answers http.HandlerFunc
		says    string
	}{
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "401 Unauthorized"},
		{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect"},
		{func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<h1>Welcome</h1>")) }, "does not answer"},
	} {
		site := httptest.NewServer(c.answers)
		list := remote(t, site.URL).offered(t)
		if len(list) != 1 || list[0].Error == nil || list[0].Error.Code != protocol.CodeNotRunning || !strings.Contains(list[0].Error.Message, c.says) {
			t.Errorf("%s: %+v", c.says, list)
		}
		site.Close()
	}
	if elsewhere.Load() != 0 {
		t.Errorf("%d requests elsewhere", elsewhere.Load())
	}
}

// A credential in the address of a server does not reach the log.
func TestACredentialInTheAddress(t *testing.T) {
	site := httptest.NewServer(http.NotFoundHandler())
	site.Close() // nobody answers there
	f := remote(t, site.URL+"/mcp?api_key=sk-aaaaaaaaaaaaaaaaaaaa")
	var log strings.Builder
	f.log = slog.New(slog.NewTextHandler(&log, nil))
	if list := f.offered(t); len(list) != 1 || list[0].Error == nil {
		t.Fatalf("%+v", list)
	}
	if got := log.String(); !strings.Contains(got, "does not answer") || strings.Contains(got, "sk-aaaa") {
		t.Errorf("the log: %s", got)
	}
}

// The values of secret headers are masked in what a server says.
func TestSecretHeaders(t *testing.T) {
	server := toolservers.Server{Headers: []toolservers.Header{{Name: "Authorization", Value: "Bearer abc123", Secret: true}, {Name: "X-Team", Value: "blue-team"}}}
	if got := server.Mask("Bearer abc123 of blue-team"); got != "(masked) of blue-team" {
		t.Error(got)
	}
	without := server
	without.Headers = []toolservers.Header{{Name: "Authorization", Secret: true}, {Name: "X-Team", Value: "blue-team"}}
	if !server.Same(without) || server.Headers[0].Value == "" {
		t.Error("a server is another one with the value of its secret header")
	}
}
