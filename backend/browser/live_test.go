package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pilotfish/backend/protocol"
)

// viewer is somebody who looks at a tab.
type viewer struct {
	*stage
	inputs chan protocol.LiveInput
	frames chan protocol.LiveFrame
	ended  chan error
	stop   context.CancelFunc
}

// look opens a live view of the stage's tab.
func (s *stage) look(t *testing.T) *viewer {
	t.Helper()
	ctx, cancel := context.WithCancel(deadline(t))
	v := &viewer{stage: s, inputs: make(chan protocol.LiveInput), frames: make(chan protocol.LiveFrame, 100), ended: make(chan error, 1), stop: cancel}
	var viewing sync.WaitGroup
	viewing.Go(func() {
		v.ended <- s.View(ctx, s.tab, v.inputs, func(f protocol.LiveFrame) error {
			v.frames <- f
			return nil
		})
	})
	t.Cleanup(func() {
		cancel()
		viewing.Wait()
	})
	return v
}

// until acknowledges pictures until one shows a colour at a place, and returns it.
func (v *viewer) until(t *testing.T, x, y float64, want color.RGBA) protocol.LiveFrame {
	t.Helper()
	var last color.Color
	for {
		select {
		case f := <-v.frames:
			if f.JPEG == nil {
				continue
			}
			img, err := jpeg.Decode(bytes.NewReader(f.JPEG))
			if err != nil {
				t.Fatal(err)
			}
			v.send(t, protocol.LiveInput{Type: protocol.LiveAck, Seq: f.Seq})
			size := img.Bounds().Size()
			at := image.Pt(int(x*float64(size.X)), int(y*float64(size.Y)))
			if last = img.At(at.X, at.Y); near(img, at.X, at.Y, want) {
				return f
			}
		case err := <-v.ended:
			t.Fatalf("the view ended: %v", err)
		case <-deadline(t).Done():
			t.Fatalf("it shows %v at %v, %v; want %v", last, x, y, want)
		}
	}
}

// state waits for the next report of what is not in the picture, and acknowledges no picture.
func (v *viewer) state(t *testing.T) protocol.LiveFrame {
	t.Helper()
	for {
		select {
		case f := <-v.frames:
			if f.JPEG == nil {
				return f
			}
		case err := <-v.ended:
			t.Fatalf("the view ended: %v", err)
		case <-deadline(t).Done():
			t.Fatal("nothing is reported")
		}
	}
}

// click sends a press and its release.
func (v *viewer) click(t *testing.T, at protocol.LiveInput) {
	t.Helper()
	at.Clicks = 1
	for _, at.Type = range []protocol.LiveInputType{protocol.LiveDown, protocol.LiveUp} {
		v.send(t, at)
	}
}

func (v *viewer) send(t *testing.T, in protocol.LiveInput) {
	t.Helper()
	select {
	case v.inputs <- in:
	case err := <-v.ended:
		t.Fatalf("the view ended: %v", err)
	}
}

var red, lime, blue = color.RGBA{R: 255}, color.RGBA{G: 255}, color.RGBA{B: 255}

