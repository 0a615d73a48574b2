package live

import (
	"context"
	"sync"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// choosers keeps the browser from opening choosers of files for the frames of a page that other
// processes render: a session of the page does not reach these. They have sessions of their own
// for it, because an upload switches those of the page on and off.
type choosers struct {
	p      *page.Page
	opened chan struct{} // a frame asks for a file

	mu  sync.Mutex
	on  bool
	all map[target.ID]*devtools.Session // nil for one that is not attached yet
}

func newChoosers(p *page.Page) *choosers {
	return &choosers{p: p, opened: make(chan struct{}), all: make(map[target.ID]*devtools.Session)}
}

// run follows the frames until ctx ends.
func (c *choosers) run(ctx context.Context, tab protocol.TabID) {
	if c.p.Open(ctx, tab) != nil {
		return // as for lists
	}
	var frames sync.WaitGroup
	defer frames.Wait()
	for ctx.Err() == nil {
		changes := c.p.Frames.Changes()
		for _, f := range c.p.Frames.All() {
			s, _ := c.p.Frames.State(f)
			if s == nil || s == c.p.Session {
				continue
			}
			c.mu.Lock()
			_, known := c.all[s.Target]
			if !known {
				c.all[s.Target] = nil
				frames.Go(func() { c.follow(ctx, s.Target) })
			}
			c.mu.Unlock()
		}
		select {
		case <-changes:
		case <-ctx.Done():
		}
	}
}

// follow reports when a frame asks for a file, until the frame has gone or ctx ends.
func (c *choosers) follow(ctx context.Context, id target.ID) {
	defer func() {
		c.mu.Lock()
		delete(c.all, id)
		c.mu.Unlock()
	}()
	s, release, err := c.p.Beside(ctx, id)
	if err != nil {
		return // the frame has gone
	}
	defer release()
	events := s.Events(cdppage.FileChooserOpened.Method)
	defer events.Cancel()
	_ = devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
	c.mu.Lock()
	c.all[id] = s
	_ = devtools.Post(ctx, s, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: c.on})
	c.mu.Unlock()
	for {
		select {
		case _, ok := <-events.C:
			if !ok {
				return
			}
			select {
			case c.opened <- struct{}{}:
			case <-ctx.Done():
			}
		case <-ctx.Done():
			return
		}
	}
}

// intercept switches it on or off, and waits for the frames: they may get input before a call
// that was sent earlier.
func (c *choosers) intercept(ctx context.Context, on bool) {
	var calls []*page.Calls
	c.mu.Lock()
	c.on = on
	for _, s := range c.all {
		if s == nil {
			continue
		}
		q := page.NewCalls(s)
		if q.Send(ctx, cdppage.SetInterceptFileChooserDialog.Method, cdppage.SetInterceptFileChooserDialogParams{Enabled: on}) == nil {
			calls = append(calls, q)
		}
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, menuWait)
	defer cancel()
	for _, q := range calls {
		_ = q.Await(ctx, 0, nil)
	}
}
