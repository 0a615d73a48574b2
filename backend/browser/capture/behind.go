package capture

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// behind takes a screenshot of a part of a page that no window shows. For such a
// page, Chromium's own capture beyond the viewport waits for frames that never come.
// So the page is made as large as its content, captured as it is then in view, and
// cropped.
func (p *sheet) behind(ctx context.Context, q protocol.ScreenshotRequest, clip protocol.Clip) ([]byte, error) {
	m, err := cdp.Call(ctx, p.Session, cdppage.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	view, content := m.CSSLayoutViewport, m.CSSContentSize
	if view == nil || content == nil {
		return nil, errors.New("the page has no size")
	}
	width, height := max(view.ClientWidth, int64(math.Ceil(content.Width))), max(view.ClientHeight, int64(math.Ceil(content.Height)))
	if width > maxScreenshot || height > maxScreenshot {
		return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the page is %d × %d; for a tab in the background at most %d per side is possible", width, height, maxScreenshot),
			"take what is in view", protocol.Try("brings the tab to the front", "tab"))
	}
	density, err := p.density(ctx)
	if err != nil {
		return nil, err
	}
	if err := tooLarge(float64(width), float64(height), density, "take what is in view", protocol.Try("brings the tab to the front", "tab")); err != nil {
		return nil, err
	}
	whole := clip.X == 0 && clip.Y == 0 && int64(clip.Width) == width && int64(clip.Height) == height
	params := captureParams(q, nil)
	fast := !whole
	params.OptimizeForSpeed = &fast
	if !whole {
		params.Format, params.Quality = cdppage.CaptureScreenshotFormatPng, nil
	}
	var data []byte
	err = p.resized(ctx, func(own emulation.SetDeviceMetricsOverrideParams, big *sheet) error {
		if err := big.resize(ctx, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, Mobile: own.Mobile}); err != nil {
			return err
		}
		var err error
		data, err = big.captureSized(ctx, params, float64(width), float64(height))
		return err
	})
	if err != nil || whole {
		return data, err
	}
	img, err := decodeScreenshot(data)
	if err != nil {
		return nil, err
	}
	scale := float64(img.Bounds().Dx()) / float64(width)
	at := image.Rect(int(clip.X*scale), int(clip.Y*scale), int((clip.X+clip.Width)*scale), int((clip.Y+clip.Height)*scale)).Intersect(img.Bounds())
	if at.Empty() { // a part outside the page was refused earlier
		return nil, protocol.NewError(protocol.CodeGone, "the page changed its size while the screenshot was taken", "try again when the page is there")
	}
	return p.cut(ctx, q, img, at)
}

// ownSize returns the size that the page sees: its real size, or the one that is
// emulated for the tab.
func (p *sheet) ownSize(ctx context.Context) (emulation.SetDeviceMetricsOverrideParams, error) {
	if _, size := p.emulatedSize(); size != nil {
		return *size, nil
	}
	world, err := p.PlainWorld(ctx)
	if err != nil {
		return emulation.SetDeviceMetricsOverrideParams{}, err
	}
	is, err := devtools.Evaluate[[2]float64](ctx, p.Session, "[innerWidth, innerHeight]", world)
	return emulation.SetDeviceMetricsOverrideParams{Width: int64(is[0]), Height: int64(is[1])}, err
}

// webp encodes an image with the browser, in a canvas that the page does not see. The
// quality is 1 to 100; 0 means 80.
func (p *sheet) webp(ctx context.Context, png []byte, quality int) ([]byte, error) {
	world, err := p.PlainWorld(ctx)
	if err != nil {
		return nil, err
	}
	if quality == 0 {
		quality = 80
	}
	text, err := devtools.Evaluate[string](ctx, p.Session, fmt.Sprintf(`(async () => {
		const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
		const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
		const canvas = new OffscreenCanvas(picture.width, picture.height);
		canvas.getContext('2d').drawImage(picture, 0, 0);
		const out = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: %g })).arrayBuffer());
		let text = '';
		for (let at = 0; at < out.length; at += 32768) text += String.fromCharCode(...out.subarray(at, at + 32768));
		return btoa(text);
	})()`, base64.StdEncoding.EncodeToString(png), float64(quality)/100), world)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err == nil && len(data) == 0 {
		err = errors.New("the canvas is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("writing the screenshot as WebP: %w", err)
	}
	return data, nil
}
