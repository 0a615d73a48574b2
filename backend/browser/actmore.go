package browser

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

// ends are where a drag begins and ends, in the tab's viewport.
func (a *action) ends(ctx context.Context) (from, to page.Point, err error) {
	if m := page.PointTarget().FindStringSubmatch(a.q.To); m != nil {
		if _, err := fmt.Sscan(m[1]+" "+m[2], &to.X, &to.Y); err != nil {
			return from, to, protocol.NewError(protocol.CodeBadArgument, a.q.To+" is not a point", "for example 120,80")
		}
		from, err = a.point(ctx, true)
		return from, to, err
	}
	f, aimed, err := a.p.Aim(ctx, a.q.Target, "drag", map[string]any{"to": a.q.To, "guard": a.pressGuard()})
	if err != nil {
		return from, to, err
	}
	if aimed.To == nil {
		return from, to, errors.New("the page did not say where the drag ends")
	}
	a.f, a.guarded, a.carries, a.fx.out.Hit = f, true, true, aimed.Reached.Line+" to "+aimed.To.Line
	// What one end needs scrolled is scrolled: the other lies in the same frame.
	if to, _, err = a.p.Outward(ctx, f, aimed.To.Point, aimed.To.Line, page.NoGuard); err != nil {
		return from, to, err
	}
	from, a.way, err = a.p.Outward(ctx, f, aimed.Reached.Point, aimed.Reached.Line, a.pressGuard())
	return from, to, err
}

// scroll brings something into view, or scrolls the page or an area.
func (a *action) scroll(ctx context.Context) error {
	f, ref := a.p.Frames.Main(), ""
	a.fx.out.Hit = "the page"
	if a.q.Target != "" {
		name, args := "take", map[string]any{"watch": true, "want": "thing"}
		if a.q.DX == 0 && a.q.DY == 0 {
			name = "aim"
		}
		found, aimed, err := a.p.Aim(ctx, a.q.Target, name, args)
		if err != nil {
			return err
		}
		f, ref = found, aimed.Reached.Ref
		a.fx.out.Hit = aimed.Reached.Line
		if name == "aim" {
			a.f = f
			_, a.way, err = a.p.Outward(ctx, f, aimed.Reached.Point, aimed.Reached.Line, page.NoGuard)
			return err
		}
	} else if err := a.p.Ask(ctx, f, "watch", nil, nil); err != nil {
		return err
	}
	a.f = f
	args := map[string]any{"dx": a.q.DX, "dy": a.q.DY}
	if ref != "" {
		args["ref"] = ref
	}
	var moved *struct {
		X     float64 `json:"x"`
		Y     float64 `json:"y"`
		Above float64 `json:"above"`
		Below float64 `json:"below"`
	}
	if err := a.p.Ask(ctx, f, "scroll", args, &moved); err != nil {
		return err
	}
	if moved == nil {
		return (&page.Resolution{State: "gone", Ref: ref}).Refusal()
	}
	a.fx.out.Moved = &[4]float64{moved.X, moved.Y, moved.Above, moved.Below}
	// The frame that shows it tells the page of it, and what came into view.
	a.after["frames"] = 1
	return nil
}

// upload gives files to a file field, or to what opens the browser's chooser.
func (a *action) upload(ctx context.Context) error {
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
	f, aimed, err := a.p.Aim(ctx, a.q.Target, "take", map[string]any{"watch": true})
	if err != nil {
		return err
	}
	a.fx.out.Hit = aimed.Reached.Line
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
		params.BackendNodeID = a.fx.chooser.BackendNodeID
	}
	a.f = f
	return a.fx.call(ctx, func(ctx context.Context) error {
		_, err := cdp.Call(ctx, s, dom.SetFileInputFiles, params)
		return err
	})
}

// choose clicks what opens the browser's file chooser, which is held back.
func (a *action) choose(ctx context.Context, s *devtools.Session) error {
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
	if err := a.fx.drain(ctx); err != nil {
		return err
	}
	if a.fx.chooser == nil {
		return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.out.Hit)+" is not a file field and opens no file chooser", "use the file field itself as the target")
	}
	a.guarded, a.asked = false, false
	return a.p.Ask(ctx, a.f, "watch", nil, nil)
}