// A tab in the background is shown, takes mouse and keys in their order, also on its next
// page, and lets go of what is held down when the viewer leaves.
func TestLiveView(t *testing.T) {
	const body = `<style>body{margin:0;height:100vh;background:rgb(255,0,0)}input{position:fixed;left:0;bottom:0}</style><input>
<script>
said = []
for (const kind of ['mousedown', 'mouseup', 'dblclick', 'wheel', 'keydown', 'keyup'])
  addEventListener(kind, (e) => said.push(e.isTrusted + ' ' + kind + ' ' + (e.code ?? e.button) + (e.shiftKey ? ' shift' : '')))
onwheel = () => { document.body.style.background = 'rgb(255,0,0)' }
onmousedown = (e) => { if (e.button === 2) document.body.style.background = 'rgb(0,255,0)' }
oncontextmenu = (e) => { e.preventDefault() }
ondblclick = () => { document.body.style.background = 'rgb(0,255,0)' }
oninput = (e) => { if (e.target.value === 'aB') document.body.style.background = 'rgb(0,0,255)' }
</script>`
	s := stageOf(t, "")
	other := pages(t, map[string]string{"/": body})
	id, err := s.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	s.tab, s.url = id, other
	s.open(t, "/")
	v := s.look(t)
	v.until(t, 0.5, 0.5, red)
	v.send(t, protocol.LiveInput{Type: protocol.LiveFit, Width: 300, Height: 1})
	for size := (image.Config{Width: 1e6}); size.Width > 300 || size.Height > 100; {
		if size, err = jpeg.DecodeConfig(bytes.NewReader(v.until(t, 0.5, 0.5, red).JPEG)); err != nil {
			t.Fatal(err)
		}
	}
	for clicks := range 2 {
		at := protocol.LiveInput{X: 0.5, Y: 0.5, Clicks: clicks + 1}
		for _, kind := range []protocol.LiveInputType{protocol.LiveMove, protocol.LiveDown, protocol.LiveUp} {
			at.Type = kind
			v.send(t, at)
		}
	}
	v.until(t, 0.5, 0.5, lime)
	s.eval(t, "document.querySelector('input').focus()")
	for _, in := range []protocol.LiveInput{
		{Type: protocol.LiveKey, Key: "a", Code: "KeyA"},
		{Type: protocol.LiveKeyUp, Key: "a", Code: "KeyA"},
		{Type: protocol.LiveKey, Key: "Shift", Code: "ShiftLeft", Modifiers: 8},
		{Type: protocol.LiveKey, Key: "B", Code: "KeyB", Modifiers: 8},
		{Type: protocol.LiveKey, Key: "Process", Code: "KeyC"},
	} {
		v.send(t, in)
	}
	v.until(t, 0.5, 0.5, blue)
	v.send(t, protocol.LiveInput{Type: protocol.LiveAway})
	v.send(t, protocol.LiveInput{Type: protocol.LiveWheel, X: 0.5, Y: 0.5, DY: 10})
	v.until(t, 0.5, 0.5, red)
	v.send(t, protocol.LiveInput{Type: protocol.LiveDown, X: 0.5, Y: 0.5, Button: 2})
	v.until(t, 0.5, 0.5, lime)
	v.stop()
	if err := <-v.ended; err != nil {
		t.Log("stopped:", err)
	}
	up := "new Promise((done) => { const see = () => said.at(-1).includes('mouseup 2') ? done(1) : setTimeout(see, 5); see() })"
	if _, err := s.Evaluate(deadline(t), nobody, id, up); err != nil {
		t.Fatal(err)
	}
	want := "true mousedown 0,true mouseup 0,true mousedown 0,true mouseup 0,true dblclick 0," +
		"true keydown KeyA,true keyup KeyA,true keydown ShiftLeft shift,true keydown KeyB shift"
	if got := s.eval(t, "said.slice(0, 9).join()"); got != want {
		t.Errorf("the page got %s, want %s", got, want)
	}
	for _, once := range []string{"keyup ShiftLeft", "keyup KeyB", "wheel", "mousedown 2", "mouseup 2"} {
		if got := s.eval(t, "String(said.filter((one) => one.includes('"+once+"')).length)"); got != "1" {
			t.Errorf("%s: %s times in %s", once, got, s.eval(t, "said.join()"))
		}
	}

	v = s.look(t)
	v.until(t, 0.5, 0.5, lime)
	if _, err := s.Navigate(deadline(t), nobody, id, pages(t, map[string]string{"/": `<style>body{background:rgb(0,0,255)}</style>`}), protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	v.until(t, 0.5, 0.5, blue)
	if err := s.CloseTab(deadline(t), id); err != nil {
		t.Fatal(err)
	}
	if err := <-v.ended; code(err) != protocol.CodeUnknownTab {
		t.Errorf("a tab that was closed: %v", err)
	}
}

// A viewer sees which dialog the page shows, also one that was there before, and that it
// is answered.
func TestLiveViewShowsDialogs(t *testing.T) {
	s := stageOf(t, `<style>body{margin:0;height:100vh;background:rgb(255,0,0)}</style><script>
onmousedown = () => { document.body.style.background = prompt('Your name?', 'Ada') === 'Eve' ? 'rgb(0,255,0)' : 'rgb(0,0,255)' }
</script>`)
	v := s.look(t)
	v.until(t, 0.5, 0.5, red)
	v.send(t, protocol.LiveInput{Type: protocol.LiveDown, X: 0.5, Y: 0.5})
	want := protocol.LiveDialog{Type: "prompt", Message: "Your name?", Default: "Ada"}
	if got := v.state(t).Dialog; got == nil || *got != want {
		t.Errorf("%+v", got)
	}
	v.stop()
	t.Log("stopped: ", <-v.ended)
	v = s.look(t)
	if got := v.state(t).Dialog; got == nil || *got != want {
		t.Errorf("to one that comes later: %+v", got)
	}
	text := "Eve"
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, &text); err != nil {
		t.Fatal(err)
	}
	if got := v.state(t).Dialog; got != nil {
		t.Errorf("after the answer: %+v", got)
	}
	v.until(t, 0.5, 0.5, lime)
}

