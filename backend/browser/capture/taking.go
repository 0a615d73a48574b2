package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// captureParams converts a request to CDP parameters.
func captureParams(q protocol.ScreenshotRequest, clip *protocol.Clip) cdppage.CaptureScreenshotParams {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormat(q.Format)}
	yes := true
	if q.Quality > 0 && q.Format != "png" {
		quality := int64(q.Quality)
		params.Quality = &quality
	}
	if clip != nil {
		params.CaptureBeyondViewport = &yes
		params.Clip = &cdppage.Viewport{X: clip.X, Y: clip.Y, Width: clip.Width, Height: clip.Height, Scale: 1}
	}
	return params
}

// awake makes a tab in the background draw: with focus emulation, the page behaves as
// if it were visible, until release is called. What the user sees does not change.
func (p *sheet) awake(ctx context.Context) (release func(), err error) {
	if p.IsOpen() { // focus emulation is already on, for snapshots and actions
		return func() {}, nil
	}
	focus := emulation.SetFocusEmulationEnabledParams{Enabled: true}
	if err := devtools.Post(ctx, p.Session, emulation.SetFocusEmulationEnabled, focus); err != nil {
		return nil, err
	}
	return func() {
		focus.Enabled = false
		_ = devtools.Post(context.WithoutCancel(ctx), p.Session, emulation.SetFocusEmulationEnabled, focus)
	}, nil
}

// frame is a script whose promise resolves in the page's next animation frame.
const frame = "new Promise((done) => requestAnimationFrame(() => done(true)))"

// capture takes a screenshot. In a tab that no window shows, Chromium learns that a
// frame was presented only when the next one is. On a page on which nothing moves,
// the screenshot would never arrive. So capture requests further frames, at the
// page's own frame rate, until the screenshot arrives.
func (p *sheet) capture(ctx context.Context, params cdppage.CaptureScreenshotParams) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		data []byte
		err  error
	}
	done := make(chan answer, 1)
	if err := p.sizeAgain(ctx); err != nil {
		return nil, err
	}
	id, pending, err := p.Conn.Send(ctx, p.Session, cdppage.CaptureScreenshot.Method, params)
	if err != nil {
		return nil, err
	}
	go func() {
		var res cdppage.CaptureScreenshotResult
		err := p.Await(ctx, cdppage.CaptureScreenshot.Method, id, pending, &res)
		done <- answer{res.Data, err}
	}()
	nudged := make(chan struct{})
	go func() {
		defer close(nudged)
		if params.Clip == nil { // a second screenshot would undo the size of a larger one
			p.nudge(ctx)
		}
	}()
	a := <-done
	cancel()
	<-nudged
	if a.err == nil && len(a.data) == 0 {
		a.err = protocol.NewError(protocol.CodeInternal, "the browser took an empty screenshot", "try again")
	}
	return a.data, a.err
}

// nudge requests further frames by a second screenshot of the viewport, at growing
// intervals, until ctx ends: Chromium limits a page that produces several undrawn
// frames to one frame per second. A tab in front draws by itself, unless its window
// is shown nowhere; there nudge begins only when the screenshot is overdue.
func (p *sheet) nudge(ctx context.Context) {
	if page.InFront(p.Page) {
		overdue := time.NewTimer(screenshotWait)
		defer overdue.Stop()
		select {
		case <-overdue.C:
		case <-ctx.Done():
			return
		}
		release, err := p.awake(ctx)
		if err != nil {
			return
		}
		defer release()
	}
	world, err := p.PlainWorld(ctx)
	if err != nil {
		return
	}
	for wait := 1; ; wait *= 2 {
		for range wait {
			if _, err := devtools.Evaluate[bool](ctx, p.Session, frame, world); err != nil {
				return
			}
		}
		if ctx.Err() != nil || p.secondScreenshot(ctx) != nil {
			return
		}
	}
}

// secondScreenshot makes the browser draw the page once more. Its result is ignored.
func (p *sheet) secondScreenshot(ctx context.Context) error {
	fast, least := true, int64(1)
	if err := p.sizeAgain(ctx); err != nil {
		return err
	}
	_, _, err := p.Conn.Send(ctx, p.Session, cdppage.CaptureScreenshot.Method, cdppage.CaptureScreenshotParams{
		Format: cdppage.CaptureScreenshotFormatJpeg, Quality: &least, OptimizeForSpeed: &fast,
	})
	return err
}

// decodeScreenshot decodes a PNG or JPEG into an image that can be drawn on.
func decodeScreenshot(data []byte) (*image.RGBA, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the screenshot: %w", err)
	}
	if rgba, ok := img.(*image.RGBA); ok {
		return rgba, nil
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out, nil
}

// encodeScreenshot encodes an image in the requested format.
func encodeScreenshot(img image.Image, format string, quality int) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch format {
	case "jpeg":
		if quality == 0 {
			quality = 80
		}
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
	case "png":
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	default:
		err = errors.New("no encoder for " + format)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the screenshot: %w", err)
	}
	return out.Bytes(), nil
}
