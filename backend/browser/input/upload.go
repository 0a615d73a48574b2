package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// uploading is an action that gives files to a page.
type uploading struct{ *action }

// upload gives files to a file field, or to an element that opens the browser's file
// chooser.
func (a uploading) upload(ctx context.Context) error {
	files := make([]string, 0, len(a.q.Values))
	for _, name := range a.q.Values {
		path, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("finding %s: %w", name, err)
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return protocol.NewError(protocol.CodeBadArgument, "there is no file "+path, "check its path; commas separate several files")
		}
		files = append(files, path)
	}
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "take", map[string]any{"watch": true})
	if err != nil {
		return err
	}
	a.fx.Out.Hit = aimed.Reached.Line
	s, world, err := a.p.Ready(ctx, f)
	if err != nil {
		return err
	}
	var field bool
	if err := a.p.Ask(ctx, f, "isFile", map[string]string{"ref": aimed.Reached.Ref}, &field); err != nil {
		return err
	}
	params := dom.SetFileInputFilesParams{Files: files}
	if field {
		res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
			Expression:      fmt.Sprintf("(() => { const el = pilotfishPage.element(%q); return el.localName === 'label' ? el.control : el; })()", aimed.Reached.Ref),
			UniqueContextID: world,
		})
		if err != nil || res.Result == nil {
			return errors.Join(page.ErrReplaced, err)
		}
		params.ObjectID = res.Result.ObjectID
	} else {
		if err := a.choose(ctx, s); err != nil {
			return err
		}
		params.BackendNodeID = a.fx.Chooser.BackendNodeID
	}
	a.f = f
	return a.fx.Call(ctx, func(ctx context.Context) error {
		_, err := cdp.Call(ctx, s, dom.SetFileInputFiles, params)
		return err
	})
}

// choose clicks an element that opens the browser's file chooser. The chooser is
// intercepted.
func (a uploading) choose(ctx context.Context, s *devtools.Session) error {
	hold := func(on bool) error {
		return devtools.Post(ctx, s, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: on})
	}
	if err := hold(true); err != nil {
		return err
	}
	defer func() { _ = hold(false) }()
	if err := a.click(ctx); err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return err
	}
	if err := a.missed(); err != nil {
		return err
	}
	if err := a.fx.Drain(ctx); err != nil {
		return err
	}
	if a.fx.Chooser == nil {
		return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+" is not a file field and opens no file chooser", "use the file field itself as the target")
	}
	a.guarded, a.asked = false, false
	return a.p.Ask(ctx, a.f, "watch", nil, nil)
}
