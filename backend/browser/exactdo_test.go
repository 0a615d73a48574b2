package browser

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// An action on a ref checks the element against what the snapshot has shown,
// whatever area scrolls.
func TestScrollAreasByRef(t *testing.T) {
	wide := `<div style="width:2000px;height:900px">wide <button>In it</button></div>`
	area := func(open, end string) string {
		return strings.Replace(open, ">", ` style="display:block;width:200px;height:100px;overflow:auto">`, 1) + wide + end
	}
	s := stageOf(t, area("<div id=a>", "</div>")+area("<main id=b>", "</main>")+area("<div id=c role=list aria-label=Files>", "</div>")+area("<div id=d role=log>", "</div>")+
		area("<ul id=e onclick=1>", "</ul>")+`<div style="cursor:pointer">`+area("<section id=f aria-label=Part>", "</section>")+`</div>`)
	snap := s.snap(t, protocol.SnapshotRequest{JSON: true})
	var refs []string
	for line := range strings.Lines(snap.Text) {
		if strings.Contains(line, "→") {
			refs = append(refs, strings.Fields(line)[0])
		}
	}
	if len(refs) < 6 {
		t.Fatalf("%d areas in\n%s", len(refs), snap.Text)
	}
	for _, ref := range refs {
		if e := s.act(t, protocol.ActRequest{Kind: protocol.ActScroll, Target: ref, DX: 300}); e.Moved == nil || e.Moved[0] != 300 {
			t.Errorf("%s: %+v", ref, e)
		}
		s.act(t, protocol.ActRequest{Kind: protocol.ActScroll, Target: ref, DX: -300})
		if _, err := s.Act(deadline(t), nobody, s.tab, click(ref), nil); err != nil {
			t.Errorf("%s is not clicked: %v", ref, err)
		}
	}
	if got := s.eval(t, `['a', 'b', 'c', 'd', 'e', 'f'].map((id) => document.getElementById(id).scrollLeft).join()`); got != "0,0,0,0,0,0" {
		t.Error(got)
	}
}

// Where a field is needed, a text means the field that it labels.
func TestFieldsByText(t *testing.T) {
	s := stageOf(t, `<label for=name>Full name</label> <input id=name> <label><input type=checkbox id=news checked> News (weekly)</label>
		<label>Size <select id=size><option>S<option>L</select></label> <div id=lab>Notes</div><div id=notes contenteditable aria-labelledby=lab></div>
		<fieldset><legend>Pay</legend><label><input type=radio name=p id=card> Card (fast)</label><label><input type=radio name=p id=bill checked> Bill</label></fieldset>
		<label>Code <input id=c1></label><label>Code <input id=c2></label><div role=switch id=sw aria-checked=false onclick="this.setAttribute('aria-checked', 'true')">Dark mode</div><p>Full name is needed</p>`)
	fill := func(target string) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActFill, Target: target, Text: "x"}
	}
	s.act(t, fill("text=Full name"))
	s.act(t, fill("text=Notes"))
	s.refused(t, fill("text=Code"), protocol.CodeAmbiguous)
	s.act(t, fill("text=Code nth=2"))
	s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: "text=Size", Values: []string{"L"}})
	check := func(target string, on bool) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActCheck, Target: target, On: on}
	}
	for _, target := range []string{"text=News (weekly)", "label=News (weekly)", s.ref(t, "News (weekly)"), "#news"} {
		for _, on := range []bool{false, true} {
			s.act(t, check(target, on))
			if got := s.eval(t, "news.checked"); got != fmt.Sprint(on) {
				t.Errorf("%s is %s, want %v", target, got, on)
			}
		}
	}
	s.act(t, check("text=Dark mode", true))
	s.act(t, check("text=Card (fast)", true))
	if why := s.refused(t, check("text=Card (fast)", false), protocol.CodeNotActable); !strings.Contains(why, "radio") {
		t.Error(why)
	}
	if got := s.eval(t, "[name.value, document.getElementById('name').value, notes.innerText, c1.value, c2.value, size.value, card.checked, sw.ariaChecked].slice(1).join()"); got != "x,x,,x,L,true,true" {
		t.Error(got)
	}
}

