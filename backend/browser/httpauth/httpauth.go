// Package httpauth answers what servers ask for beside a page's own content: the
// login of HTTP basic and digest authentication, of sites and of proxies. It also
// adds the headers that the user keeps for an origin to the requests to it.
//
// It listens on the browser's own session, so it covers every tab, frame and worker,
// those of the user too, and is independent of the rules over agents' tabs. Requests
// for documents are held for it, and those to origins that Answers names; no others.
package httpauth

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// attemptsMost is how often one request asks for a login; then the site's own page
// for a refused login is shown. Servers that never accept one would ask for ever.
const attemptsMost = 5

// countedMost is how many requests are counted at once.
const countedMost = 500

// textMost is how many characters of a server's text are kept.
const textMost = 200

// Challenge is a server that asks for a login.
type Challenge struct {
	// Proxy: a proxy asks, and not a site.
	Proxy bool
	// Origin is the server's or the proxy's, as browsers write it.
	Origin string
	// Scheme is "basic" or "digest". Realm is the server's text, on one line.
	Scheme, Realm string
	// Tab shows the page that sent the request; empty when it is not known, as for
	// a request of a worker.
	Tab protocol.TabID
	// URL is the address of the request.
	URL string
	// Attempt is 1 at first, and one more for each login that was wrong.
	Attempt int
}

// Login is a user name and a password.
type Login struct{ User, Password string }

// Header is a header that is added to a request.
type Header = devtools.Header

// Answers are the user's logins and headers. Its methods are called on goroutines of
// their own and may wait for the user.
type Answers interface {
	// Login returns false for no login; then the site's own page is shown. ctx ends
	// when the page that asks has gone.
	Login(ctx context.Context, c Challenge) (Login, bool)
	// Watched returns the origins of which every request counts, and a channel that
	// is closed when they have changed.
	Watched() (origins []string, changed <-chan struct{})
	// Headers returns the headers that a request to an origin gets; nil for none.
	Headers(ctx context.Context, origin string) []Header
}

// Config is what a Handler needs. All fields are required unless they say otherwise.
type Config struct {
	Conn    *devtools.Conn
	Answers Answers
	// Shown returns the target and the tab whose page has a frame; empty for none.
	Shown  func(frame cdp.FrameID) (target.ID, protocol.TabID)
	Logger *slog.Logger
}

// Handler answers the challenges of one run of the browser.
type Handler struct {
	config Config
	log    *slog.Logger
	events *devtools.Subscription

	mu       sync.Mutex
	attempts map[fetch.RequestID]int
	waiting  map[fetch.RequestID]waits
	asked    map[question]*flight
}

// waits is a challenge that waits for its answer.
type waits struct {
	frame  cdp.FrameID
	page   target.ID
	cancel context.CancelFunc
}

// question is what several requests of a page ask at the same time.
type question struct {
	origin, scheme, realm string
	tab                   protocol.TabID
}

// flight is a question that is being answered.
type flight struct {
	done  chan struct{}
	login Login
	given bool
}

// New returns a Handler that Begin switches on.
func New(c Config) *Handler {
	return &Handler{
		config: c, log: c.Logger.With("component", "httpauth"),
		attempts: make(map[fetch.RequestID]int), waiting: make(map[fetch.RequestID]waits), asked: make(map[question]*flight),
	}
}

// Begin switches the handling on. It does not wait for the browser, so that it can be
// among the first commands that a browser reads: pages that are loaded later are covered.
func (h *Handler) Begin(ctx context.Context) error {
	h.subscribe()
	origins, _ := h.config.Answers.Watched()
	return h.enable(ctx, origins)
}

func (h *Handler) subscribe() {
	h.events = h.config.Conn.Root.Events(fetch.RequestPaused.Method, fetch.AuthRequired.Method, target.TargetDestroyed.Method)
}

// enable holds the requests that count. The browser reports a challenge only of a
// request that it held.
func (h *Handler) enable(ctx context.Context, origins []string) error {
	yes := true
	patterns := []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}
	for _, origin := range origins {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: origin + "/*"})
	}
	err := devtools.Post(ctx, h.config.Conn.Root, fetch.Enable, fetch.EnableParams{HandleAuthRequests: &yes, Patterns: patterns})
	if err != nil {
		return fmt.Errorf("listening for logins: %w", err)
	}
	return nil
}

// Run handles the challenges until ctx or the browser ends. Begin comes first.
func (h *Handler) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var answering sync.WaitGroup
	defer answering.Wait()
	defer cancel()
	defer func() { h.events.Cancel() }()
	now, changed := h.config.Answers.Watched()
	_ = h.enable(ctx, now) // they may have changed since Begin; an error ends the events
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			now, changed = h.config.Answers.Watched()
			_ = h.enable(ctx, now)
		case e, ok := <-h.events.C:
			if ok {
				h.event(ctx, &answering, e)
				continue
			}
			if !h.events.Overflowed() {
				return // the browser has ended
			}
			// Requests whose events were lost would be held for ever: without the
			// domain they go on.
			h.log.Warn("requests were not followed")
			_ = devtools.Post(ctx, h.config.Conn.Root, fetch.Disable, cdp.Empty{})
			h.subscribe()
			_ = h.enable(ctx, now)
		}
	}
}

