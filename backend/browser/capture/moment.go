package capture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

const (
	// momentWidth is the width of the screenshot of a moment in pixels.
	momentWidth = 640
	// momentQuality is the JPEG quality with which it is taken, before it is made
	// smaller.
	momentQuality = 70
	// momentTries is how often it is taken while secret fields move.
	momentTries = 3
)

// errMoved is returned when the secret fields of a page moved while its screenshot
// was taken.
var errMoved = errors.New("the fields with secrets moved meanwhile")

// errCovered is returned for a page with an overlay, which only one screenshot at a
// time may hide.
var errCovered = errors.New("the page has an overlay")

// Moment returns a small JPEG of what a tab shows, of at most maxBytes. The fields
// whose values are secret are covered. No command of the tab waits for it, except in a
// tab with an overlay.
func (c *Capture) Moment(ctx context.Context, id protocol.TabID, maxBytes int) ([]byte, error) {
	by := protocol.Caller{Name: "activity"}
	var img *image.RGBA
	take := func(ctx context.Context, p *page.Page) (err error) {
		if d := p.OpenDialog(); d != nil {
			return page.DialogOpen(id, d)
		}
		if err := p.Open(ctx, id); err != nil {
			return err
		}
		err = errMoved
		for try := 0; try < momentTries && errors.Is(err, errMoved); try++ {
			img, err = c.sheet(p).moment(ctx)
		}
		return err
	}
	err := c.tabs.Beside(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		if c.config.Overlays.Covers(p.Target) {
			return errCovered
		}
		return c.config.Marks.Veiled(ctx, p, func() error { return take(ctx, p) })
	})
	if errors.Is(err, errCovered) {
		err = c.tabs.ScreenshotOfTab(ctx, by, id, func(ctx context.Context, p *page.Page) error {
			return c.bare(ctx, p, func() error { return take(ctx, p) })
		})
	}
	if err != nil {
		return nil, err
	}
	for _, quality := range []int{60, 40, 20, 5} {
		data, err := encodeScreenshot(img, "jpeg", quality)
		if err != nil {
			return nil, err
		}
		if len(data) <= maxBytes {
			return data, nil
		}
	}
	return nil, fmt.Errorf("the screenshot is larger than %d bytes", maxBytes)
}

// moment takes the screenshot of the viewport, makes it small and covers what is
// secret. The secret fields must be at the same place before and after.
func (p *sheet) moment(ctx context.Context) (*image.RGBA, error) {
	width, before, err := p.secrets(ctx)
	if err != nil {
		return nil, err
	}
	release, err := p.awake(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	data, err := p.capture(ctx, captureParams(protocol.ScreenshotRequest{Format: "jpeg", Quality: momentQuality}, nil))
	if err != nil {
		return nil, err
	}
	after, boxes, err := p.secrets(ctx)
	if err != nil {
		return nil, err
	}
	if width != after || !slices.Equal(before, boxes) {
		return nil, errMoved
	}
	full, err := decodeScreenshot(data)
	if err != nil {
		return nil, err
	}
	img := shrunk(full, momentWidth)
	scale := float64(img.Bounds().Dx()) / max(width, 1)
	cover := image.NewUniform(color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff})
	for _, box := range boxes {
		at := image.Rect(int(box.X*scale)-1, int(box.Y*scale)-1, int((box.X+box.Width)*scale)+2, int((box.Y+box.Height)*scale)+2)
		draw.Draw(img, at.Intersect(img.Bounds()), cover, image.Point{}, draw.Src)
	}
	return img, nil
}

// secrets returns the width of the viewport, and where in it the fields are whose
// values are secret, both in CSS pixels. It fails when a part of the page cannot be
// asked.
func (p *sheet) secrets(ctx context.Context) (width float64, boxes []protocol.Clip, err error) {
	var missed error
	err = page.EachDrawn(ctx, p.Page, func(f *page.Frame) error {
		var seen struct {
			Width float64      `json:"width"`
			Boxes [][4]float64 `json:"boxes"`
		}
		err := page.Read(ctx, p.Page, f, `(page) => ({ width: innerWidth, boxes: page.secretBoxes() })`, nil, &seen)
		if err != nil {
			missed = err
			return err
		}
		if f.Number == 0 {
			width = seen.Width
		}
		if len(seen.Boxes) == 0 {
			return nil
		}
		x, y, err := elements.PlaceOf(ctx, p.Page, f)
		if err != nil {
			missed = err
			return err
		}
		for _, b := range seen.Boxes {
			boxes = append(boxes, protocol.Clip{X: b[0] + x, Y: b[1] + y, Width: b[2], Height: b[3]})
		}
		return nil
	})
	return width, boxes, errors.Join(err, missed)
}

// shrunk returns an image with at most a width. Each of its pixels is the average of
// those that it stands for.
func shrunk(img *image.RGBA, width int) *image.RGBA {
	size := img.Bounds().Size()
	if size.X <= width || size.Y == 0 {
		return img
	}
	height := max(1, size.Y*width/size.X)
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		top, bottom := y*size.Y/height, max((y+1)*size.Y/height, y*size.Y/height+1)
		for x := range width {
			left, right := x*size.X/width, max((x+1)*size.X/width, x*size.X/width+1)
			var r, g, b, n int
			for v := top; v < bottom; v++ {
				row := img.Pix[v*img.Stride+left*4 : v*img.Stride+right*4]
				for i := 0; i+3 < len(row); i += 4 {
					r, g, b, n = r+int(row[i]), g+int(row[i+1]), b+int(row[i+2]), n+1
				}
			}
			at := out.PixOffset(x, y)
			out.Pix[at], out.Pix[at+1], out.Pix[at+2], out.Pix[at+3] = uint8(r/n), uint8(g/n), uint8(b/n), 0xff
		}
	}
	return out
}
