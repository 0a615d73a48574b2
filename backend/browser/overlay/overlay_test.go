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

// A pause is asked for in the tab that shows the target; only our own binding is a pause
// request.
func TestPause(t *testing.T) {
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	ms := New(nil, open)
	for _, c := range []struct {
		shown target.ID
		name  string
		want  protocol.TabID
	}{{"T1", "another", ""}, {"T2", pauseBinding, ""}, {"T1", pauseBinding, "t1"}} {
		e := devtools.Event{Method: runtime.BindingCalled.Method, Params: jsonv2.Value(`{"name":"` + c.name + `","payload":"","executionContextId":1}`)}
		if id, asked := ms.PauseAsked(c.shown, e); id != c.want || asked != (c.want != "") {
			t.Errorf("%s of %s asks for a pause in %q: %v", c.name, c.shown, id, asked)
		}
	}
	if ms.Covers("T1") {
		t.Error("a tab that nobody masked is covered")
	}
}
