package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/pngrows"
	"pilotfish/backend/protocol"
)

// maxScreenshot bounds a picture, in CSS pixels a side: Chromium's own limit
// for a texture, beyond which the rest of a picture repeats or is black.
const maxScreenshot = 16384

// Screenshot takes a picture of a tab, in front or not, and saves it in the
// session's folder with mode 0600. The tab that the person sees stays in front.
func (b *Browser) Screenshot(ctx context.Context, id protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error) {
	shot := protocol.Screenshot{Format: q.Format}
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) error {
		if d := p.OpenDialog(); d != nil { // it draws nothing until it is answered
			return dialogOpen(id, d)
		}
		return b.Veiled(ctx, p.Page, func() error { return b.shoot(ctx, id, p, q, &shot) })
	})
	return shot, err
}

// shoot takes the picture and saves it.
func (b *Browser) shoot(ctx context.Context, id protocol.TabID, p *tabPage, q protocol.ScreenshotRequest, shot *protocol.Screenshot) error {
	if q.Annotated || q.Element != "" {
		if err := p.Open(ctx, id); err != nil {
			return err
		}
	}
	view := !q.Full && !q.Slices && !q.Annotated && q.Element == "" && q.Clip == nil
	if view && p.inFront() { // it draws as it is
		return b.view(ctx, id, p, q, shot)
	}
	release, err := p.awake(ctx)
	if err != nil {
		return err
	}
	defer release()
	if view {
		return b.view(ctx, id, p, q, shot)
	}
	clip, err := p.framing(ctx, q, shot)
	if err != nil {
		return err
	}
	if q.Slices && clip != nil && clip.Height > sliceHeight {
		return b.slices(ctx, id, p, q, *clip, shot)
	}
	data, err := p.picture(ctx, q, clip, shot)
	if err != nil {
		return err
	}
	shot.Path, err = b.saveScreenshot(id, q.Format, data)
	shot.Bytes = len(data)
	return err
}

// view saves a picture of what is in view. Nothing has to be known before it is
// taken, and a PNG of that size may be a little larger if it comes sooner.
func (b *Browser) view(ctx context.Context, id protocol.TabID, p *tabPage, q protocol.ScreenshotRequest, shot *protocol.Screenshot) error {
	framed := make(chan error, 1)
	go func() {
		_, err := p.framing(ctx, q, shot)
		framed <- err
	}()
	data, err := p.taken(ctx, q, nil, q.Format == "png")
	framing := <-framed
	if err == nil {
		err = framing
	}
	if err != nil {
		return err
	}
	shot.Path, err = b.saveScreenshot(id, q.Format, data)
	shot.Bytes = len(data)
	return err
}

// slices saves a tall picture in parts from the top.
func (b *Browser) slices(ctx context.Context, id protocol.TabID, p *tabPage, q protocol.ScreenshotRequest, clip protocol.Clip, shot *protocol.Screenshot) error {
	labels := 0
	for top := 0.0; ; top += sliceHeight - sliceOverlap {
		part := clip
		part.Y, part.Height = clip.Y+top, min(sliceHeight, clip.Height-top)
		data, err := p.picture(ctx, q, &part, shot)
		if err != nil {
			return err
		}
		labels += shot.Labels
		path, err := b.saveScreenshot(id, q.Format, data)
		if err != nil {
			return err
		}
		shot.Slices = append(shot.Slices, path)
		shot.Bytes += len(data)
		if top+sliceHeight >= clip.Height {
			break
		}
	}
	shot.Path, shot.Labels = shot.Slices[0], labels
	return nil
}

// picture takes one picture and draws on it what was asked for.
func (p *tabPage) picture(ctx context.Context, q protocol.ScreenshotRequest, clip *protocol.Clip, shot *protocol.Screenshot) ([]byte, error) {
	if !q.Annotated {
		return p.taken(ctx, q, clip, false)
	}
	labels, err := p.labels(ctx, clip)
	if err != nil {
		return nil, err
	}
	shot.Labels = len(labels)
	plain := q
	if q.Format == "webp" { // we cannot draw on one
		plain.Format, plain.Quality = "png", 0
	}
	data, err := p.taken(ctx, plain, clip, true)
	if err == nil {
		data, err = annotate(data, plain, labels, shot.Width)
	}
	if err == nil && q.Format == "webp" {
		data, err = p.webp(ctx, data, q.Quality)
	}
	return data, err
}

// taken takes a picture of a part of the page; fast is for one that is only
// looked at by us.
func (p *tabPage) taken(ctx context.Context, q protocol.ScreenshotRequest, clip *protocol.Clip, fast bool) ([]byte, error) {
	if clip == nil || p.inFront() {
		params := captureParams(q, clip)
		params.OptimizeForSpeed = &fast
		return p.capture(ctx, params)
	}
	return p.behind(ctx, q, *clip)
}

