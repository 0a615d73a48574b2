package snapshot

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/page"
)

// ownRefs returns how many lines have a ref of the tab's own document. In the viewer
// of PDF files this is only the line of the frame that contains everything else.
func ownRefs(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if ref, _, _ := strings.Cut(strings.TrimLeft(line, " "), " "); strings.HasPrefix(ref, "e") && page.RefScope().MatchString(ref) {
			n++
		}
	}
	return n
}

// showsPDF reports whether the tab shows the browser's own viewer of PDF files.
func showsPDF(ctx context.Context, p *page.Page) bool {
	in, world := p.Frames.State(p.Frames.Main())
	if world == "" {
		return false
	}
	var kind string
	res, err := cdp.Call(ctx, in, runtime.Evaluate, page.EvaluateParams("document.contentType", world))
	return err == nil && res.Result != nil && json.Unmarshal(res.Result.Value, &kind) == nil && kind == "application/pdf"
}
