package browser

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// Changes that a page makes because an element came into view belong to the
// scroll action that caused them.
func TestScrollTellsWhatItBringsForth(t *testing.T) {
	s := stageOf(t, `<div style="height:900px">Top</div><div id=edge>Edge</div><div style="height:4000px"></div><script>
		let n = 0
		const more = (text) => { const p = document.createElement('p'); p.textContent = text; p.style.cssText = 'position:fixed;top:0'; document.body.append(p) }
		new IntersectionObserver((list) => { if (list.some((one) => one.isIntersecting)) more('Observed ' + ++n) }).observe(edge)
		addEventListener('scroll', () => more('Heard ' + scrollY))
	</script>`)
	for range 10 {
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActScroll, DY: 600})
		if e.Moved == nil || e.Moved[1] != 600 || !slices.ContainsFunc(e.Said, func(said string) bool { return said == "Heard 600" }) {
			t.Fatalf("the page heard of it, and the reply is %+v", e)
		}
		if !slices.ContainsFunc(e.Said, func(said string) bool { return strings.HasPrefix(said, "Observed") }) {
			t.Fatalf("what came into view brought something forth, and the reply is %+v", e)
		}
		s.act(t, protocol.ActRequest{Kind: protocol.ActScroll, DY: -600})
		s.eval(t, "document.querySelectorAll('p').forEach((p) => p.remove())")
	}
}