// inFront says whether a window shows the page.
func (p *tabPage) inFront() bool {
	for _, t := range p.r.b.Tabs() {
		if at, ok := p.r.b.tabs.Lookup(t.ID); ok && at.Target == p.Target {
			return t.Active
		}
	}
	return false
}

// framing finds out which part of the page is wanted; nil is what is in view.
// The address and the size go to shot.
func (p *tabPage) framing(ctx context.Context, q protocol.ScreenshotRequest, shot *protocol.Screenshot) (*protocol.Clip, error) {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return nil, err
	}
	shot.URL = info.URL
	m, err := cdp.Call(ctx, p.Session, cdppage.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	clip := q.Clip
	switch {
	case q.Element != "":
		if clip, err = p.elementClip(ctx, q.Element); err != nil {
			return nil, err
		}
	case (q.Full || q.Slices) && clip == nil && m.CSSContentSize != nil:
		clip = &protocol.Clip{Width: math.Ceil(m.CSSContentSize.Width), Height: math.Ceil(m.CSSContentSize.Height)}
	}
	if size := m.CSSContentSize; q.Clip != nil && size != nil && size.Width > 0 && size.Height > 0 && (q.Clip.X >= size.Width || q.Clip.Y >= size.Height) {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the part is outside the page", fmt.Sprintf("the page is %.0f × %.0f", size.Width, size.Height))
	}
	if clip == nil {
		if view := m.CSSVisualViewport; view != nil {
			shot.Width, shot.Height = int(view.ClientWidth), int(view.ClientHeight)
		}
		return nil, nil
	}
	if clip.Width > maxScreenshot || (clip.Height > maxScreenshot && !q.Slices) {
		return nil, protocol.NewError(protocol.CodeTooLarge,
			fmt.Sprintf("the screenshot would be %.0f × %.0f; at most %d per side is possible", clip.Width, clip.Height, maxScreenshot),
			"take it in parts with --slices or --clip")
	}
	shot.Width, shot.Height = int(clip.Width), int(clip.Height)
	return clip, nil
}

// captureParams turns a request into the protocol's.
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

// awake makes a tab in the back draw: it believes to be looked at until release
// is called. What the person sees does not change.
func (p *tabPage) awake(ctx context.Context) (release func(), err error) {
	if p.IsOpen() { // it does already, for looks and actions
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

// frame is a promise of the page's next animation frame.
const frame = "new Promise((done) => requestAnimationFrame(() => done(true)))"

// capture takes a picture. In a tab that no window shows, Chromium learns that
// a frame was presented only when the next one is: a page on which nothing
// moves would keep its picture to itself for ever. So further frames are asked
// for, in the rhythm of the page's own, until the picture is there.
func (p *tabPage) capture(ctx context.Context, params cdppage.CaptureScreenshotParams) ([]byte, error) {
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
		if params.Clip == nil { // it would undo the size of a larger picture
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

// nudge asks for further frames by a second picture of what is in view, ever
// more rarely until ctx ends: a page that gives several frames which nobody
// draws is let draw only once a second. A tab in front draws by itself, unless
// its window is shown nowhere: there it begins when the picture is overdue.
func (p *tabPage) nudge(ctx context.Context) {
	if p.inFront() {
		overdue := time.NewTimer(pictureWait)
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
		if ctx.Err() != nil || p.secondPicture(ctx) != nil {
			return
		}
	}
}

// secondPicture makes the browser draw the page once more; nobody reads it.
func (p *tabPage) secondPicture(ctx context.Context) error {
	fast, least := true, int64(1)
	if err := p.sizeAgain(ctx); err != nil {
		return err
	}
	_, _, err := p.Conn.Send(ctx, p.Session, cdppage.CaptureScreenshot.Method, cdppage.CaptureScreenshotParams{
		Format: cdppage.CaptureScreenshotFormatJpeg, Quality: &least, OptimizeForSpeed: &fast,
	})
	return err
}

// decodePicture reads a png or jpeg into pixels that can be drawn on.
func decodePicture(data []byte) (*image.RGBA, error) {
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

// encodePicture writes a picture as it was asked for.
func encodePicture(img image.Image, format string, quality int) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch format {
	case "jpeg":
		if quality == 0 {
			quality = 80
		}
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
	case "png":
		if rgba, ok := img.(*image.RGBA); ok && rgba.Opaque() {
			err = pngrows.Write(&out, rgba)
			break
		}
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	default:
		err = errors.New("no encoder for " + format)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the screenshot: %w", err)
	}
	return out.Bytes(), nil
}
