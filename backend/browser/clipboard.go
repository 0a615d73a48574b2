package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/protocol"
)

// grantClipboard lets the page's origin reach the clipboard for the length of
// one command; release puts the browser's question back.
func (p *tabPage) grantClipboard(ctx context.Context) (release func(), err error) {
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
