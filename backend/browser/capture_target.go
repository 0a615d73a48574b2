package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// found is an element that a target led to, on a session that is its caller's
// alone: what is switched on there ends with it.
type found struct {
	s      *devtools.Session
	object runtime.RemoteObjectID
	words  string
	url    string
}

// node makes the element known to the session's DOM and CSS domains.
func (e *found) node(ctx context.Context) (cdp.NodeID, error) {
	depth := int64(0)
	if _, err := cdp.Call(ctx, e.s, dom.GetDocument, dom.GetDocumentParams{Depth: &depth}); err != nil {
		return 0, err
	}
	res, err := cdp.Call(ctx, e.s, dom.RequestNode, dom.RequestNodeParams{ObjectID: e.object})
	return res.NodeID, err
}

// call runs a function of ours with the element as `this`.
func call[T any](ctx context.Context, e *found, function string, arguments ...any) (T, error) {
	return callOn[T](ctx, e.s, e.object, function, arguments...)
}

func callOn[T any](ctx context.Context, s *devtools.Session, object runtime.RemoteObjectID, function string, arguments ...any) (T, error) {
	var zero T
	yes := true
	params := runtime.CallFunctionOnParams{ObjectID: object, FunctionDeclaration: function, ReturnByValue: &yes, AwaitPromise: &yes}
	for _, a := range arguments {
		encoded, err := json.Marshal(a)
		if err != nil {
			return zero, fmt.Errorf("encoding an argument: %w", err)
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: encoded})
	}
	res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, params)
	if err != nil {
		return zero, err
	}
	if res.ExceptionDetails != nil {
		if res.ExceptionDetails.Exception != nil {
			return zero, errors.New(res.ExceptionDetails.Exception.Description)
		}
		return zero, errors.New(res.ExceptionDetails.Text)
	}
	if res.Result == nil || len(res.Result.Value) == 0 {
		return zero, nil
	}
	var v T
	if err := json.Unmarshal(res.Result.Value, &v); err != nil {
		return zero, fmt.Errorf("decoding the value: %w", err)
	}
	return v, nil
}

// own opens a session with a target beside the one that everybody uses.
func (r *run) own(ctx context.Context, id target.ID) (s *devtools.Session, release func(), err error) {
	s, err = r.conn.Attach(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return s, func() {
		_ = devtools.Post(context.WithoutCancel(ctx), r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	}, nil
}

// inFrame runs a function of ours, `(page, args) => …`, with the page script in
// a frame's world and reads what it answers.
func (p *tabPage) inFrame(ctx context.Context, f *page.Frame, function string, args, into any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encoding what is asked of the page: %w", err)
	}
	for try := 0; ; try++ {
		s, world, err := p.Ready(ctx, f)
		if err != nil {
			return err
		}
		expression := p.Function(ctx, f, function, data)
		res, err := cdp.Call(ctx, s, runtime.Evaluate, page.EvaluateParams(expression, world))
		err = p.Answered(ctx, f, s, world, "a part of it", res, err, into)
		if !errors.Is(err, page.ErrStale) {
			return err
		}
		if try == 3 {
			return page.ErrReplaced
		}
	}
}

// eachFrame runs f for every frame, the page's own first. A frame that goes
// away meanwhile is left out.
func (p *tabPage) eachFrame(do func(f *page.Frame) error) error {
	for _, f := range p.Frames.All() {
		err := do(f)
		if err != nil && (f.Number == 0 || (!errors.Is(err, page.ErrReplaced) && !errors.Is(err, page.ErrNoFrame))) {
			return err
		}
	}
	return nil
}

// whereIs finds the frame and the ref of what a target means: in the page
// itself or, where that has none, in one of its frames.
func (p *tabPage) whereIs(ctx context.Context, element string) (*page.Frame, string, error) {
	if page.RefScope().MatchString(element) {
		f, ok := p.Frames.Of(element)
		if !ok {
			return nil, "", noElement(element, "its frame is gone")
		}
		return f, element, nil
	}
	var in *page.Frame
	var ref string
	none := page.Located{Target: element}
	err := p.eachFrame(func(f *page.Frame) error {
		if in != nil {
			return nil
		}
		var l page.Located
		if err := p.Ask(ctx, f, "locate", map[string]string{"target": element}, &l); err != nil {
			return err
		}
		switch l.State {
		case "one":
			in, ref = f, l.Ref
		case "many", "bad":
			return l.Refusal()
		}
		none.Near = append(none.Near, l.Near...)
		return nil
	})
	if err == nil && in == nil {
		err = none.Refusal()
	}
	return in, ref, err
}

func noElement(element, why string) error {
	return protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("%.100q was not found: %s", element, why), "", protocol.Try("shows what is there", "snapshot"))
}

// find leads a target to its element, on a session of the caller's own.
func (p *tabPage) find(ctx context.Context, element string) (*found, func(), error) {
	f, ref, err := p.whereIs(ctx, element)
	if err != nil {
		return nil, nil, err
	}
	var info struct{ Words, URL string }
	if err := p.inFrame(ctx, f, `(page, ref) => { const el = page.element(ref); return { words: el ? page.words(el) : '', url: location.href }; }`, ref, &info); err != nil {
		return nil, nil, err
	}
	shared, world, err := p.Ready(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	s, release, err := p.r.own(ctx, shared.Target)
	if err != nil {
		return nil, nil, err
	}
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("pilotfishPage.element(%q)", ref), UniqueContextID: world,
	})
	if err == nil && (res.Result == nil || res.Result.ObjectID == "") {
		err = noElement(element, "it is gone from the page")
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return &found{s: s, object: res.Result.ObjectID, words: info.Words, url: info.URL}, release, nil
}

// onElement runs f with the element that a target means.
func (b *Browser) onElement(ctx context.Context, id protocol.TabID, element string, f func(context.Context, *tabPage, *found) error) error {
	return b.onPage(ctx, id, func(ctx context.Context, p *tabPage) error {
		e, release, err := p.find(ctx, element)
		if err != nil {
			return err
		}
		defer release()
		return f(ctx, p, e)
	})
}

// placeOf says where a frame's viewport lies in that of the page.
func (p *tabPage) placeOf(ctx context.Context, f *page.Frame) (x, y float64, err error) {
	for f.Number != 0 {
		owner, err := p.OwnerOf(ctx, f)
		if err != nil {
			return 0, 0, err
		}
		f = p.Frames.ParentOf(f)
		if f == nil {
			return 0, 0, page.ErrNoFrame
		}
		var at struct{ X, Y float64 }
		if err := p.inFrame(ctx, f, `(page, ref) => {
			const el = page.element(ref);
			const rect = el.getBoundingClientRect();
			const style = getComputedStyle(el);
			return { x: rect.left + el.clientLeft + parseFloat(style.paddingLeft), y: rect.top + el.clientTop + parseFloat(style.paddingTop) };
		}`, owner, &at); err != nil {
			return 0, 0, err
		}
		x, y = x+at.X, y+at.Y
	}
	return x, y, nil
}
