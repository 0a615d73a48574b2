package gate

import (
	"context"
	"errors"
	"maps"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// A file that a gated tab would save waits for its decision. Where it is the answer
// to a request of a document, the answer is held before its body is read, so no
// byte is written. What the browser saves in another way (blob: and data:, and
// types of content that it recognizes by the content) is known only when it begins:
// it is stopped at once, and a permission counts for the next time.

// mayBeSaved reports whether the answer to a request has to be seen before it is
// let through.
func (g *gate) mayBeSaved(v *fetch.EventRequestPaused) bool {
	saver := g.saver()
	return v.ResourceType == network.ResourceTypeDocument && saver != nil && saver.Asks(v.Request.URL)
}

// let lets an answer through. A file waits for its decision.
func (g *gate) let(ctx context.Context, s *devtools.Session, v *fetch.EventRequestPaused) {
	name, saved := savedAs(v)
	var decide func(context.Context, func()) error
	if saved {
		decide = g.save(v.Request.URL, name, false)
	}
	if decide == nil {
		_ = devtools.Post(ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
		return
	}
	go func() {
		err := decide(ctx, func() {
			begun := g.decided().begins(fileKey(v.Request.URL, name))
			_ = devtools.Post(ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
			select { // so that a caller that learns of the permission finds the file in the list
			case <-begun:
			case <-time.After(beginTime):
			case <-s.Done:
			}
		})
		if err == nil {
			return
		}
		if v.NetworkID == "" { // the browser reports that it begins and fails at once
			g.decided().add(fileKey(v.Request.URL, ""), false)
		}
		if target.ID(v.FrameID) == s.Target {
			g.all.refuse(s.Target, err)
		}
		// The tab stays where it is.
		_ = devtools.Post(ctx, s, fetch.FailRequest, fetch.FailRequestParams{RequestID: v.RequestID, ErrorReason: network.ErrorReasonAborted})
	}()
}

// beginTime is how long a file that was allowed may take to begin.
const beginTime = 3 * time.Second

func (g *gate) decided() *decisions {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.decisions
}

// errDenied is the decision about a file whose answer was not let through. The
// browser reports that it begins, and fails, all the same.
var errDenied = errors.New("the file was denied before it began")

// save returns a function that waits for the decision about a file; nil when it may
// be saved. A decision that was taken before the file began counts once.
func (g *gate) save(address, name string, stopped bool) func(context.Context, func()) error {
	key := fileKey(address, name)
	saver, decisions := g.saver(), g.decided()
	may, known := decisions.take(key, stopped)
	switch {
	case known && may:
		return nil
	case known && stopped:
		return func(context.Context, func()) error { return errDenied }
	case saver == nil, !saver.Asks(address):
		return nil
	}
	decide := saver.Save(address, name, stopped)
	if decide == nil {
		if !stopped {
			decisions.add(key, true)
		}
		return nil
	}
	return func(ctx context.Context, begin func()) error {
		return decide(ctx, func() {
			decisions.add(key, true)
			begin()
		})
	}
}

// decisionsMost is how many decisions wait for their file to begin.
const decisionsMost = 100

// decisions are those about files that have not begun. A page and those that it
// opened share them.
type decisions struct {
	mu      sync.Mutex
	of      map[string]bool
	waiters map[string]chan struct{} // closed when the file begins
}

func newDecisions() *decisions {
	return &decisions{of: make(map[string]bool), waiters: make(map[string]chan struct{})}
}

// begins returns a channel that is closed when a file begins.
func (d *decisions) begins(key string) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiters[key] == nil {
		d.waiters[key] = make(chan struct{})
	}
	return d.waiters[key]
}

func (d *decisions) add(key string, may bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.of) >= decisionsMost {
		clear(d.of)
		clear(d.waiters)
	}
	d.of[key] = may
}

// take returns the decision about a file. It is used up when the file begins.
func (d *decisions) take(key string, begins bool) (may, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	may, known = d.of[key]
	if known && (begins || !may) {
		delete(d.of, key)
	}
	if waits := d.waiters[key]; waits != nil && begins {
		delete(d.waiters, key)
		close(waits)
	}
	return may, known
}

// fileKey is what a file is known by. That of a page has a new address each time.
func fileKey(address, name string) string {
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		u.Fragment = ""
		return u.String()
	}
	if rest, is := strings.CutPrefix(address, "blob:"); is {
		at := strings.LastIndexByte(rest, '/') + 1
		return "blob:" + rest[:at] + " " + strings.TrimPrefix(name, rest[at:]) // a file without a name is called after its address
	}
	return address + " " + name
}

