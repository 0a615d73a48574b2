package browser

import (
	"context"
	"encoding/json"
	"html"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// insideFrame is a document inside another one.
const insideFrame = `<button id=inner onclick="this.textContent += '!'">Inner</button>`

// markedPage has a button in a corner, where the sign of an agent is, one in a frame and one in a
// closed shadow root. A number says how many of our elements it sees.
const markedPage = `<style>body { margin: 0; height: 3000px; background: #0000ff } button { display: block }</style>
	<button id=top onclick="this.textContent = 'Pressed'">Press</button>
	<iframe id=f srcdoc='%s' style="border:0;width:200px;height:60px"></iframe>
	<div id=host></div>
	<button id=corner onclick="hits = (globalThis.hits ?? 0) + 1" style="position:fixed;right:0;bottom:0;width:300px;height:60px;background:#0000ff;border:0;color:#0000ff">Corner</button>
	<script>
		shut = document.getElementById('host').attachShadow({ mode: 'closed' })
		shut.innerHTML = '<button>Closed</button>'
		heard = 0
		addEventListener('pointerdown', () => heard++, true)
	</script>`

func markedStage(t *testing.T) (*stage, chan protocol.TabID) {
	t.Helper()
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{
		"/":     strings.Replace(markedPage, "%s", html.EscapeString(insideFrame), 1),
		"/next": `<button onclick="alert('Stop'); this.textContent = 'After'">Next</button>`,
	})}
	s.tab = s.first(t)
	s.open(t, "/")
	return s, s.signs
}

// elementFeed follows the feed of a tab's elements.
type elementFeed struct {
	items chan protocol.ElementItem
	end   context.CancelFunc
}

func (s *stage) follow(t *testing.T) *elementFeed {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &elementFeed{items: make(chan protocol.ElementItem, 1000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for items, err := range s.FollowElements(ctx, s.tab) {
			if err != nil {
				t.Errorf("the feed ended: %v", err)
				return
			}
			for _, item := range items {
				f.items <- item
			}
		}
	}()
	f.end = func() { cancel(); <-done }
	t.Cleanup(f.end)
	return f
}

// until returns the first item that passes.
func (f *elementFeed) until(t *testing.T, what string, test func(protocol.ElementItem) bool) protocol.ElementItem {
	t.Helper()
	for {
		select {
		case item := <-f.items:
			if test(item) {
				return item
			}
		case <-deadline(t).Done():
			t.Fatalf("no item: %s", what)
		}
	}
}

func (f *elementFeed) put(t *testing.T, name string) *protocol.PageElement {
	t.Helper()
	return f.until(t, "put "+name, func(i protocol.ElementItem) bool {
		return i.Kind == protocol.ElementPut && i.Element.Name == name
	}).Element
}

func TestElementsFeed(t *testing.T) {
	s, _ := markedStage(t)
	f := s.follow(t)
	f.until(t, "the list begins", func(i protocol.ElementItem) bool { return i.Kind == protocol.ElementNew && i.Title == "Stage" })
	press := f.put(t, "Press")
	if press.Role != "button" || !strings.HasPrefix(press.Ref, "e") {
		t.Errorf("an element: %+v", press)
	}
	if inner := f.put(t, "Inner"); !strings.HasPrefix(inner.Ref, "f") {
		t.Errorf("an element in a frame: %+v", inner)
	}
	f.put(t, "Closed")
	f.put(t, "Corner")
	// Changes in the page, in a frame and in a closed shadow root are pushed.
	s.eval(t, `document.getElementById('top').textContent = 'Other'`)
	if other := f.put(t, "Other"); other.Ref != press.Ref {
		t.Errorf("the same element: %+v", other)
	}
	s.eval(t, `document.getElementById('f').contentDocument.getElementById('inner').textContent = 'Changed'`)
	f.put(t, "Changed")
	s.eval(t, `shut.firstChild.textContent = 'Still closed'`)
	f.put(t, "Still closed")
	s.eval(t, `document.getElementById('top').remove()`)
	f.until(t, "it goes", func(i protocol.ElementItem) bool { return i.Kind == protocol.ElementGone && i.Ref == press.Ref })
	// Another document begins the list anew.
	s.open(t, "/next")
	f.until(t, "another page", func(i protocol.ElementItem) bool {
		return i.Kind == protocol.ElementNew && strings.HasSuffix(i.URL, "/next")
	})
	f.put(t, "Next")
	f.end()
	// A dialog blocks the page: the feed says so, and goes on afterwards.
	if effect := s.act(t, click(s.ref(t, "btn Next"))); effect.Dialog == nil {
		t.Fatalf("no dialog: %+v", effect)
	}
	f = s.follow(t)
	f.until(t, "why the list is not current", func(i protocol.ElementItem) bool {
		return i.Kind == protocol.ElementFailed && i.Error.Code == protocol.CodeDialog
	})
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, nil); err != nil {
		t.Fatal(err)
	}
	f.put(t, "After")
}

