package devtools

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// Resume lets the target of a session run that the browser attached by itself and that
// waits. A page, a shared or a service worker runs when all of its sessions are ready:
// Chromium 156 lets it run as soon as one says so (of pages, only sometimes), before the
// rules of the others hold. Other targets wait in Chromium for each of their sessions.
func Resume(ctx context.Context, s *Session) { resume(ctx, s, func() {}) }

// LetGo resumes the target of a session that the browser attached by itself, and
// detaches from it. The target keeps running.
func LetGo(ctx context.Context, s *Session) {
	resume(ctx, s, func() {
		_ = Post(ctx, s.Parent, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	})
}

// start is the start of a target that waits for all of its sessions.
type start struct {
	page bool
	// ready has the target's sessions, and whether they are ready.
	ready map[*Session]bool
	// all is closed when all of them are.
	all chan struct{}
}

// resume calls then when the target runs.
func resume(ctx context.Context, s *Session, then func()) {
	s.Conn.mu.Lock()
	w := s.Conn.starting[s.Target]
	s.Conn.mu.Unlock()
	run := func() {
		_ = Post(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{}) // a session that ended waits no more
		then()
	}
	if w == nil {
		run()
		return
	}
	ctx = context.WithoutCancel(ctx)
	go func() { // it ends with the session at the latest
		// The answer comes after the events of the target's other sessions, and, of a
		// worker, when the commands of this one are carried out. A page that waits answers
		// nothing; the browser itself carries out what must come before it runs.
		if w.page {
			_, _ = cdp.Call(ctx, s.Parent, target.GetTargets, target.GetTargetsParams{})
		} else {
			_, _ = cdp.Call(ctx, s, runtime.GetIsolateID, cdp.Empty{})
		}
		s.Conn.ready(s)
		select {
		case <-w.all:
			run()
		case <-s.Done:
		}
	}()
}

// starts records a session whose target waits for all of its sessions; c.mu is held.
func (c *Conn) starts(s *Session, e *target.EventAttachedToTarget) {
	kind := e.TargetInfo.Type
	if !e.WaitingForDebugger || kind != "page" && kind != "shared_worker" && kind != "service_worker" {
		return
	}
	if c.starting[s.Target] == nil {
		c.starting[s.Target] = &start{page: kind == "page", ready: make(map[*Session]bool), all: make(chan struct{})}
	}
	c.starting[s.Target].ready[s] = false
}

// ready records that a session is ready or has ended.
func (c *Conn) ready(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.starting[s.Target]
	if w == nil {
		return
	}
	if s.Ended() {
		delete(w.ready, s)
	} else {
		w.ready[s] = true
	}
	for _, is := range w.ready {
		if !is {
			return
		}
	}
	delete(c.starting, s.Target)
	close(w.all)
}
