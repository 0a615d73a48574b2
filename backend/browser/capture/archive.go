package capture

import (
	"context"
	"regexp"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/protocol"
)

// Archive saves a tab's page, with everything that it shows, as one MHTML file in the
// session's folder.
func (c *Capture) Archive(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.PageFile, error) {
	var file protocol.PageFile
	err := c.onTab(ctx, by, id, func(ctx context.Context, p *sheet) error {
		res, err := cdp.Call(ctx, p.Session, cdppage.CaptureSnapshot, cdppage.CaptureSnapshotParams{})
		if err != nil {
			return err
		}
		return c.savePage(ctx, id, p, "mhtml", []byte(unfolded(res.Data)), &file)
	})
	return file, err
}

// unfolded returns an archive without the line breaks that its form adds within
// text, so that no secret is cut in two. Padding before the end of a part stays.
func unfolded(text string) string {
	return regexp.MustCompile(`([^?])=\r\n([^\r-])`).ReplaceAllString(text, "$1$2")
}
