package sitedata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// grantClipboard lets the page's origin reach the clipboard for the length of
// one command; release puts the browser's question back.
func grantClipboard(ctx context.Context, p *page.Page) (release func(), err error) {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return nil, err
	}
	u, err := url.Parse(info.URL)
	if err != nil || u.Host == "" {
		return nil, protocol.NewError(protocol.CodeNotActable, "this page may not use the clipboard", "open an https page first")
	}
	origin := u.Scheme + "://" + u.Host
	set := func(ctx context.Context, s browser.PermissionSetting) error {
		var errs error
		for _, name := range []string{"clipboard-read", "clipboard-write"} {
			_, err := cdp.Call(ctx, p.Conn.Root, browser.SetPermission, browser.SetPermissionParams{
				Permission: &browser.PermissionDescriptor{Name: name}, Setting: s, Origin: origin,
			})
			errs = errors.Join(errs, err)
		}
		return errs
	}
	if err := set(ctx, browser.PermissionSettingGranted); err != nil {
		return nil, fmt.Errorf("opening the clipboard to the page: %w", err)
	}
	return func() { _ = set(context.WithoutCancel(ctx), browser.PermissionSettingPrompt) }, nil
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

// Clipboard writes text to the clipboard when text is given, and otherwise
// reads it. It is the machine's own clipboard where there is a display.
func (d *Sites) Clipboard(ctx context.Context, id protocol.TabID, text *string) (string, error) {
	var out string
	err := d.tabs.OnPage(ctx, id, func(ctx context.Context, p *page.Page) error {
		expression := "navigator.clipboard.readText()"
		if text != nil {
			quoted, err := json.Marshal(*text) // Go's own quotes are not the page's
			if err != nil {
				return fmt.Errorf("encoding the text for the clipboard: %w", err)
			}
			expression = fmt.Sprintf("navigator.clipboard.writeText(%s).then(() => '')", quoted)
		}
		release, err := grantClipboard(ctx, p)
		if err != nil {
			return err
		}
		defer release()
		s, world, err := p.Ready(ctx, p.Frames.Main())
		if err != nil {
			return err
		}
		params := page.EvaluateParams(expression, world)
		yes := true
		params.UserGesture = &yes
		res, err := cdp.Call(ctx, s, runtime.Evaluate, params)
		if err != nil {
			return p.WorldError(p.Frames.Main(), world, err)
		}
		if res.ExceptionDetails != nil {
			return protocol.NewError(protocol.CodeNotActable, "the browser does not let this page use the clipboard", "it works on https pages and on localhost")
		}
		return decodeString(res, &out)
	})
	return out, err
}
