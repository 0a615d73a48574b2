package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
)

// requestsHeard is how long after a command a page's requests are still told.
const requestsHeard = 5 * time.Second

// HearRequests lets the page's session tell of requests until release.
func (p *Page) HearRequests(ctx context.Context) error {
	return p.hearing.use(func() (bool, error) {
		var none int64 // what comes is not kept: nobody asks this session for it
		return true, devtools.Post(ctx, p.Session, network.Enable, network.EnableParams{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none})
	})
}

// ReleaseRequests ends HearRequests, which may have failed.
func (p *Page) ReleaseRequests(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	p.hearing.release(requestsHeard, func() {
		err := devtools.Post(ctx, p.Session, network.Disable, cdp.Empty{})
		p.notSwitchedOff("telling of requests", err)
	})
}
