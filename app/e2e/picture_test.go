package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/protocol"
)

// TestPicture makes the picture of README: the product at work, as a person sees
// it. It fails when the work in it does not go through.
func TestPicture(t *testing.T) {
	page, err := os.ReadFile("testdata/tides.html")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	t.Cleanup(srv.Close)
	p := start(t, options{Desktop: newDesktop(t, desktop.Config{Width: 1600, Height: 1000})})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "PS1='$ '; clear; pilotfish goto "+srv.URL+"/tides")
	p.untilScreen(panel, "t1 is at")
	p.typeLine(panel, "pilotfish snapshot -i")
	p.untilScreen(panel, "Reserve")
	p.typeLine(panel, `pilotfish fill 'label=Name of the boat' Selkie`)
	p.untilScreen(panel, "filled")
	tides := p.page(browser, "/tides")
	var boat string
	if err := tides.Eval(p.ctx, `document.querySelector('#name').value`, &boat); err != nil || boat != "Selkie" {
		t.Errorf("the boat's name is %q, %v", boat, err)
	}
	window, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"windowsize", window, "760", "420"}, {"windowmove", window, "70", "500"}, {"windowactivate", "--sync", window}} {
		if _, err := p.desk.Command(p.ctx, "xdotool", args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.desk.Screenshot(p.ctx, artifact(t, "pilotfish.png")); err != nil {
		t.Fatal(err)
	}
}