// A text that occurs in only one frame is found there, in each kind of frame. A
// text in several frames is ambiguous.
func TestTextsInFrames(t *testing.T) {
	inner := witness + `<ul id=ul onclick=1><li id=a>One</li><li id=b>Two</li><li id=c>%s</li></ul><script>addEventListener('click', () => parent.postMessage(met.click, '*'))</script>`
	s := &stage{fixture: headless(t)}
	far := strings.Replace(pages(t, map[string]string{"/in": fmt.Sprintf(inner, "Far")}), "127.0.0.1", "localhost", 1)
	s.url = pages(t, map[string]string{"/": fmt.Sprintf(`<div style="height:900px">above</div><script>var got = ''; addEventListener('message', (e) => { got = e.data })</script>
		<iframe srcdoc='%s' style="border:7px solid;padding:5px;transform:scale(1.2);margin:40px"></iframe><iframe src="%s/in"></iframe>`, html.EscapeString(fmt.Sprintf(inner, "Near")), far)})
	s.tab = s.first(t)
	s.open(t, "/")
	for target, want := range map[string]string{"text=Near": "c", "text=Far": "c"} {
		for range 2 { // a frame of another process may not be attached yet
			if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: target}); err != nil {
				t.Fatal(err)
			}
		}
		// The browser may learn late where a frame of another process is now.
		if _, err := s.Act(deadline(t), nobody, s.tab, click(target), nil); code(err) == protocol.CodeCovered {
			s.act(t, click(target))
		} else if err != nil {
			t.Errorf("%s: %v", target, err)
		}
		// The frame tells the page in a message.
		if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForFunction, Value: "got !== ''"}); err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		if got := s.eval(t, "got"); got != want {
			t.Errorf("%s met %s", target, got)
		}
		s.eval(t, "got = ''")
	}
	s.refused(t, click("text=Two"), protocol.CodeAmbiguous)
}

// --at and point targets mean that point of that element, or are refused; so are
// both ends of a drag.
func TestPointsOfThings(t *testing.T) {
	s := stageOf(t, witness+`<canvas id=cv width=300 height=2000 style="border:5px solid;display:block"></canvas><div id=box style="position:relative;width:200px;height:100px;background:#eee">
		<div id=lid style="position:absolute;left:100px;top:0;width:100px;height:100px;background:#fcc"></div></div><script>
		var at = ''; cv.addEventListener('mousedown', (e) => { at = Math.round(e.clientX - cv.getBoundingClientRect().left) + ',' + Math.round(e.clientY - cv.getBoundingClientRect().top) })</script>`)
	point := func(target string, x, y float64) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActClick, Target: target, At: &[2]float64{x, y}}
	}
	for _, want := range [][2]float64{{20, 30}, {150, 1900}, {299, 7}} {
		s.act(t, point("#cv", want[0], want[1]))
		if got := s.eval(t, "at"); got != fmt.Sprintf("%.0f,%.0f", want[0], want[1]) {
			t.Errorf("%v met %s", want, got)
		}
	}
	s.refused(t, point("#cv", 20, 3000), protocol.CodeBadArgument)
	s.eval(t, "met = {}")
	s.act(t, point("#box", 20, 20))
	if got := s.eval(t, "met.click"); got != "box" {
		t.Error(got)
	}
	s.eval(t, `lid.setAttribute('onclick', '1'), document.body.append(lid), Object.assign(lid.style, { left: '108px', top: box.offsetTop + 'px' })`)
	if why := s.refused(t, point("#box", 150, 50), protocol.CodeCovered); !strings.Contains(why, "lid") {
		t.Error(why)
	}
}

