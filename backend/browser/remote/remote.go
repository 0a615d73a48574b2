// Package remote opens the protocol of a browser that an engine runs elsewhere: at an
// address of the DevTools protocol (wss://HOST/…), or in a session of a Selenium Grid
// (grid+https://HOST/).
//
// What was seen of engines: Grid 4 answers POST /session with se:cdp, whose host is
// "localhost" behind a container, so the host is always the one that was dialled; its
// session ends after 300 s without traffic, and what the browser sends counts. Browserless
// answers 401, 403, 408, 429 and 503, and its browser ends with the connection.
package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/engine"
	"pilotfish/backend/protocol"
)

const (
	// largestMessage bounds a message of the engine, in bytes: a picture of a long page has
	// some 50 MB.
	largestMessage = 256 << 20
	// largestReply bounds a Grid's reply to POST /session, in bytes.
	largestReply = 1 << 20
	// retryAfter is how long a full engine is left alone that does not say how long, and
	// longestRetry the longest that one may ask for.
	retryAfter   = 5 * time.Second
	longestRetry = 5 * time.Minute
	// endTimeout is how long the end of a Grid's session may take, and againTimeout another
	// connection to a browser: an engine that does not know it any more may not answer.
	endTimeout, againTimeout = 10 * time.Second, 10 * time.Second
	// connectTimeout is how long a host may take to accept a connection.
	connectTimeout = 5 * time.Second
	// A host that cannot be reached is dialled again every awayEvery, for keptFor: engines keep a
	// browser without a connection for 5 to 10 minutes, if at all.
	awayEvery, keptFor = time.Second, 5 * time.Minute
)

// Lease is a browser that an engine has given, and a connection to it.
type Lease struct {
	devtools.Transport

	engine engine.Engine
	at     *url.URL // of the protocol
	grid   string   // the session of a Grid; empty for none
}

// Open asks an engine for a browser. When the engine is full, it is asked again, as late as
// it says; full is called with when. Open returns ctx.Err() when ctx ends.
func Open(ctx context.Context, e engine.Engine, full func(until time.Time)) (*Lease, error) {
	for {
		l := &Lease{engine: e, at: e.Address()}
		err := l.begin(ctx)
		if err == nil {
			if err = l.dial(ctx); err == nil {
				return l, nil
			}
			l.End(ctx)
		}
		busy, ok := errors.AsType[*refusal](err)
		if !ok || !busy.full() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, explain(e, err)
		}
		full(time.Now().Add(busy.after))
		wait := time.NewTimer(busy.after)
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		case <-wait.C:
		}
	}
}

// Again opens another connection to the same browser, after the first has broken. While the
// engine's host cannot be reached it is dialled again; away is called with the error of the first
// time. An error says that the engine has not kept the browser, or is away for too long.
func (l *Lease) Again(ctx context.Context, away func(error)) (*Lease, error) {
	for until := time.Now().Add(keptFor); ; {
		next, err := l.dialAgain(ctx)
		if err == nil {
			return next, nil
		}
		if !unreachable(err) || time.Now().After(until) {
			return nil, explain(l.engine, err)
		}
		if away != nil {
			away(explain(l.engine, err))
			away = nil
		}
		wait := time.NewTimer(awayEvery)
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		case <-wait.C:
		}
	}
}

func (l *Lease) dialAgain(ctx context.Context) (*Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, againTimeout)
	defer cancel()
	next := &Lease{engine: l.engine, at: l.at, grid: l.grid}
	err := next.dial(ctx)
	return next, err
}

// unreachable reports whether an error is one of the network: no host has answered.
func unreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	_, noName := errors.AsType[*net.DNSError](err)
	return ok && op.Op == "dial" || noName
}

// End gives a browser of a Grid back. Another engine ends, or keeps, its browser by itself.
func (l *Lease) End(ctx context.Context) {
	if l.grid == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if res, err := request(ctx, l.engine, http.MethodDelete, "session/"+url.PathEscape(l.grid), nil); err == nil {
		_ = res.Body.Close()
	}
}

// refusal is an engine's answer that it gives no browser.
type refusal struct {
	status int
	after  time.Duration
	said   string // by a Grid
}

func (r *refusal) Error() string { return "status " + strconv.Itoa(r.status) }

// full reports whether a browser may be had later.
func (r *refusal) full() bool {
	return r.status == http.StatusRequestTimeout || r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable
}

