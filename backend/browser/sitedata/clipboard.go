package sitedata

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// The permissions that the clipboard needs, by operation.
const (
	clipboardRead  = "clipboard-read"
	clipboardWrite = "clipboard-write"
)

// grantClipboard grants the page's origin one clipboard permission for the
// duration of one command; release restores the previous setting. ask evaluates
// an expression in the page that returns a text.
func grantClipboard(ctx context.Context, p *page.Page, name string, ask func(expression string) (string, error)) (release func(), err error) {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return nil, err
	}
	u, err := url.Parse(info.URL)
	if err != nil || u.Host == "" {
		return nil, protocol.NewError(protocol.CodeNotActable, "this page may not use the clipboard", "open an https page first")
	}
	before, err := ask(fmt.Sprintf("navigator.permissions.query({ name: %q }).then(({ state }) => state)", name))
	if err != nil {
		return nil, err
	}
	origin, root := u.Scheme+"://"+u.Host, p.Conn.Root
	if err := setPermission(ctx, root, origin, name, string(browser.PermissionSettingGranted)); err != nil {
		return nil, fmt.Errorf("opening the clipboard to the page: %w", err)
	}
	return func() { _ = setPermission(context.WithoutCancel(ctx), root, origin, name, before) }, nil
}

func decodeString(res runtime.EvaluateResult, out *string) error {
	if res.Result == nil || len(res.Result.Value) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(res.Result.Value, out); err != nil {
		return fmt.Errorf("reading a text of the page: %w", err)
	}
	return nil
}

// Clipboard writes text to the clipboard when text is not nil, and reads the
// clipboard otherwise. Where there is a display, it is the machine's own
// clipboard.
func (d *Sites) Clipboard(ctx context.Context, by protocol.Caller, id protocol.TabID, text *string) (string, error) {
	var out string
	err := d.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		expression, name := "navigator.clipboard.readText()", clipboardRead
		if text != nil {
			quoted, err := json.Marshal(*text) // Go's quoting differs from JavaScript's
			if err != nil {
				return fmt.Errorf("encoding the text for the clipboard: %w", err)
			}
			expression, name = fmt.Sprintf("navigator.clipboard.writeText(%s).then(() => '')", quoted), clipboardWrite
		}
		s, world, err := p.Ready(ctx, p.Frames.Main())
		if err != nil {
			return err
		}
		ask := func(expression string) (answer string, err error) {
			params := page.EvaluateParams(expression, world)
			yes := true
			params.UserGesture = &yes
			res, err := cdp.Call(ctx, s, runtime.Evaluate, params)
			if err != nil {
				return "", p.WorldError(p.Frames.Main(), world, err)
			}
			if res.ExceptionDetails != nil {
				return "", protocol.NewError(protocol.CodeNotActable, "the browser does not let this page use the clipboard", "it works on https pages and on localhost")
			}
			err = decodeString(res, &answer)
			return answer, err
		}
		release, err := grantClipboard(ctx, p, name, ask)
		if err != nil {
			return err
		}
		defer release()
		out, err = ask(expression)
		return err
	})
	return out, err
}
