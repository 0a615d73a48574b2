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

// phoneWidth is the widest screen that is as high as a phone's. CSS pixels.
const phoneWidth = 480

// twoFrames waits until a change of size is laid out and drawn.
const twoFrames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"

// Responsive takes a picture of a tab's page at each width, in CSS pixels; the
// tab then has its own size again. The pictures are as high as the page when
// full, else as a screen of that width usually is.
func (c *Capture) Responsive(ctx context.Context, id protocol.TabID, widths []int, q protocol.ScreenshotRequest) ([]protocol.Screenshot, error) {
	var shots []protocol.Screenshot
	err := c.onTab(ctx, id, func(ctx context.Context, p *sheet) error {
		release, err := p.awake(ctx)
		if err != nil {
			return err
		}
		defer release()
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
			// What overflows at the side is what one looks for here.
			width, height = max(width, int(math.Ceil(m.CSSContentSize.Width))), max(height, int(math.Ceil(m.CSSContentSize.Height)))
			size.Width, size.Height = int64(min(maxScreenshot, width)), int64(min(maxScreenshot, height))
			if err := p.resize(ctx, size); err != nil {
				return shot, err
			}
		}
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
	shot.Path, err = c.config.Save(id, q.Format, data)
	return shot, err
}

// laidOut waits until a change of size is laid out and drawn, or ctx ends.
func (p *sheet) laidOut(ctx context.Context) {
	if world, err := p.PlainWorld(ctx); err == nil {
		_, _ = devtools.Evaluate[bool](ctx, p.Session, twoFrames, world)
	}
}

// resized lets f give the page other sizes, by a session of its own, and the page
// its own size again. A picture that is done gives the page back the size that it
// had when the picture was asked for, whenever that is; those that nobody waits
// for are forgotten with the session.
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

// ownSizeAgain returns when the page has its own size, or what the tab is made to
// believe, or has refused it often enough.
func (p *sheet) ownSizeAgain(ctx context.Context, own emulation.SetDeviceMetricsOverrideParams) {
	for range sizeTries {
		if s, size := p.c.config.Size(p.Target); size != nil {
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
		if p.secondPicture(ctx) != nil {
			return
		}
	}
}

// resize gives the page a size and waits until it has it. A tab in the back
// takes the next one only when the last was drawn: so it is drawn.
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

// shownAnew hides a tab in the back and shows it again, between which it is
// changed: then it takes up its size.
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

// sizedAs notes the size that the page is given for now; nil is its own.
func (p *sheet) sizedAs(size *emulation.SetDeviceMetricsOverrideParams) {
	p.sized.Lock()
	defer p.sized.Unlock()
	p.size = size
}

// sizeAgain tells the page its size just before a picture: when a picture is
// done, whenever that is, the view gets the size back that it had when the
// picture was asked for.
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
	for range 10 { // a page that forbids its size is taken as it is
		p.laidOut(ctx)
		if has, err := p.has(ctx, world, size); has || err != nil {
			return err
		}
		if err := p.secondPicture(ctx); err != nil {
			return err
		}
	}
	return nil
}

// has says whether the page has a size.
func (p *sheet) has(ctx context.Context, world runtime.ExecutionContextID, size emulation.SetDeviceMetricsOverrideParams) (bool, error) {
	is, err := devtools.Evaluate[[2]float64](ctx, p.Session, "[innerWidth, innerHeight].map((n) => Math.round(n * visualViewport.scale))", world)
	return err == nil && math.Abs(is[0]-float64(size.Width)) <= 1 && math.Abs(is[1]-float64(size.Height)) <= 1, err
}

// sizeTries is how often a page is told a size before it is taken as it is.
const sizeTries = 12

// captureSized is capture for a page that was given another size: a picture of
// another shape is taken again.
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
