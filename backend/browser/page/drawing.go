package page

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
)

// DrawnFor is how long a tab in the back goes on drawing at full speed after a
// command: the next one often follows at once.
const DrawnFor = 5 * time.Second

// drawing keeps a page in the back at full speed while commands work on it.
//
// Nothing takes the frames of a tab that is not in front, so the renderer soon
// waits for room for the next one: a page with a canvas draws 1 to 3 frames a
// second, and what waits for frames (a settle, a moving target, an aligned move of
// the mouse) takes that long. A screencast takes them. It is as small as one
// can be, and its pictures are not acknowledged, so that after two of them
// none is encoded or sent.
type drawing struct {
	mu    sync.Mutex // held until the browser has what was decided, in its order
	users int
	on    bool
	off   *time.Timer
}

// DrawBehind has a page that is not in front draw at full speed until release.
func (p *Page) DrawBehind(ctx context.Context) error {
	d := &p.drawing
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users++
	if d.off != nil {
		d.off.Stop()
	}
	if d.on || p.host.InFront() {
		return nil
	}
	d.on = true
	quality := int64(1)
	return devtools.Post(ctx, p.Session, cdppage.StartScreencast, cdppage.StartScreencastParams{
		Format: cdppage.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: 16, MaxHeight: 16,
	})
}

// ReleaseDrawing ends drawBehind, which may have failed.
func (p *Page) ReleaseDrawing(ctx context.Context) {
	d := &p.drawing
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users--; d.users > 0 || !d.on {
		return
	}
	ctx = context.WithoutCancel(ctx)
	d.off = time.AfterFunc(DrawnFor, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.users > 0 || !d.on {
			return
		}
		d.on = false
		if err := devtools.Post(ctx, p.Session, cdppage.StopScreencast, cdp.Empty{}); err != nil && !errors.Is(err, devtools.ErrSessionEnded) && !errors.Is(err, devtools.ErrPipeEnded) {
			p.host.Log.Debug("a page in the back goes on drawing", "error", err)
		}
	})
}

// DrawnBehind says whether the page is made to draw, and for how many commands.
func (p *Page) DrawnBehind() (on bool, users int) {
	d := &p.drawing
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.on, d.users
}
