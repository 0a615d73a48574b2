package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// logged is a page that records every keyboard, mouse and touch event.
const logged = `<style>*{touch-action:none}</style><input id=i><button id=b>Button</button><button id=c style="margin-left:200px">Other</button>
<div id=d style="width:300px;height:150px;background:#eee">area</div><script>
	log = [];
	const bits = (e) => ['alt', 'ctrl', 'meta', 'shift'].filter((m) => e[m + 'Key']).join('+');
	for (const type of 'keydown keyup keypress input'.split(' ')) addEventListener(type, (e) => log.push([type, e.key ?? e.data, e.code, e.location, bits(e), e.isTrusted, e.repeat ?? false].join(' ')), true);
	for (const type of 'pointerdown pointerup pointercancel mousedown mouseup click dblclick auxclick contextmenu'.split(' '))
		addEventListener(type, (e) => log.push([type, e.pointerType ?? '', e.button, e.buttons, bits(e), e.isTrusted, e.target.id].join(' ')), true);
	for (const type of 'touchstart touchmove touchend'.split(' ')) addEventListener(type, (e) => log.push([type, e.touches.length, e.isTrusted, e.target.id].join(' ')), true);
	moves = []; addEventListener('pointermove', (e) => moves.push([Math.round(e.clientX), Math.round(e.clientY), e.buttons, e.timeStamp, e.pointerType]), true);
</script>`

