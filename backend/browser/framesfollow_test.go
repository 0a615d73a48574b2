package browser

import (
	"fmt"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// A frame that navigates from site to site, and a page that comes back from the
// back/forward cache, show their current contents, and earlier contents are
// removed.
func TestFramesThatMove(t *testing.T) {
	s := stageOf(t, "")
	body := func(name string) string { return `<button>` + name + `</button>` }
	inside := pages(t, map[string]string{"/a": body("Alpha"), "/b": body("Beta"), "/c": body("Gamma"), "/nest": body("Nest") + `<iframe src="/a"></iframe>`})
	other := strings.Replace(inside, "127.0.0.1", "localhost", 1)
	third := strings.Replace(inside, "127.0.0.1", "third.localhost", 1)
	one := pages(t, map[string]string{"/": body("Main") + fmt.Sprintf(`<iframe id=q src="%s/a"></iframe>`, other)}) + "/"
	two := pages(t, map[string]string{"/": body("Second") + fmt.Sprintf(`<iframe src="%s/b"></iframe><iframe src="%s/nest"></iframe>`, inside, other)}) + "/"
	shows := func(when string, names ...string) {
		t.Helper()
		for _, name := range names {
			if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: "role=button name=" + name}); err != nil {
				t.Fatalf("%s: %s: %v", when, name, err)
			}
		}
		snap := s.snap(t, protocol.SnapshotRequest{})
		for _, name := range []string{"Main", "Second", "Alpha", "Beta", "Gamma", "Nest"} {
			if want := strings.Contains(strings.Join(names, " "), name); strings.Contains(snap.Text, name) != want {
				t.Errorf("%s: %s: there %v, not %v, in\n%s", when, name, !want, want, snap.Text)
			}
		}
		if all := s.page(t).Frames.All(); len(all) != len(names) {
			t.Errorf("%s: %d frames instead of %d", when, len(all), len(names))
		}
	}
	navigate := func(url string) {
		t.Helper()
		if _, err := s.Navigate(deadline(t), nobody, s.tab, url, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.snap(t, protocol.SnapshotRequest{})
	navigate(one)
	shows("a frame of another site", "Main", "Alpha")
	for range 3 {
		for _, c := range []struct{ when, address, name string }{
			{"moved to the page's site", inside + "/b", "Beta"},
			{"moved to another site", other + "/c", "Gamma"},
			{"moved to a third site", third + "/a", "Alpha"},
			{"moved back", inside + "/c", "Gamma"},
		} {
			s.eval(t, fmt.Sprintf("void (q.src = %q)", c.address))
			shows(c.when, "Main", c.name)
		}
	}
	s.eval(t, fmt.Sprintf("void (q.src = %q)", other+"/b"))
	shows("moved away", "Main", "Beta")
	s.eval(t, "q.remove()")
	shows("removed", "Main")
	navigate(one)
	navigate(two)
	shows("another page", "Second", "Beta", "Nest", "Alpha")
	for _, c := range []struct {
		when  string
		goes  func() error
		names []string
	}{
		{"back", func() error { _, err := s.Back(deadline(t), nobody, s.tab, protocol.WaitLoad, nil); return err }, []string{"Main", "Alpha"}},
		{"forward", func() error { _, err := s.Forward(deadline(t), nobody, s.tab, protocol.WaitLoad, nil); return err }, []string{"Second", "Beta", "Nest", "Alpha"}},
	} {
		if err := c.goes(); err != nil {
			t.Fatal(err)
		}
		snap := s.snap(t, protocol.SnapshotRequest{})
		shows(c.when, c.names...)
		if !strings.Contains(snap.Text, c.names[1]) {
			t.Errorf("%s: the first look has no %s:\n%s", c.when, c.names[1], snap.Text)
		}
	}
}
