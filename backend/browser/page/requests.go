package page

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// requests are the requests of a page that wait for their response: those of its
// documents, of its frames in other processes, and of its workers. They are followed
// from the first command on the page on, so that a command which waits for them also
// knows those that began before it.
type requests struct {
	mu sync.Mutex
	// The response may be reported by another session than the request: a worker itself
	// reports the response with its script.
	waiting map[network.RequestID]requester
	// streams are the requests of server-sent events, which never end.
	streams map[network.RequestID]bool
	// origin is that of the page's document: the requests of its shared workers count. They
	// may be reported before the document that has asked for them.
	origin  string
	changed chan struct{} // closed at the next event of a request
}

// requester is what sent a request: a session's document or worker.
type requester struct {
	s      *devtools.Session
	frame  cdp.FrameID
	loader cdp.LoaderID
	shared string // the origin of a shared worker; empty for what is the page's own
}

func newRequests(origin string) *requests {
	return &requests{origin: origin, waiting: make(map[network.RequestID]requester), streams: make(map[network.RequestID]bool), changed: make(chan struct{})}
}

// WaitingRequests returns how many requests of the page wait for their response, and a
// channel that is closed at the next event of any request: one began, ended, or got
// data.
func (p *Page) WaitingRequests() (n int, changed <-chan struct{}) {
	r := p.requests
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range r.waiting {
		if of.shared == "" || of.shared == r.origin {
			n++
		}
	}
	return n, r.changed
}

// event applies an event of a session of the page, or of a shared worker. A response that has begun counts no
// longer: one that the page does not read to its end, or that never ends (server-sent
// events), has no end event.
func (r *requests) event(s *devtools.Session, e devtools.Event, shared string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Method {
	case network.RequestWillBeSent.Method:
		if v, ok := devtools.Decode(e, network.RequestWillBeSent); ok {
			if v.Type == network.ResourceTypeEventSource {
				r.streams[v.RequestID] = true
				return
			}
			r.waiting[v.RequestID] = requester{s, v.FrameID, v.LoaderID, shared}
		}
	case network.ResponseReceived.Method:
		if v, ok := devtools.Decode(e, network.ResponseReceived); ok {
			delete(r.waiting, v.RequestID)
		}
	case network.DataReceived.Method:
		if v, ok := devtools.Decode(e, network.DataReceived); ok && r.streams[v.RequestID] {
			return
		}
	case network.LoadingFinished.Method:
		if v, ok := devtools.Decode(e, network.LoadingFinished); ok {
			delete(r.waiting, v.RequestID)
			delete(r.streams, v.RequestID)
		}
	case network.LoadingFailed.Method:
		if v, ok := devtools.Decode(e, network.LoadingFailed); ok {
			delete(r.waiting, v.RequestID)
			delete(r.streams, v.RequestID)
		}
	case cdppage.FrameNavigated.Method:
		// Requests of the previous document may end without an event.
		if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame != nil {
			whole := v.Frame.ParentID == "" && cdp.FrameID(s.Target) == v.Frame.ID
			if whole {
				r.origin = OriginOf(v.Frame.URL)
			}
			maps.DeleteFunc(r.waiting, func(_ network.RequestID, of requester) bool {
				return (whole && of.shared == "" || of.frame == v.Frame.ID) && of.loader != v.Frame.LoaderID
			})
		}
	case cdppage.FrameDetached.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameDetached); ok && v.Reason != cdppage.FrameDetachedReasonSwap {
			maps.DeleteFunc(r.waiting, func(_ network.RequestID, of requester) bool { return of.frame == v.FrameID })
		}
	case inspector.TargetCrashed.Method:
		maps.DeleteFunc(r.waiting, func(_ network.RequestID, of requester) bool { return of.s == s })
	default:
		return
	}
	if shared == "" || shared == r.origin {
		r.beat()
	}
}

// FromSharedWorker applies an event of a shared worker, which the pages of its origin use.
// The worker also reports the response with its script, which the page that started it
// requested.
func (p *Page) FromSharedWorker(s *devtools.Session, e devtools.Event) {
	p.requests.event(s, e, cmp.Or(OriginOf(s.Address), "no origin"))
}

// SharedWorkerEnded forgets the requests of a shared worker.
func (p *Page) SharedWorkerEnded(s *devtools.Session) { p.requests.ended(s) }

// ended forgets the requests of a session that has ended.
func (r *requests) ended(s *devtools.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.waiting, func(_ network.RequestID, of requester) bool { return of.s == s })
	r.beat()
}

func (r *requests) beat() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// followRequests makes the browser report the requests of a session, and attach to the
// frames in other processes and to the workers that it starts. These wait until their
// own requests are reported, too.
func followRequests(ctx context.Context, s *devtools.Session) error {
	yes := true
	return errors.Join(
		ReportRequests(ctx, s),
		devtools.Post(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes,
			Filter: target.Filter{{Type: "iframe"}, {Type: "worker"}, {Exclude: true}},
		}),
	)
}

// ReportRequests makes the browser report the requests of a session.
func ReportRequests(ctx context.Context, s *devtools.Session) error {
	var none int64 // response bodies are not kept: nothing reads them on this session
	return devtools.Post(ctx, s, network.Enable, network.EnableParams{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none})
}
