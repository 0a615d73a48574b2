package page

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// follow applies an event of a session of the page: its own, one of a frame in another
// process, or one of a worker. The connection's reader calls it, so it must not block.
func (p *Page) follow(s *devtools.Session, e devtools.Event) {
	p.requests.event(s, e, "")
	switch e.Method {
	case target.AttachedToTarget.Method:
		if v, ok := devtools.Decode(e, target.AttachedToTarget); ok && v.TargetInfo != nil {
			if child := s.Conn.Session(v.SessionID); child != nil {
				p.attached(child, v.TargetInfo)
			}
		}
		return
	case target.DetachedFromTarget.Method:
		if v, ok := devtools.Decode(e, target.DetachedFromTarget); ok {
			if child := s.Conn.Session(v.SessionID); child != nil {
				p.detached(child, s)
			}
		}
		return
	}
	if !p.IsOpen() {
		return
	}
	p.Frames.event(s, e)
	if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && e.Method == cdppage.FrameNavigated.Method && v.Type == cdppage.NavigationTypeBackForwardCacheRestore {
		p.restored(s)
	}
}

// attached adds a session of a frame that another process renders, or of a worker. Its
// target waits until everything is enabled on the session.
func (p *Page) attached(child *devtools.Session, info *target.Info) {
	child.Follow(func(e devtools.Event) { p.follow(child, e) })
	p.mu.Lock()
	frame := info.Type == "iframe"
	open := p.Frames != nil
	if frame && !open {
		p.early[child] = info
	}
	p.mu.Unlock()
	if frame && open {
		p.adopt(child, info, true)
		return
	}
	go func() { // ends with the child's session at the latest
		ctx := context.Background()
		_ = followRequests(ctx, child)
		devtools.Resume(ctx, child)
	}()
}

// adopt adds a frame that another process renders to the frames, and installs our world
// in it. waits says that the frame waits until that is done.
func (p *Page) adopt(child *devtools.Session, info *target.Info, waits bool) {
	installed := p.Frames.installing(child)
	p.Frames.attached(child, info)
	go func() { // ends with the child's session at the latest
		ctx := context.Background()
		err := install(ctx, child, true)
		if waits {
			_ = followRequests(ctx, child)
			devtools.Resume(ctx, child)
		}
		installed()
		if err == nil {
			_ = p.join(ctx, child)
		}
	}()
}

// detached removes a session that the session by had attached.
func (p *Page) detached(child, by *devtools.Session) {
	p.requests.ended(child)
	p.mu.Lock()
	delete(p.early, child)
	p.mu.Unlock()
	if p.IsOpen() {
		p.Frames.detached(child, by)
	}
}

// installing records that our world is being installed on a session, until
// installed is called after the commands were sent.
func (fs *frames) installing(s *devtools.Session) (installed func()) {
	done := make(chan struct{})
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.installs[s] = done
	return func() {
		fs.mu.Lock()
		defer fs.mu.Unlock()
		delete(fs.installs, s)
		close(done)
	}
}

// awaitInstalled waits until the commands that install our world on a session
// were sent.
func (fs *frames) awaitInstalled(ctx context.Context, s *devtools.Session) error {
	fs.mu.Lock()
	done := fs.installs[s]
	fs.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restored reads the frame tree of a document that comes back from the
// back/forward cache, because no event reports the frames inside it. Snapshots
// and actions wait for the answer. The connection's reader calls it.
func (p *Page) restored(s *devtools.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.opened
	if before == nil {
		return // the next snapshot or action reads everything
	}
	o := &opening{done: make(chan struct{})}
	p.opened = o
	go func() { // ends with the session at the latest
		defer close(o.done)
		<-before.done
		if o.err = before.err; o.err == nil {
			o.err = p.readTree(context.Background(), s)
		}
		if o.err != nil {
			p.mu.Lock()
			if p.opened == o {
				p.opened = nil
			}
			p.mu.Unlock()
		}
	}()
}

// readTree adds the frames of a session.
func (p *Page) readTree(ctx context.Context, s *devtools.Session) error {
	tree, err := cdp.Call(ctx, s, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	p.Frames.tree(tree.FrameTree, s, "")
	return nil
}

// add finds or makes the frame that a session reports; fs.mu is held.
func (fs *frames) add(id, parent cdp.FrameID, s *devtools.Session) (*Frame, *world) {
	f := fs.byID[id]
	if f == nil {
		f = &Frame{ID: id, next: 1}
		fs.space.mu.Lock()
		fs.space.frames++
		f.Number = fs.space.frames
		fs.space.mu.Unlock()
		fs.byID[id] = f
		fs.order++
		f.lastIndex = fs.order
	}
	if parent != "" {
		f.parent = parent
	}
	w := f.in(s)
	return f, w
}

// attached records that a frame has a process of its own from now on.
func (fs *frames) attached(child *devtools.Session, info *target.Info) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.add(cdp.FrameID(info.TargetID), info.ParentFrameID, child)
	fs.changed()
}

// detached records that a frame's own session, which the session by had attached,
// has ended. The frames inside it are gone, and the frame is again in the state
// that its parent's process reports.
func (fs *frames) detached(child, by *devtools.Session) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.byID[cdp.FrameID(child.Target)]
	if f == nil || f.s != child {
		return
	}
	fs.dropInside(f.ID, nil)
	if f.world, f.around = f.around, (world{}); f.s == nil {
		f.s = by
	}
	fs.changed()
}

