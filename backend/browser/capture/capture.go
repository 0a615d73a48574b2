// Package capture takes screenshots of pages, compares them, and prints and archives
// pages.
package capture

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/inspect"
	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/overrides"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Config holds the dependencies of Capture.
type Config struct {
	// Open is the registry of tabs.
	Open *tabs.Registry
	// Folder is where screenshots and files made from pages are saved.
	Folder files.Folder
	// Inspector reads the text of pages.
	Inspector *inspect.Inspector
	// Overrides know the size that is emulated for a tab.
	Overrides *overrides.Overrides
	// Overlays and Marks are hidden while a screenshot is taken.
	Overlays *overlay.Overlays
	Marks    *overlay.Marks
}

// Capture takes screenshots of the pages of a browser's tabs.
type Capture struct {
	tabs   page.Tabs
	config Config
	marks  marks // the saved states for `diff`
}

// New returns the Capture of a browser's tabs.
func New(all page.Tabs, c Config) *Capture { return &Capture{tabs: all, config: c} }

// save saves a screenshot of a tab.
func (c *Capture) save(id protocol.TabID, format string, data []byte) (string, error) {
	file, err := c.config.Folder.Save("screenshots", string(id), format, data)
	return file.Path, err
}

// emulatedSize returns the size that is emulated for the page, with the session that
// sets it; nil when the page has its real size.
func (p *sheet) emulatedSize() (*devtools.Session, *emulation.SetDeviceMetricsOverrideParams) {
	t, _ := p.c.config.Open.Find(func(t *tabs.Entry) bool { return t.Target == p.Target })
	s, v := p.c.config.Overrides.Viewport(t.ID)
	if v == nil {
		return nil, nil
	}
	size := overrides.SizeOf(v)
	return s, &size
}

// sheet is a page of which screenshots are taken.
type sheet struct {
	*page.Page
	c *Capture

	sized sync.Mutex
	size  *emulation.SetDeviceMetricsOverrideParams // the temporary size for a screenshot; guarded by sized
	of    *sheet                                    // the sheet with the page's shared session; see resized
}

func (c *Capture) sheet(p *page.Page) *sheet { return &sheet{Page: p, c: c} }

// onTab runs f with the page of a tab.
func (c *Capture) onTab(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *sheet) error) error {
	return c.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error { return f(ctx, c.sheet(p)) })
}

const (
	// screenshotWait is after how long the screenshot of a tab in front is overdue: its
	// window may be shown nowhere.
	screenshotWait = 500 * time.Millisecond
	// SliceHeight is the height of one slice of a tall screenshot, in CSS pixels:
	// models scale larger images down until their text cannot be read.
	SliceHeight = 1400
	// SliceOverlap is the overlap of two slices in CSS pixels, so that no line of
	// text is cut in both.
	SliceOverlap = 60
)

// maxScreenshot is the maximum width and height of a screenshot, in CSS pixels:
// Chromium's own limit for a texture, beyond which the rest of a screenshot repeats
// or is black.
const maxScreenshot = 16384

// tooLarge returns an error for a screenshot of a size in CSS pixels whose area in
// pixels of the screen is more than protocol.MaxPixels. hint says what to do.
func tooLarge(width, height, scale float64, hint string, try ...protocol.Suggestion) error {
	if width*height*scale*scale <= protocol.MaxPixels {
		return nil
	}
	return protocol.NewError(protocol.CodeTooLarge,
		fmt.Sprintf("the screenshot would be %.0f × %.0f pixels; at most %d million are possible", width*scale, height*scale, protocol.MaxPixels/1_000_000), hint, try...)
}

// tallest is the largest height of a screenshot of a width, in CSS pixels.
func tallest(width int64, scale float64) int64 {
	return min(maxScreenshot, int64(protocol.MaxPixels/(float64(max(1, width))*scale*scale)))
}

// density is how many pixels of the screen a CSS pixel is wide.
func (p *sheet) density(ctx context.Context) (float64, error) {
	world, err := p.PlainWorld(ctx)
	if err != nil {
		return 0, err
	}
	return devtools.Evaluate[float64](ctx, p.Session, "devicePixelRatio", world)
}

// Screenshot takes a screenshot of a tab, in front or not, and saves it in the
// session's folder with mode 0600. The tab that the user sees stays in front.
func (c *Capture) Screenshot(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error) {
	shot := protocol.Screenshot{Format: q.Format}
	take := func(ctx context.Context, p *page.Page) error {
		return c.bare(ctx, p, func() error { return c.shoot(ctx, id, c.sheet(p), q, &shot) })
	}
	if q.BesideSnapshots {
		err := c.tabs.ScreenshotOfTab(ctx, by, id, take)
		return shot, err
	}
	err := c.tabs.OnTab(ctx, by, id, true, take)
	return shot, err
}

