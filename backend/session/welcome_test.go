package session

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

// The welcome page of a start waits for the first terminal, not for ever, and
// later for nothing.
func TestWelcomeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &Manager{begun: newLatch()}
		m.cfg.Welcome = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		served := func() time.Duration {
			begun := time.Now()
			w := httptest.NewRecorder()
			m.welcome().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/welcome", http.NoBody))
			if w.Code != http.StatusTeapot {
				t.Errorf("the page was answered with %d", w.Code)
			}
			return time.Since(begun)
		}
		if got := served(); got != protocol.WelcomeTimeout {
			t.Errorf("a page beside a panel that never comes is served after %v", got)
		}
		time.AfterFunc(protocol.WelcomeTimeout/4, m.begun.open)
		if got := served(); got != protocol.WelcomeTimeout/4 {
			t.Errorf("a page is served %v after it was asked for, and not with the terminal", got)
		}
		if got := served(); got != 0 {
			t.Errorf("a page after the start waits for %v", got)
		}
	})
	if (&Manager{}).welcome() != nil {
		t.Error("there is a welcome page where none was given")
	}
}
