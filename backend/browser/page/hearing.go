package page

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
)

// requestsHeard is how long after a command a page's requests are still told:
// the next command often follows at once.
const requestsHeard = 5 * time.Second

// hearing is whether a page's session is told of the page's requests. It is
// switched on for a command, and off a moment after the last: to switch it for
// each held the next one up behind it.
type hearing struct {
	mu    sync.Mutex // held until the browser has what was decided, in its order
	users int
	on    bool
	off   *time.Timer
}

// HearRequests lets the page's session tell of requests until release.
func (p *Page) HearRequests(ctx context.Context) error {
	h := &p.hearing
	h.mu.Lock()
	defer h.mu.Unlock()
	h.users++
	if h.off != nil {
		h.off.Stop()
	}
	if h.on {
		return nil
	}
	h.on = true
	var none int64 // what comes is not kept: nobody asks this session for it
	return devtools.Post(ctx, p.Session, network.Enable, network.EnableParams{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none})
}

// ReleaseRequests ends hearRequests, which may have failed.
func (p *Page) ReleaseRequests(ctx context.Context) {
	h := &p.hearing
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users--; h.users > 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	h.off = time.AfterFunc(requestsHeard, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.users > 0 || !h.on {
			return
		}
		h.on = false
		if err := devtools.Post(ctx, p.Session, network.Disable, cdp.Empty{}); err != nil && !errors.Is(err, devtools.ErrSessionEnded) && !errors.Is(err, devtools.ErrPipeEnded) {
			p.host.Log.Debug("the browser goes on telling of requests", "error", err)
		}
	})
}
