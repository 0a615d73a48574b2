package browser

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// A panel that has just opened has no page yet that can say which window it is in.
// To open it once more does not close it.
func TestOpenPanelWhileItOpens(t *testing.T) {
	f := windowed(t)
	ctx, id := deadline(t), f.first(t)
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := f.Browser.tabs.Lookup(id)
	strip, err := r.stripOf(ctx, tab.Target)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		for _, panel := range f.Browser.tabs.PanelTargets() {
			if _, err := cdp.Call(ctx, r.conn.Root, target.CloseTarget, target.CloseTargetParams{TargetID: panel}); err != nil {
				t.Fatal(err)
			}
		}
		f.wait(t, "the panel's end", func() bool { return !f.panel })
		if err := r.trigger(ctx, strip); err != nil {
			t.Fatal(err)
		}
		f.wait(t, "the panel", func() bool { return f.panel })
		if err := f.OpenPanel(ctx, id); err != nil {
			t.Fatal(err)
		}
		if n := len(f.Browser.tabs.PanelTargets()); n != 1 || f.opened != i+1 {
			t.Fatalf("%d panels, opened %d times", n, f.opened)
		}
	}
}
