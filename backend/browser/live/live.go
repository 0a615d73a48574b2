// Package live shows a tab to the user of a control page as it is drawn, and sends the user's
// mouse and keys to it.
package live

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdpinput "github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/input"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// The largest and the smallest limits of a picture in pixels, and its JPEG quality, 1 to 100.
const (
	maxWidth  = 1600
	maxHeight = 1200
	minLimit  = 100
	quality   = 65
)

// menuWait is how long input that would open a context menu, or a chooser of files, waits for
// the page.
const menuWait = 500 * time.Millisecond

// Views shows the tabs of a browser.
type Views struct{ tabs page.Tabs }

// New returns the Views of a browser's tabs: none is shown.
func New(all page.Tabs) *Views { return &Views{tabs: all} }

// View shows a tab until ctx ends. It calls show with each picture, the next one when
// inputs has said that the one before was drawn, and with each change of its dialog, of the list of a select or
// the picker that the user opens, and when it asks for a file. It returns CodeUnknownTab when the tab is
// closed. The pages' own masks are drawn: a field that got a secret shows dots.
func (v *Views) View(ctx context.Context, id protocol.TabID, inputs <-chan protocol.LiveInput, show func(protocol.LiveFrame) error) error {
	w := &view{inputs: inputs, show: show, maxWidth: maxWidth, maxHeight: maxHeight}
	for moved := true; moved; {
		err := v.tabs.Beside(ctx, protocol.Caller{}, id, false, func(ctx context.Context, p *page.Page) (err error) {
			s, release, err := p.Beside(ctx, p.Target)
			if err != nil {
				return err
			}
			defer release()
			moved, err = w.follow(ctx, id, p, s)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// view is one live view.
type view struct {
	inputs <-chan protocol.LiveInput
	show   func(protocol.LiveFrame) error

	seq uint32
	// size is that of the page in CSS pixels, as the last picture has it.
	width, height float64
	// maxWidth and maxHeight are the limits of a picture in pixels.
	maxWidth, maxHeight int64

	state protocol.LiveFrame // without a picture
	here  bool               // the user acts in the view
	lists *lists
	files *choosers
	p     *page.Page

	held map[string]cdpinput.DispatchKeyEventParams // keys that are down, with the events that release them
	down int                                        // mouse buttons that are down, as in LiveInput
	x, y float64                                    // where the mouse was last
}

// follow shows what a session's target draws. moved says that the session has ended: the
// tab was closed, or is shown by another target now.
func (w *view) follow(ctx context.Context, id protocol.TabID, p *page.Page, s *devtools.Session) (moved bool, err error) {
	events := s.Events(cdppage.ScreencastFrame.Method, cdppage.JavascriptDialogOpening.Method, cdppage.JavascriptDialogClosed.Method, cdppage.FileChooserOpened.Method)
	defer events.Cancel()
	err = errors.Join(
		devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{}),
		// A tab in the background draws only with focus emulation.
		devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		w.cast(ctx, s),
	)
	if errors.Is(err, devtools.ErrSessionEnded) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { // also when ctx has ended
		ctx := context.WithoutCancel(ctx)
		w.away(ctx, s)
		_ = devtools.Post(ctx, s, cdppage.StopScreencast, cdp.Empty{})
		_ = devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{})
	}()
	w.held = map[string]cdpinput.DispatchKeyEventParams{}
	// unread are the browser's numbers of the pictures that were shown and not drawn yet,
	// by ours.
	unread := map[uint32]int64{}
	w.p, w.lists, w.files = p, newLists(id, p, s), newChoosers(p)
	listing, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	defer following.Wait()
	defer stop()
	following.Go(func() { w.lists.run(listing) })
	following.Go(func() { w.files.run(listing, id) })
	before := w.state
	w.state = protocol.LiveFrame{}
	if d := p.OpenDialog(); d != nil { // its event was before
		w.state.Dialog = asked(d.DialogInfo)
	}
	if before.Dialog != nil || before.List != nil || before.Picker != nil || before.File || w.state.Dialog != nil {
		if err := w.show(w.state); err != nil {
			return false, err
		}
	}
	for {
		select {
		case e, ok := <-events.C:
			if !ok {
				return true, nil
			}
			shown := w.state
			switch e.Method {
			case cdppage.ScreencastFrame.Method:
				frame, ok := devtools.Decode(e, cdppage.ScreencastFrame)
				if !ok {
					continue
				}
				if m := frame.Metadata; m != nil && m.DeviceWidth > 0 && m.DeviceHeight > 0 {
					w.width, w.height = m.DeviceWidth, m.DeviceHeight
				}
				w.seq++
				unread[w.seq] = frame.SessionID
				shown = protocol.LiveFrame{Seq: w.seq, JPEG: frame.Data}
			case cdppage.JavascriptDialogOpening.Method:
				if opened, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
					shown.Dialog = asked(page.InfoOf(opened))
				}
			case cdppage.JavascriptDialogClosed.Method:
				shown.Dialog = nil
			case cdppage.FileChooserOpened.Method:
				shown.File = true
			}
			if shown.JPEG == nil {
				w.state = shown
			}
			if err := w.show(shown); err != nil {
				return false, err
			}
		case now := <-w.lists.changes:
			w.state.List, w.state.Picker = now.list, now.picker
			if err := w.show(w.state); err != nil {
				return false, err
			}
		case <-w.files.opened:
			w.state.File = true
			if err := w.show(w.state); err != nil {
				return false, err
			}
		case in, ok := <-w.inputs:
			if !ok {
				return false, nil
			}
			if in.Type == protocol.LiveAck {
				number, is := unread[in.Seq]
				delete(unread, in.Seq)
				if !is {
					continue // of the page before
				}
				err = devtools.Post(ctx, s, cdppage.ScreencastFrameAck, cdppage.ScreencastFrameAckParams{SessionID: number})
			} else {
				err = w.input(ctx, s, in)
			}
			if err != nil && !errors.Is(err, devtools.ErrSessionEnded) {
				return false, err
			}
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// cast makes the browser send pictures, as small as the view shows them: most of the time until a
// picture is there goes with its size.
func (w *view) cast(ctx context.Context, s *devtools.Session) error {
	quality := int64(quality)
	return devtools.Post(ctx, s, cdppage.StartScreencast, cdppage.StartScreencastParams{
		Format: cdppage.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: w.maxWidth, MaxHeight: w.maxHeight,
	})
}

func asked(d protocol.DialogInfo) *protocol.LiveDialog {
	return &protocol.LiveDialog{Type: d.Type, Message: d.Message, Default: d.Default}
}

// input sends input of the user. The browser takes it in this order, and is not waited for.
func (w *view) input(ctx context.Context, s *devtools.Session, in protocol.LiveInput) error {
	mods := int64(in.Modifiers & 15)
	if in.Type == protocol.LiveDown || in.Type == protocol.LiveKey {
		if err := w.acts(ctx, s); err != nil {
			return err
		}
	}
	switch in.Type {
	case protocol.LiveMove, protocol.LiveDown, protocol.LiveUp, protocol.LiveWheel:
		return w.mouse(ctx, s, in, mods)
	case protocol.LiveKey:
		down, up, ok := input.UserKey(in.Key, in.Code, mods, in.Repeat)
		if !ok {
			return nil
		}
		w.held[in.Code+" "+up.Key] = up
		switch in.Key {
		case "ContextMenu", "F10":
			return errors.Join(w.noMenu(ctx), devtools.Post(ctx, s, cdpinput.DispatchKeyEvent, down))
		case " ", "Enter", "ArrowDown", "ArrowUp", "F4":
			return w.opens(ctx, s, cdpinput.DispatchKeyEvent.Method, down)
		}
		return devtools.Post(ctx, s, cdpinput.DispatchKeyEvent, down)
	case protocol.LiveKeyUp:
		_, up, ok := input.UserKey(in.Key, in.Code, mods, false)
		if !ok {
			return nil
		}
		for name, one := range w.held { // with Shift, another character may go up than went down
			if one.Code == up.Code {
				delete(w.held, name)
			}
		}
		return devtools.Post(ctx, s, cdpinput.DispatchKeyEvent, up)
	case protocol.LiveText:
		return devtools.Post(ctx, s, cdpinput.InsertText, cdpinput.InsertTextParams{Text: in.Text})
	case protocol.LiveAway:
		w.away(ctx, s)
	case protocol.LiveFit:
		w.maxWidth, w.maxHeight = min(max(int64(in.Width), minLimit), maxWidth), min(max(int64(in.Height), minLimit), maxHeight)
		return errors.Join(devtools.Post(ctx, s, cdppage.StopScreencast, cdp.Empty{}), w.cast(ctx, s))
	case protocol.LivePick, protocol.LiveSet, protocol.LiveShut:
		w.lists.answered(in)
	case protocol.LiveAck:
	}
	return nil
}

// mouse sends input of the mouse.
func (w *view) mouse(ctx context.Context, s *devtools.Session, in protocol.LiveInput, mods int64) error {
	if w.width == 0 || math.IsNaN(in.X) || math.IsNaN(in.Y) {
		return nil // nothing was shown yet
	}
	w.x, w.y = min(max(in.X, 0), 1)*w.width, min(max(in.Y, 0), 1)*w.height
	if in.Type == protocol.LiveWheel {
		return s.Post(ctx, cdpinput.DispatchMouseEvent.Method, wheel{Type: cdpinput.DispatchMouseEventTypeMouseWheel, X: w.x, Y: w.y, DeltaX: in.DX, DeltaY: in.DY, Modifiers: mods})
	}
	q := cdpinput.DispatchMouseEventParams{X: w.x, Y: w.y, Modifiers: mods, Button: cdpinput.MouseButtonNone, Buttons: int64(in.Buttons & 31)}
	switch in.Type {
	case protocol.LiveMove:
		q.Type = cdpinput.DispatchMouseEventTypeMouseMoved
		for i, button := range buttons {
			if in.Buttons&bits[i] != 0 {
				q.Button = button
				break
			}
		}
	default:
		if in.Button < 0 || in.Button >= len(buttons) {
			return nil
		}
		q.Type, q.Button, q.ClickCount = cdpinput.DispatchMouseEventTypeMousePressed, buttons[in.Button], int64(min(max(in.Clicks, 1), 3))
		if in.Type == protocol.LiveDown {
			// A finger does not move before it presses, and a picker opens only under the mouse.
			if err := devtools.Post(ctx, s, cdpinput.DispatchMouseEvent, cdpinput.DispatchMouseEventParams{
				Type: cdpinput.DispatchMouseEventTypeMouseMoved, X: w.x, Y: w.y, Modifiers: mods, Button: cdpinput.MouseButtonNone, Buttons: int64(w.down),
			}); err != nil {
				return err
			}
		}
		w.down |= bits[in.Button]
		if in.Type == protocol.LiveUp {
			q.Type = cdpinput.DispatchMouseEventTypeMouseReleased
			w.down &^= bits[in.Button]
		}
		switch q.Button {
		case cdpinput.MouseButtonRight:
			return errors.Join(w.noMenu(ctx), devtools.Post(ctx, s, cdpinput.DispatchMouseEvent, q))
		case cdpinput.MouseButtonLeft:
			return w.opens(ctx, s, cdpinput.DispatchMouseEvent.Method, q)
		}
	}
	return devtools.Post(ctx, s, cdpinput.DispatchMouseEvent, q)
}

// acts says that the user is about to act: from now on the browser opens no chooser of files,
// which nobody would see. At the browser itself it opens again when the user has left the view.
func (w *view) acts(ctx context.Context, s *devtools.Session) error {
	if w.state.File {
		w.state.File = false
		if err := w.show(w.state); err != nil {
			return err
		}
	}
	if w.here {
		return nil
	}
	w.here = true
	w.files.intercept(ctx, true)
	return devtools.Post(ctx, s, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: true})
}

// away says that the user looks elsewhere.
func (w *view) away(ctx context.Context, s *devtools.Session) {
	w.release(ctx, s)
	w.here = false
	w.files.intercept(ctx, false)
	_ = devtools.Post(ctx, s, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{})
}

// opens sends input that may open the list of a select, or a picker.
func (w *view) opens(ctx context.Context, s *devtools.Session, method string, params any) error {
	q := page.NewCalls(s)
	if err := q.Send(ctx, method, params); err != nil {
		return err
	}
	w.lists.sent(q)
	return nil
}

// noMenu keeps the browser from opening its context menu at the next input: it is a window
// that nobody would see. The page's own menu opens. It waits for the frames, because they may
// get input before a call that was sent earlier; a page that hangs shows no menu either.
func (w *view) noMenu(ctx context.Context) error {
	if !w.p.IsOpen() {
		return nil
	}
	var calls []*page.Calls
	for _, f := range w.p.Frames.All() {
		s, world := w.p.Frames.State(f)
		if world == "" {
			continue
		}
		expression, err := w.p.Expression(f, "unseen", nil)
		if err != nil {
			return err
		}
		q := page.NewCalls(s)
		if q.Send(ctx, runtime.Evaluate.Method, page.EvaluateParams(expression, world)) == nil { // the frame may have gone
			calls = append(calls, q)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, menuWait)
	defer cancel()
	for _, q := range calls {
		_ = q.Await(ctx, 0, nil)
	}
	return nil
}

// wheel is a DispatchMouseEvent of the wheel. The browser wants both deltas, and
// DispatchMouseEventParams leaves out one that is 0.
type wheel struct {
	Type      cdpinput.DispatchMouseEventType `json:"type"`
	X         float64                         `json:"x"`
	Y         float64                         `json:"y"`
	DeltaX    float64                         `json:"deltaX"`
	DeltaY    float64                         `json:"deltaY"`
	Modifiers int64                           `json:"modifiers"`
}

// buttons are the buttons as a MouseEvent numbers them, and bits their bits in its buttons.
var (
	buttons = [...]cdpinput.MouseButton{cdpinput.MouseButtonLeft, cdpinput.MouseButtonMiddle, cdpinput.MouseButtonRight, cdpinput.MouseButtonBack, cdpinput.MouseButtonForward}
	bits    = [...]int{1, 4, 2, 8, 16}
)

// release lets go of every key and button that the user holds down.
func (w *view) release(ctx context.Context, s *devtools.Session) {
	for name, up := range w.held {
		up.Modifiers = 0
		_ = devtools.Post(ctx, s, cdpinput.DispatchKeyEvent, up) // the page may be gone
		delete(w.held, name)
	}
	for i, button := range buttons {
		if w.down&bits[i] != 0 {
			_ = devtools.Post(ctx, s, cdpinput.DispatchMouseEvent, cdpinput.DispatchMouseEventParams{
				Type: cdpinput.DispatchMouseEventTypeMouseReleased, X: w.x, Y: w.y, Button: button, ClickCount: 1,
			})
		}
	}
	w.down = 0
}
