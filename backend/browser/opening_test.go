package browser

import (
	"testing"
)

// A panel that has just opened has no page yet that can say which window it is in.
// To open it once more does not close it.
func TestOpenPanelWhileItOpens(t *testing.T) {
	s := site(t)
	for range 8 {
		c := config(t, false)
		c.StartURL = func() string { return s.URL + "/one" }
		f := launchOnly(t, c)
		f.wait(t, "the panel", func() bool { return f.panel })
		if err := f.OpenPanel(deadline(t), "t1"); err != nil {
			t.Fatal(err)
		}
		if n := len(f.Browser.tabs.PanelTargets()); n != 1 || f.opened != 1 {
			t.Fatalf("%d panels, opened %d times", n, f.opened)
		}
	}
}
