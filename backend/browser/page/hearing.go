package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
)

// requestsHeard is how long request events stay enabled after a command.
const requestsHeard = 5 * time.Second

// HearRequests enables the request events of the page's session until
// ReleaseRequests.
func (p *Page) HearRequests(ctx context.Context) error {
	return p.hearing.use(func() (bool, error) {
		var none int64 // response bodies are not kept: nothing reads them on this session
		return true, devtools.Post(ctx, p.Session, network.Enable, network.EnableParams{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none})
	})
}

// ReleaseRequests ends the use that HearRequests began, even if that failed.
func (p *Page) ReleaseRequests(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	p.hearing.release(requestsHeard, func() {
		err := devtools.Post(ctx, p.Session, network.Disable, cdp.Empty{})
		p.notSwitchedOff("telling of requests", err)
	})
}
