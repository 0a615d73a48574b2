package capture

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// label is a ref and the box of its element, in CSS pixels of the screenshot.
type label struct {
	ref string
	box protocol.Clip
}

// glyph returns the bitmap of a character of a ref: 5 × 7 dots, one byte per row,
// with the leftmost dot in the highest of five bits.
func glyph(letter rune) [7]byte {
	switch letter {
	case '0':
		return [7]byte{0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}
	case '1':
		return [7]byte{0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}
	case '2':
		return [7]byte{0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}
	case '3':
		return [7]byte{0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e}
	case '4':
		return [7]byte{0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}
	case '5':
		return [7]byte{0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}
	case '6':
		return [7]byte{0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}
	case '7':
		return [7]byte{0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}
	case '8':
		return [7]byte{0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}
	case '9':
		return [7]byte{0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}
	case 'e':
		return [7]byte{0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}
	case 'f':
		return [7]byte{0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08}
	}
	return [7]byte{}
}

// The size of a label, in dots of a screenshot of scale 1.
const (
	glyphWidth  = 6 // including the gap after it
	labelHeight = 11
	labelMargin = 2
)

// labelColour returns the colour of label i. The colours repeat; all are dark enough
// for white text.
func labelColour(i int) color.RGBA {
	switch i % 6 {
	case 0:
		return color.RGBA{R: 0xb0, G: 0x00, B: 0x20, A: 0xff}
	case 1:
		return color.RGBA{R: 0x00, G: 0x52, B: 0xcc, A: 0xff}
	case 2:
		return color.RGBA{R: 0x00, G: 0x6b, B: 0x3c, A: 0xff}
	case 3:
		return color.RGBA{R: 0x8a, G: 0x3f, B: 0x00, A: 0xff}
	case 4:
		return color.RGBA{R: 0x6a, G: 0x1b, B: 0x9a, A: 0xff}
	}
	return color.RGBA{R: 0x00, G: 0x5f, B: 0x73, A: 0xff}
}

// annotate draws labels on a screenshot; width is the screenshot's width in CSS
// pixels. The page never sees the labels.
func annotate(data []byte, q protocol.ScreenshotRequest, labels []label, width int) ([]byte, error) {
	img, err := decodeScreenshot(data)
	if err != nil {
		return nil, err
	}
	drawLabels(img, labels, width)
	return encodeScreenshot(img, q.Format, q.Quality)
}

func drawLabels(img *image.RGBA, labels []label, width int) {
	scale := 1.0
	if width > 0 {
		scale = float64(img.Rect.Dx()) / float64(width)
	}
	for i, l := range labels {
		drawLabel(img, l, scale, labelColour(i))
	}
}

func drawLabel(img *image.RGBA, l label, scale float64, c color.RGBA) {
	box := image.Rect(int(l.box.X*scale), int(l.box.Y*scale), int((l.box.X+l.box.Width)*scale), int((l.box.Y+l.box.Height)*scale))
	fill := image.NewUniform(c)
	dot := max(1, int(scale))
	for _, edge := range []image.Rectangle{
		image.Rect(box.Min.X, box.Min.Y, box.Max.X, box.Min.Y+dot), image.Rect(box.Min.X, box.Max.Y-dot, box.Max.X, box.Max.Y),
		image.Rect(box.Min.X, box.Min.Y, box.Min.X+dot, box.Max.Y), image.Rect(box.Max.X-dot, box.Min.Y, box.Max.X, box.Max.Y),
	} {
		draw.Draw(img, edge, fill, image.Point{}, draw.Src)
	}
	wide, high := (len(l.ref)*glyphWidth+labelMargin+1)*dot, labelHeight*dot
	// Place the label above the box where there is room, else in its corner, and
	// always inside the image.
	at := image.Pt(box.Min.X, box.Min.Y-high)
	if at.Y < 0 {
		at.Y = box.Min.Y
	}
	at.X = max(0, min(at.X, img.Rect.Dx()-wide))
	draw.Draw(img, image.Rect(at.X, at.Y, at.X+wide, at.Y+high), fill, image.Point{}, draw.Src)
	for i, letter := range l.ref {
		for row, bits := range glyph(letter) {
			for column := range 5 {
				if bits&(1<<(4-column)) != 0 {
					x, y := at.X+(labelMargin+i*glyphWidth+column)*dot, at.Y+(labelMargin+row)*dot
					draw.Draw(img, image.Rect(x, y, x+dot, y+dot), image.White, image.Point{}, draw.Src)
				}
			}
		}
	}
}

