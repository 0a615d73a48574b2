package capture

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// centimetres is the number of centimetres per inch: CDP measures paper in inches.
const centimetres = 2.54

// paper returns the size of a sheet in portrait format, in inches.
func paper(name string) (width, height float64, ok bool) {
	switch name {
	case "a3":
		return 11.69, 16.54, true
	case "a4", "":
		return 8.27, 11.69, true
	case "a5":
		return 5.83, 8.27, true
	case "letter":
		return 8.5, 11, true
	case "legal":
		return 8.5, 14, true
	case "tabloid":
		return 11, 17, true
	}
	return 0, 0, false
}

// PDF prints a tab's page into a file of the session's folder. The page must not have
// crashed. It returns CodeBadArgument for an unknown paper, or for margins that leave
// no space.
func (c *Capture) PDF(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.PDFRequest) (protocol.PageFile, error) {
	var file protocol.PageFile
	width, height, ok := paper(q.Paper)
	if !ok {
		return file, protocol.NewError(protocol.CodeBadArgument, "there is no paper "+q.Paper, "use a3, a4, a5, letter, legal or tabloid")
	}
	margin := q.Margin / centimetres
	if q.Margin < 0 || 2*margin >= width {
		return file, protocol.NewError(protocol.CodeBadArgument, "these margins leave no room for the page", "use a smaller margin, in centimetres", protocol.With("", "--margin", "1"))
	}
	err := c.onTab(ctx, by, id, func(ctx context.Context, p *sheet) error {
		yes := true
		res, err := cdp.Call(ctx, p.Session, cdppage.PrintToPDF, cdppage.PrintToPDFParams{
			Landscape: &q.Landscape, PrintBackground: &q.Background, PaperWidth: width, PaperHeight: height,
			MarginTop: &margin, MarginBottom: &margin, MarginLeft: &margin, MarginRight: &margin, GenerateTaggedPDF: &yes,
		})
		if _, refused := errors.AsType[*devtools.MethodError](err); refused && !p.Crashed() {
			return protocol.NewError(protocol.CodeGone, "the page was not printed: it was closed or replaced, or cannot be printed", "try again when the page is there")
		}
		if err != nil {
			return err
		}
		return c.savePage(ctx, id, p, "pdf", res.Data, &file)
	})
	return file, err
}

// savePage saves a file made from a page. In a PDF nothing can be masked: it is compressed.
func (c *Capture) savePage(ctx context.Context, id protocol.TabID, p *sheet, kind string, data []byte, file *protocol.PageFile) error {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return err
	}
	save := c.config.Folder.Save
	if kind != "pdf" {
		save = c.config.Folder.SaveMasked
	}
	saved, err := save("screenshots", string(id), kind, data)
	*file = protocol.PageFile{Path: saved.Path, Bytes: saved.Bytes, URL: info.URL}
	return err
}
