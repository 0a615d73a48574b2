package tabs_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// page returns target information for a page, as the protocol reports it.
func page(id target.ID, url string) *target.Info {
	return &target.Info{TargetID: id, Type: "page", URL: url}
}

// report is one report of the worker.
func report(seq int, list ...protocol.BridgeTab) *protocol.BridgeEvent {
	for i := range list {
		list[i].Index = i
	}
	return &protocol.BridgeEvent{Type: protocol.BridgeTabs, Seq: seq, Tabs: list, FocusedWindow: 1}
}

func tab(chrome int, id, url string) protocol.BridgeTab {
	return protocol.BridgeTab{ChromeTabID: chrome, TargetID: id, WindowID: 1, URL: url}
}

// shown returns the tabs that the registry shows, as "id URL".
func shown(r *tabs.Registry) []string {
	var out []string
	for _, t := range r.All() {
		out = append(out, string(t.ID)+" "+t.URL)
	}
	return out
}

func check(t *testing.T, r *tabs.Registry, want ...string) {
	t.Helper()
	if got := shown(r); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// Without a worker each page is a tab at once, and no other target is.
func TestPagesAreTabs(t *testing.T) {
	r := tabs.New(3)
	changed := r.Changes()
	r.TargetInfo(page("A", "https://a.example/"))
	<-changed
	r.TargetInfo(page("P", tabs.PanelURL))
	r.TargetInfo(&target.Info{TargetID: "W", Type: "service_worker", URL: "https://a.example/w.js"})
	r.TargetInfo(page("A", "https://a.example/next"))
	check(t, r, "t4 https://a.example/next")
	if panels := r.PanelTargets(); !slices.Equal(panels, []target.ID{"P"}) {
		t.Errorf("panels: %v", panels)
	}
	r.Destroyed("A")
	r.TargetInfo(page("B", "https://b.example/"))
	check(t, r, "t5 https://b.example/") // no id is assigned twice
}

// A new tab is the last one, also after tabs before it were closed.
func TestNewTabIsLast(t *testing.T) {
	r := tabs.New(0)
	r.TargetInfo(page("A", "https://a.example/"))
	r.TargetInfo(page("B", "https://b.example/"))
	r.TargetInfo(page("C", "https://c.example/"))
	r.Destroyed("A")
	r.Destroyed("B")
	r.TargetInfo(page("D", "https://d.example/"))
	check(t, r, "t3 https://c.example/", "t4 https://d.example/")
}

// With a worker, a page is a tab when the worker reports it as one.
func TestWorkerSaysWhatIsATab(t *testing.T) {
	r := tabs.New(0)
	r.TargetInfo(page("A", "https://a.example/"))
	r.Report(report(1, tab(7, "A", "https://a.example/")))
	if !r.TargetInfo(page("B", "https://b.example/")) || !r.Unsettled() {
		t.Error("nobody asks the worker about a new page")
	}
	check(t, r, "t1 https://a.example/")
	r.Settle(true) // it was asked, and did not report the page
	check(t, r, "t1 https://a.example/")
	r.Report(report(2, tab(7, "A", "https://a.example/"), tab(8, "B", "https://b.example/")))
	check(t, r, "t1 https://a.example/", "t2 https://b.example/")
	r.Report(report(1)) // an earlier report that arrives late
	check(t, r, "t1 https://a.example/", "t2 https://b.example/")
	r.Report(report(3, tab(8, "B", "https://b.example/")))
	check(t, r, "t2 https://b.example/")
}

// When the worker does not answer, the registry stops waiting and uses the
// protocol's information.
func TestWorkerThatIsSilent(t *testing.T) {
	r := tabs.New(0)
	r.Report(report(1, tab(7, "A", "https://a.example/")))
	r.TargetInfo(page("B", "https://b.example/"))
	if !r.Destroyed("A") {
		t.Error("nobody asks the worker whether the tab ended with its page")
	}
	check(t, r, "t1 https://a.example/")
	r.Unbridge()
	check(t, r, "t2 https://b.example/")
}

// A tab keeps its id when another page target shows it, or when Chrome gives it
// another tab id.
func TestTabKeepsItsID(t *testing.T) {
	r := tabs.New(0)
	r.Report(report(1, tab(7, "A", "https://a.example/")))
	r.TargetInfo(page("B", "https://a.example/swapped"))
	r.Report(report(2, tab(7, "B", "https://a.example/swapped")))
	check(t, r, "t1 https://a.example/swapped")
	discarded := tab(9, "C", "https://a.example/swapped")
	discarded.ReplacesChromeTabID = 7
	r.Report(report(3, discarded))
	check(t, r, "t1 https://a.example/swapped")
	if e, ok := r.Lookup("t1"); !ok || e.Target != "C" || e.ChromeTabID != 9 {
		t.Errorf("%+v", e)
	}
}

// Restored tabs get their former ids: by URL, or, while no page is a tab yet, by
// the claims that were read from the browser's own session.
func TestRestoredTabs(t *testing.T) {
	known := []tabs.RestoreTab{{ID: "t4", URL: "https://a.example/"}, {ID: "t9", URL: "https://b.example/"}}
	r := tabs.New(0)
	r.Reset(known, false)
	r.TargetInfo(page("B", "https://b.example/"))
	r.TargetInfo(page("N", "https://new.example/"))
	r.TargetInfo(page("A", "https://a.example/"))
	check(t, r, "t9 https://b.example/", "t10 https://new.example/", "t4 https://a.example/")

	r.Reset(known, true)
	r.TargetInfo(page("A", "https://a.example/redirected"))
	r.TargetInfo(page("N", "https://new.example/"))
	r.Report(report(1, tab(7, "A", "https://a.example/redirected"), tab(8, "N", "https://new.example/")))
	check(t, r)
	r.Release([]tabs.Claim{{Page: "A", URL: "https://a.example/redirected", ID: "t4"}})
	check(t, r, "t4 https://a.example/redirected", "t11 https://new.example/")

	// A page that has not begun to load has no URL.
	r.Reset(known, true)
	r.TargetInfo(page("A", ""))
	r.Release([]tabs.Claim{{Page: "A", URL: "https://a.example/", ID: "t4"}})
	check(t, r, "t4 https://a.example/")
	r.TargetInfo(page("A", ""))
	check(t, r, "t4 https://a.example/")
}

// The next tab that no page opened gets the expected id, whatever its URL is.
func TestExpectedTab(t *testing.T) {
	r := tabs.New(0)
	r.Reset([]tabs.RestoreTab{{ID: "t5", URL: "https://a.example/"}}, false)
	r.Expects("t5")
	opened := page("P", "https://popup.example/")
	opened.OpenerID = "X"
	r.TargetInfo(opened)
	r.TargetInfo(page("A", "about:blank"))
	check(t, r, "t6 https://popup.example/", "t5 about:blank")
}

// When the worker stops, as it does just before a browser that is killed, the tab
// that it last reported is in front, not an earlier one that we brought to the
// front.
func TestFrontOutlivesTheWorker(t *testing.T) {
	first, second, other := tab(7, "A", "https://a.example/"), tab(8, "B", "https://b.example/"), tab(9, "C", "https://c.example/")
	other.WindowID, other.Active = 2, true
	unknown := tab(10, "", "https://d.example/") // its target is not known yet
	second.Active = true
	r := tabs.New(0)
	r.Report(report(1, other, first, second, unknown))
	r.Activated("t3") // the tab that was opened in front
	first.Active, second.Active = true, false
	r.Report(report(2, other, first, second, unknown))
	r.Unbridge()
	for _, now := range r.All() {
		if want := now.URL == first.URL; now.Active != want || now.Focused != want {
			t.Errorf("%s: active %v, focused %v", now.URL, now.Active, now.Focused)
		}
	}
}

// A tab that opens while a command acts on its opener, or soon after, was opened by the
// command; another one by the user.
func TestWhoOpenedATab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := tabs.New(0)
		r.TargetInfo(page("A", "https://a.example/"))
		opens := func(id target.ID) protocol.Tab {
			info := page(id, "https://a.example/"+string(id))
			info.OpenerID = "A"
			r.TargetInfo(info)
			all := r.All()
			return all[len(all)-1]
		}
		if got := opens("before"); got.Opener != "t1" || !got.ByUser {
			t.Errorf("before any command: %+v", got)
		}
		end, second := r.Command("t1"), r.Command("t1")
		if got := opens("during"); got.Opener != "t1" || got.ByUser {
			t.Errorf("during a command: %+v", got)
		}
		end()
		time.Sleep(time.Minute)
		if got := opens("second"); got.ByUser {
			t.Errorf("during the second command: %+v", got)
		}
		second()
		time.Sleep(4 * time.Second)
		if got := opens("soon"); got.ByUser {
			t.Errorf("soon after a command: %+v", got)
		}
		time.Sleep(2 * time.Second)
		if got := opens("late"); !got.ByUser {
			t.Errorf("long after a command: %+v", got)
		}
		r.Command("t99")() // a tab that is gone
	})
}

// A tab that was redirected before anybody looked is still known by its first address.
func TestFirstAddresses(t *testing.T) {
	r := tabs.New(0)
	for _, url := range []string{"", "https://a.test/", "https://a.test/there"} {
		r.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: url})
	}
	e, _ := r.Find(func(e *tabs.Entry) bool { return e.Target == "T1" })
	if e.URL != "https://a.test/there" || !slices.Contains(e.Addresses, "https://a.test/") {
		t.Errorf("%+v", e)
	}
}
