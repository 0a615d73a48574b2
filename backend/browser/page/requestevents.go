package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
)

// requestEventsKept is how long request events stay enabled after a command.
const requestEventsKept = 5 * time.Second

// EnableRequestEvents enables the request events of the page's session until
// ReleaseRequestEvents.
func (p *Page) EnableRequestEvents(ctx context.Context) error {
	return p.requestEvents.use(func() (bool, error) {
		var none int64 // response bodies are not kept: nothing reads them on this session
		return true, devtools.Post(ctx, p.Session, network.Enable, network.EnableParams{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none})
	})
}

// ReleaseRequestEvents ends the use that EnableRequestEvents began, even if that failed.
func (p *Page) ReleaseRequestEvents(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	p.requestEvents.release(requestEventsKept, func() {
		err := devtools.Post(ctx, p.Session, network.Disable, cdp.Empty{})
		p.notSwitchedOff("telling of requests", err)
	})
}
