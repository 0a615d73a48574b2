// Package page is a page of the browser as commands work on it: its frames, each with
// a world of ours in its document, what is asked of these worlds, targets in them,
// and where the page goes. Operations are built on it; it knows none of them.
package page

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// Host is what a page needs of the browser that it is in. None of it may wait but
// Equipped.
type Host struct {
	Log *slog.Logger
	// Space returns the ref numbers of a tab.
	Space func(id protocol.TabID) *Space
	// Crashed is told when the page's renderer crashed, or is there again.
	Crashed func(is bool)
	// Titled is told of the page's address and title.
	Titled func(url, title string)
	// Attach opens a session with a target beside the one that everybody uses, and
	// returns what ends it.
	Attach func(ctx context.Context, id target.ID) (s *devtools.Session, release func(), err error)
	// InFront says whether the page's tab is the one in front of its window.
	InFront func() bool
	// Judge has a command judge where the page goes, in place of the tab's own gate,
	// until released; Refused is why the tab's gate refused an address, once.
	Judge   func() (released func())
	Refused func() error
	// Equipped is called when our world is in the documents of one more session.
	Equipped func(ctx context.Context, s *devtools.Session) error
	// Event is told of the events of the page's own session, by its reader.
	Event func(e devtools.Event)
}

// Tabs runs work on the pages of tabs, in the order in which it was asked of a tab.
// Errors are protocol.Errors.
type Tabs interface {
	// OnPage runs f with the page of a tab, open for looks and actions.
	OnPage(ctx context.Context, id protocol.TabID, f func(ctx context.Context, p *Page) error) error
	// OnTab runs f with the page of a tab that may not be open. With needsRenderer f
	// fails at once when the page crashes.
	OnTab(ctx context.Context, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *Page) error) error
	// Beside is OnTab out of order, for what others need not wait for.
	Beside(ctx context.Context, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *Page) error) error
}

// Page is a session with the target that shows a tab, and what is known of its
// frames.
type Page struct {
	*devtools.Session
	host Host

	mu     sync.Mutex
	dialog *Dialog       // the open dialog; nil when none is open
	dead   chan struct{} // closed while the renderer is crashed
	isDead bool

	Frames *frames              // nil until the first look or action
	opened *opening             // nil until then, and after a try that failed
	then   func(devtools.Event) // what else follows the session's events

	hearing lingering // of requests
	drawing lingering // in the back
}

// New returns the page of a session. It hears nothing before Follow.
func New(s *devtools.Session, host Host) *Page {
	return &Page{Session: s, host: host, dead: make(chan struct{})}
}

// InFront says whether a window shows the page's tab.
func InFront(p *Page) bool { return p.host.InFront() }

// Twin returns a page of another session with the target of a page.
func Twin(p *Page, s *devtools.Session) *Page { return New(s, p.host) }

// Follow has the page hear what makes it not answer, and the browser tell it. A
// page where the user may type gets, first of all, what catches keys during a press.
func (p *Page) Follow(ctx context.Context, typedIn bool) error {
	p.Session.Follow(p.take)
	// A hung page answers none of these: they are sent and not waited for.
	err := errors.Join(
		devtools.Post(ctx, p.Session, cdppage.Enable, cdppage.EnableParams{}),
		devtools.Post(ctx, p.Session, inspector.Enable, cdp.Empty{}),
		devtools.Post(ctx, p.Session, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true}),
	)
	if !typedIn {
		return err
	}
	// The rest of our world comes with the first look or action; this must be
	// there before the page's own listeners.
	return errors.Join(err, devtools.Post(ctx, p.Session, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: holdScript, WorldName: WorldName,
	}))
}

// Ended says whether the session is gone.
func (p *Page) Ended() bool {
	select {
	case <-p.Done:
		return true
	default:
		return false
	}
}