func TestElementsFeedOfNoTab(t *testing.T) {
	s, _ := markedStage(t)
	for tab, want := range map[protocol.TabID]protocol.Code{"": protocol.CodeBadArgument, "t999": protocol.CodeUnknownTab} {
		for _, err := range s.FollowElements(t.Context(), tab) {
			if code(err) != want {
				t.Errorf("tab %q: %v", tab, err)
			}
		}
	}
}

// ours returns how many elements of ours are in the document.
func (s *stage) ours(t *testing.T) int {
	t.Helper()
	return int(s.number(t, `document.querySelectorAll('html > [popover]').length`))
}

func TestMarksAreNotThePage(t *testing.T) {
	s, clicked := markedStage(t)
	look := func() string {
		t.Helper()
		snap, err := s.Snapshot(deadline(t), nobody, s.tab, protocol.SnapshotRequest{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Text
	}
	before := look()
	f := s.follow(t)
	f.put(t, "Corner")
	if err := s.SetAgent(deadline(t), s.tab, &protocol.AgentSign{Words: "Claude works in this tab"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Badges(deadline(t), s.tab, true); err != nil {
		t.Fatal(err)
	}
	ref := s.ref(t, `btn Press`)
	if err := s.Highlight(deadline(t), s.tab, ref, false); err != nil {
		t.Fatal(err)
	}
	if n := s.ours(t); n != 1 {
		t.Errorf("%d elements of ours", n)
	}
	if after := look(); after != before {
		t.Errorf("the snapshot is\n%s\nand without marks\n%s", after, before)
	}
	// Of the whole corner, and all of the first button, nothing is in a screenshot.
	for name, q := range map[string]protocol.ScreenshotRequest{"view": {Format: "png"}, "full": {Format: "png", Full: true}} {
		shot, err := s.Screenshot(deadline(t), nobody, s.tab, q)
		if err != nil {
			t.Fatal(err)
		}
		img := picture(t, shot.Path)
		view := int(s.number(t, "innerHeight"))
		for x := img.Bounds().Dx() - 280; x < img.Bounds().Dx()-20; x += 3 {
			for _, y := range []int{view - 40, view - 25, view - 14} {
				if !near(img, x, y, color.RGBA{B: 255, A: 255}) {
					t.Fatalf("%s: something is at %d,%d", name, x, y)
				}
			}
		}
	}
	// What an agent clicks under the sign gets the click.
	s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: s.ref(t, `btn Corner`)})
	width, height := s.number(t, "innerWidth"), s.number(t, "innerHeight")
	if n := s.number(t, "globalThis.hits ?? 0"); n != 1 {
		t.Errorf("the button under the sign was hit %v times", n)
	}
	// The user clicks on the sign once it takes the pointer again; the page gets nothing of it.
	s.eval(t, "heard = 0")
	s.world(t, "new Promise((done) => setTimeout(done, 1600))")
	s.hands(t, pressAt(width-60, height-24)...)
	select {
	case tab := <-clicked:
		if tab != s.tab {
			t.Errorf("the sign of %s", tab)
		}
	case <-deadline(t).Done():
		t.Fatal("a click on the sign does nothing")
	}
	if n := s.number(t, "globalThis.hits ?? 0"); n != 1 {
		t.Errorf("the page got the click on the sign")
	}
	// The sign is on the next page, too, and everything else ended with the document.
	s.open(t, "/next")
	f.put(t, "Next")
	if n := s.ours(t); n != 1 {
		t.Errorf("%d elements of ours on the next page", n)
	}
	// A page that removes it gets it again.
	s.eval(t, `document.querySelector('html > [popover]').remove()`)
	s.world(t, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
	if n := s.ours(t); n != 1 {
		t.Errorf("%d elements of ours after the page removed it", n)
	}
	if err := s.SetAgent(deadline(t), s.tab, nil); err != nil {
		t.Fatal(err)
	}
	if n := s.ours(t); n != 0 {
		t.Errorf("%d elements of ours without a sign", n)
	}
	if err := s.Badges(deadline(t), s.tab, true); err != nil {
		t.Fatal(err)
	}
	f.end()
	if n := s.ours(t); n != 0 {
		t.Errorf("%d elements of ours after the room was closed", n)
	}
}

// world evaluates an expression in our world of the main frame, and returns its value as a string.
func (s *stage) world(t *testing.T, expression string) string {
	t.Helper()
	return s.worldOf(t, 0, expression)
}

func TestBadgesFollow(t *testing.T) {
	s, _ := markedStage(t)
	f := s.follow(t)
	f.put(t, "Corner")
	if err := s.Badges(deadline(t), s.tab, true); err != nil {
		t.Fatal(err)
	}
	// What is drawn for a ref: its place, or nothing.
	drawn := func(ref string, frame int) string {
		return s.worldOf(t, frame, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
			const one = [...pilotfishPage.marks.root.querySelectorAll('.badge')].find((el) => el.textContent === "`+ref+`")
			done(one ? one.style.transform : 'none')
		})))`)
	}
	press := s.ref(t, `btn Press`)
	if at := drawn(press, 0); at != "translate(0px, 0px)" {
		t.Errorf("a badge at %s", at)
	}
	s.eval(t, `document.getElementById('top').style.cssText = 'position:absolute;left:100px;top:200px'`)
	if at := drawn(press, 0); at != "translate(96px, 193px)" {
		t.Errorf("the badge after its element moved: %s", at)
	}
	s.eval(t, `scrollTo(0, 50)`)
	if at := drawn(press, 0); at != "translate(96px, 143px)" {
		t.Errorf("the badge after the page scrolled: %s", at)
	}
	s.eval(t, `scrollTo(0, 2000)`)
	if at := drawn(press, 0); at != "none" {
		t.Errorf("the badge of an element out of view: %s", at)
	}
	if at := drawn(s.ref(t, `btn Inner`), 1); !strings.HasPrefix(at, "translate") {
		t.Errorf("the badge in a frame: %s", at)
	}
	// A highlight follows too, and scrolls to its element.
	if err := s.Highlight(deadline(t), s.tab, press, true); err != nil {
		t.Fatal(err)
	}
	if y := s.number(t, "scrollY"); y > 210 {
		t.Errorf("scrolled to %v", y)
	}
	if text := s.world(t, `pilotfishPage.marks.root.querySelector('.label').textContent`); text != press+` button Press` {
		t.Errorf("the label of the highlight: %s", text)
	}
	if err := s.Highlight(deadline(t), s.tab, s.ref(t, `btn Inner`), false); err != nil {
		t.Fatal(err)
	}
	if hidden := s.world(t, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(String(pilotfishPage.marks.root.querySelector('.light').hidden)))))`); hidden != "true" {
		t.Errorf("two frames have a highlight")
	}
	s.eval(t, `document.getElementById('top').remove()`)
	if err := s.Highlight(deadline(t), s.tab, press, false); code(err) != protocol.CodeGone {
		t.Errorf("the highlight of an element that is gone: %v", err)
	}
	for _, ref := range []string{"e9999", "f7e1"} {
		if err := s.Highlight(deadline(t), s.tab, ref, false); code(err) != protocol.CodeGone {
			t.Errorf("the highlight of %s: %v", ref, err)
		}
	}
	if err := s.Highlight(deadline(t), s.tab, "#top", false); code(err) != protocol.CodeBadArgument {
		t.Errorf("the highlight of a selector: %v", err)
	}
	if err := s.Highlight(deadline(t), s.tab, "", false); err != nil {
		t.Errorf("removing the highlight: %v", err)
	}
}

// worldOf is world for the frame with this number.
func (s *stage) worldOf(t *testing.T, number int, expression string) string {
	t.Helper()
	var out string
	err := work{s.Browser}.OnPage(deadline(t), nobody, s.tab, func(ctx context.Context, p *page.Page) error {
		all := p.Frames.All()
		at := slices.IndexFunc(all, func(f *page.Frame) bool { return f.Number == number })
		if at < 0 {
			t.Fatalf("there is no frame %d", number)
		}
		in, world := p.Frames.State(all[at])
		res, err := cdp.Call(ctx, in, runtime.Evaluate, page.EvaluateParams(expression, world))
		if err == nil && res.ExceptionDetails != nil {
			t.Errorf("%s: %+v", expression, res.ExceptionDetails.Exception)
		}
		if res.Result != nil {
			_ = json.Unmarshal(res.Result.Value, &out)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
