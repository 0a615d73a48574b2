// Package watch keeps the features of tabs: what a tab is watched for, or made to
// do, beyond one command. They persist over navigations, crashes and changes of
// the tab's target.
package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Source provides the keepers of tabs, which are new for each run of the browser
// process.
type Source interface {
	// Of returns the keeper of a tab. It makes and attaches the keeper if there
	// is none.
	Of(ctx context.Context, id protocol.TabID) (*Keeper, error)
	// Kept returns the keeper of a tab if there is one, or nil.
	Kept(id protocol.TabID) *Keeper
	// Explain turns an error of a tab into the protocol.Error for its caller; nil
	// stays nil.
	Explain(ctx context.Context, id protocol.TabID, err error) error
}

// Config is what the keepers need from their browser.
type Config struct {
	Conn *devtools.Conn
	Tabs *tabs.Registry
	Log  *slog.Logger
	// Target runs a function with a tab as it is now, and again when the tab's
	// target changed.
	Target func(ctx context.Context, id protocol.TabID, f func(tabs.Entry) error) error
	// Explain turns an error of a tab into the protocol.Error for its caller; nil
	// stays nil.
	Explain func(ctx context.Context, id protocol.TabID, err error) error
}

// Tabs holds the keepers of one run of the browser. Each keeper has a session of
// its own with its tab's target, so that what it turns on affects no other
// session, and everything is undone when that session ends.
type Tabs struct {
	config Config

	mu  sync.Mutex
	tab map[protocol.TabID]*Keeper
	wg  sync.WaitGroup
}

// New returns the keepers of one run of the browser: none yet.
func New(c Config) *Tabs { return &Tabs{config: c, tab: make(map[protocol.TabID]*Keeper)} }

// Wait returns when all goroutines of the keepers have ended. They end with the
// browser.
func (ks *Tabs) Wait() { ks.wg.Wait() }

// Keeper keeps the features of one tab over navigations, crashes and changes of
// the tab's target.
type Keeper struct {
	// Tab is the id of the tab.
	Tab protocol.TabID

	all *Tabs
	op  chan struct{} // a lock: held while features or the session change

	mu       sync.Mutex
	main     *devtools.Session
	workers  *devtools.Session // with the browser: it attaches to service and shared workers
	sessions map[*devtools.Session]place
	features map[string]Feature
	order    []string
	barriers map[string]chan struct{}
	last     uint64 // number of the last barrier
	ended    bool
}

// place is what a session is attached to.
type place int

const (
	ofTab    place = iota
	ofFrame        // a frame from another site
	ofWorker       // a worker of one of the tab's documents
	// A service or shared worker, which has no tab: it belongs to the tabs that show
	// its origin.
	ofOrigin
)

const barrierPrefix = "pilotfish.barrier."

