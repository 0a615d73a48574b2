package browser

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/protocol"
)

// TestSnapshotIsJudgedTwice: nothing of a page is shown that the caller may not read,
// and nothing when the tab goes to such a page, or leaves it, during the snapshot.
func TestSnapshotIsJudgedTwice(t *testing.T) {
	s := &stage{fixture: headless(t)}
	s.url = pages(t, map[string]string{"/open": `<button>Open</button>`, "/shut": `<button>Shut</button>`, "/framed": `<iframe src=/open></iframe>`})
	s.tab = s.first(t)
	refusal := protocol.NewError(protocol.CodeRefused, "it may not be read", "")
	for _, one := range []struct {
		name, from, to string
		asked          []string // the pages that are judged, in order
		shown          bool
	}{
		{name: "a page that may be read", from: "/open", asked: []string{"/open", "/open"}, shown: true},
		{name: "one that may not", from: "/shut", asked: []string{"/shut"}},
		{name: "it is left meanwhile", from: "/shut", to: "/open", asked: []string{"/shut"}},
		{name: "it comes after the page was read", from: "/open", to: "/shut", asked: []string{"/open", "/open"}, shown: true},
		{name: "it comes while frames are read", from: "/framed", to: "/shut", asked: []string{"/framed", "/shut"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			s.open(t, one.from)
			var asked []string
			snap, err := s.Snapshot(deadline(t), nobody, s.tab, protocol.SnapshotRequest{}, func(url string) error {
				asked = append(asked, strings.TrimPrefix(url, s.url))
				if one.to != "" && len(asked) == 1 {
					// The answer comes when the browser has swapped the page in.
					if _, err := cdp.Call(deadline(t), s.page(t).Session, cdppage.Navigate, cdppage.NavigateParams{URL: s.url + one.to}); err != nil {
						t.Error(err)
					}
				}
				if strings.HasSuffix(url, "/shut") {
					return refusal
				}
				return nil
			})
			if !slices.Equal(asked, one.asked) {
				t.Errorf("%q were judged", asked)
			}
			if one.shown && (err != nil || !strings.Contains(snap.Text, "Open")) || !one.shown && (!errors.Is(err, refusal) || snap.Text != "") {
				t.Errorf("%+v, %v", snap, err)
			}
		})
	}
}