// taken returns and removes the events that the page has recorded.
func (s *stage) taken(t *testing.T) []string {
	t.Helper()
	var out []string
	if err := json.Unmarshal([]byte(s.eval(t, "JSON.stringify(log.splice(0))")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *stage) expects(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := s.taken(t); !slices.Equal(got, want) {
		t.Errorf("%s sent\n\t%s\nand not\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// A chord sends the events of its modifier keys, as a keyboard does.
func TestPressIsAKeyboard(t *testing.T) {
	s := stageOf(t, logged)
	press := func(keys string) { t.Helper(); s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Text: keys}) }
	press("Control+Shift+Y")
	s.expects(t, "Control+Shift+Y",
		"keydown Control ControlLeft 1 ctrl true false", "keydown Shift ShiftLeft 1 ctrl+shift true false",
		"keydown Y KeyY 0 ctrl+shift true false", "keyup Y KeyY 0 ctrl+shift true false",
		"keyup Shift ShiftLeft 1 ctrl true false", "keyup Control ControlLeft 1  true false")
	press("ShiftRight+1 Alt+k Numpad5")
	s.expects(t, "several presses",
		"keydown Shift ShiftRight 2 shift true false", "keydown ! Digit1 0 shift true false", "keypress ! Digit1 0 shift true false",
		"keyup ! Digit1 0 shift true false", "keyup Shift ShiftRight 2  true false",
		"keydown Alt AltLeft 1 alt true false", "keydown k KeyK 0 alt true false", "keyup k KeyK 0 alt true false", "keyup Alt AltLeft 1  true false",
		"keydown 5 Numpad5 3  true false", "keypress 5 Numpad5 3  true false", "keyup 5 Numpad5 3  true false")
	press("Shift")
	s.expects(t, "Shift alone", "keydown Shift ShiftLeft 1 shift true false", "keyup Shift ShiftLeft 1  true false")
	s.refused(t, protocol.ActRequest{Kind: protocol.ActPress, Text: "Hyper+k"}, protocol.CodeBadArgument)
	s.refused(t, protocol.ActRequest{Kind: protocol.ActPress, Text: "Foo"}, protocol.CodeBadArgument)
}

// A key or button that keydown holds applies only to later clicks and keys of the
// same caller, until it is released, the tab navigates, or the caller ends.
func TestHeldKeys(t *testing.T) {
	s := stageOf(t, logged)
	as := func(caller string, q protocol.ActRequest) protocol.Effect {
		t.Helper()
		e, err := s.Act(deadline(t), protocol.Caller{Name: caller}, s.tab, q, nil)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		return e
	}
	down := func(keys string) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActKeyDown, Text: keys}
	}
	up := func(keys string) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActKeyUp, Text: keys}
	}
	if e := as("ada", down("Shift KeyW")); !slices.Equal(e.Held, []string{"Shift", "W"}) {
		t.Errorf("held: %q", e.Held)
	}
	s.expects(t, "keydown", "keydown Shift ShiftLeft 1 shift true false", "keydown W KeyW 0 shift true false", "keypress W KeyW 0 shift true false")
	as("ada", down("w"))
	s.expects(t, "keydown again", "keydown W KeyW 0 shift true true", "keypress W KeyW 0 shift true true")
	if e := as("ada", click("#b")); !slices.Equal(e.Held, []string{"Shift", "W"}) {
		t.Errorf("after a click: %q", e.Held)
	}
	mouse := func(mods string) []string {
		return []string{
			"pointerdown mouse 0 1 " + mods + " true b", "mousedown  0 1 " + mods + " true b",
			"pointerup mouse 0 0 " + mods + " true b", "mouseup  0 0 " + mods + " true b", "click mouse 0 0 " + mods + " true b",
		}
	}
	s.expects(t, "a click with Shift held", mouse("shift")...)
	if e := as("bob", click("#b")); len(e.Held) > 0 {
		t.Errorf("another caller holds %q", e.Held)
	}
	s.expects(t, "another caller's click", mouse("")...)
	as("ada", protocol.ActRequest{Kind: protocol.ActPress, Text: "Control+a"})
	s.expects(t, "a press with Shift held",
		"keydown Control ControlLeft 1 ctrl+shift true false", "keydown A KeyA 0 ctrl+shift true false",
		"keyup A KeyA 0 ctrl+shift true false", "keyup Control ControlLeft 1 shift true false")
	if e := as("ada", up("w")); !slices.Equal(e.Held, []string{"Shift"}) {
		t.Errorf("held: %q", e.Held)
	}
	s.expects(t, "keyup", "keyup W KeyW 0 shift true false")
	if _, err := s.Act(deadline(t), protocol.Caller{Name: "bob"}, s.tab, up("Shift"), nil); code(err) != protocol.CodeBadArgument {
		t.Errorf("bob lets go of what ada holds: %v", err)
	}
	// The end of a caller releases what it holds.
	as("bob", protocol.ActRequest{Kind: protocol.ActMouse, Do: "down", Target: "#d"})
	s.taken(t)
	s.ReleaseInput(deadline(t), "ada")
	s.ReleaseInput(deadline(t), "bob")
	// These events are sent without a wait for the page, so a look may overtake them.
	if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForFunction, Value: "log.length >= 4"}); err != nil {
		t.Fatal(err)
	}
	s.expects(t, "the end of the callers", "keyup Shift ShiftLeft 1  true false", "pointerup mouse 0 0  true d", "mouseup  0 0  true d", "click mouse 0 0  true d")
	// So does a new document, and the next reply reports it.
	as("ada", down("Control"))
	s.open(t, "/")
	if e := as("ada", click("#b")); !slices.Equal(e.Released, []string{"Control"}) || len(e.Held) > 0 {
		t.Errorf("after another document: released %q, held %q", e.Released, e.Held)
	}
	if got := s.taken(t); !slices.Equal(got[len(got)-5:], mouse("")) {
		t.Errorf("a click after another document sent %q", got)
	}
	as("ada", down("a b"))
	if e := as("ada", up("")); len(e.Held) > 0 {
		t.Errorf("after keyup: %q", e.Held)
	}
}

