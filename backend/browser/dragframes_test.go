package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// dragBody has a card and a zone for native drags, a knob that is dragged with captured
// pointer events, and one whose moves its document follows. Each document reports everything to the
// page around, with its name.
const dragBody = `<!doctype html><title>Drag</title><style>body { margin: 0; user-select: none } div { width: 110px; height: 34px; border: 1px solid; margin: 2px }</style>
	<div id=NAMEcard draggable=true>NAME card</div><div id=NAMEzone tabindex=0>NAME zone</div><div id=NAMEcold>NAME cold</div><div id=NAMEknob tabindex=0>NAME knob</div><div id=NAMEfree tabindex=0>NAME free</div>
	<script>
	const tell = (text) => top.postMessage('NAME ' + text, '*');
	const by = (id) => document.getElementById('NAME' + id);
	const card = by('card'), zone = by('zone'), knob = by('knob'), free = by('free');
	card.ondragstart = (e) => { e.dataTransfer.setData('text', 'NAME'); e.dataTransfer.effectAllowed = 'copyMove'; };
	card.ondragend = (e) => tell('end ' + e.dataTransfer.dropEffect);
	zone.ondragover = (e) => { e.preventDefault(); e.dataTransfer.dropEffect = 'move'; };
	zone.ondrop = (e) => { e.preventDefault(); zone.took = true; tell('drop ' + e.dataTransfer.getData('text')); };
	knob.onpointerdown = (e) => { knob.setPointerCapture(e.pointerId); knob.moves = 0; };
	knob.onpointermove = (e) => { if (e.buttons) knob.moves++; };
	knob.onpointerup = (e) => { if (knob.moves !== undefined) tell('knob ' + (knob.moves > 0)); delete knob.moves; };
	let held = false;
	addEventListener('mousedown', (e) => { held = e.target === free; }, true);
	addEventListener('mouseup', () => { if (held) tell('free'); held = false; });
	zone.onmouseup = () => { if (!zone.took) tell('up'); zone.took = false; };
	document.addEventListener('drop', (e) => { if (e.target !== zone) tell('leak'); }, true);
	</script>`

func dragSite(t *testing.T) string {
	t.Helper()
	var url string
	body := func(name, more string) string { return strings.ReplaceAll(dragBody, "NAME", name) + more }
	frame := func(src string, left, top, width, height int) string {
		return fmt.Sprintf(`<iframe src=%q style="position:absolute;border:1px solid;left:%dpx;top:%dpx;width:%dpx;height:%dpx"></iframe>`, src, left, top, width, height)
	}
	url = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		other := strings.Replace(url, "127.0.0.1", "localhost", 1)
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, body("page", `<script>heard = []; addEventListener('message', (e) => heard.push(e.data))</script>`+
				frame("/same", 150, 10, 250, 200)+frame(other+"/far", 150, 230, 250, 420)))
		case "/far":
			fmt.Fprint(w, body("far", frame("/deep", 5, 200, 200, 195)))
		case "/tall":
			fmt.Fprint(w, body("page", `<script>heard = []; addEventListener('message', (e) => heard.push(e.data))</script><p style="height:500px">`+frame(other+"/long", 150, 500, 250, 150)+`<p style="height:1500px">`))
		case "/long":
			fmt.Fprint(w, `<p style="height:600px;margin:0"></p>`, body("far", `<p style="height:600px">`))
		default:
			fmt.Fprint(w, body(strings.TrimPrefix(r.URL.Path, "/"), ""))
		}
	})).URL
	return url
}

