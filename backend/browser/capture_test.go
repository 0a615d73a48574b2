package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/browser/capture"
	"pilotfish/backend/protocol"
)

// shops serves the small pages in this folder's testdata.
func shops(t *testing.T) *httptest.Server {
	t.Helper()
	s := serve(t, http.FileServer(http.Dir(filepath.Join("testdata", "pages"))))
	return s
}

// shop starts a headless browser with a background tab that shows the shop.
func shop(t *testing.T) (*fixture, context.Context, protocol.TabID) {
	t.Helper()
	s := shops(t)
	f := headless(t)
	ctx := deadline(t)
	id, err := f.NewTab(ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/shop.html", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	return f, ctx, id
}

// near reports whether a pixel has a colour, within the error of JPEG
// compression.
func near(img image.Image, x, y int, want color.RGBA) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	off := func(a uint32, b uint8) bool { d := int(a>>8) - int(b); return d > 12 || d < -12 }
	return !off(r, want.R) && !off(g, want.G) && !off(b, want.B)
}

var green = color.RGBA{G: 128, A: 255}

func TestElementAndFullScreenshots(t *testing.T) {
	f, ctx, id := shop(t)
	shot, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Element: "#save"})
	if err != nil {
		t.Fatal(err)
	}
	img := picture(t, shot.Path)
	if img.Bounds().Dx() != 200 || img.Bounds().Dy() != 50 || !near(img, 3, 3, green) || !near(img, 196, 46, green) {
		t.Errorf("an element: %v %+v", img.Bounds(), shot)
	}
	if shot, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Full: true}); err != nil {
		t.Fatal(err)
	}
	if img = picture(t, shot.Path); img.Bounds().Dy() < 3100 || !near(img, 600, img.Bounds().Dy()-10, color.RGBA{B: 255}) {
		t.Errorf("the whole page: %v", img.Bounds())
	}
	if shot, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Slices: true}); err != nil {
		t.Fatal(err)
	}
	if len(shot.Slices) != 3 || shot.Path != shot.Slices[0] {
		t.Fatalf("slices: %+v", shot)
	}
	last := picture(t, shot.Slices[2])
	if first := picture(t, shot.Slices[0]); first.Bounds().Dy() != capture.SliceHeight || !near(last, 600, last.Bounds().Dy()-10, color.RGBA{B: 255}) {
		t.Errorf("slices: %v, %v", first.Bounds(), last.Bounds())
	}
	for element, want := range map[string]protocol.Code{
		"#nothing": protocol.CodeNoElement, "a[": protocol.CodeBadArgument, "#hidden": protocol.CodeNoElement,
		"e9999": protocol.CodeNoElement, "f7e1": protocol.CodeNoElement, "input": protocol.CodeAmbiguous,
	} {
		if _, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Element: element}); code(err) != want {
			t.Errorf("a picture of %s: %v", element, err)
		}
	}
}

// The labels appear only in the screenshot: the page records every change of its
// document and sees none.
func TestAnnotatedScreenshot(t *testing.T) {
	f, ctx, id := shop(t)
	before, err := f.Evaluate(ctx, nobody, id, "mutations")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Full: true})
	if err != nil {
		t.Fatal(err)
	}
	shot, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png", Full: true, Annotated: true})
	if err != nil {
		t.Fatal(err)
	}
	if shot.Labels < 7 {
		t.Errorf("%d labels", shot.Labels)
	}
	was, is := picture(t, plain.Path), picture(t, shot.Path)
	if was.Bounds() != is.Bounds() {
		t.Fatalf("%v and %v", was.Bounds(), is.Bounds())
	}
	// The button begins at 20,… and its label's frame is drawn on its edge; the
	// button inside the frame is at 400+5+30, 500+5+60.
	changed := func(x, y int) bool { return was.At(x, y) != is.At(x, y) }
	framed := 0
	for y := 565; y < 586; y++ {
		if changed(435, y) {
			framed++
		}
	}
	if framed < 18 {
		t.Errorf("the left edge of the button in the frame has %d changed dots", framed)
	}
	if changed(600, 3000) {
		t.Error("what is no element was drawn on")
	}
	v, err := f.Evaluate(ctx, nobody, id, "mutations")
	if err != nil || string(v.Value) != string(before.Value) {
		t.Errorf("the page saw %s changes, %v", v.Value, err)
	}
	if shot, err = f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "jpeg", Annotated: true}); err != nil || shot.Labels == 0 || shot.Labels > 20 {
		t.Errorf("what is in view: %+v, %v", shot, err)
	}
}

