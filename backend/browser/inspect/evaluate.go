package inspect

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Evaluate evaluates an expression in a tab's page, in the page's own world and with
// the page's rights, and awaits a promise. For an exception it returns CodeScript
// with the script's message.
func (in *Inspector) Evaluate(ctx context.Context, by protocol.Caller, id protocol.TabID, expression string) (protocol.Evaluated, error) {
	var out protocol.Evaluated
	err := in.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		leaving, err := evaluate(ctx, p, expression, &out)
		if in.open.AwaitClosed(ctx, id, p.Done, leaving.Wait(ctx, p)) {
			out.Closed, err = id, nil
		}
		return err
	})
	return out, err
}

// evaluate is Evaluate in a page, and asks whether the page is about to close.
func evaluate(ctx context.Context, p *page.Page, expression string, out *protocol.Evaluated) (page.Leaving, error) {
	var leaving page.Leaving
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return leaving, err
	}
	out.URL = info.URL
	guarded, mark := expression, ""
	if page.Judged(p) {
		guarded, mark = onlyOn(info.URL, expression)
	}
	yes := true
	q := page.NewCalls(p.Session)
	err := q.Send(ctx, runtime.Evaluate.Method, runtime.EvaluateParams{
		Expression: guarded, AwaitPromise: &yes, UserGesture: &yes, ReplMode: &yes, ObjectGroup: evalGroup,
	})
	if err != nil {
		return leaving, err
	}
	answer := page.AskLeaving(ctx, p)
	var res runtime.EvaluateResult
	if err := q.Await(ctx, 0, &res); err != nil {
		return leaving, err
	}
	defer func() {
		_ = devtools.Post(context.WithoutCancel(ctx), p.Session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: evalGroup})
	}()
	result, fault := res.Result, res.ExceptionDetails
	// In REPL mode the browser awaits only where the expression itself says
	// await. If the result is a promise, the caller means its value, so await it
	// here.
	if fault == nil && result != nil && result.Subtype == runtime.RemoteObjectSubtypePromise {
		kept, err := cdp.Call(ctx, p.Session, runtime.AwaitPromise, runtime.AwaitPromiseParams{PromiseObjectID: result.ObjectID})
		if err != nil {
			return leaving, err
		}
		result, fault = kept.Result, kept.ExceptionDetails
		answer = page.AskLeaving(ctx, p)
	}
	leaving = answer(ctx)
	switch {
	case fault != nil && mark != "" && fault.Exception != nil && string(fault.Exception.Value) == mark:
		if err := page.MayAct(ctx, p); err != nil {
			return leaving, err
		}
		return leaving, page.ErrReplaced // by a page that the caller is not allowed on, and that is gone again
	case fault != nil:
		return leaving, thrown(fault)
	}
	return leaving, describe(ctx, p, result, out)
}

// onlyOn is an expression that throws mark, and does nothing, on a page of another
// origin than that of an address: the tab may go elsewhere while the expression is on
// its way. No page can hide its location from it. A page without an origin has none to
// compare.
func onlyOn(address, expression string) (guarded, mark string) {
	origin := page.OriginOf(address)
	if origin == "" {
		return expression, ""
	}
	mark = strconv.Quote(rand.Text())
	return fmt.Sprintf("if (location.origin !== %q) throw %s; %s", origin, mark, expression), mark
}

// evalGroup names what an evaluation keeps alive in the page until it is read.
const evalGroup = "pilotfish.eval"

// thrown converts the exception of a script to an error.
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

// describe converts a value: to JSON where that is complete, else to text.
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
