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

// What only the protocol can see of a document: closed shadow roots, and which
// elements listen for the pointer. Whether there are any that the world does not
// know is asked for in the same breath as the look itself: the browser works
// through it in order, and only when something is new is the look taken again.

// maxRevealed bounds how many new listening elements one look hands over.
const maxRevealed = 5000

// domNode is as much of a node as is looked at; what is in a frame is that
// frame's own business.
type domNode struct {
	ID          cdp.BackendNodeID `json:"backendNodeId"`
	Type        string            `json:"shadowRootType"`
	Children    []*domNode        `json:"children"`
	ShadowRoots []*domNode        `json:"shadowRoots"`
}

// Look asks a function of world.js, with everything revealed that it needs.
func (p *Page) Look(ctx context.Context, f *Frame, name string, args, into any) error {
	return untilFresh(func() (bool, error) { return p.lookOnce(ctx, f, name, args, into) })
}

// untilFresh asks once more, a few times at most, while the world that was asked is
// gone, or has learned of closed roots since.
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

func (p *Page) lookOnce(ctx context.Context, f *Frame, name string, args, into any) (again bool, err error) {
	s, world, err := p.Ready(ctx, f)
	if err != nil {
		return false, err
	}
	doc, err := documentOf(ctx, p, f, s, world)
	if err != nil {
		return false, err
	}
	expression, err := p.Expression(ctx, f, name, args)
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
	if q.await(ctx, 0, &listeners) == nil {
		fresh, err = reveal(ctx, p, f, s, world, doc, count.complete(ctx), listeners.Listeners)
		if err != nil {
			return false, p.WorldError(f, world, err)
		}
	}
	var res runtime.EvaluateResult
	err = q.await(ctx, 1, &res)
	if err == nil && fresh {
		return true, nil
	}
	return false, p.Answered(ctx, f, s, world, name, res, err, into)
}

// OpenRoots hands over the closed roots of a document that its world does not know yet.
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
	_, err = reveal(ctx, p, f, s, world, doc, count.complete(ctx), nil)
	return err
}

// documentOf returns a handle of the frame's document in the page's own world:
// asked for the listeners below a handle of another world, Chromium 156 crashes
// the page after a few clicks.
func documentOf(ctx context.Context, p *Page, f *Frame, s *devtools.Session, world string) (runtime.RemoteObjectID, error) {
	p.Frames.mu.Lock()
	doc, in := f.doc, f.docIn
	p.Frames.mu.Unlock()
	if in == world {
		return doc, nil
	}
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", UniqueContextID: world})
	if err != nil {
		return "", p.WorldError(f, world, err)
	}
	if res.Result == nil || res.Result.ObjectID == "" {
		return "", ErrStale
	}
	own, err := ownHandle(ctx, s, res.Result.ObjectID)
	if err != nil {
		return "", err
	}
	p.Frames.mu.Lock()
	f.doc, f.docIn = own, world
	p.Frames.mu.Unlock()
	return own, nil
}

// ownHandle is a handle of the same node in the page's own world; errStale when
// the node went away.
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

// reveal hands over what the world does not know yet; it says whether there was
// anything. The document is described only when it may hold closed roots that
// are not known, or when listeners of several frames have to be told apart.
func reveal(ctx context.Context, p *Page, f *Frame, s *devtools.Session, world string, doc runtime.RemoteObjectID, complete bool, listeners []*domdebugger.EventListener) (bool, error) {
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
	news := false
	for _, l := range listeners {
		if l.BackendNodeID != 0 && pointerEvent(l.Type) {
			listening = append(listening, l.BackendNodeID)
			news = news || !f.known[l.BackendNodeID]
		}
	}
	contextN := f.ContextN
	p.Frames.mu.Unlock()
	framed := len(p.Frames.Children(f)) > 0
	var own map[cdp.BackendNodeID]bool
	if !complete || framed && news {
		var err error
		if own, roots, err = describeDocument(ctx, s, doc, framed); err != nil {
			return false, err
		}
	}
	p.Frames.mu.Lock()
	roots, listening = fresh(roots), fresh(listening) // a root that listens is a root first
	p.Frames.mu.Unlock()
	if own != nil {
		listening = slices.DeleteFunc(listening, func(id cdp.BackendNodeID) bool { return !own[id] })
	}
	if len(listening) > maxRevealed {
		listening = listening[:maxRevealed]
	}
	given, err := give(ctx, s, contextN, "addRoots", roots)
	if err != nil {
		return false, err
	}
	also, err := give(ctx, s, contextN, "addListening", listening)
	return given || also, err
}

// describeDocument lists the closed roots of a document and, where there are any or it
// is framed, its own nodes.
func describeDocument(ctx context.Context, s *devtools.Session, doc runtime.RemoteObjectID, framed bool) (own map[cdp.BackendNodeID]bool, roots []cdp.BackendNodeID, err error) {
	all, yes := int64(-1), true
	var tree struct {
		Node jsonv2.Value `json:"node"`
	}
	params := dom.DescribeNodeParams{ObjectID: doc, Depth: &all, Pierce: &yes}
	if err := s.Call(ctx, dom.DescribeNode.Method, params, &tree); err != nil {
		if _, ok := errors.AsType[*devtools.MethodError](err); ok {
			return nil, nil, nil // the look's own answer says what became of the document
		}
		return nil, nil, err
	}
	if !framed && !bytes.Contains(tree.Node, []byte(`"shadowRootType":"closed"`)) {
		return nil, nil, nil
	}
	var root domNode
	if err := jsonv2.Unmarshal(tree.Node, &root); err != nil {
		return nil, nil, fmt.Errorf("reading the document: %w", err)
	}
	own = make(map[cdp.BackendNodeID]bool)
	return own, root.closed(own, nil), nil
}

func pointerEvent(kind string) bool {
	switch kind {
	case "click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick":
		return true
	}
	return false
}

// closed lists the closed roots below a node, outer ones first, and notes every
// node of this document.
func (n *domNode) closed(own map[cdp.BackendNodeID]bool, out []cdp.BackendNodeID) []cdp.BackendNodeID {
	own[n.ID] = true
	for _, r := range n.ShadowRoots {
		if r.Type == "user-agent" {
			continue
		}
		if r.Type == "closed" {
			out = append(out, r.ID)
		}
		out = r.closed(own, out)
	}
	for _, c := range n.Children {
		out = c.closed(own, out)
	}
	return out
}

// give hands nodes to a function of the page script.
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
		if err := q.await(ctx, i, &res); err != nil {
			if _, ok := errors.AsType[*devtools.MethodError](err); ok {
				continue // gone since
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
	_, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ExecutionContextID: world, Arguments: args,
		FunctionDeclaration: "function (...nodes) { globalThis.pilotfishPage." + method + "(...nodes.filter((node) => node.nodeType !== 9)); }",
	})
	_ = devtools.Post(ctx, s, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: "pilotfish"})
	return true, err
}
