package browser

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
)

// drawnFor is how long a tab in the back goes on drawing at full speed after a
// command: the next one often follows at once.
const drawnFor = 5 * time.Second

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

// drawBehind has a page that is not in front draw at full speed until release.
func (p *page) drawBehind(ctx context.Context) error {
	d := &p.drawing
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users++
	if d.off != nil {
		d.off.Stop()
	}
	if d.on || p.inFront() {
		return nil
	}
	d.on = true
	quality := int64(1)
	return devtools.Post(ctx, p.Session, cdppage.StartScreencast, cdppage.StartScreencastParams{
		Format: cdppage.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: 16, MaxHeight: 16,
	})
}

// releaseDrawing ends drawBehind, which may have failed.
func (p *page) releaseDrawing(ctx context.Context) {
	d := &p.drawing
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users--; d.users > 0 || !d.on {
		return
	}
	ctx = context.WithoutCancel(ctx)
	d.off = time.AfterFunc(drawnFor, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.users > 0 || !d.on {
			return
		}
		d.on = false
		if err := devtools.Post(ctx, p.Session, cdppage.StopScreencast, cdp.Empty{}); err != nil && !errors.Is(err, devtools.ErrSessionEnded) && !errors.Is(err, devtools.ErrPipeEnded) {
			p.r.log.Debug("a page in the back goes on drawing", "error", err)
		}
	})
}