// Single commands move the mouse, press and release its buttons; a click can have
// a duration, and a drag can follow points at a speed.
func TestTheMouseItself(t *testing.T) {
	s := stageOf(t, logged)
	mouse := func(do, target, button string) protocol.Effect {
		t.Helper()
		return s.act(t, protocol.ActRequest{Kind: protocol.ActMouse, Do: do, Target: target, Button: button})
	}
	s.refused(t, protocol.ActRequest{Kind: protocol.ActMouse, Do: "down"}, protocol.CodeBadArgument)
	s.refused(t, protocol.ActRequest{Kind: protocol.ActMouse, Do: "up"}, protocol.CodeBadArgument)
	mouse("move", "#b", "")
	if e := mouse("down", "", ""); !slices.Equal(e.Held, []string{"left mouse button"}) {
		t.Errorf("held: %q", e.Held)
	}
	mouse("move", "#c", "")
	mouse("up", "", "")
	s.expects(t, "down, move and up", "pointerdown mouse 0 1  true b", "mousedown  0 1  true b", "pointerup mouse 0 0  true c", "mouseup  0 0  true c", "click mouse 0 0  true ") // on the common ancestor of both
	if got := s.eval(t, "moves.at(-1)[2]"); got != "1" {
		t.Errorf("it moved with the buttons %s", got)
	}
	mouse("down", "#d", "right")
	mouse("up", "#d", "right")
	if got := s.taken(t); !slices.Contains(got, "pointerdown mouse 2 2  true d") || !slices.Contains(got, "contextmenu mouse 2 0  true d") && !slices.Contains(got, "contextmenu mouse 2 2  true d") {
		t.Errorf("the right button sent %q", got)
	}

	s.eval(t, `addEventListener('mousedown', (e) => pressed = e.timeStamp, true), addEventListener('mouseup', (e) => lasted = e.timeStamp - pressed, true), 0`)
	q := click("#b")
	q.HoldMS = 400
	s.act(t, q)
	if got := s.eval(t, "lasted >= 390"); got != "true" {
		t.Errorf("a click of 400 ms lasted %s ms", s.eval(t, "lasted"))
	}
	s.expects(t, "a long click", "pointerdown mouse 0 1  true b", "mousedown  0 1  true b", "pointerup mouse 0 0  true b", "mouseup  0 0  true b", "click mouse 0 0  true b")

	var box [4]float64
	if err := json.Unmarshal([]byte(s.eval(t, `JSON.stringify((({x, y, width, height}) => [x, y, width, height])(d.getBoundingClientRect()))`)), &box); err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64) string {
		return strings.Trim(strings.ReplaceAll(toJSON(t, [2]float64{box[0] + x, box[1] + y}), " ", ""), "[]")
	}
	s.eval(t, "moves.splice(0), 0")
	began := time.Now()
	s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: at(10, 10), Via: []string{at(110, 10), at(110, 110)}, To: at(10, 110), Speed: 600})
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("300 pixels at 600 a second took %s", took)
	}
	for _, corner := range [][2]float64{{110, 10}, {110, 110}, {10, 110}} {
		want := strings.Trim(toJSON(t, [2]int{int(box[0] + corner[0] + 0.5), int(box[1] + corner[1] + 0.5)}), "[]")
		if s.eval(t, "moves.some(([x, y, b]) => b === 1 && Math.abs(x + ',' + y === '"+want+"' ? 0 : 1) === 0)") != "true" {
			t.Errorf("the drag did not come by %s: %s", want, s.eval(t, "JSON.stringify(moves.map((m) => m.slice(0, 3)))"))
		}
	}
	s.expects(t, "a drag", "pointerdown mouse 0 1  true d", "mousedown  0 1  true d", "pointerup mouse 0 0  true d", "mouseup  0 0  true d", "click mouse 0 0  true d")
	slow := protocol.ActRequest{Kind: protocol.ActDrag, Target: at(10, 10), To: at(110, 110), Speed: 0.1} // takes longer than the command may
	s.refused(t, slow, protocol.CodeBadArgument)
}

// Taps, swipes and pinches are touch events that the browser made, with the
// events that it derives from them.
func TestFingers(t *testing.T) {
	s := stageOf(t, logged)
	s.act(t, protocol.ActRequest{Kind: protocol.ActTap, Target: "#b"})
	got := s.taken(t)
	for _, want := range []string{"pointerdown touch 0 1  true b", "touchstart 1 true b", "pointerup touch 0 0  true b", "touchend 0 true b", "click touch 0 0  true b"} {
		if !slices.Contains(got, want) {
			t.Errorf("a tap sent no %q but\n\t%s", want, strings.Join(got, "\n\t"))
		}
	}
	e := s.act(t, protocol.ActRequest{Kind: protocol.ActSwipe, Target: "#d", DX: 100, Speed: 1000})
	got = s.taken(t)
	if got[0] != "pointerdown touch 0 1  true d" || !slices.Contains(got, "touchend 0 true d") || count(got, "touchmove 1 true d") < 4 {
		t.Errorf("a swipe sent %q", got)
	}
	if far := s.eval(t, "moves.at(-1)[0] - moves.find((m) => m[4] === 'touch')[0] > 60"); far != "true" {
		t.Errorf("it moved %s: %+v", s.eval(t, "JSON.stringify(moves)"), e)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActPinch, Target: "#d", Scale: 2})
	if got = s.taken(t); count(got, "touchmove 2 true d") < 4 || !slices.Contains(got, "touchstart 2 true d") {
		t.Errorf("a pinch sent %q", got)
	}
	s.refused(t, protocol.ActRequest{Kind: protocol.ActSwipe, Target: "#d"}, protocol.CodeBadArgument)
	s.refused(t, protocol.ActRequest{Kind: protocol.ActPinch, Target: "#d", Scale: 0}, protocol.CodeBadArgument)
}

