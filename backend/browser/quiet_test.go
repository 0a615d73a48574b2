package browser

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"pilotfish/backend/browser/wait"
	"pilotfish/backend/protocol"
)

// Connections that never end by themselves do not prolong the wait for a quiet
// network; requests without an answer do.
func TestWaitForQuiet(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Quiet</title>")
	})
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	})
	srv := serve(t, mux)
	f := headless(t)
	first := f.first(t)
	f.open(t, first, srv.URL+"/")
	quiet := func(script string, limit time.Duration) error {
		t.Helper()
		if _, err := f.Evaluate(deadline(t), nobody, first, script); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := f.Wait(ctx, nobody, first, protocol.WaitRequest{Kind: protocol.WaitForQuiet})
		return err
	}
	// Commands on a tab take turns, so the page starts these requests itself,
	// with timers.
	if err := quiet("setTimeout(() => new EventSource('/events'), 50); 1", 20*time.Second); err != nil {
		t.Errorf("events that never end: %v", err)
	}
	if err := quiet("setInterval(() => fetch('/never').catch(() => 0), 20); 1", 3*wait.NetworkQuiet); code(err) != protocol.CodeTimeout {
		t.Errorf("requests without an answer: %v", err)
	}
}
