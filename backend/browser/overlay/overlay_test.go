package overlay

import (
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// The area of an input contains all its points.
func TestInclude(t *testing.T) {
	var e Expected
	for _, at := range [][2]float64{{30, 40}, {10, 60}, {20, 5}} {
		e.Include(at[0], at[1])
	}
	if e.Area == nil || *e.Area != [4]float64{10, 5, 30, 60} {
		t.Errorf("the area is %v", e.Area)
	}
}

// A pause request calls Pause with the tab; only our own binding is a pause
// request.
func TestPause(t *testing.T) {
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	var paused []protocol.TabID
	ms := New(nil, Config{Open: open, Pause: func(id protocol.TabID) { paused = append(paused, id) }})
	called := func(name string) devtools.Event {
		return devtools.Event{Method: runtime.BindingCalled.Method, Params: jsonv2.Value(`{"name":"` + name + `","payload":"","executionContextId":1}`)}
	}
	ms.PauseAsked("T1", called("another"))
	ms.PauseAsked("T2", called(pauseBinding))
	ms.PauseAsked("T1", called(pauseBinding))
	if len(paused) != 1 || paused[0] == "" {
		t.Errorf("a pause was asked for in %q", paused)
	}
	if ms.Covers("T1") {
		t.Error("a tab that nobody masked is covered")
	}
}