// take follows what makes a page not answer. The reader calls it, so that with
// each answer all that came before it is known: a page that was loaded after a
// crash is not called crashed.
func (p *Page) take(e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
			p.setDialog(&Dialog{Kind: string(v.Type), Message: v.Message})
		}
	case cdppage.JavascriptDialogClosed.Method:
		p.setDialog(nil)
	case inspector.TargetCrashed.Method:
		p.setCrashed(true)
	case inspector.TargetReloadedAfterCrash.Method:
		p.setCrashed(false)
	}
	p.host.Event(e)
	p.mu.Lock()
	then := p.then
	p.mu.Unlock()
	if then != nil {
		then(e)
	}
}

// Dialog is a dialog of a page.
type Dialog struct{ Kind, Message string }

// String is the dialog in words: the page's message comes behind its kind.
func (d *Dialog) String() string {
	if d == nil {
		return "dialog"
	}
	return d.Kind + ": " + Plain(d.Message)
}

func (p *Page) setDialog(d *Dialog) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialog = d
}

// DialogAnswered notes that the dialog is gone, before its event comes.
func (p *Page) DialogAnswered() { p.setDialog(nil) }

// OpenDialog is the dialog that is open; nil when there is none.
func (p *Page) OpenDialog() *Dialog {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialog
}

// setCrashed ends, or allows again, what waits for the page's renderer.
func (p *Page) setCrashed(is bool) {
	p.mu.Lock()
	if is && !p.isDead {
		close(p.dead)
	}
	if !is && p.isDead {
		p.dead = make(chan struct{})
	}
	p.isDead = is
	p.mu.Unlock()
	p.host.Crashed(is)
}

// Crashed says whether the renderer is crashed, by all that was read so far.
func (p *Page) Crashed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isDead
}

// Crashes returns a channel that is closed when the renderer crashes; it is
// closed already when it has.
func (p *Page) Crashes() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// ErrCrashed is returned by what needs a renderer that is not there.
var ErrCrashed = errors.New("the page crashed")

// IsTargetGone says whether something failed because the target, or Chrome's tab,
// that it is about is there no more.
func IsTargetGone(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "No target with given id") || strings.Contains(err.Error(), "No tab with id"))
}

// isLeaving says whether a method failed because the page was just going to
// another document.
func isLeaving(err error) bool {
	e, ok := errors.AsType[*devtools.MethodError](err)
	return ok && slices.ContainsFunc([]string{
		"Not attached to an active page", "Inspected target navigated or closed", "Cannot find context", "Execution context was destroyed",
		"Cannot take screenshot with 0 ", "Unable to capture screenshot", "No frame with given id", "Frame with the given id was not found",
	}, func(says string) bool { return strings.Contains(e.Message, says) })
}

// Beside opens a session with a target of the page that is its caller's alone, and
// returns what ends it.
func (p *Page) Beside(ctx context.Context, id target.ID) (s *devtools.Session, release func(), err error) {
	return p.host.Attach(ctx, id)
}

// Where asks the browser, not the page, for the address and title.
func (p *Page) Where(ctx context.Context, info *protocol.PageInfo) error {
	h, err := cdp.Call(ctx, p.Session, cdppage.GetNavigationHistory, cdp.Empty{})
	// A gated page says that it is there before the browser shows it; the next
	// answers come when it does.
	for ctx.Err() == nil && isSwapping(err) {
		h, err = cdp.Call(ctx, p.Session, cdppage.GetNavigationHistory, cdp.Empty{})
	}
	if err != nil {
		return err
	}
	if i := int(h.CurrentIndex); i >= 0 && i < len(h.Entries) && h.Entries[i] != nil {
		info.URL, info.Title = h.Entries[i].URL, h.Entries[i].Title
		p.host.Titled(info.URL, info.Title)
	}
	return nil
}

// isSwapping says whether a call failed because the tab's page is between two
// processes.
func isSwapping(err error) bool {
	e, ok := errors.AsType[*devtools.MethodError](err)
	return ok && strings.Contains(e.Message, "Not attached to an active page")
}

// OriginOf is the origin of an address; empty when it has none that keeps
// anything.
func OriginOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
