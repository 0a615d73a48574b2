package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// Navigation follows one navigation of a tab's main frame through the page's
// events.
type Navigation struct {
	p      *Page
	Events *devtools.Subscription
	// Allow returns an error for a URL that may not be loaded; nil allows all. It
	// is called for every redirect of a document and for the address of the
	// server that answered.
	Allow    func(url string) error
	released func() // hands the decision back to the tab's gate

	Begun map[cdp.LoaderID]bool // documents that the browser has begun to load since
	begun int                   // how many that were
	to    string                // the address of the last one
	shown map[cdp.LoaderID]bool // documents that were shown since
	// blocked: a dialog of the page that is being left keeps it there, and cannot be
	// answered. Run begins a further navigation to close it: pending until the browser has
	// answered, with the document last.
	blocked bool
	pending bool
	last    cdp.LoaderID

	Committed cdp.LoaderID
	Loaded    map[cdp.LoaderID]protocol.WaitUntil // how far each document has loaded
	Request   network.RequestID                   // the main document's request
	Status    int
	Failure   string // the network's error text
	Refused   error
	Within    string // the new URL, when the navigation stayed within the document
	says      string // what our world reports of the document that was shown; see shownBinding
	crashed   bool   // the renderer ended since the navigation began
	// Dialog waits for an answer on the page that was loaded; nil for none.
	Dialog *protocol.DialogInfo
}

// BeginNavigation subscribes to the events before anything is started, so that no
// event is missed, and enables those that Allow needs.
func (p *Page) BeginNavigation(ctx context.Context, allow func(string) error) (*Navigation, error) {
	n := p.FollowNavigation(allow)
	if err := n.Enable(ctx); err != nil {
		n.End(ctx)
		return nil, err
	}
	return n, nil
}

// FollowNavigation subscribes to the events. The browser sends those that Allow needs
// after Enable.
func (p *Page) FollowNavigation(allow func(string) error) *Navigation {
	n := &Navigation{
		p:     p,
		Allow: allow,
		Events: p.Events(
			cdppage.FrameStartedNavigating.Method, cdppage.FrameNavigated.Method, cdppage.NavigatedWithinDocument.Method, cdppage.LifecycleEvent.Method,
			cdppage.JavascriptDialogOpening.Method, cdppage.JavascriptDialogClosed.Method,
			network.RequestWillBeSent.Method, network.ResponseReceived.Method, network.LoadingFailed.Method,
			fetch.RequestPaused.Method, inspector.TargetCrashed.Method, runtime.BindingCalled.Method,
		),
		Begun:  make(map[cdp.LoaderID]bool),
		shown:  make(map[cdp.LoaderID]bool),
		Loaded: make(map[cdp.LoaderID]protocol.WaitUntil),
	}
	if allow != nil {
		n.released = p.host.Judge()
	}
	return n
}

// Enable turns on all of the events in the browser.
func (n *Navigation) Enable(ctx context.Context) error {
	if n.Allow == nil {
		return nil
	}
	return devtools.Post(ctx, n.p.Session, fetch.Enable, fetch.EnableParams{
		Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}},
	})
}

// End unsubscribes and turns off what Enable turned on.
func (n *Navigation) End(ctx context.Context) {
	n.Events.Release()
	if n.Allow != nil {
		n.released()
		_ = devtools.Post(context.WithoutCancel(ctx), n.p.Session, fetch.Disable, cdp.Empty{})
	}
}

// replacedTries is how often a navigation is begun again that another one has replaced,
// and blockedTries how often one that a dialog blocks.
const (
	replacedTries = 3
	blockedTries  = 10
)

