package pngrows

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// Images of different heights, with one row, with one column, and cut out of another
// image.
func TestWriteHoldsThePicture(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {3, bandHeight - 1}, {2, bandHeight}, {5, 2*bandHeight + 1}, {7, 9 * bandHeight}, {1500, 3}} {
		img := image.NewRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				img.SetRGBA(x, y, color.RGBA{R: uint8(x * y), G: uint8(x + 3*y), B: uint8(y >> 3), A: 0xff})
			}
		}
		var out bytes.Buffer
		if err := Write(&out, img); err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(&out)
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		if back.Bounds() != img.Bounds() {
			t.Fatalf("%v became %v", size, back.Bounds())
		}
		for y := range size.Y {
			for x := range size.X {
				if got, want := color.RGBAModel.Convert(back.At(x, y)), img.RGBAAt(x, y); got != want {
					t.Fatalf("%v: pixel %d,%d is %v, not %v", size, x, y, got, want)
				}
			}
		}
	}
}
