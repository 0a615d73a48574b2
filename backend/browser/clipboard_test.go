package browser

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// Another tab reads what a command has written, whatever it contains, and a
// command reads what a page has copied. The page itself gets no permission from
// that.
func TestClipboard(t *testing.T) {
	for name, headless := range map[string]bool{"visible": false, "headless": true} {
		t.Run(name, func(t *testing.T) {
			s := &stage{fixture: share(t, headless), url: pages(t, map[string]string{"/": `<input id=i value="copied by the page">`})}
			s.tab = s.first(t)
			s.open(t, "/")
			back, err := s.NewTab(deadline(t), "", true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Navigate(deadline(t), nobody, back, s.url+"/?back", protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"hello", "", "two\nlines\t\"quoted\" \\ ${x} `y`", "\a\v\x7f\u2028\U000e0001", "ünï 🐟 עברית"} {
				if _, err := s.Clipboard(deadline(t), nobody, s.tab, &text); err != nil {
					t.Fatalf("writing %q: %v", text, err)
				}
				for _, tab := range []protocol.TabID{s.tab, back} {
					if got, err := s.Clipboard(deadline(t), nobody, tab, nil); err != nil || got != text {
						t.Errorf("%s reads %q and not %q, %v", tab, got, text, err)
					}
				}
			}
			s.act(t, click("css=#i"))
			s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Text: "Control+A Control+C"})
			if got, err := s.Clipboard(deadline(t), nobody, s.tab, nil); err != nil || got != "copied by the page" {
				t.Errorf("after the page's copy: %q, %v", got, err)
			}
			if state := s.permission(t); state != "prompt" {
				t.Errorf("the page is left with the clipboard: %s", state)
			}
			// A write grants no read permission, and the earlier setting applies
			// again afterwards.
			s.eval(t, "navigator.permissions.query({ name: 'clipboard-read' }).then((status) => { window.seen = []; status.onchange = () => seen.push(status.state) })")
			text := "written"
			for _, setting := range []string{"prompt", "denied", "granted"} {
				if _, err := s.SetPermission(deadline(t), nobody, s.tab, "clipboard-read", setting); err != nil {
					t.Fatal(err)
				}
				s.eval(t, "seen = []")
				if _, err := s.Clipboard(deadline(t), nobody, s.tab, &text); err != nil {
					t.Errorf("%s: %v", setting, err)
				}
				if seen := s.eval(t, "seen.join()"); seen != "" {
					t.Errorf("%s: a write made it %s", setting, seen)
				}
				if got, err := s.Clipboard(deadline(t), nobody, s.tab, nil); err != nil || got != text {
					t.Errorf("%s: it reads %q, %v", setting, got, err)
				}
				if state := s.permission(t); state != setting {
					t.Errorf("it is %s and was %s", state, setting)
				}
			}
		})
	}
	f := headless(t)
	if _, err := f.Clipboard(deadline(t), nobody, f.first(t), nil); code(err) != protocol.CodeNotActable {
		t.Errorf("a page without an origin: %v", err)
	}
}

// permission returns the state of the clipboard permission that the page itself
// sees.
func (s *stage) permission(t *testing.T) string {
	t.Helper()
	v, err := s.Evaluate(deadline(t), nobody, s.tab, "(await navigator.permissions.query({ name: 'clipboard-read' })).state")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(v.Value), `"`)
}
