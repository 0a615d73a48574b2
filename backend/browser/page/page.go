// Package page represents a page of the browser for the commands: its frames, our
// isolated world in each frame's document, calls into these worlds, targets in
// them, and navigations of the page. Page operations build on this package; it
// imports none of them.
package page

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// Host is what a page needs from the browser that contains it. No function may
// block, except Equipped.
type Host struct {
	Log *slog.Logger
	// Space returns the ref numbers of a tab.
	Space func(id protocol.TabID) *Space
	// Crashed is called when the page's renderer has crashed, or exists again.
	Crashed func(is bool)
	// Dialogs are those of all pages of the browser.
	Dialogs *Dialogs
	// Dialog returns the id of the page's tab, and how its dialogs are answered
	// automatically; empty where they wait for an answer.
	Dialog func() (id protocol.TabID, policy string)
	// Titled is called with the page's URL and title.
	Titled func(url, title string)
	// Attach opens a session to a target in addition to the shared one. release
	// detaches it.
	Attach func(ctx context.Context, id target.ID) (s *devtools.Session, release func(), err error)
	// InFront reports whether the page's tab is in front of its window.
	InFront func() bool
	// Judge lets a command decide which documents the page may load, in place of
	// the tab's own gate, until released is called. Refused returns why the tab's
	// gate refused a URL during that time; nil when it refused none.
	Judge   func() (released func())
	Refused func() error
	// Equipped is called when our world has been installed in the documents of
	// one more session.
	Equipped func(ctx context.Context, s *devtools.Session) error
	// Event is called with the events of the page's own session, by the
	// connection's reader.
	Event func(e devtools.Event)
}

// Tabs runs work on the pages of tabs, in the order of the calls for each tab. f
// receives the page for the caller by. Errors are protocol.Errors.
type Tabs interface {
	// OnPage runs f with the page of a tab, opened for snapshots and actions.
	OnPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *Page) error) error
	// AimOnPage is OnPage for work whose first step is Aim or AimMeanwhile. These judge
	// the page while it looks for the target, so that no round trip is spent on it before.
	AimOnPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *Page) error) error
	// OnTab runs f with the page of a tab, which may not be opened yet. With
	// needsRenderer, f fails at once when the page crashes.
	OnTab(ctx context.Context, by protocol.Caller, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *Page) error) error
	// Beside is OnTab outside the tab's queue, for work that other commands need
	// not wait for.
	Beside(ctx context.Context, by protocol.Caller, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *Page) error) error
	// ReadPage is OnPage for a call that changes nothing. It may run while a screenshot is
	// taken.
	ReadPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *Page) error) error
	// WaitOnPage is OnPage for a call that only waits after it has called letPass: from
	// then on, commands of other callers run without waiting for it.
	WaitOnPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *Page, letPass func()) error) error
	// ReadTab is OnTab for a call that changes nothing and needs no renderer. It may run
	// while a screenshot is taken.
	ReadTab(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *Page) error) error
	// ScreenshotOfTab is OnTab for a screenshot that no caller waits for. Snapshots may
	// run meanwhile.
	ScreenshotOfTab(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *Page) error) error
	// Explain converts an error of a tab to the error that its caller receives; nil stays
	// nil.
	Explain(ctx context.Context, id protocol.TabID, err error) error
}

// Page is a session with the target that shows a tab, and the state of its
// frames, for one caller.
type Page struct {
	*shared
	by protocol.Caller // the caller on whose behalf the page is used
}

// shared is the part of a Page that all callers share.
type shared struct {
	*devtools.Session
	host Host

	mu     sync.Mutex
	dialog *Dialog       // the dialog that waits for an answer; nil when none does
	asks   chan struct{} // closed while dialog is not nil
	dead   chan struct{} // closed while the renderer is crashed
	isDead bool

	Frames *frames  // nil until the first snapshot or action
	opened *opening // nil until then, and after an attempt that failed
	// The frames in other processes that were attached while Frames was nil.
	early map[*devtools.Session]*target.Info

	requests *requests
	drawing  lingering // of a tab that is not in front
}

// New returns the page of a session, for no caller. It receives no events before
// Follow.
func New(s *devtools.Session, host Host) *Page {
	return &Page{shared: &shared{
		Session: s, host: host, asks: make(chan struct{}), dead: make(chan struct{}), requests: newRequests(OriginOf(s.Address)), early: make(map[*devtools.Session]*target.Info),
	}}
}

// For returns the page for a caller: our world remembers for each caller what it
// was shown.
func (p *Page) For(by protocol.Caller) *Page { return &Page{p.shared, by} }

// InFront reports whether the page's tab is in front of its window.
func InFront(p *Page) bool { return p.host.InFront() }

// Twin returns a page on another session with the same target, for the same
// caller.
func Twin(p *Page, s *devtools.Session) *Page { return New(s, p.host).For(p.by) }

