package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
)

// Some facts about a document are visible only through the protocol: closed
// shadow roots, and which elements have pointer listeners. Each snapshot sends
// the requests for these facts together with its own call, without waiting in
// between; the browser answers them in order. The call is repeated only when the
// answers contain something that the world does not know yet.

// maxListening limits how many new listening elements one call passes to the
// world.
const maxListening = 5000

// domNode holds the parts of a node that are used. The nodes inside a frame's
// element are left to that frame.
type domNode struct {
	ID          cdp.BackendNodeID `json:"backendNodeId"`
	Type        string            `json:"shadowRootType"`
	Children    []*domNode        `json:"children"`
	ChildCount  int               `json:"childNodeCount"`
	ShadowRoots []*domNode        `json:"shadowRoots"`
}

// AskWithRoots calls a function of world.js after the world has received the closed
// shadow roots and listening elements that it needs.
func (p *Page) AskWithRoots(ctx context.Context, f *Frame, name string, args, into any) error {
	return untilFresh(func() (bool, error) { return p.snapshotOnce(ctx, f, name, args, into) })
}

// untilFresh repeats a call, at most three times, while the world that it used is
// gone or has received new closed roots since.
func untilFresh(once func() (again bool, err error)) error {
	for try := 0; ; try++ {
		again, err := once()
		switch {
		case errors.Is(err, ErrStale) && try < 3, err == nil && again && try < 3:
			continue
		case errors.Is(err, ErrStale):
			return ErrReplaced
		}
		return err
	}
}

func (p *Page) snapshotOnce(ctx context.Context, f *Frame, name string, args, into any) (again bool, err error) {
	s, world, err := p.Ready(ctx, f)
	if err != nil {
		return false, err
	}
	doc, err := documentOf(ctx, p, f, s, world)
	if err != nil {
		return false, err
	}
	expression, err := p.Expression(f, name, args)
	if err != nil {
		return false, err
	}
	all, yes := int64(-1), true
	count, err := takeCensus(ctx, p, f, s)
	if err != nil {
		return false, p.WorldError(f, world, err)
	}
	q := &Calls{s: s}
	err = errors.Join(
		q.Send(ctx, domdebugger.GetEventListeners.Method, domdebugger.GetEventListenersParams{ObjectID: doc, Depth: &all, Pierce: &yes}),
		q.Send(ctx, runtime.Evaluate.Method, EvaluateParams(expression, world)),
	)
	if err != nil {
		return false, p.WorldError(f, world, err)
	}
	var listeners domdebugger.GetEventListenersResult
	var fresh bool
	if q.Await(ctx, 0, &listeners) == nil {
		fresh, err = passShadowRoots(ctx, p, f, s, world, doc, count.complete(ctx), listeners.Listeners)
		if err != nil {
			return false, p.WorldError(f, world, err)
		}
	}
	var res runtime.EvaluateResult
	err = q.Await(ctx, 1, &res)
	if err == nil && fresh {
		return true, nil
	}
	return false, p.Answered(ctx, f, s, world, name, res, err, into)
}

// OpenRoots passes the closed shadow roots of a document to its world, as far as
// the world does not know them yet.
func OpenRoots(ctx context.Context, p *Page, f *Frame) error {
	s, world, err := p.Ready(ctx, f)
	if err != nil {
		return err
	}
	doc, err := documentOf(ctx, p, f, s, world)
	if err != nil {
		return err
	}
	count, err := takeCensus(ctx, p, f, s)
	if err != nil {
		return err
	}
	_, err = passShadowRoots(ctx, p, f, s, world, doc, count.complete(ctx), nil)
	return err
}

// documentOf returns a handle of the frame's document in the page's own world.
// When Chromium 156 is asked for the listeners below a handle of another world,
// it crashes the page after a few clicks.
func documentOf(ctx context.Context, p *Page, f *Frame, s *devtools.Session, world string) (runtime.RemoteObjectID, error) {
	p.Frames.mu.Lock()
	doc, in, root := f.doc, f.docIn, f.isOwn(s)
	p.Frames.mu.Unlock()
	if in == world {
		return doc, nil
	}
	ask := runtime.EvaluateParams{Expression: "document"}
	if !root { // else it is the frame that a session means by itself
		ask.UniqueContextID = world
	}
	res, err := cdp.Call(ctx, s, runtime.Evaluate, ask)
	if err != nil {
		return "", p.WorldError(f, world, err)
	}
	if res.Result == nil || res.Result.ObjectID == "" {
		return "", ErrStale
	}
	own := res.Result.ObjectID
	if !root {
		if own, err = ownHandle(ctx, s, own); err != nil {
			return "", err
		}
	}
	p.Frames.mu.Lock()
	f.doc, f.docIn = own, world
	p.Frames.mu.Unlock()
	return own, nil
}