// Still returns a JPEG screenshot of the viewport.
func (c *Capture) Still(ctx context.Context, by protocol.Caller, id protocol.TabID, quality int) (data []byte, err error) {
	err = c.onTab(ctx, by, id, func(ctx context.Context, p *sheet) error {
		release, err := p.awake(ctx)
		if err != nil {
			return err
		}
		defer release()
		data, err = p.capture(ctx, captureParams(protocol.ScreenshotRequest{Format: "jpeg", Quality: quality}, nil))
		return err
	})
	return data, err
}

// shoot takes the screenshot and saves it.
func (c *Capture) shoot(ctx context.Context, id protocol.TabID, p *sheet, q protocol.ScreenshotRequest, shot *protocol.Screenshot) error {
	if q.Annotated || q.Element != "" {
		if err := p.Open(ctx, id); err != nil {
			return err
		}
	}
	view := !q.Full && !q.Slices && !q.Annotated && q.Element == "" && q.Clip == nil
	if view && page.InFront(p.Page) { // a tab in front draws by itself
		return c.view(ctx, id, p, q, shot)
	}
	release, err := p.awake(ctx)
	if err != nil {
		return err
	}
	defer release()
	if view {
		return c.view(ctx, id, p, q, shot)
	}
	clip, err := p.framing(ctx, q, shot)
	if err != nil {
		return err
	}
	if (q.Full || q.Slices) && q.Element == "" && q.Clip == nil {
		if taken, err := c.unrolled(ctx, id, p, q, shot); taken || err != nil {
			return err
		}
	}
	if q.Slices && clip != nil && clip.Height > SliceHeight {
		return c.slices(ctx, id, p, q, *clip, shot)
	}
	data, err := p.picture(ctx, q, clip, shot)
	if err != nil {
		return err
	}
	shot.Path, err = c.save(id, q.Format, data)
	shot.Bytes = len(data)
	return err
}

// view saves a screenshot of the viewport. It can be taken before the page was asked
// anything. A PNG of that size may be a little larger if that makes it faster.
func (c *Capture) view(ctx context.Context, id protocol.TabID, p *sheet, q protocol.ScreenshotRequest, shot *protocol.Screenshot) error {
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
	shot.Path, err = c.save(id, q.Format, data)
	shot.Bytes = len(data)
	return err
}

// slices saves a tall screenshot in parts, from the top.
func (c *Capture) slices(ctx context.Context, id protocol.TabID, p *sheet, q protocol.ScreenshotRequest, clip protocol.Clip, shot *protocol.Screenshot) error {
	labels := 0
	for top := 0.0; ; top += SliceHeight - SliceOverlap {
		part := clip
		part.Y, part.Height = clip.Y+top, min(SliceHeight, clip.Height-top)
		data, err := p.picture(ctx, q, &part, shot)
		if err != nil {
			return err
		}
		labels += shot.Labels
		path, err := c.save(id, q.Format, data)
		if err != nil {
			return err
		}
		shot.Slices = append(shot.Slices, path)
		shot.Bytes += len(data)
		if top+SliceHeight >= clip.Height {
			break
		}
	}
	shot.Path, shot.Labels = shot.Slices[0], labels
	return nil
}

// picture takes one screenshot and draws the requested labels on it.
func (p *sheet) picture(ctx context.Context, q protocol.ScreenshotRequest, clip *protocol.Clip, shot *protocol.Screenshot) ([]byte, error) {
	if !q.Annotated {
		return p.taken(ctx, q, clip, false)
	}
	labels, err := p.labels(ctx, clip)
	if err != nil {
		return nil, err
	}
	shot.Labels = len(labels)
	plain := q
	if q.Format == "webp" { // we cannot draw on a WebP image
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

// taken takes a screenshot of a part of the page; fast is for a screenshot that only
// we read: it encodes faster.
func (p *sheet) taken(ctx context.Context, q protocol.ScreenshotRequest, clip *protocol.Clip, fast bool) ([]byte, error) {
	if clip == nil || page.InFront(p.Page) {
		params := captureParams(q, clip)
		params.OptimizeForSpeed = &fast
		return p.capture(ctx, params)
	}
	return p.behind(ctx, q, *clip)
}

// framing determines which part of the page to capture; nil means the viewport. It
// stores the address and the size in shot.
func (p *sheet) framing(ctx context.Context, q protocol.ScreenshotRequest, shot *protocol.Screenshot) (*protocol.Clip, error) {
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
	if q.Slices {
		return clip, nil // each is small
	}
	density, err := p.density(ctx)
	if err == nil {
		err = tooLarge(clip.Width, clip.Height, density, "take it in parts with --slices or --clip")
	}
	return clip, err
}

// bare takes a screenshot of a page without what we draw over it.
func (c *Capture) bare(ctx context.Context, p *page.Page, take func() error) error {
	return c.config.Marks.Veiled(ctx, p, func() error { return c.config.Overlays.Veiled(ctx, p, take) })
}