// Run calls start, which begins the navigation, and follows it until the page has
// reached the state wait or opened a dialog, the navigation has failed, or it was
// refused. Where the page itself went elsewhere at that moment, and so replaced the
// navigation, Run begins it again. It returns ErrCrashed when the renderer ends
// meanwhile; a page that hangs while it is being left is ended.
func (n *Navigation) Run(ctx context.Context, wait protocol.WaitUntil, start func() (Started, error)) error {
	type result struct {
		Started
		err error
		of  int // which of the starts
	}
	calls := make(chan result, replacedTries+blockedTries)
	starts, running, further := 0, 0, 0 // further of the starts are only to close a dialog
	begin := func(start func() (Started, error)) {
		starts++
		running++
		of := starts
		go func() {
			s, err := start()
			calls <- result{s, err, of}
		}()
	}
	// A dialog may have opened after the page was last asked, before this navigation subscribed.
	if n.p.OpenDialog() != nil {
		n.dismiss(ctx)
	}
	begin(start)
	watched, stop := context.WithCancel(ctx)
	defer stop()
	hangs := n.p.hangs(watched)
	var begun *Started
	for {
		if err := n.Refusal(); err != nil {
			return err
		}
		if begun != nil && !n.leaving() && (n.Reached(wait) || n.Dialog != nil) {
			return nil
		}
		if n.blocked && n.to != "" && starts < blockedTries {
			// The browser closes a dialog when a navigation begins. This one waits for the
			// one before it.
			n.blocked, n.pending = false, true
			further++
			to := n.to
			begin(func() (Started, error) {
				res, err := cdp.Call(ctx, n.p.Session, cdppage.Navigate, cdppage.NavigateParams{URL: to})
				return Started{Failure: res.ErrorText, Download: res.IsDownload, Document: res.LoaderID}, err
			})
		}
		if n.crashed {
			return ErrCrashed
		}
		if begun != nil && n.Failure != "" && n.Committed == "" {
			if err := n.failed(ctx, n.Failure); n.Failure != "" {
				return err
			}
			continue // it was the failure of a navigation that this one has replaced
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case c := <-calls:
			running--
			if n.Refusal() != nil {
				continue
			}
			if c.of == starts {
				n.pending, n.last = false, c.Document
			}
			if c.err != nil {
				return c.err
			}
			switch {
			case c.Download:
				return protocol.NewError(protocol.CodeNavigation, "the address is a download, not a page; the tab did not change", "", protocol.Try("prints the path of the file", "downloads", "wait"))
			case c.Failure == aborted && running > 0:
				continue // another one has replaced it
			case c.Failure == aborted && further > 0 && n.Committed != "":
				// The one before has arrived after all.
			case c.Failure != "":
				err := n.failed(ctx, c.Failure)
				if c.Failure == aborted && !errors.Is(err, ErrCrashed) && n.begun > starts && starts-further < replacedTries {
					begin(start)
					continue
				}
				return err
			}
			begun = &c.Started
		case <-hangs:
			if n.Committed != "" {
				continue
			}
			ended, err := n.p.endRenderer(ctx)
			if err != nil {
				return err
			}
			if ended {
				return ErrCrashed
			}
		case e, ok := <-n.Events.C:
			if !ok {
				return devtools.ErrSessionEnded
			}
			n.Event(ctx, e)
		}
	}
}

// aborted is the network error of a navigation that was cancelled.
const aborted = "net::ERR_ABORTED"

// failed returns the error for a network error, or ErrCrashed when the renderer's end
// is its reason. The events that explain the error can come after it; they have been
// read when the next answer is there.
func (n *Navigation) failed(ctx context.Context, text string) error {
	_, _ = cdp.Call(ctx, n.p.Session, cdppage.GetNavigationHistory, cdp.Empty{})
	for len(n.Events.C) > 0 {
		if e, ok := <-n.Events.C; ok {
			n.Event(ctx, e)
		}
	}
	if n.p.Crashed() {
		return ErrCrashed
	}
	return NavigationError(text)
}

// shownWait is how long our world's report of a document that has loaded may take. The
// browser sends it right after the event that says so.
const shownWait = 100 * time.Millisecond

