package page

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// Dialog is a dialog of a page that waits for an answer. The page does nothing until
// it gets one, and neither do other pages in its process.
type Dialog struct {
	protocol.DialogInfo
	URL string
	At  time.Time // when it opened
}

// Dialogs are the dialogs that wait for an answer in all pages of a browser. None are in
// a nil Dialogs.
type Dialogs struct {
	mu      sync.Mutex
	open    map[target.ID]*Dialog
	changed chan struct{} // closed at the next change
}

// NewDialogs returns Dialogs without any.
func NewDialogs() *Dialogs {
	return &Dialogs{open: make(map[target.ID]*Dialog), changed: make(chan struct{})}
}

// Ended forgets the dialog of a page that has ended.
func (ds *Dialogs) Ended(id target.ID) { ds.set(id, nil) }

func (ds *Dialogs) set(id target.ID, d *Dialog) {
	if ds == nil {
		return
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d == nil {
		delete(ds.open, id)
	} else {
		ds.open[id] = d
	}
	close(ds.changed)
	ds.changed = make(chan struct{})
}

// beside returns a dialog of another page than id, nil for none, and a channel that is
// closed at the next change.
func (ds *Dialogs) beside(id target.ID) (*Dialog, <-chan struct{}) {
	if ds == nil {
		return nil, nil
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for of, d := range ds.open {
		if of != id {
			return d, ds.changed
		}
	}
	return nil, ds.changed
}

// InfoOf returns what is known of a dialog that opens.
func InfoOf(v cdppage.EventJavascriptDialogOpening) protocol.DialogInfo {
	return protocol.DialogInfo{Type: string(v.Type), Message: v.Message, Default: v.DefaultPrompt}
}

// DialogOpen returns the error for a tab that does nothing until a dialog is answered:
// its own, or that of a tab in its process.
func DialogOpen(id protocol.TabID, d *Dialog) error {
	if d.Tab != "" && d.Tab != id {
		return protocol.NewError(protocol.CodeDialog, fmt.Sprintf("tab %s shows a dialog, and tab %s does nothing either until it is answered (%s)", d.Tab, id, d), "", protocol.AnswerDialog(d.Tab)...)
	}
	return protocol.NewError(protocol.CodeDialog, fmt.Sprintf("tab %s shows a dialog and does nothing until it is answered (%s)", id, d), "", protocol.AnswerDialog("")...)
}

// String returns the dialog's kind and the page's message.
func (d *Dialog) String() string { return d.Type + ": " + Plain(d.Message) }

func (p *Page) setDialog(d *Dialog) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dialog != nil && d == nil {
		p.asks = make(chan struct{})
	}
	if p.dialog == nil && d != nil {
		close(p.asks)
	}
	p.dialog = d
	p.host.Dialogs.set(p.Target, d)
}

// OpenDialog returns the dialog that waits for an answer; nil when there is none.
func (p *Page) OpenDialog() *Dialog {
	d, _ := p.asked()
	return d
}

// asked returns the dialog that waits for an answer, and a channel that is closed when
// there is one.
func (p *Page) asked() (*Dialog, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialog, p.asks
}

// AfterDialog calls f when the page shows no dialog any more, unless its session ends
// before.
func (p *Page) AfterDialog(f func()) {
	go func() {
		for {
			_, changed := p.host.Dialogs.beside(p.Target)
			if p.OpenDialog() == nil {
				f()
				return
			}
			select {
			case <-changed:
			case <-p.Done:
				return
			}
		}
	}()
}

// AnswerDialog answers the dialog that the page shows. It returns the browser's error
// when there is none.
func AnswerDialog(ctx context.Context, p *Page, accept bool, text string) error {
	open := p.OpenDialog()
	_, err := cdp.Call(ctx, p.Session, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
	if err == nil && open != nil && p.OpenDialog() == open {
		p.setDialog(nil) // its event may come later
	}
	return err
}

// asksUserError is why a context has ended: a dialog opened.
type asksUserError struct{ dialog *Dialog }

func (a asksUserError) Error() string { return "the page opened a dialog: " + a.dialog.String() }

// blockedAfter is how long a page may not answer while another page shows a dialog,
// before that dialog counts as the reason.
const blockedAfter = time.Second

// UntilDialog runs f, whose context ends when the page opens a dialog, or when that of
// another page blocks it. Where f could not do its work for that reason, and where a
// dialog is open already, it returns DialogOpen.
func (p *Page) UntilDialog(ctx context.Context, id protocol.TabID, f func(ctx context.Context) error) error {
	if d := p.OpenDialog(); d != nil {
		return DialogOpen(id, d)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		for {
			own, asks := p.asked()
			other, changed := p.host.Dialogs.beside(p.Target)
			if own != nil {
				cancel(asksUserError{own})
				return
			}
			if other != nil {
				if state, err := p.ask(inner, blockedAfter); err == nil && state == silent {
					cancel(asksUserError{other})
					return
				}
			}
			select {
			case <-asks:
			case <-changed:
			case <-inner.Done():
				return
			}
		}
	}()
	err := f(inner)
	d := Interrupted(inner)
	if e, says := errors.AsType[*protocol.Error](err); err == nil || d == nil || says && e.Code != protocol.CodeTimeout {
		return err
	}
	return DialogOpen(id, d)
}

// Interrupted returns the dialog that ended the context of UntilDialog; nil for none.
func Interrupted(ctx context.Context) *Dialog {
	if a, ok := errors.AsType[asksUserError](context.Cause(ctx)); ok {
		return a.dialog
	}
	return nil
}
