package page

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
)

// DrawnFor is how long a tab in the back goes on drawing at full speed after a
// command.
const DrawnFor = 5 * time.Second

// DrawBehind has a page that is not in front draw at full speed until release.
//
// Nothing takes the frames of a tab that is not in front, so the renderer soon
// waits for room for the next one: a page with a canvas draws 1 to 3 frames a
// second, and what waits for frames (a settle, a moving target, an aligned move of
// the mouse) takes that long. A screencast takes them. It is as small as one
// can be, and its pictures are not acknowledged, so that after two of them
// none is encoded or sent.
func (p *Page) DrawBehind(ctx context.Context) error {
	return p.drawing.use(func() (bool, error) {
		if p.host.InFront() {
			return false, nil
		}
		quality := int64(1)
		return true, devtools.Post(ctx, p.Session, cdppage.StartScreencast, cdppage.StartScreencastParams{
			Format: cdppage.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: 16, MaxHeight: 16,
		})
	})
}

// ReleaseDrawing ends DrawBehind, which may have failed.
func (p *Page) ReleaseDrawing(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	p.drawing.release(DrawnFor, func() {
		err := devtools.Post(ctx, p.Session, cdppage.StopScreencast, cdp.Empty{})
		p.notSwitchedOff("drawing in the back", err)
	})
}

// DrawnBehind says whether the page is made to draw, and for how many commands.
func (p *Page) DrawnBehind() (on bool, users int) { return p.drawing.state() }

// notSwitchedOff logs why something goes on; that the page is gone is no reason.
func (p *Page) notSwitchedOff(what string, err error) {
	if err != nil && !errors.Is(err, devtools.ErrSessionEnded) && !errors.Is(err, devtools.ErrPipeEnded) {
		p.host.Log.Debug("the browser goes on with what is not needed any more", "what", what, "error", err)
	}
}
