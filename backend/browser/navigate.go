package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// navigation follows one navigation of a tab's main frame by its events.
type navigation struct {
	p      *page
	events *devtools.Subscription
	// allow says whether an address may be loaded; nil allows all. It is asked
	// for every hop of the documents and for the machine that answered.
	allow    func(url string) error
	released func() // the tab's gate judges again
	heard    bool   // the browser tells of it

	begun     map[cdp.LoaderID]bool // documents that were asked for since
	committed cdp.LoaderID
	loaded    map[cdp.LoaderID]protocol.WaitUntil // how far each document is
	request   network.RequestID                   // of the main document
	status    int
	failure   string // what the network said
	refused   error
	within    string // the address, when it stayed in the same document
}

// beginNavigation listens before anything is started, so that nothing is lost.
func (p *page) beginNavigation(ctx context.Context, allow func(string) error) (*navigation, error) {
	n := p.followNavigation(allow)
	if err := n.enable(ctx); err != nil {
		n.end(ctx)
		return nil, err
	}
	return n, nil
}

// followNavigation listens; the browser tells all of it from enable on.
func (p *page) followNavigation(allow func(string) error) *navigation {
	n := &navigation{
		p:     p,
		allow: allow,
		events: p.Events(
			cdppage.FrameStartedNavigating.Method, cdppage.FrameNavigated.Method, cdppage.NavigatedWithinDocument.Method, cdppage.LifecycleEvent.Method,
			cdppage.JavascriptDialogOpening.Method,
			network.RequestWillBeSent.Method, network.ResponseReceived.Method, network.LoadingFailed.Method,
			fetch.RequestPaused.Method,
		),
		begun:  make(map[cdp.LoaderID]bool),
		loaded: make(map[cdp.LoaderID]protocol.WaitUntil),
	}
	if allow != nil {
		n.released = p.r.gates.command(p.Target)
	}
	return n
}

func (n *navigation) enable(ctx context.Context) error {
	if n.heard {
		return nil
	}
	n.heard = true
	err := n.p.hearRequests(ctx)
	if n.allow != nil {
		err = errors.Join(err, devtools.Post(ctx, n.p.Session, fetch.Enable, fetch.EnableParams{
			Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}},
		}))
	}
	return err
}

// end stops what was switched on.
func (n *navigation) end(ctx context.Context) {
	n.events.Release()
	ctx = context.WithoutCancel(ctx)
	if n.allow != nil {
		n.released()
		_ = devtools.Post(ctx, n.p.Session, fetch.Disable, cdp.Empty{})
	}
	if n.heard {
		n.p.releaseRequests(ctx)
	}
}

// run starts the navigation with start and follows it until it is as far as
// wait says, has failed or was refused. start returns the loader that it waits
// for, or nothing when it cannot know.
func (n *navigation) run(ctx context.Context, wait protocol.WaitUntil, start func() (started, error)) error {
	type result struct {
		started
		err error
	}
	calls := make(chan result, 1)
	go func() {
		s, err := start()
		calls <- result{s, err}
	}()
	var begun *started
	for {
		if n.refused == nil {
			n.refused = n.p.r.gates.refusal(n.p.Target)
		}
		if n.refused != nil {
			return n.refused
		}
		if begun != nil && n.reached(wait) {
			return nil
		}
		if begun != nil && n.failure != "" && n.committed == "" {
			return navigationError(n.failure)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case c := <-calls:
			if n.refused == nil {
				n.refused = n.p.r.gates.refusal(n.p.Target)
			}
			if c.err != nil {
				if n.refused == nil {
					return c.err
				}
				continue
			}
			switch {
			case n.refused != nil:
			case c.download:
				return protocol.NewError(protocol.CodeNavigation, "the address is a download, not a page; the tab did not change", "", protocol.Try("prints the path of the file", "downloads", "wait"))
			case c.failure != "":
				return navigationError(c.failure)
			}
			begun = &c.started
		case e, ok := <-n.events.C:
			if !ok {
				return devtools.ErrSessionEnded
			}
			n.event(ctx, e)
		}
	}
}

// started is what the browser says of a navigation that it has begun.
type started struct {
	failure  string
	download bool
}

// order of how far a page is.
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

func (n *navigation) reached(wait protocol.WaitUntil) bool {
	if n.within != "" {
		return true
	}
	return n.committed != "" && far(n.loaded[n.committed]) >= far(wait)
}

