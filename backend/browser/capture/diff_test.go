package capture

import (
	"image"
	"image/color"
	"testing"

	"pilotfish/backend/protocol"
)

func filled(w, h int, c color.RGBA) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.SetRGBA(x, y, c)
		}
	}
	return out
}

// TestCompareScreenshots: a small change of shade is not a difference; a spot is one and
// has a position; areas that exist in only one of two sizes differ.
func TestCompareScreenshots(t *testing.T) {
	grey := color.RGBA{R: 100, G: 100, B: 100, A: 255}
	was, is := filled(20, 10, grey), filled(20, 10, grey)
	is.SetRGBA(3, 3, color.RGBA{R: 100 + tolerance, G: 100, B: 100, A: 255})
	if _, diff := compareScreenshots(was, is); diff.Changed != 0 || diff.Total != 200 || diff.Area != nil || diff.Sizes != nil {
		t.Errorf("a shade is %+v", diff)
	}
	is.SetRGBA(4, 5, color.RGBA{A: 255})
	is.SetRGBA(6, 7, color.RGBA{A: 255})
	out, diff := compareScreenshots(was, is)
	if diff.Changed != 2 || diff.Share != 0.01 || diff.Area == nil || *diff.Area != (protocol.Clip{X: 4, Y: 5, Width: 3, Height: 3}) {
		t.Errorf("two spots are %+v in %+v", diff, diff.Area)
	}
	if at := out.RGBAAt(4, 5); at.R < 200 || at.G != 0 {
		t.Errorf("a spot is drawn as %v", at)
	}
	if _, diff := compareScreenshots(was, filled(20, 12, grey)); diff.Changed != 40 || len(diff.Sizes) != 2 || diff.Sizes[1] != "20 × 12" {
		t.Errorf("a longer page is %+v", diff)
	}
}

// TestEncode: both formats that we write can be read again.
func TestEncode(t *testing.T) {
	img := filled(9, 7, color.RGBA{R: 10, G: 200, B: 30, A: 255})
	for _, format := range []string{"png", "jpeg"} {
		data, err := encodeScreenshot(img, format, 0)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeScreenshot(data)
		if err != nil || back.Bounds() != img.Bounds() || !alike(back.RGBAAt(4, 4), img.RGBAAt(4, 4)) {
			t.Errorf("%s: %v, %v", format, back.Bounds(), err)
		}
	}
	if _, err := encodeScreenshot(img, "webp", 0); err == nil {
		t.Error("we write WebP")
	}
}