// What the browser shows in windows of its own does not stay open where nobody sees it: a
// viewer gets the list of a select, and chooses in it with the events of a user; learns that the
// page asks for a file; and gets no menu of the browser.
func TestLiveViewShowsLists(t *testing.T) {
	const style = `<style>body{margin:0;background:rgb(255,0,0)} select,button,iframe,input{position:fixed;left:0;width:50%;height:10vh;border:0;margin:0;padding:0}</style>`
	const reports = `<script>
said = []
for (const kind of ['input', 'change', 'keydown'])
  addEventListener(kind, (e) => top.postMessage((e.isTrusted ? '' : 'script ') + kind + ' ' + (kind === 'keydown' ? e.key : [...e.target.selectedOptions].map((one) => one.value).join('+')), '*'))
</script>`
	inner := strings.Replace(pages(t, map[string]string{"/": style + reports + `<select aria-label="Far" style="top:50%;height:50%"><option>One<option>Two</select><input type=file style="top:0;height:50%">`}), "127.0.0.1", "localhost", 1)
	s := stageOf(t, style+reports+`<script>
onmessage = ({data}) => said.push(data)
oncontextmenu = (e) => { setTimeout(() => { said.push('menu ' + e.defaultPrevented) }) }
</script>
<select id=near aria-label="Near" style="top:0"><option value=a> Plain <b>text</b> <option value=b disabled>Never<optgroup label=Group><option value=c>Last</optgroup></select>
<select id=many multiple size=1 style="top:10vh;left:50%"><option value=x>X<option value=y>Y<option value=z selected>Z</select>
<iframe src="`+inner+`" style="top:20vh;height:20vh"></iframe>
<button onclick="near.showPicker()" style="top:50vh">Picker</button>
<input type=file style="top:70vh">`)
	v := s.look(t)
	v.until(t, 0.9, 0.9, red)
	received := func(want string) {
		t.Helper()
		see := "new Promise((done) => { const see = () => said.length >= " + strconv.Itoa(strings.Count(want, ",")+1) + " ? done(1) : setTimeout(see, 5); see() })"
		if _, err := s.Evaluate(deadline(t), nobody, s.tab, see); err != nil {
			t.Fatal(err)
		}
		if got := s.eval(t, "said.splice(0).join()"); got != want {
			t.Errorf("the page got %s, want %s", got, want)
		}
	}
	opened := func(at protocol.LiveInput) *protocol.LiveList {
		t.Helper()
		v.click(t, at)
		got := v.state(t).List
		if got == nil {
			t.Fatal("no list is reported")
		}
		return got
	}
	picked := func(l *protocol.LiveList, option int) {
		t.Helper()
		v.send(t, protocol.LiveInput{Type: protocol.LivePick, Seq: l.Seq, Picked: option})
		if got := v.state(t).List; got != nil {
			t.Fatalf("after the choice: %+v", got)
		}
	}

	list := opened(protocol.LiveInput{X: 0.1, Y: 0.05})
	want := []protocol.LiveOption{
		{Label: "Plain text", Selected: true}, {Index: 1, Label: "Never", Disabled: true}, {Index: 2, Label: "Last", Group: "Group"},
	}
	if list.Label != "Near" || !slices.Equal(list.Options, want) || list.Width != 0.5 || math.Abs(list.Height-0.1) > 0.01 {
		t.Errorf("%+v", list)
	}
	picked(list, 2)
	received("keydown ArrowDown,input c,change c")
	// By the keyboard; what the page changes meanwhile is shown, and not chosen by its old number.
	v.send(t, protocol.LiveInput{Type: protocol.LiveKey, Key: " ", Code: "Space"})
	list = v.state(t).List
	v.send(t, protocol.LiveInput{Type: protocol.LiveKeyUp, Key: " ", Code: "Space"})
	s.eval(t, "near.options[0].before(new Option('First', 'f'))")
	v.send(t, protocol.LiveInput{Type: protocol.LivePick, Seq: list.Seq})
	if list = v.state(t).List; list == nil || list.Options[0].Label != "First" || len(list.Options) != 4 {
		t.Fatalf("after a change: %+v", list)
	}
	v.send(t, protocol.LiveInput{Type: protocol.LiveShut, Seq: list.Seq})
	if got := v.state(t).List; got != nil {
		t.Errorf("after it was closed: %+v", got)
	}
	received("keydown  ")
	// One that a script opens, and that goes.
	opened(protocol.LiveInput{X: 0.1, Y: 0.55})
	s.eval(t, "near.remove()")
	if got := v.state(t).List; got != nil {
		t.Errorf("after it was removed: %+v", got)
	}
	// That of several options is drawn in the page, as a list with several rows is.
	v.click(t, protocol.LiveInput{X: 0.6, Y: 0.15})
	v.click(t, protocol.LiveInput{X: 0.6, Y: 0.22})
	v.click(t, protocol.LiveInput{X: 0.9, Y: 0.9})
	received("input x+z,change x+z")
	// In a frame of another site.
	list = opened(protocol.LiveInput{X: 0.05, Y: 0.35})
	if list.Label != "Far" || math.Abs(list.Y-0.3) > 0.01 || math.Abs(list.Width-0.25) > 0.01 {
		t.Errorf("in a frame: %+v", list)
	}
	picked(list, 1)
	received("keydown ArrowDown,input Two,change Two")

	v.click(t, protocol.LiveInput{X: 0.9, Y: 0.9, Button: 2})
	received("menu true")
	v.click(t, protocol.LiveInput{X: 0.1, Y: 0.75})
	if !v.state(t).File {
		t.Error("the question for a file is not reported")
	}
	v.send(t, protocol.LiveInput{Type: protocol.LiveKey, Key: "a", Code: "KeyA"})
	if v.state(t).File {
		t.Error("the question for a file stays")
	}
	// In a frame of another site.
	v.click(t, protocol.LiveInput{X: 0.05, Y: 0.25})
	if !v.state(t).File {
		t.Error("the question for a file in a frame is not reported")
	}
}