// Follow subscribes the page to the events that explain why it does not answer
// (dialogs, crashes) and to those of its requests, and enables them in the browser. With typedIn, for a page
// in which the user may type, it also installs, before anything else of our
// world, the script that catches keys during a press.
func (p *Page) Follow(ctx context.Context, typedIn bool) error {
	p.Session.Follow(p.take)
	err := EnableEvents(ctx, p)
	if !typedIn {
		return err
	}
	// The rest of our world is installed with the first snapshot or action. This
	// script must run before the page adds its own listeners.
	return errors.Join(err, devtools.Post(ctx, p.Session, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: holdScript, WorldName: WorldName,
	}))
}

// EnableEvents turns on the events of the page. A hung page answers none of these
// commands, so they are sent without waiting. After a crash in the middle of a
// navigation they are sent again: the renderer that had got them may have ended
// before it answered.
func EnableEvents(ctx context.Context, p *Page) error {
	return errors.Join(
		devtools.Post(ctx, p.Session, cdppage.Enable, cdppage.EnableParams{}),
		devtools.Post(ctx, p.Session, inspector.Enable, cdp.Empty{}),
		devtools.Post(ctx, p.Session, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true}),
		followRequests(ctx, p.Session),
	)
}

// Ended reports whether the session has ended.
func (p *Page) Ended() bool {
	select {
	case <-p.Done:
		return true
	default:
		return false
	}
}

// take follows the events that explain why a page does not answer. The
// connection's reader calls it, so that every event before an answer has been
// handled when the answer arrives: a page that was loaded again after a crash is
// not reported as crashed.
func (p *Page) take(e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
			if id, policy := p.host.Dialog(); policy == "" {
				d := &Dialog{DialogInfo: InfoOf(v), URL: v.URL, At: time.Now().UTC()}
				d.Tab = id
				p.setDialog(d)
			}
		}
	case cdppage.JavascriptDialogClosed.Method:
		p.setDialog(nil)
	case inspector.TargetCrashed.Method:
		p.setDialog(nil)
		p.setCrashed(true)
	case inspector.TargetReloadedAfterCrash.Method:
		p.setCrashed(false)
	}
	p.host.Event(e)
	p.follow(p.Session, e)
}

// setCrashed records whether the renderer has crashed. A crash cancels everything
// that waits for the renderer.
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

// Crashed reports whether the renderer has crashed, according to the events read
// so far.
func (p *Page) Crashed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isDead
}

// Crashes returns a channel that is closed when the renderer crashes; it is
// already closed when it has crashed.
func (p *Page) Crashes() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// ErrCrashed is returned by operations that need a renderer when it has crashed.
var ErrCrashed = errors.New("the page crashed")

// IsTargetGone reports whether an error says that the target, or Chrome's tab, no
// longer exists.
func IsTargetGone(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "No target with given id") || strings.Contains(err.Error(), "No tab with id"))
}

// isLeaving reports whether a method failed because the page was navigating to
// another document at that moment.
func isLeaving(err error) bool {
	e, ok := errors.AsType[*devtools.MethodError](err)
	return ok && slices.ContainsFunc([]string{
		"Not attached to an active page", "Inspected target navigated or closed", "Cannot find context", "Execution context was destroyed",
		"Cannot take screenshot with 0 ", "Unable to capture screenshot", "No frame with given id", "Frame with the given id was not found",
	}, func(says string) bool { return strings.Contains(e.Message, says) })
}

// Beside opens a session to a target of the page for the caller's own use.
// release detaches it.
func (p *Page) Beside(ctx context.Context, id target.ID) (s *devtools.Session, release func(), err error) {
	return p.host.Attach(ctx, id)
}

// Where reads the URL and title from the browser, not from the page's scripts.
func (p *Page) Where(ctx context.Context, info *protocol.PageInfo) error {
	answer, err := AskWhere(ctx, p)
	if err != nil {
		return err
	}
	return answer(ctx, info)
}

// AskWhere asks for a page's URL and title, and returns a function that waits for the
// answer. The browser answers before it carries out what is sent afterwards.
func AskWhere(ctx context.Context, p *Page) (answer func(ctx context.Context, info *protocol.PageInfo) error, err error) {
	q := NewCalls(p.Session)
	if err := q.Send(ctx, cdppage.GetNavigationHistory.Method, cdp.Empty{}); err != nil {
		return nil, err
	}
	return func(ctx context.Context, info *protocol.PageInfo) error {
		var h cdppage.GetNavigationHistoryResult
		err := q.Await(ctx, 0, &h)
		// The navigation event of a gated page comes before the browser has swapped
		// the page in. The call succeeds once it has.
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
	}, nil
}

// MayAct refuses what the caller of a page was allowed on another page than the one
// that is there by now.
func MayAct(ctx context.Context, p *Page) error {
	if !Judged(p) {
		return nil
	}
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return err
	}
	return p.by.Acts(info.URL)
}

// Judged says whether the caller of a page was allowed on one page only.
func Judged(p *Page) bool { return p.by.Acts != nil }

// isSwapping says whether a call failed because the tab's page is between two
// processes.
func isSwapping(err error) bool {
	e, ok := errors.AsType[*devtools.MethodError](err)
	return ok && strings.Contains(e.Message, "Not attached to an active page")
}

// OriginOf returns the origin of a URL; empty when the URL has no origin with
// storage. That of a blob is in its URL.
func OriginOf(raw string) string {
	u, err := url.Parse(strings.TrimPrefix(raw, "blob:"))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
