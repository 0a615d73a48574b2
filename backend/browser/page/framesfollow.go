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

// hook follows a session's events into the frames.
func (p *Page) hook(s *devtools.Session) {
	follow := func(e devtools.Event) {
		switch e.Method {
		case target.AttachedToTarget.Method:
			if v, ok := devtools.Decode(e, target.AttachedToTarget); ok && v.TargetInfo != nil && v.TargetInfo.Type == "iframe" {
				if child := s.Conn.Session(v.SessionID); child != nil {
					p.attachChild(child, v.TargetInfo)
				}
			}
		case target.DetachedFromTarget.Method:
			if v, ok := devtools.Decode(e, target.DetachedFromTarget); ok {
				if child := s.Conn.Session(v.SessionID); child != nil {
					p.Frames.detached(child, s)
				}
			}
		default:
			p.Frames.event(s, e)
			if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && e.Method == cdppage.FrameNavigated.Method && v.Type == cdppage.NavigationTypeBackForwardCacheRestore {
				p.restored(s)
			}
		}
	}
	if s != p.Session {
		s.Follow(follow)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.then = follow
}

// attachChild follows a frame that another process draws. It is called by the
// reader, which must not wait.
func (p *Page) attachChild(child *devtools.Session, info *target.Info) {
	p.Frames.attached(child, info)
	p.hook(child)
	// Ends with the child's session at the latest.
	go func() { _ = p.equip(context.Background(), child, true) }()
}

// restored asks for the frames of a document that comes back as it was: of those
// inside it nothing tells. Who looks waits for the answer. The reader calls it.
func (p *Page) restored(s *devtools.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.opened
	if before == nil {
		return // the next look asks for everything
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

// readTree takes in the frames that a session has.
func (p *Page) readTree(ctx context.Context, s *devtools.Session) error {
	tree, err := cdp.Call(ctx, s, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	p.Frames.tree(tree.FrameTree, s, "")
	return nil
}

// add finds or makes a frame, of which a session speaks; fs.mu is held.
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

// attached takes in that a frame has a process of its own from here on.
func (fs *frames) attached(child *devtools.Session, info *target.Info) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.add(cdp.FrameID(info.TargetID), info.ParentFrameID, child)
	fs.changed()
}

// detached takes in that a frame's own session, which was attached by another
// one, ended: what was in it is gone, and it is again as its page says.
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

// contextAux is what the browser says of a world beside its name.
type contextAux struct {
	FrameID cdp.FrameID `json:"frameId"`
}

// event follows one event of a session of the page; called by the reader.
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
			// Those of a document that was kept come before it.
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

// forget forgets the worlds that are gone; fs.mu is held.
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
	// The frames that exist are told of after their worlds.
	_, w := fs.add(aux.FrameID, "", s)
	w.context, w.ContextN = v.Context.UniqueID, v.Context.ID
}

// drop forgets a frame and what is in it; fs.mu is held.
func (fs *frames) drop(id cdp.FrameID) {
	if f := fs.byID[id]; f == nil || f.Number == 0 {
		return
	}
	delete(fs.byID, id)
	fs.dropInside(id, nil)
}

// dropInside forgets what is in a frame, but for what stays (nil is nothing) and
// what is in that; fs.mu is held.
func (fs *frames) dropInside(id cdp.FrameID, stays func(*Frame) bool) {
	for child, c := range fs.byID {
		if c.parent == id && (stays == nil || !stays(c)) {
			fs.drop(child)
		}
	}
}

// tree takes in what exists already.
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
