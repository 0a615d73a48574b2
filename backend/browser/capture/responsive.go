package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// phoneWidth is the largest width for which a phone's screen height is used, in CSS
// pixels.
const phoneWidth = 480

// twoFrames is a script that waits until a change of size is laid out and drawn.
const twoFrames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"

// Responsive takes a screenshot of a tab's page at each width, in CSS pixels, and
// then restores the tab's own size. With full, a screenshot is as high as the page,
// else as a screen of that width usually is.
func (c *Capture) Responsive(ctx context.Context, by protocol.Caller, id protocol.TabID, widths []int, q protocol.ScreenshotRequest) ([]protocol.Screenshot, error) {
	var shots []protocol.Screenshot
	err := c.onTab(ctx, by, id, func(ctx context.Context, p *sheet) error {
		release, err := p.awake(ctx)
		if err != nil {
			return err
		}
		defer release()
		defer p.scrollBack(ctx)
		return p.resized(ctx, func(_ emulation.SetDeviceMetricsOverrideParams, sized *sheet) error {
			for _, width := range widths {
				shot, err := c.atWidth(ctx, id, sized, width, q)
				if err != nil {
					return err
				}
				shots = append(shots, shot)
			}
			return nil
		})
	})
	return shots, err
}

func (c *Capture) atWidth(ctx context.Context, id protocol.TabID, p *sheet, width int, q protocol.ScreenshotRequest) (protocol.Screenshot, error) {
	shot := protocol.Screenshot{Format: q.Format}
	height := 900
	if width <= phoneWidth {
		height = 844
	}
	size := emulation.SetDeviceMetricsOverrideParams{Width: int64(width), Height: int64(height), DeviceScaleFactor: 1}
	if err := p.resize(ctx, size); err != nil {
		return shot, err
	}
	if q.Full {
		m, err := cdp.Call(ctx, p.Session, cdppage.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return shot, err
		}
		if m.CSSContentSize != nil {
			// Include horizontal overflow, because users look for it here.
			width, height = max(width, int(math.Ceil(m.CSSContentSize.Width))), max(height, int(math.Ceil(m.CSSContentSize.Height)))
			size.Width, size.Height = int64(min(maxScreenshot, width)), int64(min(maxScreenshot, height))
			if err := tooLarge(float64(size.Width), float64(size.Height), 1, fmt.Sprintf("choose a width of less than %d for this page, or leave out --full", size.Width)); err != nil {
				return shot, err
			}
			if err := p.resize(ctx, size); err != nil {
				return shot, err
			}
		}
		inner, err := p.unroll(ctx, &size, tallest(size.Width, 1))
		if err != nil {
			return shot, err
		}
		shot.Scroller, shot.Hidden = inner.missing()
	}
	data, err := p.captureSized(ctx, captureParams(q, nil), float64(size.Width), float64(size.Height))
	if err != nil {
		return shot, err
	}
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return shot, err
	}
	shot.URL, shot.Width, shot.Height, shot.Bytes = info.URL, int(size.Width), int(size.Height), len(data)
	shot.Path, err = c.save(id, q.Format, data)
	return shot, err
}

// laidOut waits until a change of size is laid out and drawn, or ctx ends.
func (p *sheet) laidOut(ctx context.Context) {
	if world, err := p.PlainWorld(ctx); err == nil {
		_, _ = devtools.Evaluate[bool](ctx, p.Session, twoFrames, world)
	}
}

// resized lets f give the page other sizes, through a separate session, and then
// restores the page's own size. When a screenshot is complete, however late, Chromium
// restores the size that the page had when the screenshot was requested. Closing the
// session discards the screenshots that nobody waits for.
func (p *sheet) resized(ctx context.Context, f func(own emulation.SetDeviceMetricsOverrideParams, sized *sheet) error) error {
	m, err := cdp.Call(ctx, p.Session, cdppage.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return err
	}
	own, err := p.ownSize(ctx)
	if err != nil {
		return err
	}
	beside, err := p.Conn.Attach(ctx, p.Target)
	if err != nil {
		return err
	}
	sized := p.c.sheet(page.Twin(p.Page, beside))
	sized.of = p
	err = f(own, sized)
	leave := devtools.Post(context.WithoutCancel(ctx), p.Conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: beside.ID})
	p.ownSizeAgain(ctx, own)
	if view := m.CSSLayoutViewport; view != nil {
		back := fmt.Sprintf("scrollTo({ left: %d, top: %d, behavior: 'instant' })", view.PageX, view.PageY)
		_ = devtools.Post(context.WithoutCancel(ctx), p.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: back})
	}
	return errors.Join(err, leave)
}

