package main

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"

	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// endpointOf writes an endpoint file for a test server.
func endpointOf(t *testing.T, answer http.HandlerFunc, headless bool) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	_, text, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pilotfish.json")
	if err := instance.WriteEndpoint(path, protocol.Endpoint{Port: port, Token: "secret", Headless: headless}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnotherInstanceAsksTheFirst(t *testing.T) {
	var asked []protocol.AppAction
	path := endpointOf(t, func(_ http.ResponseWriter, r *http.Request) {
		var req protocol.AppRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		if r.Method != http.MethodPost || r.URL.Path != "/app" || r.Header.Get("Authorization") != "Bearer secret" ||
			r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Origin") != "" {
			t.Errorf("got %s %s with %v", r.Method, r.URL, r.Header)
		}
		asked = append(asked, req.Action)
	}, false)
	// An HTTP proxy from the environment must not see the token.
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	if err := askToShow(t.Context(), path); !errors.Is(err, errAlreadyRunning) {
		t.Errorf("got %v, want %v", err, errAlreadyRunning)
	}
	if len(asked) != 1 || asked[0] != protocol.AppShow {
		t.Errorf("it was asked for %v", asked)
	}
}

func TestAnotherInstanceSaysWhyItCannotShowTheFirst(t *testing.T) {
	fine := func(http.ResponseWriter, *http.Request) {}
	failing := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	tests := []struct {
		name string
		path string
		want protocol.Code
	}{
		{"headless", endpointOf(t, fine, true), protocol.CodeBusy},
		{"failing", endpointOf(t, failing, false), protocol.CodeTimeout},
	}
	for _, test := range tests {
		err := askToShow(t.Context(), test.path)
		if refused := protocol.AsError(err); refused == nil || refused.Code != test.want || refused.Hint == "" {
			t.Errorf("%s: got %v, want %s with a hint", test.name, err, test.want)
		}
	}
}

// The first instance is still starting: its window will open by itself.
func TestAnotherInstanceBeforeTheFirstIsUp(t *testing.T) {
	if err := askToShow(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, errAlreadyRunning) {
		t.Errorf("got %v, want %v", err, errAlreadyRunning)
	}
}
