package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
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

// dialog waits for the next report of the page's dialog, and acknowledges no picture.
func (v *viewer) dialog(t *testing.T) *protocol.LiveDialog {
	t.Helper()
	for {
		select {
		case f := <-v.frames:
			if f.JPEG == nil {
				return f.Dialog
			}
		case err := <-v.ended:
			t.Fatalf("the view ended: %v", err)
		case <-deadline(t).Done():
			t.Fatal("no dialog is reported")
		}
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
	if got := v.dialog(t); got == nil || *got != want {
		t.Errorf("%+v", got)
	}
	v.stop()
	t.Log("stopped: ", <-v.ended)
	v = s.look(t)
	if got := v.dialog(t); got == nil || *got != want {
		t.Errorf("to one that comes later: %+v", got)
	}
	text := "Eve"
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, &text); err != nil {
		t.Fatal(err)
	}
	if got := v.dialog(t); got != nil {
		t.Errorf("after the answer: %+v", got)
	}
	v.until(t, 0.5, 0.5, lime)
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
