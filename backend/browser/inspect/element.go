package inspect

import (
	"context"
	_ "embed"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

//go:embed inspect.js
var inspectScript string

// Inspect describes an element: its box, attributes (secrets masked), main styles,
// listeners, and its accessibility properties.
func (in *Inspector) Inspect(ctx context.Context, by protocol.Caller, id protocol.TabID, element string) (protocol.Inspection, error) {
	var out protocol.Inspection
	err := elements.On(ctx, by, in.tabs, id, element, func(ctx context.Context, _ *page.Page, e *elements.Found) error {
		var err error
		script := strings.Replace(inspectScript, "/* secretFunction */", elements.SecretFunction, 1)
		if out, err = elements.Call[protocol.Inspection](ctx, e, script); err != nil {
			return err
		}
		out.URL = e.URL
		if err := accessible(ctx, e, &out); err != nil {
			return err
		}
		out.Listeners, err = elements.Listeners(ctx, e.Session, e.Object)
		return err
	})
	return out, err
}

// accessible adds role, name and states from Chromium's own accessibility tree.
func accessible(ctx context.Context, e *elements.Found, out *protocol.Inspection) error {
	no := false
	res, err := cdp.Call(ctx, e.Session, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: e.Object, FetchRelatives: &no})
	if err != nil {
		return err
	}
	for _, n := range res.Nodes {
		if n.Ignored {
			out.Role = "none"
			continue
		}
		out.Role, out.Name = elements.AXText(n.Role), elements.AXText(n.Name)
		out.Properties = make(map[string]string)
		for _, p := range n.Properties {
			if v := elements.AXText(p.Value); v != "" && v != "false" {
				out.Properties[string(p.Name)] = v
			}
		}
		break
	}
	return nil
}