// Pickers of dates, times and colours are closed in the browser, and a viewer gets what its own
// picker has to begin with: values in the form of the type, and nothing else that the page says.
func TestLiveViewShowsPickers(t *testing.T) {
	const style = `<style>body{margin:0;background:rgb(255,0,0)} input,iframe{position:fixed;left:0;width:50%;height:10vh;border:0;margin:0;padding:0} input::-webkit-calendar-picker-indicator{position:absolute;inset:0;width:auto;height:auto}</style>`
	const reports = `<script>
for (const kind of ['input', 'change', 'keydown'])
  addEventListener(kind, (e) => top.postMessage(kind + ' ' + (e.target.value ?? e.key), '*'))
</script>`
	inner := strings.Replace(pages(t, map[string]string{"/": style + reports + `<input type=month value=2026-02 aria-label=Far style="top:50%;height:50%">`}), "127.0.0.1", "localhost", 1)
	s := stageOf(t, style+reports+`<script>said = []; onmessage = ({data}) => said.push(data)</script>
<input type=date aria-label="Arrival" value=2026-11-30 min=2026-11-01 max="x onload=evil" step=2 style="top:0">
<input type=time value=09:30 min=08:00 step=900 style="top:10vh">
<input type=datetime-local value=2026-11-30T09:30 style="top:20vh">
<input type=week value=2026-W07 style="top:30vh">
<input type=color value=#ff0000 style="top:40vh">
<input type=date autocomplete=one-time-code value=2026-11-30 style="top:50vh">
<iframe src="`+inner+`" style="top:60vh;height:20vh"></iframe>`)
	v := s.look(t)
	v.until(t, 0.9, 0.9, red)
	opened := func(y float64) protocol.LivePicker {
		t.Helper()
		v.click(t, protocol.LiveInput{X: 0.1, Y: y})
		got := v.state(t).Picker
		if got == nil {
			t.Fatal("no picker is reported")
		}
		return *got
	}
	answered := func(in protocol.LiveInput) {
		t.Helper()
		v.send(t, in)
		if got := v.state(t).Picker; got != nil {
			t.Fatalf("after the answer: %+v", got)
		}
	}
	received := func(want string) {
		t.Helper()
		see := "new Promise((done) => { const see = () => said.length >= 2 ? done(1) : setTimeout(see, 5); see() })"
		if _, err := s.Evaluate(deadline(t), nobody, s.tab, see); err != nil {
			t.Fatal(err)
		}
		if got := s.eval(t, "said.splice(0).join()"); got != "input "+want+",change "+want {
			t.Errorf("the page got %s, want %s", got, want)
		}
	}
	for _, c := range []struct {
		y     float64
		want  protocol.LivePicker
		value string
	}{
		{0.05, protocol.LivePicker{Label: "Arrival", Type: "date", Value: "2026-11-30", Min: "2026-11-01", Step: "2"}, "2026-12-01"},
		{0.15, protocol.LivePicker{Type: "time", Value: "09:30", Min: "08:00", Step: "900"}, "10:15"},
		{0.25, protocol.LivePicker{Type: "datetime-local", Value: "2026-11-30T09:30"}, "2026-12-01T10:00"},
		{0.35, protocol.LivePicker{Type: "week", Value: "2026-W07"}, "2026-W08"},
		{0.45, protocol.LivePicker{Type: "color", Value: "#ff0000"}, "#00ff00"},
		{0.55, protocol.LivePicker{Type: "date"}, "2026-12-02"}, // the value is a secret
		{0.75, protocol.LivePicker{Label: "Far", Type: "month", Value: "2026-02"}, "2026-03"},
	} {
		got := opened(c.y)
		if got.Width == 0 || got.Y > c.y || got.Y+got.Height < c.y {
			t.Errorf("%+v is not at %v", got, c.y)
		}
		plain := got
		plain.Seq, plain.X, plain.Y, plain.Width, plain.Height = 0, 0, 0, 0, 0
		if plain != c.want {
			t.Errorf("%+v, want %+v", plain, c.want)
		}
		answered(protocol.LiveInput{Type: protocol.LiveSet, Seq: got.Seq, Text: c.value})
		received(c.value)
	}
	// A change in the page is shown; an answer without a choice, one to the picker before and the
	// same value give the page nothing.
	first := opened(0.05)
	s.eval(t, "document.querySelector('input').value = '2026-12-03'")
	now := v.state(t).Picker
	if now == nil || now.Value != "2026-12-03" {
		t.Fatalf("after a change: %+v", now)
	}
	v.send(t, protocol.LiveInput{Type: protocol.LiveSet, Seq: first.Seq, Text: "2026-12-05"})
	answered(protocol.LiveInput{Type: protocol.LiveShut, Seq: now.Seq})
	now = new(opened(0.05))
	answered(protocol.LiveInput{Type: protocol.LiveSet, Seq: now.Seq, Text: now.Value})
	if got := s.eval(t, "said.join() + document.querySelector('input').value"); got != "2026-12-03" {
		t.Errorf("the page got %s", got)
	}
}

