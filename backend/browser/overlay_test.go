package browser

import (
	"bytes"
	"context"
	"html"
	"image/color"
	"image/png"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// hands dispatches what a user does with mouse and keyboard: trusted events that
// no command announced.
func (s *stage) hands(t *testing.T, events ...any) {
	t.Helper()
	err := work{s.Browser}.OnPage(deadline(t), nobody, s.tab, func(ctx context.Context, p *page.Page) error {
		for _, m := range events {
			var err error
			switch q := m.(type) {
			case input.DispatchMouseEventParams:
				_, err = cdp.Call(ctx, p.Session, input.DispatchMouseEvent, q)
			case input.DispatchKeyEventParams:
				_, err = cdp.Call(ctx, p.Session, input.DispatchKeyEvent, q)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// pressKey is what a keyboard sends for a key that goes down and up; text is what it types.
func pressKey(key, code, text string, virtual int64) []any {
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: key, Code: code, WindowsVirtualKeyCode: virtual, NativeVirtualKeyCode: virtual,
	}
	up := down
	up.Type = input.DispatchKeyEventTypeKeyUp
	if text != "" {
		down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, text, text
	}
	return []any{down, up}
}

func pressAt(x, y float64) []any {
	at := page.Point{X: x, Y: y}
	mouse := func(kind input.DispatchMouseEventType, button input.MouseButton, bits, count int64) any {
		return input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y, Button: button, Buttons: bits, ClickCount: count}
	}
	return []any{
		mouse(input.DispatchMouseEventTypeMouseMoved, "", 0, 0),
		mouse(input.DispatchMouseEventTypeMousePressed, input.MouseButtonLeft, 1, 1),
		mouse(input.DispatchMouseEventTypeMouseReleased, input.MouseButtonLeft, 0, 1),
	}
}

func wheelAt(x, y, by float64) any {
	return input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: 0.1, DeltaY: by}
}

func (s *stage) cover(t *testing.T) {
	t.Helper()
	if err := s.SetOverlay(deadline(t), s.tab, protocol.Overlay{Title: "Order a book", Step: "Looks for the button"}); err != nil {
		t.Fatal(err)
	}
}

// maskedPage records all events of the user that reach it.
const maskedPage = `<body style="margin:0;height:3000px;background:#fff"><script>
	heard = []
	for (const type of ['pointerdown', 'mousedown', 'click', 'wheel', 'keydown', 'keyup', 'input', 'contextmenu'])
		document.addEventListener(type, (event) => event.isTrusted && heard.push(type), true)
	addEventListener('scroll', () => heard.push('scroll'))
	drain = () => heard.splice(0).join(' ')
</script>
<button id=b style="position:absolute;left:40px;top:40px;width:120px;height:40px">Press</button>
<input id=i aria-label=Field style="position:absolute;left:40px;top:120px">
<dialog id=d><button onclick="this.textContent='Closed ' + event.isTrusted">Inside</button></dialog>`

func TestOverlay(t *testing.T) {
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{
		"/": maskedPage, "/frame": maskedPage + `<iframe srcdoc='` + html.EscapeString(maskedPage) + `' style="position:absolute;left:0;top:200px;width:400px;height:200px"></iframe>`,
	})}
	s.tab = s.first(t)
	s.open(t, "/")
	nothing := func(when string) {
		t.Helper()
		s.hands(t, append(pressAt(100, 60), pressAt(100, 130)...)...)
		s.hands(t, pressKey("Enter", "Enter", "\r", 13)...)
		s.hands(t, wheelAt(100, 60, 200))
		s.hands(t, pressKey("x", "KeyX", "x", 88)...)
		if heard := s.eval(t, "drain() + scrollY"); heard != "0" {
			t.Errorf("%s: the page hears %q", when, heard)
		}
	}

	s.hands(t, pressAt(100, 60)...)
	if heard := s.eval(t, "drain()"); heard != "pointerdown mousedown click" {
		t.Fatalf("without a cover: %q", heard)
	}
	before := s.snap(t, protocol.SnapshotRequest{}).Text
	s.cover(t)
	nothing("under the cover")
	if now := s.snap(t, protocol.SnapshotRequest{}).Text; strings.TrimSpace(now) != strings.TrimSpace(before) {
		t.Errorf("the cover is seen:\n%s\nand before\n%s", now, before)
	}
	e := s.act(t, click("#b"))
	if heard := s.eval(t, "drain()"); heard != "pointerdown mousedown click" || !strings.Contains(e.Hit, "Press") {
		t.Errorf("a command clicks, and the page hears %q of %q", heard, e.Hit)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#i", Text: "aA!"})
	s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Text: "Control+A"})
	s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#i", Text: "é"})
	if value := s.eval(t, "i.value"); value != "aA!é" {
		t.Errorf("typed: %q", value)
	}
	s.eval(t, "drain()")
	nothing("after a command")

	if _, err := s.Reload(deadline(t), nobody, s.tab, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	nothing("after a reload")
	s.open(t, "/frame")
	nothing("on the next page")
	s.eval(t, "document.querySelector('iframe').contentDocument.getElementById('i').focus()")
	nothing("with the focus in a frame")
	if heard := s.eval(t, "document.querySelector('iframe').contentWindow.drain()"); heard != "" {
		t.Errorf("the frame hears %q", heard)
	}

	// What a page may try against the overlay.
	for _, attack := range []string{
		"document.documentElement.lastElementChild.remove()",
		"document.documentElement.lastElementChild.hidePopover()",
		"document.documentElement.lastElementChild.style.cssText = 'display: none !important'",
		"document.documentElement.lastElementChild.removeAttribute('popover')",
		"document.documentElement.lastElementChild.inert = true",
		"document.head.append(Object.assign(document.createElement('style'), {textContent: '* { pointer-events: none !important; opacity: 0 !important; transform: scale(0) !important; animation: x 9s !important } div { display: none !important }'}))",
		"new MutationObserver(() => [...document.querySelectorAll('html > :not(head, body)')].forEach((e) => e.remove())).observe(document, {childList: true, subtree: true}); document.documentElement.lastElementChild.remove()",
		"d.showModal()",
		"{ const p = document.createElement('div'); p.popover = 'manual'; p.style.cssText = 'inset:0;width:100%;height:100%'; document.body.append(p); p.showPopover() }",
	} {
		s.eval(t, "(() => {"+attack+"})()")
		if _, err := s.Evaluate(deadline(t), nobody, s.tab, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"); err != nil {
			t.Fatal(err)
		}
		s.hands(t, pressAt(100, 60)...)
		if heard := s.eval(t, "drain()"); heard != "" {
			t.Errorf("after %s the page hears %q", attack, heard)
		}
	}
	if heard := s.eval(t, `[...document.querySelectorAll('*')].map((e) => e.shadowRoot).filter(Boolean).length + document.documentElement.innerText`); strings.Contains(heard, "Order a book") || !strings.HasPrefix(heard, "0") {
		t.Errorf("the page reads %q", heard)
	}

	s.open(t, "/")
	select {
	case <-s.pauses:
		t.Fatal("a pause that nobody asked for")
	default:
	}
	s.hands(t, pressKey("Escape", "Escape", "", 27)...)
	s.paused(t)
	w := s.number(t, "innerWidth")
	h := s.number(t, "innerHeight")
	found := false
	for x := w/2 + 200; x > w/2 && !found; x -= 12 { // the button is at the right end of the overlay's bar
		s.hands(t, pressAt(x, h-34)...)
		select {
		case <-s.pauses:
			found = true
		default:
		}
	}
	if !found {
		t.Error("the cover has no button")
	}
	s.eval(t, "drain()")
	if err := s.RemoveOverlay(deadline(t), s.tab); err != nil {
		t.Fatal(err)
	}
	s.hands(t, pressAt(100, 60)...)
	if heard := s.eval(t, "drain()"); heard != "pointerdown mousedown click" {
		t.Errorf("uncovered again: %q", heard)
	}
	if left := s.eval(t, "document.documentElement.children.length"); left != "2" {
		t.Errorf("%s things below html", left)
	}
}

func (s *stage) number(t *testing.T, expression string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(s.eval(t, expression), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *stage) paused(t *testing.T) {
	t.Helper()
	select {
	case tab := <-s.pauses:
		if tab != s.tab {
			t.Errorf("%s is to pause", tab)
		}
	case <-deadline(t).Done():
		t.Fatal("Esc does not pause")
	}
}

// No screenshot contains the overlay.
func TestOverlayIsInNoScreenshot(t *testing.T) {
	s := stageOf(t, `<body style="margin:0;background:#0000ff;height:2000px">`)
	s.cover(t)
	for name, q := range map[string]protocol.ScreenshotRequest{"view": {Format: "png"}, "full": {Format: "png", Full: true}} {
		shot, err := s.Screenshot(deadline(t), nobody, s.tab, q)
		if err != nil {
			t.Fatal(err)
		}
		img := picture(t, shot.Path)
		size := img.Bounds().Size()
		view := int(s.number(t, "innerHeight"))
		for x := 0; x < size.X; x += 3 {
			for _, y := range []int{1, view / 2, view - 30, view - 2} {
				if !near(img, x, y, color.RGBA{B: 255, A: 255}) {
					t.Fatalf("%s: something is at %d,%d", name, x, y)
				}
			}
		}
	}
}

// The overlay is dark where the user's system uses the dark colour scheme.
func TestOverlayInTheDark(t *testing.T) {
	s := stageOf(t, `<body style="margin:0;background:#0000ff">`)
	s.cover(t)
	var shot []byte
	err := work{s.Browser}.OnPage(deadline(t), nobody, s.tab, func(ctx context.Context, p *page.Page) error {
		dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
		if _, err := cdp.Call(ctx, p.Session, emulation.SetEmulatedMedia, dark); err != nil {
			return err
		}
		// This is what the user sees; our own screenshots leave the overlay out.
		taken, err := cdp.Call(ctx, p.Session, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{})
		shot = taken.Data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	at := img.Bounds().Size()
	if x, y := at.X/2, at.Y-18; !near(img, x, y, color.RGBA{R: 0x20, G: 0x24, B: 0x2c, A: 255}) {
		t.Errorf("its bar is %v", img.At(x, y))
	}
}
