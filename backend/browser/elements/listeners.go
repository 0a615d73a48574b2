package elements

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// AXText returns a value of the accessibility tree as text.
func AXText(v *accessibility.Value) string {
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

// Listeners returns an element's own event listeners, each with its script and line.
func Listeners(ctx context.Context, s *devtools.Session, object runtime.RemoteObjectID) ([]protocol.Listener, error) {
	// In our isolated world, the element would report only our own listeners.
	node, err := cdp.Call(ctx, s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object})
	if err != nil {
		return nil, err
	}
	there, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID})
	if err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, s, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: there.Object.ObjectID})
	if err != nil || len(res.Listeners) == 0 {
		return nil, err
	}
	scripts, err := scriptURLs(ctx, s)
	if err != nil {
		return nil, err
	}
	out := make([]protocol.Listener, 0, len(res.Listeners))
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

// scriptURLs returns the URL of every script. Only the debugger knows them, and
// reports all of them when it is enabled; enabling it costs milliseconds on a large
// page.
func scriptURLs(ctx context.Context, s *devtools.Session) (map[cdp.ScriptID]string, error) {
	scripts := make(map[cdp.ScriptID]string)
	parsed := s.Events(debugger.ScriptParsed.Method)
	defer parsed.Cancel()
	if _, err := cdp.Call(ctx, s, debugger.Enable, debugger.EnableParams{}); err != nil {
		return nil, err
	}
	_ = devtools.Post(ctx, s, debugger.SetSkipAllPauses, debugger.SetSkipAllPausesParams{Skip: true})
	_ = devtools.Post(ctx, s, debugger.Disable, cdp.Empty{})
	parsed.Cancel()
	for ev := range parsed.C {
		if v, ok := devtools.Decode(ev, debugger.ScriptParsed); ok {
			scripts[v.ScriptID] = v.URL
		}
	}
	return scripts, nil
}
