package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Evaluate runs an expression in a tab's page, in the page's own world and with
// its rights, and waits for a promise. What throws is CodeScript with the
// script's own words.
func (in *Inspector) Evaluate(ctx context.Context, id protocol.TabID, expression string) (protocol.Evaluated, error) {
	var out protocol.Evaluated
	err := in.tabs.OnTab(ctx, id, true, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		out.URL = info.URL
		yes := true
		res, err := cdp.Call(ctx, p.Session, runtime.Evaluate, runtime.EvaluateParams{
			Expression: expression, AwaitPromise: &yes, UserGesture: &yes, ReplMode: &yes, ObjectGroup: evalGroup,
		})
		if err != nil {
			return err
		}
		defer func() {
			_ = devtools.Post(context.WithoutCancel(ctx), p.Session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: evalGroup})
		}()
		result, fault := res.Result, res.ExceptionDetails
		// What is written as in a console is awaited by its own words only; one that
		// comes to a promise means what that comes to.
		if fault == nil && result != nil && result.Subtype == runtime.RemoteObjectSubtypePromise {
			kept, err := cdp.Call(ctx, p.Session, runtime.AwaitPromise, runtime.AwaitPromiseParams{PromiseObjectID: result.ObjectID})
			if err != nil {
				return err
			}
			result, fault = kept.Result, kept.ExceptionDetails
		}
		if fault != nil {
			return thrown(fault)
		}
		return describe(ctx, p, result, &out)
	})
	return out, err
}

// evalGroup names what an evaluation keeps alive in the page until it is read.
const evalGroup = "pilotfish.eval"

// thrown says what a script threw.
func thrown(d *runtime.ExceptionDetails) error {
	text := d.Text
	if d.Exception != nil {
		switch {
		case d.Exception.Description != "":
			text = d.Exception.Description
		case len(d.Exception.Value) > 0:
			text += " " + string(d.Exception.Value)
		}
	}
	text, _, _ = strings.Cut(text, "\n    at ")
	return protocol.NewError(protocol.CodeScript, "the script threw: "+text, "")
}

// describe reads a value: as JSON where that says all of it, else in words.
func describe(ctx context.Context, p *page.Page, o *runtime.RemoteObject, out *protocol.Evaluated) error {
	if o == nil {
		return errors.New("the script came to nothing")
	}
	out.Type = string(o.Type)
	if o.Subtype != "" {
		out.Type = string(o.Subtype)
	}
	switch {
	case o.UnserializableValue != "":
		out.Words = string(o.UnserializableValue)
	case o.ObjectID == "":
		out.Value = json.RawMessage(o.Value)
		if len(out.Value) == 0 {
			out.Words = out.Type // undefined
		}
	case o.Type == "function" || o.Type == "symbol" || o.Subtype == "node" || o.Subtype == "error":
		out.Words = o.Description
	default:
		yes := true
		res, err := cdp.Call(ctx, p.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			ObjectID: o.ObjectID, ReturnByValue: &yes, FunctionDeclaration: `function () {
				const plain = (v) => v instanceof Map ? Object.fromEntries(v) : v instanceof Set ? [...v] : typeof v === 'bigint' ? String(v) + 'n' : v;
				try { return JSON.stringify(plain(this), (_, v) => plain(v)); } catch { return undefined; }
			}`,
		})
		if err != nil {
			return err
		}
		out.Words = o.Description
		var text string
		if res.Result != nil && json.Unmarshal(res.Result.Value, &text) == nil && text != "" {
			out.Value, out.Words = json.RawMessage(text), ""
		}
	}
	return nil
}
