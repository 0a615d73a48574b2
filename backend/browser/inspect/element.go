package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"

	"pilotfish/backend/browser/devtools"
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
		script := strings.Replace(inspectScript, "/* secretFunction */", secretFunction, 1)
		if out, err = elements.Call[protocol.Inspection](ctx, e, script); err != nil {
			return err
		}
		out.URL = e.URL
		if err := accessible(ctx, e, &out); err != nil {
			return err
		}
		out.Listeners, err = listeners(ctx, e)
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
		out.Role, out.Name = axText(n.Role), axText(n.Name)
		out.Properties = make(map[string]string)
		for _, p := range n.Properties {
			if v := axText(p.Value); v != "" && v != "false" {
				out.Properties[string(p.Name)] = v
			}
		}
		break
	}
	return nil
}

// axText returns a value of the accessibility tree as text.
func axText(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	text := string(v.Value)
	var plain string
	if json.Unmarshal([]byte(text), &plain) == nil {
		return plain
	}
	return text
}

// listeners returns the element's own event listeners, each with its script and line.
func listeners(ctx context.Context, e *elements.Found) ([]protocol.Listener, error) {
	scripts := make(map[cdp.ScriptID]string)
	parsed := e.Session.Events(debugger.ScriptParsed.Method)
	defer parsed.Cancel()
	// When the debugger is enabled it reports the URL of every script; without it
	// there are only script ids.
	if _, err := cdp.Call(ctx, e.Session, debugger.Enable, debugger.EnableParams{}); err != nil {
		return nil, err
	}
	_ = devtools.Post(ctx, e.Session, debugger.SetSkipAllPauses, debugger.SetSkipAllPausesParams{Skip: true})
	_ = devtools.Post(ctx, e.Session, debugger.Disable, cdp.Empty{})
	parsed.Cancel()
	for ev := range parsed.C {
		if v, ok := devtools.Decode(ev, debugger.ScriptParsed); ok {
			scripts[v.ScriptID] = v.URL
		}
	}
	// In our isolated world, the element would report only our own listeners.
	node, err := cdp.Call(ctx, e.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: e.Object})
	if err != nil {
		return nil, err
	}
	there, err := cdp.Call(ctx, e.Session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID})
	if err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, e.Session, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: there.Object.ObjectID})
	if err != nil {
		return nil, err
	}
	var out []protocol.Listener
	for _, l := range res.Listeners {
		source := scripts[l.ScriptID]
		if source == "" {
			source = "script"
		}
		out = append(out, protocol.Listener{
			Type: l.Type, Source: fmt.Sprintf("%s:%d", source, l.LineNumber+1), Passive: l.Passive, Once: l.Once, Capture: l.UseCapture,
		})
	}
	return out, nil
}