// Begins judges a file that a frame has begun to save, and calls stop when it has to
// wait for its decision. shown returns the target of the page that a frame is in, as
// far as it is known. Begins does not block.
func (g *Gates) Begins(frame cdp.FrameID, shown target.ID, address, name string, stop func()) {
	g.mu.Lock()
	gates := slices.Collect(maps.Values(g.of))
	g.mu.Unlock()
	i := slices.IndexFunc(gates, func(one *gate) bool { return one.has(frame) || one.target == shown })
	switch {
	case i >= 0:
		gates[i].begins(address, name, stop)
	case shown == "" && len(gates) > 0:
		go g.search(context.Background(), gates, frame, func(of *gate) { of.begins(address, name, stop) }) // it ends with the browser
	}
}

// begins judges a file that a frame of the tab has begun to save.
func (g *gate) begins(address, name string, stop func()) {
	decide := g.save(address, name, true)
	if decide == nil {
		return
	}
	stop()
	go func() { _ = decide(context.Background(), func() {}) }() // who asks keeps the answer; a session's questions end with it
}

// search looks for the tab of a frame that has requested nothing.
func (g *Gates) search(ctx context.Context, gates []*gate, frame cdp.FrameID, found func(*gate)) {
	for _, one := range gates {
		one.mu.Lock()
		root := one.root
		one.mu.Unlock()
		if root == nil {
			continue
		}
		res, err := cdp.Call(ctx, root, cdppage.GetFrameTree, cdp.Empty{})
		if err == nil && within(res.FrameTree, frame) {
			found(one)
			return
		}
	}
}

func within(tree *cdppage.FrameTree, frame cdp.FrameID) bool {
	return tree != nil && (tree.Frame != nil && tree.Frame.ID == frame ||
		slices.ContainsFunc(tree.ChildFrames, func(child *cdppage.FrameTree) bool { return within(child, frame) }))
}

func (g *gate) has(frame cdp.FrameID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return target.ID(frame) == g.target || g.frames[frame]
}

// inherit puts a page under the gate of the page that opened it, before it runs; a
// page that the user opened from there has no opener. It reports whether there is
// such a gate.
func (g *Gates) inherit(ctx context.Context, info *target.Info, s *devtools.Session) bool {
	g.mu.Lock()
	opener := g.of[info.OpenerID]
	g.mu.Unlock()
	if opener == nil || info.OpenerID == "" {
		return false
	}
	opener.mu.Lock()
	own, beside, decisions := opener.own, opener.beside, opener.decisions
	opener.mu.Unlock()
	child := g.gate(info.TargetID)
	child.opening.Lock()
	defer child.opening.Unlock()
	child.mu.Lock()
	known := child.root != nil
	if !known {
		child.own, child.beside, child.decisions, child.root = own, beside, decisions, s
	}
	child.mu.Unlock()
	if known {
		return false
	}
	child.enter(s)           //nolint:contextcheck // it lives as long as its session
	_ = child.enable(ctx, s) // a session that ended loads nothing
	devtools.Resume(ctx, s)
	return true
}

// savedAs reports whether the browser saves the answer to a document's request, and
// under which name. What it does not recognize, Begins does.
func savedAs(v *fetch.EventRequestPaused) (name string, saved bool) {
	header := func(name string) string {
		for _, h := range v.ResponseHeaders {
			if strings.EqualFold(h.Name, name) {
				return h.Value
			}
		}
		return ""
	}
	if v.ResponseStatusCode == 204 || v.ResponseStatusCode == 205 {
		return "", false
	}
	given := header("Content-Disposition")
	kind, params, _ := mime.ParseMediaType(given)
	if kind == "" {
		kind, _, _ = strings.Cut(strings.ToLower(given), ";") // it may be malformed
	}
	name = params["filename"]
	if u, err := url.Parse(v.Request.URL); name == "" && err == nil {
		name = path.Base(u.Path)
	}
	if name == "" || name == "." || name == "/" {
		name = "download"
	}
	kind = strings.TrimSpace(kind)
	// A request that the browser saves whatever comes, such as that of a link with the
	// attribute download, has no id of the network.
	return name, v.NetworkID == "" || kind != "" && kind != "inline" && !strings.Contains(kind, "=") || !shown(header("Content-Type"))
}

// shown reports whether the browser shows content of a type. Of a type that is
// missing or not listed here, the browser itself decides by the content.
func shown(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		return true
	}
	switch top, sub, _ := strings.Cut(kind, "/"); {
	case slices.Contains([]string{"text/csv", "text/calendar", "text/vcard", "text/rtf", "text/tab-separated-values"}, kind):
		return false
	case top == "application":
		return slices.Contains([]string{"json", "xml", "javascript", "ecmascript", "x-javascript", "pdf", "signed-exchange", "x-x509-user-cert", "manifest+json"}, sub) ||
			strings.HasSuffix(sub, "+json") || strings.HasSuffix(sub, "+xml")
	case top == "font", top == "model", top == "chemical":
		return false
	}
	return true
}
