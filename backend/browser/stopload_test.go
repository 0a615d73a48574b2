//go:build unix

package browser

import (
	"context"
	"net/http"
	"testing"

	"pilotfish/backend/protocol"
)

// When the command of a navigation is cancelled, the browser cancels its request,
// too.
func TestCancelledNavigationStopsLoading(t *testing.T) {
	s := stageOf(t, `<p>Here</p>`)
	asked, gone := make(chan struct{}), make(chan struct{})
	slow := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/slow" {
			return
		}
		close(asked)
		<-r.Context().Done()
		close(gone)
	}))
	ctx, stop := context.WithCancel(deadline(t))
	go func() { <-asked; stop() }()
	if _, err := s.Navigate(ctx, nobody, s.tab, slow.URL+"/slow", protocol.WaitLoad, nil); err == nil {
		t.Error("a cancelled navigation ended well")
	}
	select {
	case <-gone:
	case <-deadline(t).Done():
		t.Fatal("the browser still loads the page")
	}
}
