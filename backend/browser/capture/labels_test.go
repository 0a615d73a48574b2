package capture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"pilotfish/backend/protocol"
)

// Annotating band by band gives the same image as annotating all at once, whatever
// filters the browser chose, and labels that cross bands are complete.
func TestAnnotatedBandByBand(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 300, 3*256+17))
	noise := rand.New(rand.NewPCG(1, 2))
	for y := range img.Rect.Max.Y {
		for x := range img.Rect.Max.X {
			c := color.RGBA{R: uint8(x + y), G: uint8(x * y >> 4), B: uint8(y), A: 0xff}
			if y%5 == 0 {
				c.G = uint8(noise.Uint32())
			}
			img.SetRGBA(x, y, c)
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil { // this encoder tries every filter
		t.Fatal(err)
	}
	var labels []label
	for y := -20.0; y < 900; y += 37 {
		labels = append(labels, label{ref: "e19f", box: protocol.Clip{X: y / 4, Y: y, Width: 120, Height: 90}})
	}
	out, err := annotatePNG(file.Bytes(), labels, 300)
	if err != nil {
		t.Fatal(err)
	}
	drawLabels(img, img.Bounds(), labels, 300)
	back, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for y := range img.Rect.Max.Y {
		for x := range img.Rect.Max.X {
			if got, want := color.RGBAModel.Convert(back.At(x, y)), img.RGBAAt(x, y); got != want {
				t.Fatalf("pixel %d,%d is %v, not %v", x, y, got, want)
			}
		}
	}
	for _, n := range []int{0, 7, 20, 60, file.Len() / 2, file.Len() - 20} {
		if _, err := annotatePNG(file.Bytes()[:n], labels, 300); err == nil {
			t.Errorf("%d bytes of it were a picture", n)
		}
	}
}
