package browser

import "testing"

// A window that a script opens by a click leaves its opener alive, with a gate
// and without.
func TestWindowOpenedByScript(t *testing.T) {
	s := &stage{fixture: start(t, config(t, true))}
	s.url = pages(t, map[string]string{
		"/":     `<button onclick="w = window.open('/next'); document.title = 'opened'">Open</button>`,
		"/next": `<p>there`,
	})
	s.tab = s.first(t)
	for _, gated := range []bool{false, true} {
		if gated {
			if err := s.Gate(t.Context(), s.tab, []string{"*://*:1/*"}, func(string, bool) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			s.open(t, "/")
			e := s.act(t, click("text=Open"))
			if len(e.Tabs) != 1 || e.Title != "opened" {
				t.Errorf("gated %v: %+v", gated, e)
			}
			if got := s.eval(t, "document.title + w.closed"); got != "openedfalse" {
				t.Errorf("gated %v: title %q", gated, got)
			}
		}
	}
}