// ownHandle returns a handle of the same node in the page's own world; ErrStale
// when the node is gone.
func ownHandle(ctx context.Context, s *devtools.Session, handle runtime.RemoteObjectID) (runtime.RemoteObjectID, error) {
	var res dom.ResolveNodeResult
	node, err := cdp.Call(ctx, s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle})
	if err == nil && node.Node != nil {
		res, err = cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID})
	}
	if _, ok := errors.AsType[*devtools.MethodError](err); err != nil && !ok {
		return "", err
	}
	if err != nil || res.Object == nil || res.Object.ObjectID == "" {
		return "", ErrStale
	}
	return res.Object.ObjectID, nil
}

// reveal passes nodes to the world that it does not know yet, and reports whether
// there were any. It asks for a description of the document only when the
// document may have unknown closed roots, or when the listeners of several frames
// must be distinguished.
func passShadowRoots(ctx context.Context, p *Page, f *Frame, s *devtools.Session, world string, doc runtime.RemoteObjectID, complete bool, listeners []*domdebugger.EventListener) (bool, error) {
	p.Frames.mu.Lock()
	if f.knownIn != world {
		f.known, f.knownIn = make(map[cdp.BackendNodeID]bool), world
	}
	fresh := func(ids []cdp.BackendNodeID) []cdp.BackendNodeID {
		return slices.DeleteFunc(ids, func(id cdp.BackendNodeID) bool {
			known := f.known[id]
			f.known[id] = true
			return known
		})
	}
	var listening, roots []cdp.BackendNodeID
	unknown := false
	for _, l := range listeners {
		if l.BackendNodeID != 0 && pointerEvent(l.Type) {
			listening = append(listening, l.BackendNodeID)
			unknown = unknown || !f.known[l.BackendNodeID]
		}
	}
	contextN := f.ContextN
	p.Frames.mu.Unlock()
	framed := len(p.Frames.Children(f)) > 0
	var own map[cdp.BackendNodeID]bool
	if !complete || framed && unknown {
		var err error
		if own, roots, err = describeDocument(ctx, s, doc, framed); err != nil {
			return false, err
		}
	}
	p.Frames.mu.Lock()
	roots, listening = fresh(roots), fresh(listening) // a listening shadow root counts as a root
	p.Frames.mu.Unlock()
	if own != nil {
		listening = slices.DeleteFunc(listening, func(id cdp.BackendNodeID) bool { return !own[id] })
	}
	if len(listening) > maxListening {
		listening = listening[:maxListening]
	}
	given, err := give(ctx, s, contextN, "addRoots", roots)
	if err != nil {
		return false, err
	}
	also, err := give(ctx, s, contextN, "addListening", listening)
	return given || also, err
}

// describeDocument returns the closed roots of a document and the nodes of the
// document itself. It returns neither when there are no closed roots, unless
// framed is set.
func describeDocument(ctx context.Context, s *devtools.Session, doc runtime.RemoteObjectID, framed bool) (own map[cdp.BackendNodeID]bool, roots []cdp.BackendNodeID, err error) {
	tree, err := describe(ctx, s, dom.DescribeNodeParams{ObjectID: doc}, -1)
	if _, ok := errors.AsType[*devtools.MethodError](err); ok {
		return describeParts(ctx, s, doc)
	}
	if err != nil {
		return nil, nil, err
	}
	if !framed && !bytes.Contains(tree, []byte(`"shadowRootType":"closed"`)) {
		return nil, nil, nil
	}
	var root domNode
	if err := jsonv2.Unmarshal(tree, &root); err != nil {
		return nil, nil, fmt.Errorf("reading the document: %w", err)
	}
	own = make(map[cdp.BackendNodeID]bool)
	roots, _ = root.closed(own, nil, nil)
	return own, roots, nil
}