// Where returns the address and title of the page that was loaded. Our world reports them;
// where it does not in time, as where scripts are off, the browser is asked.
func (n *Navigation) Where(ctx context.Context, info *protocol.PageInfo) error {
	loaded := func() bool {
		return n.p.IsOpen() && n.Loaded[n.Committed] == protocol.WaitLoad && n.Dialog == nil && n.Within == ""
	}
	late := time.NewTimer(shownWait)
	defer late.Stop()
	for waits := true; waits && n.says == "" && loaded(); {
		select {
		case e, ok := <-n.Events.C:
			if waits = ok; ok {
				n.Event(ctx, e)
			}
		case <-late.C:
			waits = false
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if err := n.Refusal(); err != nil {
		return err
	}
	var said struct{ URL, Title string }
	if loaded() && json.Unmarshal([]byte(n.says), &said) == nil && said.Title != "" {
		info.URL, info.Title = said.URL, said.Title
		n.p.host.Titled(info.URL, info.Title)
		return nil
	}
	return n.p.Where(ctx, info)
}

// Refusal returns why the navigation or the tab's gate refused a document; nil if
// neither did.
func (n *Navigation) Refusal() error {
	if n.Refused == nil && n.Allow != nil {
		n.Refused = n.p.host.Refused()
	}
	return n.Refused
}

// Started is the browser's answer to the command that began a navigation.
type Started struct {
	Failure  string
	Download bool
	Document cdp.LoaderID // of a further navigation to the same address
}

// far returns the rank of a load state: 0 is the earliest.
func far(w protocol.WaitUntil) int {
	switch w {
	case protocol.WaitLoad:
		return 2
	case protocol.WaitDOM:
		return 1
	default:
		return 0
	}
}

// Reached reports whether the page has reached the state wait.
func (n *Navigation) Reached(wait protocol.WaitUntil) bool {
	if n.Within != "" {
		return true
	}
	return n.Committed != "" && far(n.Loaded[n.Committed]) >= far(wait)
}

// Event applies one of Events.
func (n *Navigation) Event(ctx context.Context, e devtools.Event) {
	main := cdp.FrameID(n.p.Target)
	switch e.Method {
	case cdppage.FrameStartedNavigating.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameStartedNavigating); ok && v.FrameID == main {
			n.Begun[v.LoaderID] = true
			n.begun++
			n.to = v.URL
			n.Request, n.Failure = "", "" // of a navigation that this one replaces
		}
	case cdppage.FrameNavigated.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame != nil && v.Frame.ParentID == "" {
			n.commits(v.Frame.LoaderID)
			ours := n.Begun[n.Committed]
			delete(n.Begun, n.Committed)
			if v.Type == cdppage.NavigationTypeBackForwardCacheRestore {
				n.Loaded[n.Committed] = protocol.WaitLoad // it is restored with everything loaded
			}
			if v.Frame.UnreachableURL != "" {
				n.Committed = "" // Chromium's error page
				// The error page of an earlier navigation may come late.
				if ours && n.Failure == "" {
					n.Failure = "net::ERR_FAILED"
				}
			}
		}
	case cdppage.NavigatedWithinDocument.Method:
		if v, ok := devtools.Decode(e, cdppage.NavigatedWithinDocument); ok && v.FrameID == main && n.Committed == "" {
			n.Within = v.URL
		}
	case cdppage.LifecycleEvent.Method:
		if v, ok := devtools.Decode(e, cdppage.LifecycleEvent); ok && v.FrameID == main {
			// The lifecycle events are the first events that report a page in a
			// new process.
			if n.Begun[v.LoaderID] {
				delete(n.Begun, v.LoaderID)
				n.commits(v.LoaderID)
			}
			switch v.Name {
			case "load":
				n.Loaded[v.LoaderID] = protocol.WaitLoad
			case "DOMContentLoaded":
				if n.Loaded[v.LoaderID] != protocol.WaitLoad {
					n.Loaded[v.LoaderID] = protocol.WaitDOM
				}
			}
		}
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
			n.asked(ctx, v)
		}
	case cdppage.JavascriptDialogClosed.Method:
		n.Dialog = nil
	case network.RequestWillBeSent.Method:
		if v, ok := devtools.Decode(e, network.RequestWillBeSent); ok && v.FrameID == main && v.Type == network.ResourceTypeDocument {
			n.Request = v.RequestID
		}
	case network.LoadingFailed.Method:
		if v, ok := devtools.Decode(e, network.LoadingFailed); ok && v.RequestID == n.Request {
			n.Failure = v.ErrorText
		}
	case network.ResponseReceived.Method:
		if v, ok := devtools.Decode(e, network.ResponseReceived); ok && v.FrameID == main && v.Type == network.ResourceTypeDocument && v.Response != nil {
			n.Status = int(v.Response.Status)
			n.checkRemote(ctx, v.Response)
		}
	case inspector.TargetCrashed.Method:
		n.crashed = true
	case runtime.BindingCalled.Method:
		if v, ok := devtools.Decode(e, runtime.BindingCalled); ok && v.Name == shownBinding {
			n.says = v.Payload
		}
	case fetch.RequestPaused.Method:
		if v, ok := devtools.Decode(e, fetch.RequestPaused); ok && v.Request != nil {
			n.gate(ctx, &v, v.FrameID == main)
		}
	}
}

// commits records that a document is shown. Two events say so.
func (n *Navigation) commits(id cdp.LoaderID) {
	if n.Committed != id {
		n.says = ""
	}
	n.Committed = id
	n.shown[id] = true
}

// leaving reports whether the page is still there that the command leaves.
func (n *Navigation) leaving() bool {
	return n.Within == "" && (n.Committed == "" || n.pending || n.last != "" && !n.shown[n.last])
}