// A drag begins on its source and ends on its destination, even when the page
// moves its elements at the start of the drag. Where that is impossible, nothing
// is dropped.
func TestDragMeetsBothEnds(t *testing.T) {
	zones := witness + `<style>.zone { height: 60px; width: 200px; background: #eee; margin: 6px }</style><div id=src %s style="width:80px;height:40px;background:#fcc">Card</div>
		<div id=hint style="height:0"></div><div class=zone id=z1>First</div><div class=zone id=z2>Second</div><div class=zone id=z3>Third</div><script>
		var dropped = ''; for (const z of document.querySelectorAll('.zone')) {
			z.addEventListener('dragover', (e) => e.preventDefault()); z.addEventListener('drop', () => { dropped += z.id }) }
		let on; src.addEventListener('mousedown', () => { on = true }); addEventListener('mouseup', (e) => { if (on && !dropped) dropped = e.target.id; on = false })</script>`
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{
		"/native": fmt.Sprintf(zones, "draggable=true"), "/pointer": fmt.Sprintf(zones, "onmousedown=event.preventDefault()"),
		"/native/shift":  fmt.Sprintf(zones, `draggable=true ondragstart="setTimeout(() => { hint.style.height = '66px' })"`),
		"/pointer/shift": fmt.Sprintf(zones, `onmousedown="event.preventDefault(); window.addEventListener('mousemove', () => { hint.style.height = '66px' })"`),
	})}
	s.tab = s.first(t)
	for _, path := range []string{"/native", "/pointer", "/native/shift", "/pointer/shift"} {
		for _, to := range []string{"text=Second", "#z2"} {
			for _, from := range []string{"#src", "text=Card", "30,30"} {
				s.open(t, path)
				s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: from, To: to})
				if got := s.eval(t, "dropped"); got != "z2" {
					t.Errorf("%s: %s to %s was dropped on %q", path, from, to, got)
				}
			}
		}
	}
}

// An element that appears in place of the target when the pointer arrives gets no
// event of it.
func TestWhatChangesUnderThePointer(t *testing.T) {
	style := witness + `<style>button { width: 160px; height: 60px } #over { position: absolute; left: 0; top: 0; width: 300px; height: 200px }</style><script>var wrong = ''</script>`
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{
		"/lid":     style + `<button id=a>Right</button><script>a.addEventListener('mouseenter', () => document.body.insertAdjacentHTML('beforeend', '<button id=over onclick="wrong = 1">Wrong</button>'))</script>`,
		"/replace": style + `<button id=a onmouseenter="this.outerHTML = '<button id=b onclick=wrong=1>Delete</button>'">Right</button>`,
		"/down":    style + `<button id=a onmousedown="this.outerHTML = '<button id=b onclick=wrong=1>Delete</button>'">Right</button>`,
		"/hover":   style + `<div style="position:relative"><button id=a>Right</button></div><script>const el = document.createElement('div'); setInterval(() => { el.remove() }, 1)</script>`,
	})}
	s.tab = s.first(t)
	for path, want := range map[string]protocol.Code{"/lid": protocol.CodeCovered, "/replace": protocol.CodeGone, "/down": ""} {
		s.open(t, path)
		ref := s.ref(t, "Right")
		_, err := s.Act(deadline(t), nobody, s.tab, click(ref), nil)
		if got := s.eval(t, "wrong"); got != "" {
			t.Errorf("%s: the wrong one was clicked", path)
		}
		if code(err) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A hover that hits another element returns an error.
func TestHoverMeetsItsTarget(t *testing.T) {
	s := stageOf(t, witness+`<style>body { margin: 0 } #b { position: absolute; inset: 0 } #a { position: absolute; top: 100px; width: 12px; height: 12px; padding: 0; background: red }</style>
		<div id=b onmousemove="if (event.target === this) wrong++">Wrong</div><div id=a></div><script>var wrong = 0; let x = 0; (function go() { x = (x + 9) % 500; a.style.left = x + 'px'; requestAnimationFrame(go) })()</script>`)
	for range 3 {
		s.eval(t, "wrong = 0, met = {}")
		_, err := s.Act(deadline(t), nobody, s.tab, protocol.ActRequest{Kind: protocol.ActHover, Target: "#a"}, nil)
		got := s.eval(t, "met.mousemove + ' ' + wrong")
		if err == nil && got != "a 0" || err != nil && (code(err) != protocol.CodeCovered || !strings.HasSuffix(got, " 0")) {
			t.Errorf("%v: the pointer met %s", err, got)
		}
	}
}