// THREATS 65: what was entered by a secret looks the same for every secret of that length,
// and the page draws it so before there is a picture.
func TestLiveViewShowsNoSecret(t *testing.T) {
	s := stageOf(t, `<style>body{margin:0;background:rgb(255,0,0)} input{font:40px monospace;caret-color:transparent;outline:0;border:0}</style>
<input id=w oninput="document.body.style.background = value.length === 10 ? 'rgb(0,255,0)' : 'rgb(255,0,0)'">`)
	v := s.look(t)
	var seen [][]byte
	for _, value := range []string{"WWWWWWWWWW", "iiiiiiiiii"} {
		v.until(t, 0.9, 0.9, red)
		s.act(t, protocol.ActRequest{Kind: protocol.ActFill, Target: "css=#w", Text: value, Origin: s.url})
		f := v.until(t, 0.9, 0.9, lime)
		seen = append(seen, f.JPEG)
		s.eval(t, "(w.value = '', w.oninput())")
	}
	if !bytes.Equal(seen[0], seen[1]) {
		t.Error("two secrets look different")
	}
	// Without a secret they do: the comparison sees it.
	v.until(t, 0.9, 0.9, red)
	s.eval(t, "(w.style.setProperty('-webkit-text-security', 'none', 'important'), w.value = 'WWWWWWWWWW', w.oninput())")
	plain := v.until(t, 0.9, 0.9, lime).JPEG
	if bytes.Equal(plain, seen[0]) {
		t.Error("plain text looks like a secret: the test compares nothing")
	}
}
