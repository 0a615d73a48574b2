package input

import (
	"testing"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/page"
)

// TestExpects: an overlay lets exactly the expected input pass.
func TestExpects(t *testing.T) {
	k, ok := keyOf('a')
	if !ok {
		t.Fatal("there is no key for a")
	}
	e, is := expects(append(
		[]message{mouseMessage(input.DispatchMouseEventTypeMousePressed, page.Point{X: 5, Y: 9}, input.MouseButtonLeft, 1, 1, 0)},
		keyMessages(k.Press(0)...)...,
	))
	if !is || !e.Pointer || e.Area == nil || *e.Area != [4]float64{5, 9, 5, 9} || len(e.Keys) != 1 || e.Keys[0] != "a" {
		t.Errorf("it is %+v, %v", e, is)
	}
	if e, is := expects(keyMessages(k.Up(0))); !is || e.Pointer || e.Keys == nil || len(e.Keys) != 0 {
		t.Errorf("a key that goes up is %+v, %v", e, is)
	}
	if _, is := expects([]message{{Method: input.SetInterceptDrags.Method, Params: input.SetInterceptDragsParams{}}}); is {
		t.Error("a setting is an input")
	}
}

// TestLoads: the addresses from which a document is loaded.
func TestLoads(t *testing.T) {
	for url, want := range map[string]bool{"https://example.com/": true, "about:blank": true, "mailto:a@b.c": false, "javascript:void 0": false, "://": false} {
		if got := loads(url); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
