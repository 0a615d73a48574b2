package capture

import (
	"context"
	"image"
	"image/draw"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// Many pages do not scroll themselves: an element in them does, which is as high as
// the viewport. A screenshot of such a page is no higher than the viewport. So the
// viewport is made higher, until the element shows all of its content.

// scroller is the element that a page scrolls in.
type scroller struct {
	Words  string // its tag
	Hidden int    // how many pixels of its content are out of view
}

// missing returns what a screenshot has to say of the scroller.
func (s scroller) missing() (words string, hidden int) {
	if s.Hidden == 0 {
		return "", 0
	}
	return s.Words, s.Hidden
}

// findScroller is a script that finds the largest scrolling element that covers half
// of the viewport, also a frame whose document scrolls. It remembers that element, and
// how far it is scrolled, until scrollBack.
const findScroller = `(() => {
	const answer = ({ el, inner }) => ({ words: el.localName, hidden: inner.scrollHeight - inner.clientHeight });
	if (globalThis.pilotfishScrolled) return answer(pilotfishScrolled);
	const root = document.documentElement;
	const page = document.scrollingElement ?? root;
	let best, area = innerWidth * innerHeight / 2;
	const trees = [document];
	for (const tree of trees) for (const el of tree.querySelectorAll('*')) {
		if (el.shadowRoot) trees.push(el.shadowRoot);
		let inner = el;
		if (/^i?frame$/.test(el.localName)) inner = el.contentDocument?.scrollingElement;
		if (!inner || inner === page || inner.scrollHeight <= inner.clientHeight + 1) continue;
		if (inner === el && !/auto|scroll/.test(getComputedStyle(el).overflowY)) continue;
		// The body's own overflow is that of the page, unless the root has one.
		if (el === document.body && getComputedStyle(root).overflowY === 'visible') continue;
		const rect = el.getBoundingClientRect();
		const width = Math.min(rect.right, innerWidth) - Math.max(rect.left, 0);
		const height = Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0);
		if (width <= 0 || height <= 0 || width * height < area) continue;
		area = width * height;
		best = { el, inner };
	}
	if (!best) return { words: '', hidden: 0 };
	globalThis.pilotfishScrolled = { ...best, top: best.inner.scrollTop };
	return answer(best);
})()`

// scrollBack is a script that scrolls that element as it was.
const scrollBack = `(() => {
	const was = globalThis.pilotfishScrolled;
	delete globalThis.pilotfishScrolled;
	was?.inner.scrollTo({ top: was.top, behavior: 'instant' });
})()`

func (p *sheet) scroller(ctx context.Context) (scroller, error) {
	world, err := p.PlainWorld(ctx)
	if err != nil {
		return scroller{}, err
	}
	return devtools.Evaluate[scroller](ctx, p.Session, findScroller, world)
}

// scrollBackWait is how long a page may take to answer before it is scrolled back. One that
// has crashed does not answer.
const scrollBackWait = time.Second

// scrollBack scrolls the element as it was, when the page has its own size again.
func (p *sheet) scrollBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scrollBackWait)
	defer cancel()
	if world, err := p.PlainWorld(ctx); err == nil {
		_ = devtools.Post(ctx, p.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: scrollBack, ContextID: world})
	}
}

// unrollTries is how often the viewport is made higher: content may load that makes
// the element longer.
const unrollTries = 4

// unroll makes a page that has a temporary size so high that the element that it
// scrolls in shows all of its content, and stores the size. It returns the element,
// with what is still out of view: its height may not depend on the viewport, or be more than
// highest.
func (p *sheet) unroll(ctx context.Context, size *emulation.SetDeviceMetricsOverrideParams, highest int64) (scroller, error) {
	inner, err := p.scroller(ctx)
	for range unrollTries {
		if err != nil || inner.Hidden == 0 || size.Height+int64(inner.Hidden) > highest {
			return inner, err
		}
		before := *size
		size.Height += int64(inner.Hidden)
		if err := p.resize(ctx, *size); err != nil {
			return inner, err
		}
		last := inner
		if inner, err = p.scroller(ctx); err != nil {
			return inner, err
		}
		if inner.Hidden >= last.Hidden { // it did not grow with the viewport
			*size = before
			return inner, p.resize(ctx, before)
		}
	}
	return inner, nil
}