// A drag goes from any document of a page into any other: native drags and those that a
// page makes of pointer events, with both ends as a ref, a selector or a text.
func TestDragsBetweenDocuments(t *testing.T) {
	names := []string{"page", "same", "far", "deep"}
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := &stage{fixture: share(t, windowless), url: dragSite(t)}
			s.tab = s.first(t)
			s.open(t, "/")
			heard := func() string { return s.eval(t, "heard.splice(0).sort().join(' | ')") }
			around := func(from, to string) bool { return from == "page" || from == "far" && to == "deep" }
			way := 0
			named := func(what string) string { // in three ways
				way++
				switch way % 3 {
				case 0:
					return s.ref(t, what)
				case 1:
					return "#" + strings.Replace(what, " ", "", 1)
				}
				return "text=" + what
			}
			drag := func(from, to string) {
				t.Helper()
				heard()
				q := protocol.ActRequest{Kind: protocol.ActDrag, Target: named(from), To: named(to)}
				if e, err := s.Act(deadline(t), nobody, s.tab, q, nil); err != nil || !strings.Contains(e.Hit, from) || !strings.Contains(e.Hit, to) {
					t.Errorf("%s to %s as %q, %q: %+v, %v", from, to, q.Target, q.To, e, err)
				}
			}
			for _, from := range names {
				for _, to := range names {
					drag(from+" card", to+" zone")
					want := []string{from + " end move", to + " drop " + from}
					slices.Sort(want)
					if got := heard(); got != strings.Join(want, " | ") {
						t.Errorf("card: %s to %s: %q", from, to, got)
					}
					if from == to {
						continue
					}
					drag(from+" knob", to+" zone")
					if got := heard(); got != from+" knob true" {
						t.Errorf("knob: %s to %s: %q", from, to, got)
					}
					drag(from+" free", to+" zone")
					free := from + " free"
					if around(from, to) { // what is not captured goes to a frame inside
						free = to + " up"
					}
					if got := heard(); got != free {
						t.Errorf("free: %s to %s: %q", from, to, got)
					}
					s.act(t, click("#"+from+"cold")) // the next press

				}
			}
			// The frame itself, or a point in it, is an end, too.
			heard()
			at := strings.Trim(s.eval(t, "(() => { const r = document.querySelectorAll('iframe')[1].getBoundingClientRect(); return (r.left + 50) + ',' + (r.top + 55) })()"), `"`)
			s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#pagecard", To: at})
			if got := heard(); got != "far drop page | page end move" {
				t.Errorf("to %s: %q", at, got)
			}
			s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#farcard", To: "#pagezone"})
			heard()
			s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: at, To: "#pagezone"}) // there is no card
			if got := heard(); got != "" {
				t.Errorf("from %s: %q", at, got)
			}
			s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#farcard", To: "#pagecold", Via: []string{"#farzone", "#samecold"}, Speed: 2000})
			if got := heard(); got != "far end none" {
				t.Errorf("on a way: %q", got)
			}
			// What takes no drop gets none, and the browser opens nothing.
			drag("page card", "far cold")
			if got := heard(); got != "page end none" {
				t.Errorf("not taken: %q", got)
			}
			// Afterwards all documents get the pointer as before.
			for _, name := range names {
				drag(name+" knob", name+" zone")
				if got := heard(); got != name+" knob true" {
					t.Errorf("afterwards: %s: %q", name, got)
				}
			}
			drag("same card", "far zone")
			if why := s.refused(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#farcard", To: "#none"}, protocol.CodeNoElement); !strings.Contains(why, "#none") {
				t.Error(why)
			}
			s.refused(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#none", To: "#farzone"}, protocol.CodeNoElement)
		})
	}
}

// Both ends are scrolled into view, also when one scrolls what is around the other.
func TestDragScrollsToBothDocuments(t *testing.T) {
	s := &stage{fixture: headless(t), url: dragSite(t)}
	s.tab = s.first(t)
	s.open(t, "/tall")
	for _, ends := range [][2]string{{"page card", "far zone"}, {"far card", "page zone"}} {
		s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "text=" + ends[0], To: "text=" + ends[1]})
		from, _, _ := strings.Cut(ends[0], " ")
		to, _, _ := strings.Cut(ends[1], " ")
		if got := s.eval(t, "heard.splice(0).join(' | ')"); !strings.Contains(got, to+" drop "+from) || !strings.Contains(got, from+" end move") {
			t.Errorf("%v: %q", ends, got)
		}
	}
}

// A dialog of the page ends a drag before the drop: that is no drag.
func TestDragThatADialogEnds(t *testing.T) {
	for name, opens := range map[string]string{
		"as it starts": "card.ondragstart = (e) => { e.dataTransfer.setData('text', 'x'); alert('Sure?') }",
		"over a place": "zone.ondragover = (e) => { e.preventDefault(); if (!window.asked) { window.asked = true; alert('Sure?') } }",
		"as it moves":  "card.draggable = false; addEventListener('pointermove', (e) => { if (e.buttons && !window.asked) { window.asked = true; alert('Sure?') } })",
	} {
		t.Run(name, func(t *testing.T) {
			s := stageOf(t, `<style>div { width: 110px; height: 34px; border: 1px solid; margin: 2px; user-select: none }</style>
				<div id=card draggable=true>card</div><div id=zone>zone</div>
				<script>zone.ondragover = (e) => e.preventDefault(); zone.ondrop = (e) => { e.preventDefault(); window.took = true };
				window.ups = 0; addEventListener('mouseup', () => ups++, true); `+opens+`</script>`)
			drag := protocol.ActRequest{Kind: protocol.ActDrag, Target: "#card", To: "#zone"}
			if why := s.refused(t, drag, protocol.CodeDialog); !strings.Contains(why, "Sure?") || !strings.Contains(why, "card") {
				t.Errorf("it does not say which dialog, or of what: %s", why)
			}
			if _, err := s.Dialog(deadline(t), nobody, s.tab, true, nil); err != nil {
				t.Fatal(err)
			}
			if got := s.eval(t, "'' + window.took"); got != "undefined" {
				t.Errorf("it was dropped: %s", got)
			}
			// The button is up again: the next click is a click.
			s.act(t, click("#zone"))
			if got := s.eval(t, "ups > 0"); got != "true" {
				t.Errorf("the next click has no end")
			}
		})
	}
}
