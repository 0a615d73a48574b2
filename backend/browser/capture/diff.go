package capture

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"sync"

	"pilotfish/backend/protocol"
)

// marks holds the saved states with which tabs are compared later. Each tab has one,
// the newest.
type marks struct {
	mu  sync.Mutex
	tab map[protocol.TabID]pageState
}

// pageState is a saved state of a page.
type pageState struct {
	text    protocol.PageText
	picture []byte // png
}

// state returns the current state of a tab's page; with full, the screenshot shows
// the whole page.
func (c *Capture) state(ctx context.Context, by protocol.Caller, id protocol.TabID, full, pixels bool) (pageState, error) {
	var st pageState
	var err error
	if st.text, err = c.config.Inspector.Markdown(ctx, by, id, "", protocol.TextLimit); err != nil || !pixels {
		return st, err
	}
	err = c.onTab(ctx, by, id, func(ctx context.Context, p *sheet) error {
		release, err := p.awake(ctx)
		if err != nil {
			return err
		}
		defer release()
		q := protocol.ScreenshotRequest{Format: "png", Full: full}
		var shot protocol.Screenshot
		clip, err := p.framing(ctx, q, &shot)
		if err != nil {
			return err
		}
		st.picture, err = p.taken(ctx, q, clip, true)
		return err
	})
	return st, err
}

// Mark saves the current state of a tab's page for a later Compare.
func (c *Capture) Mark(ctx context.Context, by protocol.Caller, id protocol.TabID, full bool) (protocol.PageText, error) {
	st, err := c.state(ctx, by, id, full, true)
	if err != nil {
		return protocol.PageText{}, err
	}
	c.marks.mu.Lock()
	defer c.marks.mu.Unlock()
	if c.marks.tab == nil {
		c.marks.tab = make(map[protocol.TabID]pageState)
	}
	for old := range c.marks.tab { // of tabs that were closed
		if _, open := c.config.Open.Lookup(old); !open {
			delete(c.marks.tab, old)
		}
	}
	c.marks.tab[id] = st
	return st.text, nil
}

// Compare returns the text of another tab, or of the tab's mark when other is empty,
// and the text of the tab. With pixels, it also compares their screenshots.
func (c *Capture) Compare(ctx context.Context, by protocol.Caller, id, other protocol.TabID, full, pixels bool) (before, now protocol.PageText, diff *protocol.PixelDiff, err error) {
	var was pageState
	if other == "" {
		c.marks.mu.Lock()
		marked, ok := c.marks.tab[id]
		c.marks.mu.Unlock()
		if !ok {
			return before, now, nil, protocol.NewError(protocol.CodeBadArgument, "no state of "+string(id)+" was marked", "", protocol.Try("remembers it", "diff", "--mark"), protocol.Try("then compares", "diff"), protocol.Try("compares with another tab", "diff", "--with", "t2"))
		}
		was = marked
	} else if was, err = c.state(ctx, by, other, full, pixels); err != nil {
		return before, now, nil, err
	}
	is, err := c.state(ctx, by, id, full, pixels)
	if err != nil {
		return before, now, nil, err
	}
	if pixels {
		if diff, err = c.pixels(id, was.picture, is.picture); err != nil {
			return before, now, nil, err
		}
	}
	return was.text, is.text, diff, nil
}

// tolerance is how much a colour channel may differ, of 255: the edge of the same
// glyph is not always drawn in the same shade.
const tolerance = 8

// pixels compares two screenshots, and saves the second one in pale colours with the
// differences in red.
func (c *Capture) pixels(id protocol.TabID, before, now []byte) (*protocol.PixelDiff, error) {
	was, err := decodeScreenshot(before)
	if err != nil {
		return nil, err
	}
	is, err := decodeScreenshot(now)
	if err != nil {
		return nil, err
	}
	out, diff := compareScreenshots(was, is)
	data, err := encodeScreenshot(out, "png", 0)
	if err != nil {
		return nil, err
	}
	diff.Path, err = c.save(id, "png", data)
	return diff, err
}

func compareScreenshots(was, is *image.RGBA) (*image.RGBA, *protocol.PixelDiff) {
	w, h := is.Bounds().Dx(), is.Bounds().Dy()
	ow, oh := was.Bounds().Dx(), was.Bounds().Dy()
	diff := &protocol.PixelDiff{}
	if w != ow || h != oh {
		diff.Sizes = []string{fmt.Sprintf("%d × %d", ow, oh), fmt.Sprintf("%d × %d", w, h)}
	}
	out := image.NewRGBA(image.Rect(0, 0, max(w, ow), max(h, oh)))
	area := image.Rectangle{}
	red := color.RGBA{R: 0xe0, A: 0xff}
	for y := range out.Bounds().Dy() {
		for x := range out.Bounds().Dx() {
			at := image.Pt(x, y)
			if at.In(was.Bounds()) && at.In(is.Bounds()) && alike(was.RGBAAt(x, y), is.RGBAAt(x, y)) {
				c := is.RGBAAt(x, y)
				grey := uint8(191 + (int(c.R)*30+int(c.G)*59+int(c.B)*11)/400)
				out.SetRGBA(x, y, color.RGBA{R: grey, G: grey, B: grey, A: 0xff})
				continue
			}
			out.SetRGBA(x, y, red)
			diff.Changed++
			area = area.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	diff.Total = out.Bounds().Dx() * out.Bounds().Dy()
	diff.Share = float64(diff.Changed) / float64(max(1, diff.Total))
	if diff.Changed > 0 {
		diff.Area = &protocol.Clip{X: float64(area.Min.X), Y: float64(area.Min.Y), Width: float64(area.Dx()), Height: float64(area.Dy())}
	}
	return out, diff
}

func alike(a, b color.RGBA) bool {
	near := func(x, y uint8) bool { return max(x, y)-min(x, y) <= tolerance }
	return near(a.R, b.R) && near(a.G, b.G) && near(a.B, b.B)
}
