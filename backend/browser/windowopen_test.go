package browser

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"pilotfish/backend/protocol"
)

// While a client auto-attaches to targets, Chromium holds back a window that a
// script opens, and the opener hangs in the click.
func TestWindowOpenWithTheExtension(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/opened" {
			fmt.Fprint(w, `<!doctype html><title>opened</title>`)
			return
		}
		fmt.Fprint(w, `<!doctype html><title>opener</title><button onclick="document.title = 'asked'; window.open('/opened'); document.title = 'went on'">Open</button>`)
	}))
	f := windowed(t)
	first := f.first(t)
	f.open(t, first, s.URL+"/")
	if _, err := f.Act(deadline(t), nobody, first, protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Open"}, nil); err != nil {
		t.Fatal(err)
	}
	f.title(t, first, "went on")
	f.wait(t, "the opened page", func() bool {
		return slices.ContainsFunc(f.tabs, func(tab protocol.Tab) bool { return tab.Title == "opened" })
	})
}