// asked handles a dialog. One of the page that the command leaves would keep it from
// leaving: the question whether to leave is answered as the command has decided it, and
// any other is dismissed. One of the page that is loaded waits for the user.
func (n *Navigation) asked(ctx context.Context, v cdppage.EventJavascriptDialogOpening) {
	id, policy := n.p.host.Dialog()
	switch {
	case v.Type == cdppage.DialogTypeBeforeunload:
		_ = devtools.Post(ctx, n.p.Session, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true})
	case policy != "":
	case n.leaving():
		n.dismiss(ctx)
	default:
		d := InfoOf(v)
		d.Tab = id
		n.Dialog = &d
	}
}

// dismiss dismisses the dialog of the page that the command leaves. The browser takes no
// answer once it has chosen the process of the new document.
func (n *Navigation) dismiss(ctx context.Context) {
	n.blocked = isSwapping(AnswerDialog(ctx, n.p, false, ""))
}

// gate lets a document's request continue, or fails it. A refused frame stays
// empty; a refused main document ends the command.
func (n *Navigation) gate(ctx context.Context, v *fetch.EventRequestPaused, isMain bool) {
	var err error
	if n.Allow != nil {
		err = n.Allow(v.Request.URL)
	}
	if err == nil {
		_ = devtools.Post(ctx, n.p.Session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
		return
	}
	_ = devtools.Post(ctx, n.p.Session, fetch.FailRequest, fetch.FailRequestParams{
		RequestID: v.RequestID, ErrorReason: network.ErrorReasonBlockedByClient,
	})
	if isMain {
		n.Refused = err
	}
}

// checkRemote applies the same rule to the address of the server that answered,
// because a harmless host name may resolve to a refused address.
func (n *Navigation) checkRemote(ctx context.Context, res *network.Response) {
	if n.Allow == nil || res.RemoteIPAddress == "" || n.Refused != nil {
		return
	}
	u, err := url.Parse(res.URL)
	if err != nil {
		return
	}
	// The path is included because the welcome page of our own server is allowed.
	at := url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(strings.Trim(res.RemoteIPAddress, "[]"), strconv.FormatInt(res.RemotePort, 10)), Path: u.Path}
	if at.Path == "" {
		at.Path = "/"
	}
	if err := n.Allow(at.String()); err != nil {
		n.Refused = err
		_ = devtools.Post(ctx, n.p.Session, cdppage.StopLoading, cdp.Empty{})
		_ = devtools.Post(ctx, n.p.Session, cdppage.Navigate, cdppage.NavigateParams{URL: "about:blank"})
	}
}

// NavigationError turns a network error into an error with a readable message.
func NavigationError(text string) error {
	code := strings.TrimPrefix(text, "net::")
	if words, ok := netWords[code]; ok {
		return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s (%s)", words, code), "check the address, or try again")
	}
	if strings.HasPrefix(code, "ERR_CERT_") || strings.HasPrefix(code, "ERR_SSL_") {
		return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("the site's certificate is not trusted (%s)", code), "the user can look at it in the browser")
	}
	return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("the page could not be loaded (%s)", code), "check the address, or try again")
}

// netWords are readable messages for common network errors.
var netWords = map[string]string{
	"ERR_NAME_NOT_RESOLVED":       "no such host",
	"ERR_CONNECTION_REFUSED":      "nothing listens at this address",
	"ERR_CONNECTION_RESET":        "the server reset the connection",
	"ERR_CONNECTION_CLOSED":       "the server closed the connection",
	"ERR_CONNECTION_TIMED_OUT":    "the server did not answer",
	"ERR_TIMED_OUT":               "the server did not answer",
	"ERR_EMPTY_RESPONSE":          "the server sent nothing",
	"ERR_INTERNET_DISCONNECTED":   "there is no network",
	"ERR_ADDRESS_UNREACHABLE":     "the address cannot be reached",
	"ERR_TOO_MANY_REDIRECTS":      "the page redirects without end",
	"ERR_ABORTED":                 "the page was not loaded: the server sent nothing to show, or something else was opened meanwhile",
	"ERR_BLOCKED_BY_CLIENT":       "the request was blocked in the browser",
	"ERR_FILE_NOT_FOUND":          "there is no such file",
	"ERR_INVALID_URL":             "this is no address",
	"ERR_UNKNOWN_URL_SCHEME":      "the browser does not know this kind of address",
	"ERR_UNSAFE_PORT":             "browsers do not open this port",
	"ERR_PROXY_CONNECTION_FAILED": "the proxy does not answer",
	"ERR_FAILED":                  "the page could not be loaded",
}
