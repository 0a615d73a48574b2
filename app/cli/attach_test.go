package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// While a start waits for the user's own browser, each thing that the user has to do is said
// once, and the status says it, too.
func TestStartSaysWhatTheUserHasToDo(t *testing.T) {
	steps := []protocol.AttachStep{protocol.AttachSwitchOn, protocol.AttachSwitchOn, protocol.AttachAllow}
	// A status that is asked for says that the one before was read.
	asked := make(chan struct{}, len(steps)+1)
	// Browsers of other tests look for an app that has ended; its port may be this server's now.
	requests := http.NewServeMux()
	requests.HandleFunc("POST /app", func(w http.ResponseWriter, r *http.Request) {
		var req protocol.AppRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		mine := protocol.SessionInfo{Name: "mine", State: protocol.SessionRunning, Browser: &protocol.BrowserInfo{Name: "Google Chrome", Attached: true}}
		switch req.Action {
		case protocol.AppStart:
			for range cap(asked) {
				<-asked
			}
		default:
			next := steps[0]
			if len(steps) > 1 {
				steps = steps[1:]
			}
			mine = protocol.SessionInfo{Name: "mine", State: protocol.SessionStarting, Attaching: &protocol.Attaching{Browser: "Google Chrome", Step: next}}
			select {
			case asked <- struct{}{}:
			default:
			}
		}
		other := protocol.SessionInfo{Name: "other", State: protocol.SessionStarting, Attaching: &protocol.Attaching{Browser: "Brave", Step: protocol.AttachAllow}}
		if err := json.NewEncoder(w).Encode(protocol.AppReply{Sessions: []protocol.SessionInfo{mine, other}}); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(requests)
	defer server.Close()
	out, said, code := runAt(server.URL, "sessions", "start", "mine")
	const want = "pilotfish: waiting for you: start Google Chrome, open chrome://inspect/#remote-debugging there, and switch on \"Allow remote debugging for this browser instance\"\n" +
		"pilotfish: waiting for you: press Allow in the dialog of Google Chrome\n"
	if code != 0 || said != want || !strings.Contains(out, "mine: running, attached to Google Chrome") {
		t.Errorf("%d, %q, %q", code, out, said)
	}
	out, _, _ = runAt(server.URL, "status")
	if !strings.Contains(out, "mine: starting\n  waiting for you: press Allow in the dialog of Google Chrome\n") {
		t.Errorf("%q", out)
	}
	gone := describeSessions([]protocol.SessionInfo{{Name: "mine", State: protocol.SessionBackground, Browser: &protocol.BrowserInfo{Name: "Google Chrome", Attached: true}}}, time.Now())
	if gone != "mine: background\n  Google Chrome was closed, or the connection to it has ended; `pilotfish sessions start mine` asks it again\n" {
		t.Errorf("%q", gone)
	}
}