func count(lines []string, want string) int {
	n := 0
	for _, l := range lines {
		if l == want {
			n++
		}
	}
	return n
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// An option is chosen by a key, with one event of each kind. An option that no
// key chooses is set by script, and the effect reports it as untrusted.
func TestSelectIsTrusted(t *testing.T) {
	s := stageOf(t, `<select id=one><option>Ah<option disabled>Bee<option>Cee<option>Dee</select><select id=many multiple><option>A<option>B<option>C</select>
		<select id=prevented onkeydown="event.preventDefault()"><option>X<option>Y</select><script>log = []; for (const type of ['input', 'change']) addEventListener(type, (e) => log.push(type + ' ' + e.isTrusted + ' ' + e.target.value))</script>`)
	for _, c := range []struct{ target, value, at string }{{"#one", "Dee", "Dee"}, {"#one", "Ah", "Ah"}, {"#one", "Cee", "Cee"}} {
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: c.target, Values: []string{c.value}})
		if e.Untrusted || e.Value == nil || *e.Value != c.at {
			t.Errorf("%+v: %+v", c, e)
		}
		s.expects(t, "choosing "+c.value, "input true "+c.at, "change true "+c.at)
	}
	if e := s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: "#one", Values: []string{"Cee"}}); e.Untrusted {
		t.Errorf("what is chosen already: %+v", e)
	}
	s.expects(t, "choosing what is chosen")
	if e := s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: "#prevented", Values: []string{"Y"}}); !e.Untrusted {
		t.Errorf("it was set by script and does not say so: %+v", e)
	}
}

// Options of a list box in the page are clicked. An option that a click cannot
// reach is set by script.
func TestListBoxIsTrusted(t *testing.T) {
	s := stageOf(t, `<select id=many multiple aria-label=many><option>A<option>B<option>C<option disabled>D</select>
		<select id=long size=3 aria-label=long><option>1<option>2<option>3<option>4<option>5<option>6<option>7</select>
		<select id=shut multiple aria-label=shut><option hidden>X<option>Y<option>Z</select>
		<div style="position:relative"><select id=under multiple aria-label=under><option>P<option>Q</select><div style="position:absolute;inset:0;background:white"></div></div>
		<script>log = []; for (const type of ['input', 'change']) addEventListener(type, (e) => log.push(type + ' ' + e.isTrusted + ' ' + [...e.target.selectedOptions].map((o) => o.text)))</script>`)
	for _, c := range []struct {
		target         string
		values, events []string
	}{
		{"#many", []string{"B"}, []string{"input true B", "change true B"}},
		{"#many", []string{"A", "C"}, []string{"input true A", "change true A", "input true A,C", "change true A,C"}},
		{"#many", []string{"C", "A"}, nil},
		{"#many", []string{"C"}, []string{"input true C", "change true C"}},
		{"#long", []string{"6"}, []string{"input true 6", "change true 6"}},
		{"#long", []string{"1"}, []string{"input true 1", "change true 1"}},
		{"#shut", []string{"X"}, []string{"input false X", "change false X"}},
		{"#shut", []string{"Z", "Y"}, []string{"input true Z", "change true Z", "input true Y,Z", "change true Y,Z"}},
		{"#under", []string{"Q"}, []string{"input false Q", "change false Q"}},
	} {
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: c.target, Values: c.values})
		s.expects(t, fmt.Sprint(c.target, c.values), c.events...)
		byScript := len(c.events) > 0 && strings.Contains(c.events[0], "false")
		if e.Untrusted != byScript || e.Value == nil || !strings.Contains(e.Hit, c.target[1:]) {
			t.Errorf("%s %v: %+v", c.target, c.values, e)
		}
	}
	if got := s.eval(t, "[many, long, shut, under].map((l) => [...l.selectedOptions].map((o) => o.text)).join('|')"); got != "C|1|Y,Z|Q" {
		t.Errorf("they hold %s", got)
	}
	// A click that leads elsewhere has succeeded.
	s.eval(t, "many.onchange = () => { location.hash = 'chosen'; many.remove(); }")
	if e := s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: "#many", Values: []string{"A"}}); e.Untrusted || !strings.HasSuffix(e.URL, "#chosen") {
		t.Errorf("%+v", e)
	}
}
