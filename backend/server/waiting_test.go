package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/auth"
)

// asks posts a command with an Accept header, so that the caller is notified
// when the command waits.
func (w *world) asks(ctx context.Context, t *testing.T, accept, command string) *http.Response {
	t.Helper()
	_, token := w.mint(auth.KindAgent)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/command", w.port), strings.NewReader(`{"command":"`+command+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	res, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A caller that accepts events is notified at once that its command waits, and
// then gets the reply; other callers get only the reply.
func TestACallerHearsThatItWaits(t *testing.T) {
	w := start(t, nil)
	res := w.asks(t.Context(), t, "text/event-stream, application/json", "ask")
	defer res.Body.Close()
	if got := events(t, res, 1)[0]; got != `waiting  {"session":"","actor":{"kind":"","name":""},"origin":"","command":"ask","kind":"","sentence":"","expires":"0001-01-01T00:00:00Z"}` {
		t.Errorf("%s", got)
	}
	w.fixture.yes <- struct{}{}
	if got := events(t, res, 1)[0]; got != `reply  {"ok":true,"text":"ask","durationMs":0}` {
		t.Errorf("%s", got)
	}
	for accept, want := range map[string]string{"": "application/json", "*/*": "application/json", "application/json": "application/json", "text/event-stream": "text/event-stream"} {
		res := w.asks(t.Context(), t, accept, "tabs")
		res.Body.Close()
		if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != want {
			t.Errorf("%q: %s %s", accept, res.Status, got)
		}
	}
}

// A caller that disconnects while its command waits ends the command.
func TestACallerThatGoesAwayWaitsNoLonger(t *testing.T) {
	w := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	res := w.asks(ctx, t, "text/event-stream", "ask")
	events(t, res, 1)
	cancel()
	res.Body.Close()
	if err := w.stop(); err != nil { // it waits for running requests
		t.Error(err)
	}
	if w.fixture.count("gave up") != 1 {
		t.Error("the command still waits")
	}
}