func (n *navigation) event(ctx context.Context, e devtools.Event) {
	main := cdp.FrameID(n.p.Target)
	switch e.Method {
	case cdppage.FrameStartedNavigating.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameStartedNavigating); ok && v.FrameID == main {
			n.begun[v.LoaderID] = true
		}
	case cdppage.FrameNavigated.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame != nil && v.Frame.ParentID == "" {
			n.committed = v.Frame.LoaderID
			ours := n.begun[n.committed]
			delete(n.begun, n.committed)
			if v.Type == cdppage.NavigationTypeBackForwardCacheRestore {
				n.loaded[n.committed] = protocol.WaitLoad // it comes back as it was
			}
			if v.Frame.UnreachableURL != "" {
				n.committed = "" // Chromium's own page with the reason
				// That of a navigation before may come late.
				if ours && n.failure == "" {
					n.failure = "net::ERR_FAILED"
				}
			}
		}
	case cdppage.NavigatedWithinDocument.Method:
		if v, ok := devtools.Decode(e, cdppage.NavigatedWithinDocument); ok && v.FrameID == main && n.committed == "" {
			n.within = v.URL
		}
	case cdppage.LifecycleEvent.Method:
		if v, ok := devtools.Decode(e, cdppage.LifecycleEvent); ok && v.FrameID == main {
			// A page whose process is new is heard of only from here on.
			if n.begun[v.LoaderID] {
				delete(n.begun, v.LoaderID)
				n.committed = v.LoaderID
			}
			switch v.Name {
			case "load":
				n.loaded[v.LoaderID] = protocol.WaitLoad
			case "DOMContentLoaded":
				if n.loaded[v.LoaderID] != protocol.WaitLoad {
					n.loaded[v.LoaderID] = protocol.WaitDOM
				}
			}
		}
	case cdppage.JavascriptDialogOpening.Method:
		// The page asks whether to leave; the command has said so already.
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok && v.Type == cdppage.DialogTypeBeforeunload {
			_ = devtools.Post(ctx, n.p.Session, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true})
		}
	case network.RequestWillBeSent.Method:
		if v, ok := devtools.Decode(e, network.RequestWillBeSent); ok && v.FrameID == main && v.Type == network.ResourceTypeDocument {
			n.request = v.RequestID
		}
	case network.LoadingFailed.Method:
		if v, ok := devtools.Decode(e, network.LoadingFailed); ok && v.RequestID == n.request {
			n.failure = v.ErrorText
		}
	case network.ResponseReceived.Method:
		if v, ok := devtools.Decode(e, network.ResponseReceived); ok && v.FrameID == main && v.Type == network.ResourceTypeDocument && v.Response != nil {
			n.status = int(v.Response.Status)
			n.checkRemote(ctx, v.Response)
		}
	case fetch.RequestPaused.Method:
		if v, ok := devtools.Decode(e, fetch.RequestPaused); ok && v.Request != nil {
			n.gate(ctx, &v, v.FrameID == main)
		}
	}
}

// gate lets a document's request through or not. A refused frame stays empty; a
// refused page ends the command.
func (n *navigation) gate(ctx context.Context, v *fetch.EventRequestPaused, isMain bool) {
	var err error
	if n.allow != nil {
		err = n.allow(v.Request.URL)
	}
	if err == nil {
		_ = devtools.Post(ctx, n.p.Session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
		return
	}
	_ = devtools.Post(ctx, n.p.Session, fetch.FailRequest, fetch.FailRequestParams{
		RequestID: v.RequestID, ErrorReason: network.ErrorReasonBlockedByClient,
	})
	if isMain {
		n.refused = err
	}
}

// checkRemote applies the same rule to the machine that answered: a harmless
// name may lead to a refused address.
func (n *navigation) checkRemote(ctx context.Context, res *network.Response) {
	if n.allow == nil || res.RemoteIPAddress == "" || n.refused != nil {
		return
	}
	u, err := url.Parse(res.URL)
	if err != nil {
		return
	}
	// With its path: of our own server the welcome page is allowed.
	at := url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(strings.Trim(res.RemoteIPAddress, "[]"), strconv.FormatInt(res.RemotePort, 10)), Path: u.Path}
	if at.Path == "" {
		at.Path = "/"
	}
	if err := n.allow(at.String()); err != nil {
		n.refused = err
		_ = devtools.Post(ctx, n.p.Session, cdppage.StopLoading, cdp.Empty{})
		_ = devtools.Post(ctx, n.p.Session, cdppage.Navigate, cdppage.NavigateParams{URL: "about:blank"})
	}
}

// navigationError puts a network error into words.
func navigationError(text string) error {
	code := strings.TrimPrefix(text, "net::")
	if words, ok := netWords[code]; ok {
		return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s (%s)", words, code), "check the address, or try again")
	}
	if strings.HasPrefix(code, "ERR_CERT_") || strings.HasPrefix(code, "ERR_SSL_") {
		return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("the site's certificate is not trusted (%s)", code), "the user can look at it in the browser")
	}
	return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("the page could not be loaded (%s)", code), "check the address, or try again")
}

// netWords says the usual network errors in words.
var netWords = map[string]string{
	"ERR_NAME_NOT_RESOLVED":       "no such host",
	"ERR_CONNECTION_REFUSED":      "nothing listens at this address",
	"ERR_CONNECTION_RESET":        "the server broke the connection off",
	"ERR_CONNECTION_CLOSED":       "the server closed the connection",
	"ERR_CONNECTION_TIMED_OUT":    "the server did not answer",
	"ERR_TIMED_OUT":               "the server did not answer",
	"ERR_EMPTY_RESPONSE":          "the server sent nothing",
	"ERR_INTERNET_DISCONNECTED":   "there is no network",
	"ERR_ADDRESS_UNREACHABLE":     "there is no way to this address",
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