// contextAux is what the browser reports about a world in addition to its name.
type contextAux struct {
	FrameID cdp.FrameID `json:"frameId"`
}

// event applies one event of a session of the page. The connection's reader calls
// it.
func (fs *frames) event(s *devtools.Session, e devtools.Event) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	defer fs.changed()
	switch e.Method {
	case cdppage.FrameAttached.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameAttached); ok {
			fs.add(v.FrameID, v.ParentFrameID, s)
		}
	case cdppage.FrameNavigated.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame != nil {
			f, w := fs.add(v.Frame.ID, v.Frame.ParentID, s)
			// The child frames of a document from the back/forward cache are
			// reported before it, so they are kept.
			if w == &f.world {
				fs.dropInside(f.ID, func(c *Frame) bool { return c.isOwn(c.s) })
			}
		}
	case cdppage.FrameDetached.Method:
		if v, ok := devtools.Decode(e, cdppage.FrameDetached); ok && v.Reason != cdppage.FrameDetachedReasonSwap {
			fs.drop(v.FrameID)
		}
	case runtime.ExecutionContextCreated.Method:
		fs.contextCreated(s, e)
	case runtime.ExecutionContextDestroyed.Method:
		if v, ok := devtools.Decode(e, runtime.ExecutionContextDestroyed); ok {
			fs.forget(func(w *world) bool { return w.context == v.ExecutionContextUniqueID })
		}
	case runtime.ExecutionContextsCleared.Method:
		fs.forget(func(w *world) bool { return w.s == s })
	}
}

// forget clears the worlds for which gone returns true; fs.mu is held.
func (fs *frames) forget(gone func(*world) bool) {
	for _, f := range fs.byID {
		for _, w := range []*world{&f.world, &f.around} {
			if gone(w) {
				w.context = ""
			}
		}
	}
}

func (fs *frames) contextCreated(s *devtools.Session, e devtools.Event) {
	v, ok := devtools.Decode(e, runtime.ExecutionContextCreated)
	if !ok || v.Context == nil || v.Context.Name != WorldName {
		return
	}
	var aux contextAux
	if json.Unmarshal(v.Context.AuxData, &aux) != nil {
		return
	}
	// For frames that already exist, the browser reports their worlds first.
	_, w := fs.add(aux.FrameID, "", s)
	w.context, w.ContextN = v.Context.UniqueID, v.Context.ID
}

// drop removes a frame and the frames inside it; fs.mu is held.
func (fs *frames) drop(id cdp.FrameID) {
	if f := fs.byID[id]; f == nil || f.Number == 0 {
		return
	}
	delete(fs.byID, id)
	fs.dropInside(id, nil)
}

// dropInside removes the frames inside a frame, except those for which stays
// returns true and the frames inside them (nil keeps none); fs.mu is held.
func (fs *frames) dropInside(id cdp.FrameID, stays func(*Frame) bool) {
	for child, c := range fs.byID {
		if c.parent == id && (stays == nil || !stays(c)) {
			fs.drop(child)
		}
	}
}

// tree adds the frames that already exist.
func (fs *frames) tree(t *cdppage.FrameTree, s *devtools.Session, parent cdp.FrameID) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.walk(t, s, parent)
	fs.changed()
}

func (fs *frames) walk(t *cdppage.FrameTree, s *devtools.Session, parent cdp.FrameID) {
	if t == nil || t.Frame == nil {
		return
	}
	if t.Frame.ParentID != "" {
		parent = t.Frame.ParentID
	}
	fs.add(t.Frame.ID, parent, s)
	for _, c := range t.ChildFrames {
		fs.walk(c, s, t.Frame.ID)
	}
}