// describe returns the description of a node with so many levels in it, -1 for all.
func describe(ctx context.Context, s *devtools.Session, params dom.DescribeNodeParams, depth int64) (jsonv2.Value, error) {
	yes := true
	params.Depth, params.Pierce = &depth, &yes
	var tree struct {
		Node jsonv2.Value `json:"node"`
	}
	err := s.Call(ctx, dom.DescribeNode.Method, params, &tree)
	return tree.Node, err
}

// partLevels is how many levels of a document are described at once. Chromium 156
// cannot send more than about 140.
const partLevels = 100

// describeParts is describeDocument for a document that has more levels than one
// answer can have.
func describeParts(ctx context.Context, s *devtools.Session, doc runtime.RemoteObjectID) (own map[cdp.BackendNodeID]bool, roots []cdp.BackendNodeID, err error) {
	own = make(map[cdp.BackendNodeID]bool)
	parts := []dom.DescribeNodeParams{{ObjectID: doc}}
	for len(parts) > 0 {
		tree, err := describe(ctx, s, parts[0], partLevels)
		parts = parts[1:]
		if _, ok := errors.AsType[*devtools.MethodError](err); ok {
			continue // the node is gone; the call itself says what happened to the document
		}
		if err != nil {
			return nil, nil, err
		}
		var node domNode
		if err := jsonv2.Unmarshal(tree, &node); err != nil {
			return nil, nil, fmt.Errorf("reading a part of the document: %w", err)
		}
		var cut []cdp.BackendNodeID
		roots, cut = node.closed(own, roots, nil)
		for _, id := range cut {
			if id != node.ID {
				parts = append(parts, dom.DescribeNodeParams{BackendNodeID: id})
			}
		}
	}
	return own, roots, nil
}

func pointerEvent(kind string) bool {
	switch kind {
	case "click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick":
		return true
	}
	return false
}

// closed adds the closed roots below a node to roots, outer ones first, the nodes whose
// content was left out to cut, and every node of this document to own.
func (n *domNode) closed(own map[cdp.BackendNodeID]bool, roots, cut []cdp.BackendNodeID) (allRoots, allCut []cdp.BackendNodeID) {
	own[n.ID] = true
	if n.ChildCount > 0 && len(n.Children) == 0 {
		cut = append(cut, n.ID)
	}
	for _, r := range n.ShadowRoots {
		if r.Type == "user-agent" {
			continue
		}
		if r.Type == "closed" && !own[r.ID] {
			roots = append(roots, r.ID)
		}
		roots, cut = r.closed(own, roots, cut)
	}
	for _, c := range n.Children {
		roots, cut = c.closed(own, roots, cut)
	}
	return roots, cut
}

// give passes nodes to a function of the page script.
func give(ctx context.Context, s *devtools.Session, world runtime.ExecutionContextID, method string, nodes []cdp.BackendNodeID) (bool, error) {
	if len(nodes) == 0 {
		return false, nil
	}
	q := &Calls{s: s}
	for _, id := range nodes {
		if err := q.Send(ctx, dom.ResolveNode.Method, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: world, ObjectGroup: "pilotfish"}); err != nil {
			return false, err
		}
	}
	var args []*runtime.CallArgument
	for i := range nodes {
		var res dom.ResolveNodeResult
		if err := q.Await(ctx, i, &res); err != nil {
			if _, ok := errors.AsType[*devtools.MethodError](err); ok {
				continue // the node is gone since
			}
			return false, err
		}
		if res.Object != nil {
			args = append(args, &runtime.CallArgument{ObjectID: res.Object.ObjectID})
		}
	}
	if len(args) == 0 {
		return false, nil
	}
	// It can fail only with the world, and then what is asked of that next fails, too.
	err := devtools.Post(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ExecutionContextID: world, Arguments: args,
		FunctionDeclaration: "function (...nodes) { globalThis.pilotfishPage." + method + "(...nodes.filter((node) => node.nodeType !== 9)); }",
	})
	_ = devtools.Post(ctx, s, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: "pilotfish"})
	return true, err
}
