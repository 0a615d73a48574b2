package observe

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webmcp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureWebMCP = "webmcp"

// pageTools are the tools that the page of a tab offers at the moment.
type pageTools struct {
	mu      sync.Mutex
	tools   map[toolKey]protocol.PageTool
	origins map[cdp.FrameID]string
	waiting map[string]chan webmcp.EventToolResponded // by invocation
	early   map[string]webmcp.EventToolResponded      // responses that arrived before the invocation id was known
}

type toolKey struct {
	s     *devtools.Session
	frame cdp.FrameID
	name  string
}

func newPageTools() *pageTools {
	return &pageTools{
		tools: make(map[toolKey]protocol.PageTool), origins: make(map[cdp.FrameID]string),
		waiting: make(map[string]chan webmcp.EventToolResponded), early: make(map[string]webmcp.EventToolResponded),
	}
}

func (w *pageTools) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return err
	}
	if res, err := cdp.Call(ctx, s, cdppage.GetFrameTree, cdp.Empty{}); err == nil {
		w.mu.Lock()
		w.frames(res.FrameTree)
		w.mu.Unlock()
	}
	_, err := cdp.Call(ctx, s, webmcp.Enable, cdp.Empty{})
	if e, ok := devtools.AsMethodError(err); ok && !child {
		return protocol.NewError(protocol.CodeRefused, "this browser does not support tools of pages (WebMCP.enable: "+e.Message+")",
			"it needs Chromium 150 or newer, started by Pilotfish: --enable-features=WebMCP")
	}
	if child {
		return nil
	}
	return err
}

func (w *pageTools) frames(t *cdppage.FrameTree) {
	if t == nil || t.Frame == nil {
		return
	}
	w.origins[t.Frame.ID] = page.OriginOf(t.Frame.URL)
	for _, c := range t.ChildFrames {
		w.frames(c)
	}
}

func (w *pageTools) End(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, webmcp.Disable, cdp.Empty{})
}

// toolsKept limits how many tools of a page are kept, because a page could offer
// any number.
const toolsKept = 500

func (w *pageTools) Event(_ context.Context, s *devtools.Session, e devtools.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Method {
	case webmcp.ToolsAdded.Method:
		v, ok := devtools.Decode(e, webmcp.ToolsAdded)
		if !ok {
			return
		}
		for _, t := range v.Tools {
			if t == nil || len(w.tools) >= toolsKept {
				continue
			}
			tool := protocol.PageTool{Name: t.Name, Description: t.Description, Schema: string(t.InputSchema), Frame: string(t.FrameID), Origin: w.origins[t.FrameID]}
			if t.Annotations != nil {
				tool.ReadOnly, tool.Consequential = t.Annotations.ReadOnly, t.Annotations.Consequential
			}
			w.tools[toolKey{s, t.FrameID, t.Name}] = tool
		}
	case webmcp.ToolsRemoved.Method:
		if v, ok := devtools.Decode(e, webmcp.ToolsRemoved); ok {
			for _, t := range v.Tools {
				if t != nil {
					delete(w.tools, toolKey{s, t.FrameID, t.Name})
				}
			}
		}
	case webmcp.ToolResponded.Method:
		if v, ok := devtools.Decode(e, webmcp.ToolResponded); ok {
			if c := w.waiting[v.InvocationID]; c != nil {
				c <- v // buffered for its one response
				delete(w.waiting, v.InvocationID)
			} else if len(w.early) < toolsKept {
				w.early[v.InvocationID] = v
			}
		}
	case cdppage.FrameNavigated.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame != nil {
			w.origins[v.Frame.ID] = page.OriginOf(v.Frame.URL)
			if v.Frame.ParentID == "" { // the tools of a document end with it
				for key := range w.tools {
					if key.s == s && key.frame == v.Frame.ID {
						delete(w.tools, key)
					}
				}
			}
		}
	}
}