// ownSizeAgain returns when the page has its own or its emulated size again, or after
// sizeTries attempts.
func (p *sheet) ownSizeAgain(ctx context.Context, own emulation.SetDeviceMetricsOverrideParams) {
	for range sizeTries {
		if s, size := p.emulatedSize(); size != nil {
			_ = devtools.Post(context.WithoutCancel(ctx), s, emulation.SetDeviceMetricsOverride, *size)
		}
		if p.shownAnew(ctx, func() error { return nil }) != nil {
			return
		}
		p.laidOut(ctx)
		world, err := p.PlainWorld(ctx)
		if err != nil {
			return
		}
		if has, err := p.has(ctx, world, own); has || err != nil {
			return
		}
		if p.secondScreenshot(ctx) != nil {
			return
		}
	}
}

// resize gives the page a size and waits until the page has it. A tab in the
// background takes a new size only after the previous one was drawn, so it is made to
// draw.
func (p *sheet) resize(ctx context.Context, size emulation.SetDeviceMetricsOverrideParams) error {
	p.sizedAs(&size)
	err := p.shownAnew(ctx, func() error {
		_, err := cdp.Call(ctx, p.Session, emulation.SetDeviceMetricsOverride, size)
		return err
	})
	if err != nil {
		return err
	}
	return p.settled(ctx, size)
}

// shownAnew hides a tab in the background, calls change, and shows the tab again:
// then the tab applies its size.
func (p *sheet) shownAnew(ctx context.Context, change func() error) error {
	sessions := []*devtools.Session{p.Session}
	if p.of != nil {
		sessions = append(sessions, p.of.Session)
	}
	show := func(on bool) error {
		for _, s := range sessions {
			if _, err := cdp.Call(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: on}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := show(false); err != nil {
		return err
	}
	return errors.Join(change(), show(true))
}

// sizedAs records the temporary size of the page; nil is its own.
func (p *sheet) sizedAs(size *emulation.SetDeviceMetricsOverrideParams) {
	p.sized.Lock()
	defer p.sized.Unlock()
	p.size = size
}

// sizeAgain sets the page's size again just before a screenshot: when a screenshot is
// complete, however late, Chromium restores the size that the view had when the
// screenshot was requested.
func (p *sheet) sizeAgain(ctx context.Context) error {
	p.sized.Lock()
	size := p.size
	p.sized.Unlock()
	if size == nil {
		return nil
	}
	return devtools.Post(ctx, p.Session, emulation.SetDeviceMetricsOverride, *size)
}

// settled waits until the page has a size.
func (p *sheet) settled(ctx context.Context, size emulation.SetDeviceMetricsOverrideParams) error {
	world, err := p.PlainWorld(ctx)
	if err != nil {
		return err
	}
	for range 10 { // a page that rejects the size is captured as it is
		p.laidOut(ctx)
		if has, err := p.has(ctx, world, size); has || err != nil {
			return err
		}
		if err := p.secondScreenshot(ctx); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether the page has a size.
func (p *sheet) has(ctx context.Context, world runtime.ExecutionContextID, size emulation.SetDeviceMetricsOverrideParams) (bool, error) {
	is, err := devtools.Evaluate[[2]float64](ctx, p.Session, "[innerWidth, innerHeight].map((n) => Math.round(n * visualViewport.scale))", world)
	return err == nil && math.Abs(is[0]-float64(size.Width)) <= 1 && math.Abs(is[1]-float64(size.Height)) <= 1, err
}

// sizeTries is how often a size is set before the page is captured as it is.
const sizeTries = 12

// captureSized is capture for a page that was given another size. It repeats a
// screenshot that has other proportions.
func (p *sheet) captureSized(ctx context.Context, params cdppage.CaptureScreenshotParams, width, height float64) (data []byte, err error) {
	for range sizeTries {
		if data, err = p.capture(ctx, params); err != nil {
			return nil, err
		}
		at, _, unread := image.DecodeConfig(bytes.NewReader(data))
		if unread != nil || math.Abs(float64(at.Width)*height-float64(at.Height)*width) <= float64(max(at.Width, at.Height)) {
			return data, nil //nolint:nilerr // webp cannot be read here, and is taken as it is
		}
		p.sized.Lock()
		size := p.size
		p.sized.Unlock()
		if size == nil {
			break
		}
		if err := p.resize(ctx, *size); err != nil {
			return nil, err
		}
	}
	return data, nil
}