// A background tab on which nothing moves returns its screenshot every time.
func TestBackgroundScreenshotsDoNotWait(t *testing.T) {
	f, ctx, id := shop(t)
	if _, err := f.Markdown(ctx, nobody, id, "", 100); err != nil { // this opens the page
		t.Fatal(err)
	}
	for range 6 {
		if _, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png"}); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "jpeg", Full: true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tab := range f.Tabs() {
		if tab.ID == id && tab.Active {
			t.Error("the tab came to the front")
		}
	}
}

func TestPDFAndArchive(t *testing.T) {
	f, ctx, id := shop(t)
	file, err := f.PDF(ctx, nobody, id, protocol.PDFRequest{Paper: "a4", Margin: 1, Background: true, Landscape: true})
	if err != nil {
		t.Fatal(err)
	}
	if data := content(t, file); !bytes.HasPrefix(data, []byte("%PDF-")) || !strings.HasSuffix(file.URL, "/shop.html") {
		t.Errorf("the file begins with %.20q", data)
	}
	if file, err = f.Archive(ctx, nobody, id); err != nil {
		t.Fatal(err)
	}
	if data := content(t, file); !bytes.Contains(data, []byte("multipart/related")) || !bytes.Contains(data, []byte("Fish and more")) {
		t.Errorf("the archive begins with %.200q", data)
	}
	for _, q := range []protocol.PDFRequest{{Paper: "a99"}, {Paper: "a5", Margin: 40}, {Margin: -1}} {
		if _, err := f.PDF(ctx, nobody, id, q); code(err) != protocol.CodeBadArgument {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := f.Archive(ctx, nobody, "t99"); code(err) != protocol.CodeUnknownTab {
		t.Errorf("an unknown tab: %v", err)
	}
}

// content reads a saved file and checks its mode.
func content(t *testing.T, file protocol.PageFile) []byte {
	t.Helper()
	info, err := os.Stat(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || info.Size() != int64(file.Bytes) {
		t.Errorf("%v for %+v", info.Mode(), file)
	}
	data, err := os.ReadFile(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every width has its own screenshot, in a background tab and in front, and the
// page has its own size afterwards.
func TestResponsiveScreenshots(t *testing.T) {
	f, _, id := shop(t)
	for _, front := range []protocol.TabID{f.first(t), id} {
		if err := f.ActivateTab(deadline(t), front); err != nil {
			t.Fatal(err)
		}
		before, err := f.Evaluate(deadline(t), nobody, id, "innerWidth")
		if err != nil {
			t.Fatal(err)
		}
		widths := []int{375, 1280, 768}
		shots, err := f.Responsive(deadline(t), nobody, id, widths, protocol.ScreenshotRequest{Format: "png"})
		if err != nil {
			t.Fatal(err)
		}
		for i, shot := range shots {
			at := picture(t, shot.Path).Bounds()
			if at.Dx() != widths[i] || at.Dx() != shot.Width || at.Dy() != shot.Height {
				t.Errorf("%d wide, %s in front: %v for %+v", widths[i], front, at, shot)
			}
		}
		after, err := f.Evaluate(deadline(t), nobody, id, "innerWidth")
		if err != nil || string(after.Value) != string(before.Value) {
			t.Errorf("the page was %s wide and is %s, %v", before.Value, after.Value, err)
		}
	}
}

func TestDiff(t *testing.T) {
	f, ctx, id := shop(t)
	if _, _, _, err := f.Compare(ctx, nobody, id, "", false, false); code(err) != protocol.CodeBadArgument {
		t.Errorf("without a mark: %v", err)
	}
	if _, err := f.Mark(ctx, nobody, id, false); err != nil {
		t.Fatal(err)
	}
	before, now, pixels, err := f.Compare(ctx, nobody, id, "", false, true)
	if err != nil || before.Text != now.Text || pixels.Changed != 0 || pixels.Area != nil {
		t.Fatalf("nothing changed: %+v, %v", pixels, err)
	}
	if _, err := f.EditStyle(ctx, nobody, id, "#save", "background", "rgb(255, 0, 255)"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Evaluate(ctx, nobody, id, "document.querySelector('h1').textContent = 'Meat'; 0"); err != nil {
		t.Fatal(err)
	}
	before, now, pixels, err = f.Compare(ctx, nobody, id, "", false, true)
	if err != nil || !strings.Contains(before.Text, "Fish and more") || !strings.Contains(now.Text, "Meat") {
		t.Fatalf("%v", err)
	}
	if pixels.Changed < 5000 || pixels.Changed > 30000 || pixels.Area == nil {
		t.Errorf("%+v", pixels)
	}
	img := picture(t, pixels.Path)
	if !near(img, 30, 130, color.RGBA{R: 0xe0}) && !near(img, 30, 100, color.RGBA{R: 0xe0}) {
		t.Errorf("the button is not red in %s", pixels.Path)
	}
	other := f.first(t)
	if _, _, pixels, err = f.Compare(ctx, nobody, id, other, false, true); err != nil || pixels.Changed == 0 {
		t.Errorf("another tab: %+v, %v", pixels, err)
	}
}

// A screenshot with more pixels than the browser's drawing process can take is refused
// with what to do, and a sequence of sizes near the limit leaves the browser running.
func TestScreenshotsNearTheLargest(t *testing.T) {
	f := headless(t)
	id := f.first(t)
	site := pages(t, map[string]string{"/": `<!doctype html><body style="margin:0;height:8300px;background:linear-gradient(red,blue)">`, "/tall": `<!doctype html><body style="margin:0;height:16384px">`})
	if _, err := f.Navigate(deadline(t), nobody, id, site+"/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	widths := []int{8000, 50, 8080}
	if testing.Short() {
		widths = widths[:2]
	}
	shots, err := f.Responsive(deadline(t), nobody, id, widths, protocol.ScreenshotRequest{Format: "jpeg", Full: true})
	if err != nil || len(shots) != len(widths) {
		t.Fatalf("near the largest: %v", err)
	}
	for i, shot := range shots {
		if shot.Width != widths[i] || shot.Height != 8300 {
			t.Errorf("%d wide: %+v", widths[i], shot)
		}
	}
	if _, err := f.Navigate(deadline(t), nobody, id, site+"/tall", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	_, err = f.Responsive(deadline(t), nobody, id, []int{5000}, protocol.ScreenshotRequest{Format: "jpeg", Full: true})
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeTooLarge || !strings.Contains(e.Message, "5000 × 16384") || !strings.Contains(e.Hint, "--full") {
		t.Errorf("larger: %v", err)
	}
	// The limit counts pixels of the screen.
	if _, err := f.Emulate(deadline(t), nobody, id, func(e *protocol.Emulation) {
		e.Viewport = &protocol.EmulatedViewport{Width: 1300, Height: 800, Scale: 3}
	}); err != nil {
		t.Fatal(err)
	}
	for _, in := range []protocol.TabID{id, ""} {
		if in == "" { // the tab is in the background now
			if _, err := f.NewTab(deadline(t), "", false); err != nil {
				t.Fatal(err)
			}
		}
		_, err = f.Screenshot(deadline(t), nobody, id, protocol.ScreenshotRequest{Format: "jpeg", Full: true})
		if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeTooLarge || !strings.Contains(e.Message, "3900 × 49152") {
			t.Errorf("at three times the density: %v", err)
		}
	}
	if v, err := f.Evaluate(deadline(t), nobody, id, "innerWidth"); err != nil || string(v.Value) != "1300" {
		t.Errorf("the page is %s wide, %v", v.Value, err)
	}
}
