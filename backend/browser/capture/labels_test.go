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

// TestAnnotate: a label is above its box where there is room, else in its corner, and
// always in the image; nothing else of the image changes; a broken file is an error.
func TestAnnotate(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 300, 200))
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(noise.Uint32() % 100) // darker than any label
		if i%4 == 3 {
			img.Pix[i] = 0xff
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	png := protocol.ScreenshotRequest{Format: "png"}
	labels := []label{
		{ref: "e1", box: protocol.Clip{X: 20, Y: 50, Width: 40, Height: 20}},
		{ref: "e2", box: protocol.Clip{X: 140, Y: 1, Width: 8, Height: 8}},
	}
	out, err := annotate(file.Bytes(), png, labels, 150)
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeScreenshot(out)
	if err != nil {
		t.Fatal(err)
	}
	// Two dots for each CSS pixel; a label of two letters is 15 by 11 pixels.
	drawn := []image.Rectangle{image.Rect(40, 78, 70, 100), image.Rect(270, 2, 300, 24)}
	boxes := []image.Rectangle{image.Rect(40, 100, 120, 140), image.Rect(280, 2, 296, 18)}
	for i, at := range drawn {
		if got := back.RGBAAt(at.Min.X, at.Min.Y); got != labelColour(i) {
			t.Errorf("label %d begins with %v", i, got)
		}
		if got := back.RGBAAt(at.Max.X-1, at.Max.Y-1); got != labelColour(i) {
			t.Errorf("label %d ends with %v", i, got)
		}
	}
	if got := back.RGBAAt(119, 139); got != labelColour(0) {
		t.Errorf("the edge of the box is %v", got)
	}
	if got := back.RGBAAt(44+2*2, 80+2*3+2*2); got != (color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}) {
		t.Errorf("a letter is %v", got)
	}
	for y := range 200 {
		for x := range 300 {
			at := image.Pt(x, y)
			if at.In(drawn[0]) || at.In(drawn[1]) || at.In(boxes[0]) && !at.In(boxes[0].Inset(2)) || at.In(boxes[1]) {
				continue
			}
			if got, want := back.RGBAAt(x, y), img.RGBAAt(x, y); got != want {
				t.Fatalf("pixel %v is %v, not %v", at, got, want)
			}
		}
	}
	for _, n := range []int{0, 7, 20, 60, file.Len() / 2, file.Len() - 20} {
		if _, err := annotate(file.Bytes()[:n], png, labels, 150); err == nil {
			t.Errorf("%d bytes of it were a picture", n)
		}
	}
}
