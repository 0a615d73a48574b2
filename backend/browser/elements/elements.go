// Package elements finds the element that a target means in a page, runs our
// functions on it, and returns its position.
package elements

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Found is the element that a target means, with a session for the caller's own
// use: everything that is enabled on that session ends with it.
type Found struct {
	Session *devtools.Session
	Object  runtime.RemoteObjectID
	Words   string // its description, as in a snapshot
	URL     string // of its document
}

// Node makes the element known to the session's DOM and CSS domains and returns
// its node id there.
func (e *Found) Node(ctx context.Context) (cdp.NodeID, error) {
	depth := int64(0)
	if _, err := cdp.Call(ctx, e.Session, dom.GetDocument, dom.GetDocumentParams{Depth: &depth}); err != nil {
		return 0, err
	}
	res, err := cdp.Call(ctx, e.Session, dom.RequestNode, dom.RequestNodeParams{ObjectID: e.Object})
	return res.NodeID, err
}

// Call runs one of our functions with the element as `this`, and returns its
// result.
func Call[T any](ctx context.Context, e *Found, function string, arguments ...any) (T, error) {
	return CallOn[T](ctx, e.Session, e.Object, function, arguments...)
}

// CallOn runs one of our functions with an object of a session as `this`, and
// returns its result.
func CallOn[T any](ctx context.Context, s *devtools.Session, object runtime.RemoteObjectID, function string, arguments ...any) (T, error) {
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

// InFrame runs one of our functions, `(page, args) => …`, with the page script in
// a frame's world, and decodes its result into into.
func InFrame(ctx context.Context, p *page.Page, f *page.Frame, function string, args, into any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encoding what is asked of the page: %w", err)
	}
	for try := 0; ; try++ {
		s, world, err := p.Ready(ctx, f)
		if err != nil {
			return err
		}
		expression := p.Function(f, function, data)
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

// EachFrame calls do for every frame, the main frame first. A frame that goes
// away meanwhile is skipped.
func EachFrame(p *page.Page, do func(f *page.Frame) error) error {
	for _, f := range p.Frames.All() {
		err := do(f)
		if err != nil && (f.Number == 0 || (!errors.Is(err, page.ErrReplaced) && !errors.Is(err, page.ErrNoFrame) && !errors.Is(err, page.ErrPDF))) {
			return err
		}
	}
	return nil
}

// WhereIs returns the frame and the ref of the element that a target means. It
// looks in the main frame first and then in the others.
func WhereIs(ctx context.Context, p *page.Page, element string) (*page.Frame, string, error) {
	if page.RefScope().MatchString(element) {
		f, ok := p.Frames.Of(element)
		if !ok {
			return nil, "", NoElement(element, "its frame is gone")
		}
		return f, element, nil
	}
	var in *page.Frame
	var ref string
	none := page.Located{Target: element}
	err := EachFrame(p, func(f *page.Frame) error {
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

// NoElement returns the error for a target that has no element, with the reason.
func NoElement(element, why string) error {
	return protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("%.100q was not found: %s", element, why), "", protocol.Try("shows what is there", "snapshot"))
}

// Find returns the element that a target means, on a session for the caller's own
// use. The returned function ends the session.
func Find(ctx context.Context, p *page.Page, element string) (*Found, func(), error) {
	f, ref, err := WhereIs(ctx, p, element)
	if err != nil {
		return nil, nil, err
	}
	var info struct{ Words, URL string }
	if err := InFrame(ctx, p, f, `(page, ref) => { const el = page.element(ref); return { words: el ? page.words(el) : '', url: location.href }; }`, ref, &info); err != nil {
		return nil, nil, err
	}
	shared, world, err := p.Ready(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	s, release, err := p.Beside(ctx, shared.Target)
	if err != nil {
		return nil, nil, err
	}
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("pilotfishPage.element(%q)", ref), UniqueContextID: world,
	})
	if err == nil && (res.Result == nil || res.Result.ObjectID == "") {
		err = NoElement(element, "it is gone from the page")
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return &Found{Session: s, Object: res.Result.ObjectID, Words: info.Words, URL: info.URL}, release, nil
}

// PlaceOf returns the position of a frame's viewport in the page's viewport, in
// CSS pixels.
func PlaceOf(ctx context.Context, p *page.Page, f *page.Frame) (x, y float64, err error) {
	for f.Number != 0 {
		owner, err := page.OwnerOf(ctx, p, f)
		if err != nil {
			return 0, 0, err
		}
		f = p.Frames.ParentOf(f)
		if f == nil {
			return 0, 0, page.ErrNoFrame
		}
		var at struct{ X, Y float64 }
		if err := InFrame(ctx, p, f, `(page, ref) => {
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

// On runs f with the element that a target means in a tab's page.
func On(ctx context.Context, by protocol.Caller, tabs page.Tabs, id protocol.TabID, target string, f func(context.Context, *page.Page, *Found) error) error {
	return tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		e, release, err := Find(ctx, p, target)
		if err != nil {
			return err
		}
		defer release()
		return f(ctx, p, e)
	})
}
