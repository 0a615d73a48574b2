package browser

import (
	"context"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

func TestNavigation(t *testing.T) {
	s := site(t)
	f := headless(t)
	ctx, id := deadline(t), f.first(t)

	info, err := f.Navigate(ctx, nobody, id, s.URL+"/one", protocol.WaitLoad, nil)
	if err != nil {
		t.Fatal(err)
	}
	if info.URL != s.URL+"/one" || info.Title != "One" || info.Status != 200 {
		t.Errorf("after goto: %+v", info)
	}
	if info, err = f.Navigate(ctx, nobody, id, s.URL+"/two", protocol.WaitLoad, nil); err != nil || info.Title != "Two" {
		t.Fatalf("second goto: %+v, %v", info, err)
	}
	if info, err = f.Back(ctx, nobody, id, protocol.WaitLoad, nil); err != nil || info.Title != "One" {
		t.Fatalf("back: %+v, %v", info, err)
	}
	if info, err = f.Forward(ctx, nobody, id, protocol.WaitLoad, nil); err != nil || info.Title != "Two" {
		t.Fatalf("forward: %+v, %v", info, err)
	}
	if _, err = f.Forward(ctx, nobody, id, protocol.WaitLoad, nil); code(err) != protocol.CodeNavigation {
		t.Errorf("forward at the end: %v", err)
	}
	if info, err = f.Reload(ctx, nobody, id, protocol.WaitLoad, nil); err != nil || info.Title != "Two" || info.Status != 200 {
		t.Fatalf("reload: %+v, %v", info, err)
	}
	if info, err = f.Navigate(ctx, nobody, id, s.URL+"/two#part", protocol.WaitLoad, nil); err != nil || !strings.HasSuffix(info.URL, "#part") {
		t.Fatalf("goto in the same document: %+v, %v", info, err)
	}
	if info, err = f.Back(ctx, nobody, id, protocol.WaitLoad, nil); err != nil || strings.Contains(info.URL, "#") {
		t.Fatalf("back in the same document: %+v, %v", info, err)
	}
	if info, err = f.Navigate(ctx, nobody, id, s.URL+"/missing", protocol.WaitLoad, nil); err != nil || info.Status != 404 {
		t.Errorf("a page that is not there: %+v, %v", info, err)
	}
	f.wait(t, "the tab's address", func() bool { return f.tabs[0].URL == s.URL+"/missing" })
}

func TestNavigationErrors(t *testing.T) {
	s := site(t)
	f := headless(t)
	ctx, id := deadline(t), f.first(t)
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url  string
		want protocol.Code
		say  string
	}{
		{"http://127.0.0.1:1/", protocol.CodeNavigation, "port"},
		{"http://no.such.host.invalid/", protocol.CodeNavigation, "host"},
		{s.URL + "/nothing", protocol.CodeNavigation, "nothing to show"},
		{s.URL + "/file", protocol.CodeNavigation, "download"},
		{"nonsense", protocol.CodeBadArgument, "nonsense"},
	} {
		_, err := f.Navigate(ctx, nobody, id, c.url, protocol.WaitLoad, nil)
		if code(err) != c.want || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
	if _, err := f.Navigate(ctx, nobody, "t99", s.URL, protocol.WaitLoad, nil); code(err) != protocol.CodeUnknownTab {
		t.Errorf("unknown tab: %v", err)
	}
}

// passing is a context whose deadline is the moment when a channel is closed.
type passing struct {
	context.Context
	passed chan struct{}
}

func (c passing) Done() <-chan struct{} { return c.passed }

func (c passing) Err() error {
	select {
	case <-c.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A page that never finishes loading makes the command wait until its deadline,
// and the error says how far the page has loaded. Waiting for an earlier state
// succeeds.
func TestSlowPage(t *testing.T) {
	s := site(t)
	f := &stage{fixture: headless(t), url: s.URL}
	id := f.first(t)
	f.tab = id
	f.open(t, "/one")
	// The deadline passes as soon as the page can be used, however slow the machine is.
	p, limit := f.page(t), deadline(t)
	events := p.Events(cdppage.LifecycleEvent.Method)
	defer events.Cancel()
	ctx := passing{t.Context(), make(chan struct{})}
	go func() {
		defer close(ctx.passed)
		for usable := false; !usable; {
			select {
			case e := <-events.C:
				v, ok := devtools.Decode(e, cdppage.LifecycleEvent)
				usable = ok && v.Name == "DOMContentLoaded"
			case <-limit.Done():
				return
			}
		}
		// After this round trip the command has read the event, too.
		_ = p.Call(limit, cdppage.GetNavigationHistory.Method, nil, nil)
	}()
	_, err := f.Navigate(ctx, nobody, id, s.URL+"/slow", protocol.WaitLoad, nil)
	if code(err) != protocol.CodeTimeout || !strings.Contains(err.Error(), "can be used") {
		t.Errorf("a page that never loads: %v", err)
	}
	if info, err := f.Navigate(deadline(t), nobody, id, s.URL+"/slow?again", protocol.WaitDOM, nil); err != nil || info.Title != "Slow" {
		t.Errorf("waiting for the document only: %+v, %v", info, err)
	}
}

// The rule is applied to every redirect, and a refused URL is never loaded.
func TestRefusedRedirect(t *testing.T) {
	s, own := site(t), site(t)
	f := headless(t)
	ctx, id := deadline(t), f.first(t)
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	refused := protocol.NewError(protocol.CodeRefused, "that is our own port", "")
	allow := func(url string) error {
		if strings.HasPrefix(url, own.URL) {
			return refused
		}
		return nil
	}
	for _, url := range []string{
		own.URL + "/one",
		s.URL + "/redirect?to=" + own.URL + "/one",
		s.URL + "/redirect?to=" + s.URL + "/redirect?to=" + own.URL + "/one",
		strings.Replace(own.URL, "127.0.0.1", "localhost", 1) + "/one", // refused by the address of the server
	} {
		_, err := f.Navigate(ctx, nobody, id, url, protocol.WaitLoad, allow)
		if code(err) != protocol.CodeRefused {
			t.Errorf("%s: %v", url, err)
		}
		text, err := f.Text(ctx, nobody, id, 1000)
		if err != nil || (strings.Contains(text.Text, "First page") && strings.HasPrefix(text.URL, own.URL)) {
			t.Errorf("%s: the page shows %+v, %v", url, text, err)
		}
	}
	if info, err := f.Navigate(ctx, nobody, id, s.URL+"/redirect?to=/two", protocol.WaitLoad, allow); err != nil || info.Title != "Two" {
		t.Errorf("an allowed redirect: %+v, %v", info, err)
	}
}

func TestTextKeepsLinesAndDropsHidden(t *testing.T) {
	f := headless(t)
	ctx, id := deadline(t), f.first(t)
	page := "data:text/html;charset=utf-8," + strings.ReplaceAll(`<title>T</title><h1>Head  line</h1><p>one <b>bold</b>
		text<br>next line</p><ul><li>a</li><li>b</li></ul><p style="display:none">NO1</p><p style="visibility:hidden">NO2</p>
		<p style="opacity:0">NO3</p><script>var NO4</script><details><summary>more</summary>NO5</details><pre>x
  y</pre><table><tr><td>c1</td><td>c2</td></tr></table><div id=h></div><iframe srcdoc="<p>framed</p>"></iframe>
		<input value=typed><input type=password value=NO6><p>ünï 🐟</p>
		<script>h.attachShadow({mode:'open'}).innerHTML='<p>in shadow <slot></slot></p>'</script>`, "#", "%23")
	if _, err := f.Navigate(ctx, nobody, id, page, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	text, err := f.Text(ctx, nobody, id, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	want := "Head line\n\none bold text\nnext line\n\n- a\n- b\n\nmore\n\nx\n  y\n\nc1\tc2\n\nin shadow\n\nframed\ntyped\n\nünï 🐟"
	if text.Text != want {
		t.Errorf("text is\n%q\nand not\n%q", text.Text, want)
	}
	if text.Title != "T" || text.Length != len([]rune(want)) {
		t.Errorf("title %q, length %d", text.Title, text.Length)
	}
	cut, err := f.Text(ctx, nobody, id, 4)
	if err != nil || cut.Text != "Head" || cut.Length != text.Length {
		t.Errorf("cut: %+v, %v", cut, err)
	}
}

// picture decodes a saved screenshot and checks its file mode.
func picture(t *testing.T, path string) image.Image {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %o", path, info.Mode().Perm())
	}
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	img, _, err := image.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func isBlue(img image.Image, x, y int) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	return r>>8 < 10 && g>>8 < 10 && b>>8 > 245
}

func TestScreenshot(t *testing.T) {
	s := site(t)
	f := headless(t)
	ctx, id := deadline(t), f.first(t)
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/blue", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	shot, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png"})
	if err != nil {
		t.Fatal(err)
	}
	img := picture(t, shot.Path)
	if img.Bounds().Dx() != shot.Width || !isBlue(img, 300, 300) {
		t.Errorf("%v for %+v", img.Bounds(), shot)
	}
	if shot, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "jpeg", Quality: 80, Full: true}); err != nil {
		t.Fatal(err)
	}
	if img = picture(t, shot.Path); img.Bounds().Dy() != 3000 || !isBlue(img, 100, 2900) {
		t.Errorf("full page: %v", img.Bounds())
	}
	clip := &protocol.Clip{X: 10, Y: 1000, Width: 50, Height: 40}
	if shot, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Clip: clip}); err != nil {
		t.Fatal(err)
	}
	if img = picture(t, shot.Path); img.Bounds().Dx() != 50 || img.Bounds().Dy() != 40 || !isBlue(img, 20, 20) {
		t.Errorf("clip: %v", img.Bounds())
	}
	if shot, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "webp", Quality: 50}); err != nil || shot.Bytes == 0 {
		t.Errorf("webp: %+v, %v", shot, err)
	}
	if _, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Clip: &protocol.Clip{Width: 20000, Height: 10}}); code(err) != protocol.CodeTooLarge {
		t.Errorf("a picture that cannot be drawn: %v", err)
	}
}
