package browser

import (
	"context"
	"strings"
	"testing"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// The nodes of a large page are counted again only when the renderer's counters
// have changed, and a new closed root is found.
func TestClosedRootsInALargePage(t *testing.T) {
	s := stageOf(t, `<button>First</button><div id=a></div><div id=b></div><div hidden>`+strings.Repeat("<p><b>x</b></p>", 3000)+`</div>`)
	known := func() (known page.Counted) {
		err := work{s.Browser}.OnPage(deadline(t), nobody, s.tab, func(_ context.Context, p *page.Page) error {
			known = p.Frames.Main().Counted
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	text := func() string { return s.snap(t, protocol.SnapshotRequest{}).Text }
	for range 2 {
		if text := text(); !strings.Contains(text, "First") || strings.Contains(text, "Behind") {
			t.Fatalf("the page shows %s", text)
		}
	}
	if known := known(); known.Nodes < 2*page.CountedAgain {
		t.Fatalf("%+v was counted", known)
	}
	for _, host := range []string{"a", "b"} {
		s.eval(t, `void (globalThis.shut = `+host+`.attachShadow({ mode: 'closed' }), shut.innerHTML = '<button>Behind `+host+`</button>')`)
		if text := text(); !strings.Contains(text, "Behind "+host) {
			t.Errorf("a closed root came, and the page shows %s", text)
		}
	}
	s.eval(t, `shut.append(Object.assign(document.createElement('button'), { textContent: 'Late' }))`)
	if text := text(); !strings.Contains(text, "Late") {
		t.Errorf("a known closed root has a button more, and the page shows %s", text)
	}
}
