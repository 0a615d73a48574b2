package browser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// TestOpenedTabsAreNamed: an action that opens a tab says where it is, and whether it is
// in front.
func TestOpenedTabsAreNamed(t *testing.T) {
	body := `<a id=link href="/child?link" target=_blank>link</a><a id=named href="/child?named" target=w rel=opener>named</a>
		<button id=script onclick="window.open('/child?script')">script</button>
		<button id=later onclick="setTimeout(() => window.open('/child?later'))">later</button>
		<button id=inNamed onclick="window.open('/child?named', 'w')">in it</button><form action="/child" target=w><button id=formInNamed>form in it</button></form>
		<button id=pushInNamed onclick="window.open('', 'w').history.pushState({}, '', '/child?pushed')">push in it</button>
		<button id=hashInNamed onclick="window.open('', 'w').location.hash = 'part'">hash in it</button>
		<button id=backInNamed onclick="window.open('', 'w').history.back()">back in it</button>
		<form action="/child" target=_blank><button id=form name=q value=form>form</button></form>
		<button id=slow onclick="window.open('/slow')">slow</button><a id=behind href="/child?behind">behind</a>
		<button id=asking onclick="window.open('/asking')">asking</button><a id=asks href="/asking" target=_blank>asks</a>
		<button id=asksLate onclick="window.open('/asking'); for (const end = Date.now() + 2000; Date.now() < end;);">asks late</button>`
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/slow":
			select {
			case <-time.After(2 * time.Second): // a server's own time
			case <-r.Context().Done():
			}
		case "/asking":
			fmt.Fprint(w, `<script>alert('hello')</script>`)
		case "/":
			fmt.Fprint(w, body)
		}
		fmt.Fprint(w, "<title>Child</title>there")
	}))
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := &stage{fixture: share(t, windowless), url: server.URL}
			s.tab = s.first(t)
			for _, c := range []struct {
				what, path string
				front      bool
				modifiers  string
			}{
				{"link", "/child?link", true, ""},
				{"named", "/child?named", true, ""},
				{"script", "/child?script", true, ""},
				{"later", "/child?later", true, ""},
				{"form", "/child?q=form", true, ""},
				{"slow", "/slow", true, ""},
				{"behind", "/child?behind", false, "Control"},
				{"asking", "/asking", true, ""},
				{"asks", "/asking", true, ""},
				{"asksLate", "/asking", true, ""}, // both pages are busy in one process before it
			} {
				s.open(t, "/")
				e := s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: "#" + c.what, Modifiers: c.modifiers})
				if len(e.Opened) != 1 || !slices.Equal(e.Tabs, []protocol.TabID{e.Opened[0].Tab}) || e.Opened[0].URL != s.url+c.path || e.Opened[0].Front != c.front {
					t.Errorf("%s: %+v", c.what, e)
				}
				if len(e.Tabs) == 0 {
					continue
				}
				if strings.HasPrefix(c.what, "ask") {
					f := func(ctx context.Context) (protocol.Snapshot, error) {
						return s.Snapshot(ctx, nobody, e.Tabs[0], protocol.SnapshotRequest{}, nil)
					}
					_, err := timed(t, "snapshot", f)
					for code(err) == "" { // the page has not loaded yet
						_, err = timed(t, "snapshot", f)
					}
					if code(err) != protocol.CodeDialog || !strings.Contains(err.Error(), "hello") {
						t.Errorf("a tab that asks: %v", err)
					}
					if d, err := s.Dialog(deadline(t), nobody, e.Tabs[0], true, nil); err != nil || d.Message != "hello" {
						t.Errorf("its dialog: %+v, %v", d, err)
					}
				}
				if c.what == "named" {
					s.loadsAgain(t, e.Tabs[0])
				}
				if err := s.CloseTab(deadline(t), e.Tabs[0]); err != nil {
					t.Error(err)
				}
				if err := s.ActivateTab(deadline(t), s.tab); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// loadsAgain: an action that loads a document in a tab that the page had opened before
// names that tab.
func (s *stage) loadsAgain(t *testing.T, in protocol.TabID) {
	t.Helper()
	for _, c := range []struct{ target, path string }{
		{"#named", "/child?named"}, // the address that it has
		{"#inNamed", "/child?named"},
		{"#formInNamed", "/child?"},
	} {
		if err := s.ActivateTab(deadline(t), s.tab); err != nil {
			t.Fatal(err)
		}
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: c.target})
		want := []protocol.OpenedTab{{Tab: in, URL: s.url + c.path, Front: true, Again: true}}
		if len(e.Tabs) > 0 || !slices.Equal(e.Opened, want) || e.Nothing {
			t.Errorf("%s: %+v", c.target, e)
		}
	}
	for _, target := range []string{"#pushInNamed", "#hashInNamed", "#backInNamed"} { // another address of the same document
		if err := s.ActivateTab(deadline(t), s.tab); err != nil {
			t.Fatal(err)
		}
		if e := s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: target}); len(e.Tabs) > 0 || len(e.Opened) > 0 {
			t.Errorf("%s: %+v", target, e)
		}
	}
}
