package page

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
)

// DrawnFor is how long a background tab continues to draw at full speed after a
// command.
const DrawnFor = 5 * time.Second

// DrawBehind makes a page that is not in front draw at full speed until
// ReleaseDrawing.
//
// Nothing consumes the frames of a tab that is not in front, so its renderer soon
// waits for room for the next frame: a page with a canvas draws 1 to 3 frames a
// second, and everything that waits for frames (settling, a moving target, an
// aligned mouse move) takes that long. A screencast consumes the frames. It has
// the smallest possible size, and its images are not acknowledged, so that none
// is encoded or sent after the first two.
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

// ReleaseDrawing ends the use that DrawBehind began, even if that failed.
func (p *Page) ReleaseDrawing(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	p.drawing.release(DrawnFor, func() {
		err := devtools.Post(ctx, p.Session, cdppage.StopScreencast, cdp.Empty{})
		p.notSwitchedOff("drawing in the back", err)
	})
}

// DrawnBehind reports whether the page is made to draw, and for how many
// commands.
func (p *Page) DrawnBehind() (on bool, users int) { return p.drawing.state() }

// notSwitchedOff logs why something could not be switched off, unless the page is
// gone.
func (p *Page) notSwitchedOff(what string, err error) {
	if err != nil && !errors.Is(err, devtools.ErrSessionEnded) && !errors.Is(err, devtools.ErrPipeEnded) {
		p.host.Log.Debug("the browser goes on with what is not needed any more", "what", what, "error", err)
	}
}
