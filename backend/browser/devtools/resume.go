package devtools

import (
	"context"
	"maps"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// Resume lets the target of a session run that the browser attached by itself and that
// waits. A shared or service worker runs when all of its sessions are ready: Chromium 156
// lets it run as soon as one says so, before the rules of the others hold. Other targets
// wait in Chromium for each of their sessions.
func Resume(ctx context.Context, s *Session) { resume(ctx, s, func() {}) }

// LetGo resumes the target of a session that the browser attached by itself, and
// detaches from it. The target keeps running.
func LetGo(ctx context.Context, s *Session) {
	resume(ctx, s, func() {
		_ = Post(ctx, s.Parent, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	})
}

// resume calls then when the session is ready.
func resume(ctx context.Context, s *Session, then func()) {
	c := s.Conn
	c.mu.Lock()
	_, waits := c.starting[s.Target][s]
	c.mu.Unlock()
	if !waits {
		run(ctx, []*Session{s})
		then()
		return
	}
	ctx = context.WithoutCancel(ctx)
	go func() { // it ends with the session at the latest
		// The answer comes after the events of the target's other sessions, and when the
		// commands of this one are carried out.
		_, _ = cdp.Call(ctx, s, runtime.GetIsolateID, cdp.Empty{})
		run(ctx, c.ready(s))
		then()
	}()
}

// starts records a session whose target waits for all of its sessions; c.mu is held.
func (c *Conn) starts(s *Session, e *target.EventAttachedToTarget) {
	if !e.WaitingForDebugger || e.TargetInfo.Type != "shared_worker" && e.TargetInfo.Type != "service_worker" {
		return
	}
	if c.starting[s.Target] == nil {
		c.starting[s.Target] = make(map[*Session]bool)
	}
	c.starting[s.Target][s] = false
}

// ready records that a session is ready or has ended. It returns the sessions of the target
// when that was the last for which the target waited.
func (c *Conn) ready(s *Session) []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.starting[s.Target]
	if _, waits := all[s]; !waits {
		return nil
	}
	all[s] = true
	if s.Ended() {
		delete(all, s)
	}
	for _, is := range all {
		if !is {
			return nil
		}
	}
	delete(c.starting, s.Target)
	return slices.Collect(maps.Keys(all))
}

func run(ctx context.Context, sessions []*Session) {
	for _, s := range sessions {
		_ = Post(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{}) // one that ended waits no more
	}
}
