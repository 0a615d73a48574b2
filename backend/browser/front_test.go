package browser

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"pilotfish/backend/protocol"
)

// A tab that a click opened in front is the active one, with and without the
// extension; a tab that was opened in the background is not.
func TestFrontAfterAClick(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>A</title><p><a href=/link target=_blank>Link</a>`)
	}))
	for _, headless := range modes(t) {
		t.Run(fmt.Sprintf("headless=%t", headless), func(t *testing.T) {
			f := share(t, headless)
			id := f.first(t)
			if _, err := f.Navigate(deadline(t), nobody, id, s.URL+"/", protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
			front := func() protocol.TabID {
				for _, tab := range f.Tabs() {
					if tab.Active {
						return tab.ID
					}
				}
				return ""
			}
			opened := func(q protocol.ActRequest) protocol.TabID {
				t.Helper()
				before := f.Tabs()
				if _, err := f.Act(deadline(t), nobody, id, q, nil); err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				f.wait(t, "another tab", func() bool { return len(f.Tabs()) == len(before)+1 })
				tabs := f.Tabs()
				return tabs[slices.IndexFunc(tabs, func(tab protocol.Tab) bool {
					return !slices.ContainsFunc(before, func(old protocol.Tab) bool { return old.ID == tab.ID })
				})].ID
			}
			link := opened(click("text=Link"))
			f.wait(t, "the tab that a link opened in front", func() bool { return front() == link })
			behind := click("text=Link")
			behind.Modifiers = "Control"
			if other := opened(behind); front() != link {
				t.Errorf("%s was opened behind, and %s is in front instead of %s", other, front(), link)
			}
			if err := f.ActivateTab(deadline(t), id); err != nil || front() != id {
				t.Errorf("%s is in front, %v", front(), err)
			}
			if err := f.CloseTab(deadline(t), id); err != nil {
				t.Fatal(err)
			}
			f.wait(t, "another tab in front", func() bool { return front() != "" && front() != id })
		})
	}
}