func (h *Handler) event(ctx context.Context, answering *sync.WaitGroup, e devtools.Event) {
	switch e.Method {
	case target.TargetDestroyed.Method:
		if v, ok := devtools.Decode(e, target.TargetDestroyed); ok {
			h.leave(func(w waits) bool { return w.page == v.TargetID })
		}
	case fetch.RequestPaused.Method:
		v, ok := devtools.Decode(e, fetch.RequestPaused)
		if !ok || v.Request == nil {
			return
		}
		if v.ResourceType == network.ResourceTypeDocument { // the frame goes elsewhere
			h.leave(func(w waits) bool { return w.frame == v.FrameID || string(w.page) == string(v.FrameID) })
		}
		h.send(ctx, answering, &v)
	case fetch.AuthRequired.Method:
		v, ok := devtools.Decode(e, fetch.AuthRequired)
		if !ok || v.Request == nil || v.AuthChallenge == nil {
			return
		}
		h.challenge(ctx, answering, &v)
	}
}

// send lets a request through, with the headers of its origin.
func (h *Handler) send(ctx context.Context, answering *sync.WaitGroup, v *fetch.EventRequestPaused) {
	params := fetch.ContinueRequestParams{RequestID: v.RequestID}
	origin := originOf(v.Request.URL)
	if !h.watches(origin) || h.foreign(v.FrameID) {
		_ = devtools.Post(ctx, h.config.Conn.Root, fetch.ContinueRequest, params)
		return
	}
	// A value may come from a program that asks the user, so the events go on.
	answering.Go(func() {
		if added := h.config.Answers.Headers(ctx, origin); len(added) > 0 {
			params.Headers = devtools.WithHeaders(v.Request.Headers, added)
		}
		_ = devtools.Post(ctx, h.config.Conn.Root, fetch.ContinueRequest, params)
	})
}

// foreign reports whether a request may be one of a browser context, which belongs to another
// session: beside those, only frames that are known to be ours count.
func (h *Handler) foreign(frame cdp.FrameID) bool {
	if !h.config.Conn.Lends() {
		return false
	}
	page, _ := h.config.Shown(frame)
	return page == ""
}

func (h *Handler) watches(origin string) bool {
	origins, _ := h.config.Answers.Watched()
	for _, one := range origins {
		if one == origin {
			return true
		}
	}
	return false
}

// challenge answers a server that asks for a login.
func (h *Handler) challenge(ctx context.Context, answering *sync.WaitGroup, v *fetch.EventAuthRequired) {
	scheme := strings.ToLower(v.AuthChallenge.Scheme)
	if scheme != "basic" && scheme != "digest" { // NTLM and Negotiate are the browser's
		h.answer(ctx, v.RequestID, fetch.AuthChallengeResponseResponseDefault, Login{})
		return
	}
	page, tab := h.config.Shown(v.FrameID)
	c := Challenge{
		Proxy: v.AuthChallenge.Source == fetch.AuthChallengeSourceProxy, Origin: v.AuthChallenge.Origin,
		Scheme: scheme, Realm: line(v.AuthChallenge.Realm), Tab: tab, URL: v.Request.URL,
	}
	own, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	if len(h.attempts) >= countedMost { // nobody reports that a request is over
		clear(h.attempts)
	}
	h.attempts[v.RequestID]++
	c.Attempt = h.attempts[v.RequestID]
	h.waiting[v.RequestID] = waits{v.FrameID, page, cancel}
	h.mu.Unlock()
	answering.Go(func() {
		defer func() {
			cancel()
			h.mu.Lock()
			delete(h.waiting, v.RequestID)
			h.mu.Unlock()
		}()
		if c.Attempt <= attemptsMost && !h.foreign(v.FrameID) {
			if login, given := h.login(own, c); given {
				h.answer(ctx, v.RequestID, fetch.AuthChallengeResponseResponseProvideCredentials, login)
				return
			}
		}
		h.answer(ctx, v.RequestID, fetch.AuthChallengeResponseResponseCancelAuth, Login{})
	})
}

// login asks once for what several requests of a page ask at the same time.
func (h *Handler) login(ctx context.Context, c Challenge) (Login, bool) {
	this := question{c.Origin, c.Scheme, c.Realm, c.Tab}
	h.mu.Lock()
	f := h.asked[this]
	mine := f == nil
	if mine {
		f = &flight{done: make(chan struct{})}
		h.asked[this] = f
	}
	h.mu.Unlock()
	if !mine {
		select {
		case <-f.done:
			return f.login, f.given
		case <-ctx.Done():
			return Login{}, false
		}
	}
	f.login, f.given = h.config.Answers.Login(ctx, c)
	h.mu.Lock()
	delete(h.asked, this)
	h.mu.Unlock()
	close(f.done)
	return f.login, f.given
}

func (h *Handler) answer(ctx context.Context, id fetch.RequestID, response fetch.AuthChallengeResponseResponse, login Login) {
	// A request that has gone meanwhile needs no answer.
	_ = devtools.Post(ctx, h.config.Conn.Root, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{
		RequestID: id, AuthChallengeResponse: &fetch.AuthChallengeResponse{Response: response, Username: login.User, Password: login.Password},
	})
}

// leave ends the questions of pages that have gone.
func (h *Handler) leave(gone func(waits) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.waiting {
		if gone(w) {
			w.cancel()
		}
	}
}

// originOf returns the origin of an address of http or https; "" for others.
func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host // the browser writes no default port, and lower case
}

// line returns a server's text on one line of limited length.
func line(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > textMost {
		runes = runes[:textMost]
	}
	return string(runes)
}
