package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Archive saves a tab's page with everything that it shows in one MHTML file
// of the session's folder.
func (b *Browser) Archive(ctx context.Context, id protocol.TabID) (protocol.PageFile, error) {
	var file protocol.PageFile
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) error {
		res, err := cdp.Call(ctx, p.Session, cdppage.CaptureSnapshot, cdppage.CaptureSnapshotParams{})
		if err != nil {
			return err
		}
		return b.savePage(ctx, id, p, "mhtml", []byte(res.Data), &file)
	})
	return file, err
}

// Frames lists the frames of a tab's page, the page first, each before its
// children; those of other sites as well.
func (b *Browser) Frames(ctx context.Context, id protocol.TabID) ([]protocol.Frame, error) {
	var out []protocol.Frame
	err := b.onPage(ctx, id, func(ctx context.Context, p *tabPage) error {
		var list func(f *page.Frame, depth int) error
		list = func(f *page.Frame, depth int) error {
			var at struct{ URL, Name string }
			if err := elements.InFrame(ctx, p.Page, f, `() => ({ url: location.href, name: window.name })`, nil, &at); err != nil {
				if f.Number != 0 && errors.Is(err, page.ErrReplaced) {
					return nil
				}
				return err
			}
			s, _ := p.Frames.State(f)
			out = append(out, protocol.Frame{ID: f.Name(), Depth: depth, Name: at.Name, URL: at.URL, Apart: s != p.Session})
			for _, child := range p.Frames.Children(f) {
				if err := list(child, depth+1); err != nil {
					return err
				}
			}
			return nil
		}
		return list(p.Frames.Main(), 0)
	})
	return out, err
}