// refused returns the refusal of an answer.
func refused(status int, header http.Header) *refusal {
	r := &refusal{status: status, after: retryAfter}
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		r.after = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		r.after = max(time.Until(at), 0)
	}
	r.after = min(r.after, longestRetry)
	return r
}

// explain returns an error for the user.
func explain(e engine.Engine, err error) error {
	name := e.Name()
	if r, ok := errors.AsType[*refusal](err); ok {
		switch {
		case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
			return protocol.NewError(protocol.CodeUnauthorized, fmt.Sprintf("%s refuses the credentials (status %d)", name, r.status), "check the login in the address, or the session's browser_header")
		case r.said != "":
			return protocol.NewError(protocol.CodeBrowserStart, name+" gives no browser: "+r.said, "when all its browsers are taken, end one there or add a node; otherwise the Grid's log says why")
		default:
			return protocol.NewError(protocol.CodeBrowserStart, fmt.Sprintf("%s gives no browser (status %d)", name, r.status), "check the path of the address: the engine's documents name it")
		}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return protocol.NewError(protocol.CodeBrowserStart, "there is no host "+name, engine.Allowed)
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return protocol.NewError(protocol.CodeBrowserStart, name+" has no valid certificate: "+bad.Err.Error(), "add its authority to this machine's")
	}
	if bad, ok := errors.AsType[*reply](err); ok {
		return protocol.NewError(protocol.CodeBrowserStart, name+" "+bad.what, "the address may be that of something else than a Selenium Grid")
	}
	// The text of other errors may quote the address.
	return protocol.NewError(protocol.CodeBrowserStart, name+" cannot be reached"+reason(err), "check the address, and that the engine runs")
}

// reason is the innermost cause of a connection that failed, in the system's words.
func reason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return ": " + op.Err.Error()
	}
	return ""
}

// client follows no redirect: what is sent has credentials.
func client() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: connectTimeout}).DialContext, DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request sends a request to a Grid.
func request(ctx context.Context, e engine.Engine, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, e.Address().JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = e.Header()
	if body != nil {
		r.Header.Set("Content-Type", "application/json; charset=utf-8") // without it, Grid answers 400
	}
	return client().Do(r)
}

// reply is an answer of HTTP that is not one of a Grid.
type reply struct{ what string }

func (r *reply) Error() string { return r.what }

// begin makes a session of a Grid. Grid itself keeps the request in its queue.
func (l *Lease) begin(ctx context.Context) error {
	if !l.engine.Grid() {
		return nil
	}
	res, err := request(ctx, l.engine, http.MethodPost, "session", []byte(`{"capabilities":{"alwaysMatch":{"browserName":"chrome"}}}`))
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, largestReply+1))
	if err != nil {
		return err
	}
	var answer struct {
		Value struct {
			Message      string `json:"message"`
			SessionID    string `json:"sessionId"`
			Capabilities struct {
				CDP string `json:"se:cdp"`
			} `json:"capabilities"`
		} `json:"value"`
	}
	bad := json.Unmarshal(text, &answer)
	if res.StatusCode != http.StatusOK {
		r := refused(res.StatusCode, res.Header)
		r.said, _, _ = strings.Cut(answer.Value.Message, "\n")
		return r
	}
	if bad != nil || len(text) > largestReply || answer.Value.SessionID == "" {
		return &reply{"answers POST /session with something else than a session"}
	}
	l.grid = answer.Value.SessionID
	named, err := url.Parse(answer.Value.Capabilities.CDP)
	if err != nil || named.Path == "" {
		l.End(ctx)
		return &reply{"gives a browser without the DevTools protocol (se:cdp)"}
	}
	// Only the path is taken: the host may be that of a container, or of somebody else.
	at := *l.engine.Address()
	at.Path, at.RawPath, at.RawQuery = named.Path, named.RawPath, named.RawQuery
	at.Scheme = map[string]string{"http": "ws", "https": "wss"}[at.Scheme]
	l.at = &at
	return nil
}

// dial opens the connection.
func (l *Lease) dial(ctx context.Context) error {
	t, err := devtools.Dial(ctx, l.at.String(), devtools.DialOptions{Client: client(), Header: l.engine.Header(), Largest: largestMessage})
	if no, ok := errors.AsType[*devtools.RefusedError](err); ok {
		return refused(no.Status, no.Header)
	}
	if err != nil {
		return err
	}
	l.Transport = t
	return nil
}
