package browser

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// TestClipboard: what a command writes another tab reads, whatever is in it, and
// what a page copies a command reads; the page itself is given nothing for it.
func TestClipboard(t *testing.T) {
	for name, headless := range map[string]bool{"visible": false, "headless": true} {
		t.Run(name, func(t *testing.T) {
			s := &stage{fixture: start(t, config(t, headless)), url: pages(t, map[string]string{"/": `<input id=i value="copied by the page">`})}
			s.tab = s.first(t)
			s.open(t, "/")
			back, err := s.NewTab(deadline(t), "", true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Navigate(deadline(t), back, s.url+"/?back", protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"hello", "", "two\nlines\t\"quoted\" \\ ${x} `y`", "\a\v\x7f\u2028\U000e0001", "ünï 🐟 עברית"} {
				if _, err := s.Clipboard(deadline(t), s.tab, &text); err != nil {
					t.Fatalf("writing %q: %v", text, err)
				}
				for _, tab := range []protocol.TabID{s.tab, back} {
					if got, err := s.Clipboard(deadline(t), tab, nil); err != nil || got != text {
						t.Errorf("%s reads %q and not %q, %v", tab, got, text, err)
					}
				}
			}
			s.act(t, click("css=#i"))
			s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Text: "Control+A Control+C"})
			if got, err := s.Clipboard(deadline(t), s.tab, nil); err != nil || got != "copied by the page" {
				t.Errorf("after the page's copy: %q, %v", got, err)
			}
			if state := s.permission(t); state != "prompt" {
				t.Errorf("the page is left with the clipboard: %s", state)
			}
		})
	}
	f := start(t, config(t, true))
	if _, err := f.Clipboard(deadline(t), f.first(t), nil); code(err) != protocol.CodeNotActable {
		t.Errorf("a page without an origin: %v", err)
	}
}

// permission is what the page itself would be told of the clipboard.
func (s *stage) permission(t *testing.T) string {
	t.Helper()
	v, err := s.Evaluate(deadline(t), s.tab, "(await navigator.permissions.query({ name: 'clipboard-read' })).state")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(v.Value), `"`)
}
