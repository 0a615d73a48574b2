package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/pick"
	"pilotfish/backend/protocol"
)

// picking is a Pick that is waiting for a user.
type picking struct {
	elements []protocol.PickedElement
	marks    chan string
	done     chan struct{}
	picked   *protocol.PickedElement
	err      error
}

// pick starts a Pick in the stage's tab and returns when the picker is on.
func (s *stage) pick(ctx context.Context, t *testing.T) *picking {
	t.Helper()
	k := &picking{marks: make(chan string), done: make(chan struct{})}
	ready := make(chan []protocol.PickedElement, 1)
	go func() {
		defer close(k.done)
		k.picked, k.err = s.Pick(ctx, s.tab, pick.Request{Ready: func(all []protocol.PickedElement) { ready <- all }, Marks: k.marks})
	}()
	select {
	case k.elements = <-ready:
	case <-k.done:
		t.Fatalf("the picker did not start: %v", k.err)
	}
	return k
}

// page returns the page of the stage's tab.
func (s *stage) page(t *testing.T) *page.Page {
	t.Helper()
	r, err := s.running()
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := s.pageOf(deadline(t), r, s.tab)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// clickAt clicks at a point of the page with the pointer, as a user does.
func (s *stage) clickAt(t *testing.T, y float64) {
	t.Helper()
	p := s.page(t)
	for _, e := range pressAt(100, y) {
		if err := p.Call(deadline(t), input.DispatchMouseEvent.Method, e, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPickWithThePointer(t *testing.T) {
	s := stageOf(t, `<style>body { margin: 0 } button, p { position: absolute; top: 0; left: 0; width: 200px; height: 60px; margin: 0 }</style>
		<button id=save onclick="this.dataset.hit = 1"><b>Save</b> <i>all</i></button>
		<p id=plain style="top: 100px">Only words here</p><button style="top: 200px">Other</button>`)
	for _, c := range []struct {
		y    float64
		want string
	}{{30, `button Save all`}, {110, "paragraph Only words here"}} {
		k := s.pick(t.Context(), t)
		if len(k.elements) != 2 || k.elements[0].Name != "Save all" {
			t.Errorf("what can be picked: %+v", k.elements)
		}
		s.clickAt(t, c.y)
		<-k.done
		if k.err != nil || k.picked == nil || k.picked.Role+" "+k.picked.Name != c.want {
			t.Fatalf("picked %+v, %v; want %s", k.picked, k.err, c.want)
		}
		if c.y == 30 && k.picked.Ref != k.elements[0].Ref {
			t.Errorf("the button is %s in the list and %s when it was picked", k.elements[0].Ref, k.picked.Ref)
		}
		if c.y == 30 {
			if got := s.eval(t, "save.dataset.hit ?? 'never'"); got != "never" {
				t.Error("the click that picked a button pressed it")
			}
			// The ref is as valid as one of a snapshot, and the picker is off.
			s.act(t, click("@"+k.picked.Ref))
			if got := s.eval(t, "save.dataset.hit ?? 'never'"); got != "1" {
				t.Errorf("after a click on its ref the button was hit %s", got)
			}
		}
	}
}

func TestPickInFrames(t *testing.T) {
	inner := `<body style="margin:0"><button style="width:200px;height:60px">Inside</button>`
	s := &stage{fixture: headless(t)}
	far := strings.Replace(pages(t, map[string]string{"/in": inner}), "127.0.0.1", "localhost", 1)
	s.url = pages(t, map[string]string{"/": fmt.Sprintf(`<style>body { margin: 0 } iframe { display: block; width: 300px; height: 100px; border: 0 }</style>
		<iframe title=Same srcdoc='%s'></iframe><iframe title=Far src="%s/in"></iframe>`, inner, far)})
	s.tab = s.first(t)
	s.open(t, "/")
	// The session of the frame that another process renders may not be attached
	// yet.
	for late := deadline(t); strings.Count(s.snap(t, protocol.SnapshotRequest{}).Text, "Inside") < 2; {
		if late.Err() != nil {
			t.Fatal("the frames do not come")
		}
	}
	seen := map[string]bool{}
	for _, y := range []float64{30, 130} {
		k := s.pick(t.Context(), t)
		s.clickAt(t, y)
		<-k.done
		if k.err != nil || k.picked == nil || k.picked.Name != "Inside" || !strings.HasPrefix(k.picked.Ref, "f") {
			t.Fatalf("picked %+v, %v", k.picked, k.err)
		}
		seen[k.picked.Ref] = true
		s.act(t, click(k.picked.Ref))
	}
	if len(seen) != 2 {
		t.Errorf("two buttons have the refs %v", seen)
	}
}

func TestPickIsGivenUp(t *testing.T) {
	s := stageOf(t, `<button style="position:absolute;top:3000px">Far down</button><button onclick="this.dataset.hit = 1" id=b style="position:absolute;top:0;left:0;width:200px;height:60px">Near</button>`)
	t.Run("by Escape in the page", func(t *testing.T) {
		k := s.pick(t.Context(), t)
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			_, err := cdp.Call(deadline(t), s.page(t).Session, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "Escape", Code: "Escape", WindowsVirtualKeyCode: 27})
			if err != nil {
				t.Fatal(err)
			}
		}
		<-k.done
		if k.picked != nil || k.err != nil {
			t.Errorf("%+v, %v", k.picked, k.err)
		}
	})
	t.Run("by who asked, with a mark shown", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := s.pick(ctx, t)
		at := 0
		for i, e := range k.elements {
			if e.Name == "Far down" {
				at = i
			}
		}
		k.marks <- k.elements[at].Ref
		k.marks <- "" // received once the previous mark is shown
		if got := s.eval(t, "scrollY > 1000"); got != "true" {
			t.Error("what is marked was not scrolled into view")
		}
		s.eval(t, "scrollTo(0, 0)")
		cancel()
		<-k.done
		if k.picked != nil || k.err == nil {
			t.Errorf("%+v, %v", k.picked, k.err)
		}
		s.clickAt(t, 30)
		if got := s.eval(t, "b.dataset.hit"); got != "1" {
			t.Error("the picker is still on: a click does not reach the page")
		}
	})
	t.Run("by the end of the tab", func(t *testing.T) {
		k := s.pick(t.Context(), t)
		if _, err := s.NewTab(deadline(t), s.tab, true); err != nil {
			t.Fatal(err)
		}
		if err := s.CloseTab(deadline(t), s.tab); err != nil {
			t.Fatal(err)
		}
		<-k.done
		if code(k.err) != protocol.CodeUnknownTab {
			t.Errorf("%+v, %v", k.picked, k.err)
		}
	})
}

// An element that a question refers to is highlighted on the page, without a
// picker.
func TestShow(t *testing.T) {
	s := stageOf(t, `<button id=a>One</button><div style="height:3000px"></div><button id=b>Two</button>`)
	ref := s.ref(t, "btn Two")
	ctx, cancel := context.WithCancel(t.Context())
	marks, done := make(chan string), make(chan error, 1)
	go func() { done <- s.Show(ctx, s.tab, marks) }()
	marks <- ref
	marks <- "e99" // no element has this ref: nothing is shown, and Show continues
	marks <- ref
	marks <- ""
	marks <- ""
	if s.eval(t, "scrollY > 0") != "true" {
		t.Error("the element that was shown is not in view")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The Inspector gets the very element under the pointer, also in a closed shadow root and
// in a frame, and not the control that it is a part of.
func TestPickTheVeryElement(t *testing.T) {
	s := stageOf(t, `<style>body { margin: 0 } button, x-closed, iframe { position: absolute; left: 0; width: 200px; height: 60px; border: 0; display: block }</style>
		<button id=save style="top: 0"><b style="display: block; height: 50px">Save</b></button><x-closed style="top: 100px"></x-closed>
		<iframe style="top: 200px" srcdoc="<body style='margin:0'><button style='width:200px;height:60px'><u style='display:block;height:50px'>In</u></button>"></iframe>
		<script>document.querySelector('x-closed').attachShadow({ mode: 'closed' }).innerHTML = '<button style="width:200px;height:60px"><i style="display:block;height:50px">Deep</i></button>'</script>`)
	for _, c := range []struct {
		y    float64
		want string
	}{{30, "b"}, {130, "i"}, {230, "u"}} {
		ready, done := make(chan struct{}), make(chan struct{})
		var picked *protocol.PickedElement
		var err error
		go func() {
			defer close(done)
			picked, err = s.Pick(t.Context(), s.tab, pick.Request{Ready: func([]protocol.PickedElement) { close(ready) }, Exact: true})
		}()
		select {
		case <-ready:
		case <-done:
			t.Fatalf("the picker did not start: %v", err)
		}
		s.clickAt(t, c.y)
		<-done
		if err != nil || picked == nil {
			t.Fatalf("%s: picked %+v, %v", c.want, picked, err)
		}
		if got := s.details(t, picked.Ref, ""); got.Tag != c.want {
			t.Errorf("picked %s, not %s", got.Element, c.want)
		}
	}
	// A picker that nobody uses ends with its time.
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if picked, err := s.PickElement(late, s.tab); err == nil {
		t.Errorf("after its time: %+v", picked)
	}
}
