package browser

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/protocol"
)

//go:embed text.js
var textScript string

// Text returns what a person could read on a tab's page, at most limit
// characters of it.
func (b *Browser) Text(ctx context.Context, id protocol.TabID, limit int) (protocol.PageText, error) {
	var text protocol.PageText
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *page) error {
		world, err := p.world(ctx)
		if err != nil {
			return err
		}
		text, err = evaluate[protocol.PageText](ctx, p.session, fmt.Sprintf("%s(%d)", textScript, limit), world)
		return err
	})
	return text, err
}

// maxScreenshot bounds a picture, in CSS pixels a side: Chromium's own limit
// for a texture, beyond which the rest of a picture repeats or is black.
const maxScreenshot = 16384

// Screenshot takes a picture of a tab, in front or not, and saves it in the
// session's folder with mode 0600. The tab that the person sees stays in front.
func (b *Browser) Screenshot(ctx context.Context, id protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error) {
	shot := protocol.Screenshot{Format: q.Format}
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *page) error {
		// A tab in the back draws nothing unless it believes to be looked at.
		focus := emulation.SetFocusEmulationEnabledParams{Enabled: true}
		if err := postCommand(ctx, p.session, emulation.SetFocusEmulationEnabled, focus); err != nil {
			return err
		}
		defer func() {
			focus.Enabled = false
			_ = postCommand(context.WithoutCancel(ctx), p.session, emulation.SetFocusEmulationEnabled, focus)
		}()
		params, err := p.captureParams(ctx, q, &shot)
		if err != nil {
			return err
		}
		res, err := cdp.Call(ctx, p.session, cdppage.CaptureScreenshot, params)
		if err != nil {
			return err
		}
		if len(res.Data) == 0 {
			return protocol.NewError(protocol.CodeInternal, "the browser took an empty picture", "try again")
		}
		var info protocol.PageInfo
		if err := p.where(ctx, &info); err != nil {
			return err
		}
		shot.URL, shot.Bytes = info.URL, len(res.Data)
		shot.Path, err = b.saveScreenshot(id, q.Format, res.Data)
		return err
	})
	return shot, err
}

// captureParams turns a request into the protocol's, with the size in shot.
func (p *page) captureParams(ctx context.Context, q protocol.ScreenshotRequest, shot *protocol.Screenshot) (cdppage.CaptureScreenshotParams, error) {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormat(q.Format)}
	if q.Quality > 0 && q.Format != "png" {
		quality := int64(q.Quality)
		params.Quality = &quality
	}
	m, err := cdp.Call(ctx, p.session, cdppage.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return params, err
	}
	view := m.CSSVisualViewport
	clip := q.Clip
	if q.Full && clip == nil && m.CSSContentSize != nil {
		clip = &protocol.Clip{Width: math.Ceil(m.CSSContentSize.Width), Height: math.Ceil(m.CSSContentSize.Height)}
	}
	if clip == nil {
		if view != nil {
			shot.Width, shot.Height = int(view.ClientWidth), int(view.ClientHeight)
		}
		return params, nil
	}
	if clip.Width > maxScreenshot || clip.Height > maxScreenshot {
		return params, protocol.NewError(protocol.CodeTooLarge,
			fmt.Sprintf("the picture would be %.0f × %.0f; at most %d a side can be drawn", clip.Width, clip.Height, maxScreenshot),
			"take it in parts with --clip")
	}
	beyond := true
	params.CaptureBeyondViewport = &beyond
	params.Clip = &cdppage.Viewport{X: clip.X, Y: clip.Y, Width: clip.Width, Height: clip.Height, Scale: 1}
	shot.Width, shot.Height = int(clip.Width), int(clip.Height)
	return params, nil
}

// saveScreenshot writes a picture under a name that nobody can guess or have
// planted.
func (b *Browser) saveScreenshot(id protocol.TabID, format string, data []byte) (string, error) {
	dir := b.config.ScreenshotDir
	if dir == "" {
		return "", protocol.NewError(protocol.CodeInternal, "no folder for screenshots is set", "")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", notWritable(dir, err)
	}
	suffix := make([]byte, 6)
	if _, err := rand.Read(suffix); err != nil {
		return "", fmt.Errorf("naming the screenshot: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s.%s", id, hex.EncodeToString(suffix), format))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", notWritable(dir, err)
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path)
		return "", notWritable(dir, err)
	}
	return path, nil
}