// unrolled takes the screenshot of a page that scrolls inside an element. It returns
// false for another page, and for one whose element does not grow with the viewport;
// then it stores in shot what is missing.
func (c *Capture) unrolled(ctx context.Context, id protocol.TabID, p *sheet, q protocol.ScreenshotRequest, shot *protocol.Screenshot) (taken bool, err error) {
	inner, err := p.scroller(ctx)
	if err != nil || inner.Hidden == 0 {
		return false, err
	}
	defer p.scrollBack(ctx)
	shot.Scroller, shot.Hidden = inner.missing()
	density, err := p.density(ctx)
	if err != nil {
		return false, err
	}
	err = p.resized(ctx, func(own emulation.SetDeviceMetricsOverrideParams, high *sheet) error {
		m, err := cdp.Call(ctx, p.Session, cdppage.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		size := emulation.SetDeviceMetricsOverrideParams{Width: own.Width, Height: own.Height, DeviceScaleFactor: own.DeviceScaleFactor, Mobile: own.Mobile}
		highest := tallest(size.Width, density)
		if m.CSSContentSize != nil { // what else of the page is out of view
			size.Height = min(highest, max(size.Height, int64(m.CSSContentSize.Height)))
		}
		if err := high.resize(ctx, size); err != nil {
			return err
		}
		left, err := high.unroll(ctx, &size, highest)
		if err != nil || left.Hidden >= inner.Hidden {
			return err
		}
		shot.Scroller, shot.Hidden = left.missing()
		shot.Width, shot.Height = int(size.Width), int(size.Height)
		plain := q
		if q.Slices || q.Annotated && q.Format == "webp" { // we cannot draw on a WebP image
			plain.Format, plain.Quality = "png", 0
		}
		var labels []label
		if q.Annotated { // they are where the page has them now, as high as it is
			if labels, err = p.labels(ctx, nil); err != nil {
				return err
			}
			shot.Labels = len(labels)
		}
		data, err := high.captureSized(ctx, captureParams(plain, nil), float64(size.Width), float64(size.Height))
		if err != nil {
			return err
		}
		taken = true
		if q.Annotated {
			if data, err = annotate(data, plain, labels, shot.Width); err == nil && q.Format == "webp" && !q.Slices {
				data, err = p.webp(ctx, data, q.Quality)
			}
			if err != nil {
				return err
			}
		}
		return c.keep(ctx, id, p, q, data, shot)
	})
	return taken, err
}

// keep saves a screenshot that is taken, in slices where they were asked for.
func (c *Capture) keep(ctx context.Context, id protocol.TabID, p *sheet, q protocol.ScreenshotRequest, data []byte, shot *protocol.Screenshot) (err error) {
	if !q.Slices {
		shot.Bytes = len(data)
		shot.Path, err = c.save(id, q.Format, data)
		return err
	}
	img, err := decodeScreenshot(data)
	if err != nil {
		return err
	}
	scale := float64(img.Bounds().Dx()) / float64(shot.Width)
	for top := 0; ; top += SliceHeight - SliceOverlap {
		end := min(top+SliceHeight, shot.Height)
		part, err := p.cut(ctx, q, img, image.Rect(0, int(float64(top)*scale), img.Bounds().Dx(), int(float64(end)*scale)))
		if err != nil {
			return err
		}
		path, err := c.save(id, q.Format, part)
		if err != nil {
			return err
		}
		shot.Slices = append(shot.Slices, path)
		shot.Bytes += len(part)
		if end == shot.Height {
			break
		}
	}
	shot.Path = shot.Slices[0]
	return nil
}

// cut encodes a part of a screenshot.
func (p *sheet) cut(ctx context.Context, q protocol.ScreenshotRequest, img image.Image, at image.Rectangle) ([]byte, error) {
	part := image.NewRGBA(image.Rect(0, 0, at.Dx(), at.Dy()))
	draw.Draw(part, part.Bounds(), img, at.Min, draw.Src)
	if q.Format != "webp" {
		return encodeScreenshot(part, q.Format, q.Quality)
	}
	data, err := encodeScreenshot(part, "png", 0)
	if err != nil {
		return nil, err
	}
	return p.webp(ctx, data, q.Quality)
}
