package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// The task page is an extension's page with all its interfaces and the pairing. It counts as
// shown, so that its timers are not slowed, and is in no list. One that is there stays; one that
// crashed is replaced.
func TestTaskPage(t *testing.T) {
	for _, is := range []bool{false, true} {
		t.Run(fmt.Sprintf("headless=%t", is), func(t *testing.T) {
			var f *fixture
			switch {
			case !is: // one of its own: each crash takes the worker along, and it is put back only so often
				f = start(t, config(t, false))
			default: // one of its own: the extension stays loaded
				c := config(t, true)
				c.ExtensionDir = extensionDir(t)
				f = start(t, c)
			}
			if err := f.Pair(deadline(t), protocol.Pairing{Session: "one", Token: "first"}); err != nil {
				t.Fatal(err)
			}
			if panel, err := f.TaskPanel(deadline(t), f.first(t)); err != nil || panel == is {
				t.Errorf("a panel is there: %t, %v", panel, err)
			}
			opens := func(fresh bool) {
				t.Helper()
				if was, err := f.OpenTaskPage(deadline(t)); err != nil || was != fresh {
					t.Fatalf("it is new: %t, %v", was, err)
				}
			}
			r, err := f.running()
			if err != nil {
				t.Fatal(err)
			}
			eval := func(script string) string {
				t.Helper()
				text, err := devtools.Evaluate[string](deadline(t), r.taskPage.now.Load().Session, script, 0)
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			pairing := fmt.Sprintf(`chrome.storage.session.get(%q).then((all) => JSON.stringify(all))`, protocol.PairingKey)
			for range 2 {
				opens(true)
				opens(false)
				if got := eval(pairing); !strings.Contains(got, `"first"`) {
					t.Errorf("it is paired with %s", got)
				}
				if got := eval(`document.visibilityState + ' ' + typeof chrome.scripting`); got != "visible object" {
					t.Errorf("it is %s", got)
				}
				if tabs := f.Tabs(); len(tabs) != 1 || len(f.Browser.tabs.PanelTargets()) != map[bool]int{true: 0, false: 1}[is] {
					t.Errorf("tabs are %+v", tabs)
				}
				if err := devtools.Post(deadline(t), r.taskPage.now.Load().Session, cdppage.Crash, cdp.Empty{}); err != nil { // it has no answer
					t.Fatal(err)
				}
			}
			opens(true)
			if err := f.Pair(deadline(t), protocol.Pairing{Session: "one", Token: "second"}); err != nil {
				t.Fatal(err)
			}
			if got := eval(pairing); !strings.Contains(got, `"second"`) {
				t.Errorf("after a rotation it is paired with %s", got)
			}
			for range 2 {
				if err := f.CloseTaskPage(deadline(t)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