// Of returns the keeper of a tab. It makes and attaches the keeper if there is
// none.
func (ks *Tabs) Of(ctx context.Context, id protocol.TabID) (*Keeper, error) {
	if _, ok := ks.config.Tabs.Lookup(id); !ok {
		return nil, page.UnknownTab(id)
	}
	ks.mu.Lock()
	k := ks.tab[id]
	if k == nil {
		k = &Keeper{
			Tab: id, all: ks, op: make(chan struct{}, 1), sessions: make(map[*devtools.Session]place),
			features: make(map[string]Feature), barriers: make(map[string]chan struct{}),
		}
		ks.tab[id] = k
	}
	ks.mu.Unlock()
	release, err := k.Change(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if k.Session() == nil {
		if err := ks.config.Target(ctx, id, func(t tabs.Entry) error { return k.attach(ctx, t.Target) }); err != nil {
			ks.forget(k)
			return nil, ks.config.Explain(ctx, id, err)
		}
		own := context.WithoutCancel(ctx)
		ks.wg.Go(func() { k.live(own) })
	}
	return k, nil
}

// Kept returns the keeper of a tab if there is one, or nil.
func (ks *Tabs) Kept(id protocol.TabID) *Keeper {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	return ks.tab[id]
}

func (ks *Tabs) forget(k *Keeper) {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	if ks.tab[k.Tab] == k {
		delete(ks.tab, k.Tab)
	}
}

// Change waits until the caller may change the tab's features. It may do so until
// it calls release.
func (k *Keeper) Change(ctx context.Context) (release func(), err error) {
	if release, err = k.enter(ctx); err != nil {
		return nil, page.TabError(ctx, k.Tab, "waiting for the changes before it", nil, err)
	}
	return release, nil
}

func (k *Keeper) enter(ctx context.Context) (func(), error) {
	select {
	case k.op <- struct{}{}:
		return func() { <-k.op }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Session returns the keeper's session with the tab; nil before the first.
func (k *Keeper) Session() *devtools.Session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.main
}

// attach opens a session with the target that shows the tab, and begins all
// features on it.
func (k *Keeper) attach(ctx context.Context, id target.ID) error {
	s, err := k.all.config.Conn.Attach(ctx, id)
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.main = s
	k.mu.Unlock()
	return k.adopt(ctx, s, ofTab)
}

// adopt subscribes to a session and begins the features on it. A target that the
// browser has attached by itself waits until they have begun.
func (k *Keeper) adopt(ctx context.Context, s *devtools.Session, at place) error {
	sub := s.Events()
	k.mu.Lock()
	k.sessions[s] = at
	all := k.list(at)
	k.mu.Unlock()
	own := context.WithoutCancel(ctx)
	k.all.wg.Go(func() { k.pump(own, s, sub, at) })
	// Frames from other sites and workers have targets of their own.
	err := attachTo(ctx, s, "iframe", "worker")
	for _, f := range all {
		err = errors.Join(err, f.Begin(ctx, s, at != ofTab))
	}
	devtools.Resume(ctx, s)
	return err
}

// attachTo makes the browser attach to targets that a session's target starts. They
// wait until they are resumed.
func attachTo(ctx context.Context, s *devtools.Session, types ...string) error {
	flat := true
	p := target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat}
	for _, t := range types {
		p.Filter = append(p.Filter, target.FilterEntry{Type: t})
	}
	p.Filter = append(p.Filter, target.FilterEntry{Exclude: true})
	return devtools.Post(ctx, s, target.SetAutoAttach, p)
}

// followWorkers begins to follow service and shared workers, once.
func (k *Keeper) followWorkers(ctx context.Context) error {
	k.mu.Lock()
	have := k.workers != nil
	k.mu.Unlock()
	if have {
		return nil
	}
	s, err := k.all.config.Conn.AttachBrowser(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.workers = s
	k.mu.Unlock()
	sub := s.Events(target.AttachedToTarget.Method)
	own := context.WithoutCancel(ctx)
	k.all.wg.Go(func() { // it ends with the session, which ends with the keeper
		for e := range sub.C {
			v, ok := devtools.Decode(e, target.AttachedToTarget)
			child := k.all.config.Conn.Session(v.SessionID)
			if !ok || child == nil {
				continue
			}
			if v.TargetInfo == nil || v.TargetInfo.Type == "page" || strings.HasPrefix(child.Address, "chrome-extension:") {
				devtools.LetGo(own, child)
				continue
			}
			_ = k.adopt(own, child, ofOrigin) // a worker that ended is not followed
		}
	})
	// With pages: Chromium 156 holds back each window that a script opens until it has
	// been attached, whatever the filter says, and the opener hangs meanwhile.
	return attachTo(ctx, s, "shared_worker", "service_worker", "page")
}

// list returns the features for a session, oldest first; k.mu is held.
func (k *Keeper) list(at place) []Feature {
	all := make([]Feature, 0, len(k.order))
	for _, name := range k.order {
		if f := k.features[name]; isFor(f, at) {
			all = append(all, f)
		}
	}
	return all
}

// isFor reports whether a feature follows a session.
func isFor(f Feature, at place) bool {
	_, workers := f.(ForWorkers)
	return workers || at == ofTab || at == ofFrame
}

// live reattaches the keeper whenever the tab changes to another target, until
// the tab is closed or the browser ends.
func (k *Keeper) live(ctx context.Context) {
	defer k.close(ctx)
	for {
		main := k.Session()
		select {
		case <-main.Done:
		case <-k.all.config.Conn.Done:
			return
		}
		for again := true; again; {
			changed := k.all.config.Tabs.Changes()
			t, ok := k.all.config.Tabs.Lookup(k.Tab)
			if !ok {
				return
			}
			release, err := k.enter(ctx)
			if err != nil {
				return
			}
			err = k.attach(ctx, t.Target)
			release()
			if err == nil {
				break
			}
			select {
			case <-changed:
			case <-k.all.config.Conn.Done:
				return
			}
		}
	}
}

// close releases the waiters and notifies the features when the tab is gone.
func (k *Keeper) close(ctx context.Context) {
	k.all.forget(k)
	k.mu.Lock()
	k.ended = true
	all, workers := k.list(ofTab), k.workers
	for _, b := range k.barriers {
		close(b)
	}
	k.barriers = map[string]chan struct{}{}
	k.mu.Unlock()
	for _, f := range all {
		if c, ok := f.(Closer); ok {
			c.Closed()
		}
	}
	if workers != nil {
		root := k.all.config.Conn.Root
		_ = devtools.Post(ctx, root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: workers.ID})
	}
}

// pump passes the events of a session to the features until the session ends.
func (k *Keeper) pump(ctx context.Context, s *devtools.Session, sub *devtools.Subscription, at place) {
	for {
		for e := range sub.C {
			k.take(ctx, s, at, e)
		}
		if !sub.Overflowed() {
			break
		}
		// The features were too slow for a burst of events. Some events are lost;
		// the keeper subscribes again and continues.
		k.all.config.Log.WarnContext(ctx, "events of a watched tab were lost", "tab", k.Tab)
		sub = s.Events()
	}
	k.mu.Lock()
	delete(k.sessions, s)
	k.mu.Unlock()
	if at != ofTab {
		return
	}
	k.mu.Lock()
	for name, b := range k.barriers {
		close(b)
		delete(k.barriers, name)
	}
	k.mu.Unlock()
}

func (k *Keeper) take(ctx context.Context, s *devtools.Session, at place, e devtools.Event) {
	k.mu.Lock()
	if b, ok := k.barriers[e.Method]; ok {
		delete(k.barriers, e.Method)
		k.mu.Unlock()
		close(b)
		return
	}
	all := k.list(at)
	k.mu.Unlock()
	if e.Method == target.AttachedToTarget.Method {
		if v, ok := devtools.Decode(e, target.AttachedToTarget); ok && v.TargetInfo != nil {
			if child := k.all.config.Conn.Session(v.SessionID); child != nil {
				inside := ofWorker
				if v.TargetInfo.Type == "iframe" {
					inside = ofFrame
				}
				k.all.wg.Go(func() {
					if err := k.adopt(ctx, child, inside); err != nil {
						k.all.config.Log.DebugContext(ctx, "a frame or worker is not watched", "tab", k.Tab, "error", err)
					}
				})
			}
		}
	}
	if at == ofOrigin && !k.shows(s.Address) {
		return
	}
	for _, f := range all {
		f.Event(ctx, s, e)
	}
}

// shows reports whether the tab shows the origin of an address.
func (k *Keeper) shows(address string) bool {
	t, _ := k.all.config.Tabs.Lookup(k.Tab)
	origin := page.OriginOf(address)
	return origin != "" && origin == page.OriginOf(t.URL)
}

// CatchUp waits until all events that the browser has sent about the tab have
// been handled.
func (k *Keeper) CatchUp(ctx context.Context) error {
	s := k.Session()
	k.mu.Lock()
	if k.ended || !k.has(s) {
		k.mu.Unlock()
		return nil
	}
	k.last++
	name := barrierPrefix + strconv.FormatUint(k.last, 10)
	done := make(chan struct{})
	k.barriers[name] = done
	k.mu.Unlock()
	s.Publish(name, nil)
	select {
	case <-done:
		return nil
	case <-s.Done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Until waits until more is closed, which signals new data of a feature. It
// returns an error when the tab or the browser has ended.
func (k *Keeper) Until(ctx context.Context, more <-chan struct{}) error {
	for {
		changed := k.all.config.Tabs.Changes()
		if _, ok := k.all.config.Tabs.Lookup(k.Tab); !ok {
			return page.UnknownTab(k.Tab)
		}
		select {
		case <-more:
			return nil
		case <-changed:
		case <-k.all.config.Conn.Done:
			return devtools.ErrPipeEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (k *Keeper) has(s *devtools.Session) bool { _, ok := k.sessions[s]; return ok }

// Each calls do for every session that a feature of the tab follows, the tab's own first.
func (k *Keeper) Each(f Feature, do func(s *devtools.Session, child bool) error) error {
	k.mu.Lock()
	type one struct {
		s  *devtools.Session
		at place
	}
	all := []one{}
	for s, at := range k.sessions {
		if isFor(f, at) {
			all = append(all, one{s, at})
		}
	}
	k.mu.Unlock()
	slices.SortFunc(all, func(a, b one) int { return cmp.Compare(a.at, b.at) })
	var err error
	for _, o := range all {
		if e := do(o.s, o.at != ofTab); e != nil && !errors.Is(e, devtools.ErrSessionEnded) {
			err = errors.Join(err, e)
		}
	}
	return err
}