// labels returns the refs of the elements that can be acted on in a part of the page,
// or in the viewport when clip is nil, with their boxes in the screenshot.
func (p *sheet) labels(ctx context.Context, clip *protocol.Clip) ([]label, error) {
	var out []label
	var scroll struct{ X, Y float64 }
	view := protocol.Clip{}
	err := elements.EachFrame(p.Page, func(f *page.Frame) error {
		if f.Number == 0 {
			var at struct{ X, Y, W, H float64 }
			if err := elements.InFrame(ctx, p.Page, f, `() => ({ x: scrollX, y: scrollY, w: innerWidth, h: innerHeight })`, nil, &at); err != nil {
				return err
			}
			scroll.X, scroll.Y = at.X, at.Y
			view = protocol.Clip{X: at.X, Y: at.Y, Width: at.W, Height: at.H}
			if clip != nil {
				view = *clip
			}
		}
		var seen struct {
			Items []labelItem `json:"items"`
		}
		options := map[string]bool{"interactive": true, "boxes": true, "json": true}
		if err := p.AskWithRoots(ctx, f, "look", options, &seen); err != nil {
			return err
		}
		x, y, err := elements.PlaceOf(ctx, p.Page, f)
		if err != nil {
			return err
		}
		for _, b := range boxed(seen.Items, nil) {
			box := protocol.Clip{X: b.Box[0] + x + scroll.X - view.X, Y: b.Box[1] + y + scroll.Y - view.Y, Width: b.Box[2], Height: b.Box[3]}
			if box.X < view.Width && box.Y < view.Height && box.X+box.Width > 0 && box.Y+box.Height > 0 {
				out = append(out, label{ref: b.Ref, box: box})
			}
		}
		return nil
	})
	return out, err
}

// labelItem is one element of a snapshot.
type labelItem struct {
	Ref      string      `json:"ref"`
	Box      []float64   `json:"box"`
	Children []labelItem `json:"children"`
}

// boxed lists the items that have a ref and a box.
func boxed(items, out []labelItem) []labelItem {
	for _, item := range items {
		if item.Ref != "" && len(item.Box) == 4 {
			out = append(out, item)
		}
		out = boxed(item.Children, out)
	}
	return out
}

// elementClip returns the box of a whole element in the page.
func (p *sheet) elementClip(ctx context.Context, element string) (*protocol.Clip, error) {
	f, ref, err := elements.WhereIs(ctx, p.Page, element)
	if err != nil {
		return nil, err
	}
	var box []float64
	// Inside a frame, only what the frame shows can be drawn.
	if err := elements.InFrame(ctx, p.Page, f, `(page, { ref, child }) => {
		const el = page.element(ref);
		if (!el) return null;
		if (child) el.scrollIntoView({ behavior: 'instant', block: 'nearest', inline: 'nearest' });
		const { x, y, width, height } = el.getBoundingClientRect();
		return [x, y, width, height];
	}`, map[string]any{"ref": ref, "child": f.Number != 0}, &box); err != nil {
		return nil, err
	}
	if len(box) != 4 {
		return nil, elements.NoElement(element, "it is gone from the page")
	}
	if box[2] < 1 || box[3] < 1 {
		return nil, protocol.NewError(protocol.CodeNoElement, element+" cannot be captured: it has no size", "capture the whole page, or the element around it")
	}
	x, y, err := elements.PlaceOf(ctx, p.Page, f)
	if err != nil {
		return nil, err
	}
	var scroll [2]float64
	if err := elements.InFrame(ctx, p.Page, p.Frames.Main(), `() => [scrollX, scrollY]`, nil, &scroll); err != nil {
		return nil, err
	}
	left, top := max(0, box[0]+x+scroll[0]), max(0, box[1]+y+scroll[1])
	return &protocol.Clip{X: math.Floor(left), Y: math.Floor(top), Width: math.Ceil(box[2]), Height: math.Ceil(box[3])}, nil
}
