// Package capture takes pictures of pages, compares them, and prints and keeps pages.
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
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Config is what pictures of pages need of the browser.
type Config struct {
	// Open are the tabs.
	Open *tabs.Registry
	// Save writes a file of a tab under a name that nobody can guess.
	Save func(id protocol.TabID, kind string, data []byte) (string, error)
	// SavePage writes what was made of a page.
	SavePage func(ctx context.Context, id protocol.TabID, p *page.Page, kind string, data []byte) (protocol.PageFile, error)
	// Text is the text of a tab's page.
	Text func(ctx context.Context, id protocol.TabID) (protocol.PageText, error)
	// Size is the size that the page of a target is made to believe in, with the
	// session that holds it; nil when it has its own.
	Size func(shown target.ID) (*devtools.Session, *emulation.SetDeviceMetricsOverrideParams)
	// Veiled takes a picture of a page without what covers it.
	Veiled func(ctx context.Context, p *page.Page, take func() error) error
}

// Capture takes pictures of the pages of a browser's tabs.
type Capture struct {
	tabs   page.Tabs
	config Config
	marks  marks // what `diff` compares with
}

// New returns what takes pictures of a browser's tabs.
func New(all page.Tabs, c Config) *Capture { return &Capture{tabs: all, config: c} }

// sheet is a page that is drawn.
type sheet struct {
	*page.Page
	c *Capture

	sized sync.Mutex
	size  *emulation.SetDeviceMetricsOverrideParams // that a picture gave it for now; guarded by sized
	of    *sheet                                    // the page that this session is beside; see resized
}

func (c *Capture) sheet(p *page.Page) *sheet { return &sheet{Page: p, c: c} }

// onTab runs f with the page of a tab.
func (c *Capture) onTab(ctx context.Context, id protocol.TabID, f func(ctx context.Context, p *sheet) error) error {
	return c.tabs.OnTab(ctx, id, true, func(ctx context.Context, p *page.Page) error { return f(ctx, c.sheet(p)) })
}

const (
	// pictureWait is when the picture of a tab in front is overdue: its window may
	// be shown nowhere.
	pictureWait = 500 * time.Millisecond
	// SliceHeight is the height of one slice of a tall picture, in CSS pixels:
	// models scale larger pictures down until their text cannot be read.
	SliceHeight = 1400
	// SliceOverlap is what two slices have in common, so that no line is cut in
	// both.
	SliceOverlap = 60
)

// maxScreenshot bounds a picture, in CSS pixels a side: Chromium's own limit
// for a texture, beyond which the rest of a picture repeats or is black.
const maxScreenshot = 16384

// Screenshot takes a picture of a tab, in front or not, and saves it in the
// session's folder with mode 0600. The tab that the person sees stays in front.
func (c *Capture) Screenshot(ctx context.Context, id protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error) {
	shot := protocol.Screenshot{Format: q.Format}
	err := c.onTab(ctx, id, func(ctx context.Context, p *sheet) error {
		if d := p.OpenDialog(); d != nil { // it draws nothing until it is answered
			return page.DialogOpen(id, d)
		}
		return c.config.Veiled(ctx, p.Page, func() error { return c.shoot(ctx, id, p, q, &shot) })
	})
	return shot, err
}

// Still is a JPEG picture of what is in view, as it is.
func (c *Capture) Still(ctx context.Context, id protocol.TabID, quality int) (data []byte, err error) {
	err = c.onTab(ctx, id, func(ctx context.Context, p *sheet) error {
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

// shoot takes the picture and saves it.
func (c *Capture) shoot(ctx context.Context, id protocol.TabID, p *sheet, q protocol.ScreenshotRequest, shot *protocol.Screenshot) error {
	if q.Annotated || q.Element != "" {
		if err := p.Open(ctx, id); err != nil {
			return err
		}
	}
	view := !q.Full && !q.Slices && !q.Annotated && q.Element == "" && q.Clip == nil
	if view && page.InFront(p.Page) { // it draws as it is
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
	if q.Slices && clip != nil && clip.Height > SliceHeight {
		return c.slices(ctx, id, p, q, *clip, shot)
	}
	data, err := p.picture(ctx, q, clip, shot)
	if err != nil {
		return err
	}
	shot.Path, err = c.config.Save(id, q.Format, data)
	shot.Bytes = len(data)
	return err
}

// view saves a picture of what is in view. Nothing has to be known before it is
// taken, and a PNG of that size may be a little larger if it comes sooner.
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
	shot.Path, err = c.config.Save(id, q.Format, data)
	shot.Bytes = len(data)
	return err
}

// slices saves a tall picture in parts from the top.
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
		path, err := c.config.Save(id, q.Format, data)
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

// picture takes one picture and draws on it what was asked for.
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
func (p *sheet) taken(ctx context.Context, q protocol.ScreenshotRequest, clip *protocol.Clip, fast bool) ([]byte, error) {
	if clip == nil || page.InFront(p.Page) {
		params := captureParams(q, clip)
		params.OptimizeForSpeed = &fast
		return p.capture(ctx, params)
	}
	return p.behind(ctx, q, *clip)
}

// framing finds out which part of the page is wanted; nil is what is in view.
// The address and the size go to shot.
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
	return clip, nil
}
