package browser

import (
	"context"
	"errors"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/protocol"
)

// Archive saves a tab's page with everything that it shows in one MHTML file
// of the session's folder.
func (b *Browser) Archive(ctx context.Context, id protocol.TabID) (protocol.PageFile, error) {
	var file protocol.PageFile
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *page) error {
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
	err := b.onPage(ctx, id, func(ctx context.Context, p *page) error {
		var list func(f *docFrame, depth int) error
		list = func(f *docFrame, depth int) error {
			var at struct{ URL, Name string }
			if err := p.inFrame(ctx, f, `() => ({ url: location.href, name: window.name })`, nil, &at); err != nil {
				if f.number != 0 && errors.Is(err, errReplaced) {
					return nil
				}
				return err
			}
			s, _ := p.frames.state(f)
			out = append(out, protocol.Frame{ID: frameName(f), Depth: depth, Name: at.Name, URL: at.URL, Apart: s != p.Session})
			for _, child := range p.frames.children(f) {
				if err := list(child, depth+1); err != nil {
					return err
				}
			}
			return nil
		}
		return list(p.frames.main(), 0)
	})
	return out, err
}

// frameName is what the refs of a frame begin with: "f2", "page" for the page.
func frameName(f *docFrame) string {
	if f.number == 0 {
		return "page"
	}
	return "f" + strconv.Itoa(f.number)
}