func (o *Observer) pageTools(ctx context.Context, id protocol.TabID) (*pageTools, error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return nil, err
	}
	w, err := watch.Use(ctx, k, featureWebMCP, newPageTools)
	if err != nil {
		return nil, err
	}
	return w, o.tabs.Explain(ctx, id, k.CatchUp(ctx))
}

// PageTools lists the tools that the page of a tab offers (WebMCP).
func (o *Observer) PageTools(ctx context.Context, id protocol.TabID) ([]protocol.PageTool, error) {
	w, err := o.pageTools(ctx, id)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]protocol.PageTool, 0, len(w.tools))
	for _, t := range w.tools {
		out = append(out, t)
	}
	return out, nil
}

// CallPageTool calls a tool of the page of a tab and waits for its answer. A tool of a
// frame is judged by the frame's origin.
func (o *Observer) CallPageTool(ctx context.Context, by protocol.Caller, id protocol.TabID, name string, input json.RawMessage) (protocol.PageToolResult, error) {
	result := protocol.PageToolResult{Tool: name}
	w, err := o.pageTools(ctx, id)
	if err != nil {
		return result, err
	}
	w.mu.Lock()
	var key toolKey
	var names []string
	var refused error
	for k, t := range w.tools {
		names = append(names, t.Name)
		if t.Name != name {
			continue
		}
		if by.Acts != nil {
			if err := by.Acts(t.Origin); err != nil {
				refused = err
				continue
			}
		}
		key, result.Origin = k, t.Origin
	}
	w.mu.Unlock()
	if key.s == nil && refused != nil {
		return result, refused
	}
	if key.s == nil {
		hint := "the page offers none"
		if len(names) > 0 {
			hint = "it offers " + strings.Join(names, ", ")
		}
		return result, protocol.NewError(protocol.CodeBadArgument, "the page in "+string(id)+" offers no tool "+name, hint)
	}
	res, err := cdp.Call(ctx, key.s, webmcp.InvokeTool, webmcp.InvokeToolParams{FrameID: key.frame, ToolName: name, Input: jsonv2.Value(input)})
	if e, ok := devtools.AsMethodError(err); ok {
		return result, protocol.NewError(protocol.CodeBadArgument, "the tool "+name+" was not called: "+e.Message, "", protocol.Try("shows what it takes", "webmcp"))
	}
	if err != nil {
		return result, o.tabs.Explain(ctx, id, err)
	}
	answer := make(chan webmcp.EventToolResponded, 1)
	w.mu.Lock()
	if early, ok := w.early[res.InvocationID]; ok {
		answer <- early
		delete(w.early, res.InvocationID)
	} else {
		w.waiting[res.InvocationID] = answer
	}
	w.mu.Unlock()
	select {
	case v := <-answer:
		result.Status, result.Error = string(v.Status), v.ErrorText
		result.Output = outputText(v.Output)
		return result, nil
	case <-key.s.Done:
		return result, o.tabs.Explain(ctx, id, devtools.ErrSessionEnded)
	case <-ctx.Done():
		w.mu.Lock()
		delete(w.waiting, res.InvocationID)
		w.mu.Unlock()
		_ = devtools.Post(context.WithoutCancel(ctx), key.s, webmcp.CancelInvocation, webmcp.CancelInvocationParams(res))
		return result, protocol.NewError(protocol.CodeTimeout, "the page's tool "+name+" did not answer in time; the call was cancelled", "", protocol.MoreTime())
	}
}

// outputText returns the text of a tool's output: the texts of an MCP result,
// else the JSON.
func outputText(v jsonv2.Value) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	var mcp struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(v, &mcp) == nil && len(mcp.Content) > 0 {
		var parts []string
		for _, c := range mcp.Content {
			if c.Type == "text" {
				parts = append(parts, c.Text)
			}
		}
		if len(parts) == len(mcp.Content) {
			return strings.Join(parts, "\n")
		}
	}
	return string(v)
}
