package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// feature is something that a tab is made to do, or is watched for, beyond one
// command. Its events come one at a time.
type feature interface {
	// begin switches on what it needs on a session: that of the tab, or (child)
	// of one of its frames from another site. It is called again when the tab
	// lives on in another target.
	begin(ctx context.Context, s *devtools.Session, child bool) error
	// event takes in what happens.
	event(ctx context.Context, s *devtools.Session, e devtools.Event)
	// end switches it off.
	end(ctx context.Context, s *devtools.Session)
}

// keepers are the tabs of a run that are watched or changed. Each has a session
// of its own with its target, so that what it switches on is nobody else's
// business, and everything is undone when that session goes.
type keepers struct {
	mu  sync.Mutex
	tab map[protocol.TabID]*keeper
	wg  sync.WaitGroup
}

// keeper holds the features of one tab over navigations, crashes and changes of
// its target.
type keeper struct {
	r   *run
	tab protocol.TabID
	op  chan struct{} // one change at a time

	mu       sync.Mutex
	main     *devtools.Session
	sessions map[*devtools.Session]bool // whether it is a child
	features map[string]feature
	order    []string
	barriers map[string]chan struct{}
	last     uint64 // barrier
	ended    bool
}

const barrierPrefix = "pilotfish.barrier."

// keeper returns the keeper of a tab, attached.
func (b *Browser) keeper(ctx context.Context, id protocol.TabID) (*keeper, error) {
	r, err := b.running()
	if err != nil {
		return nil, err
	}
	if _, ok := b.tabs.Lookup(id); !ok {
		return nil, unknownTab(id)
	}
	r.keepers.mu.Lock()
	k := r.keepers.tab[id]
	if k == nil {
		k = &keeper{
			r: r, tab: id, op: make(chan struct{}, 1), sessions: make(map[*devtools.Session]bool),
			features: make(map[string]feature), barriers: make(map[string]chan struct{}),
		}
		if r.keepers.tab == nil {
			r.keepers.tab = make(map[protocol.TabID]*keeper)
		}
		r.keepers.tab[id] = k
	}
	r.keepers.mu.Unlock()
	release, err := k.enter(ctx)
	if err != nil {
		return nil, tabError(ctx, id, "waiting for the changes before it", nil, err)
	}
	defer release()
	if k.session() == nil {
		if err := b.onTarget(ctx, r, id, func(t tabs.Entry) error { return k.attach(ctx, t.Target) }); err != nil {
			r.keepers.forget(k)
			return nil, b.explain(ctx, id, nil, err)
		}
		own := context.WithoutCancel(ctx)
		r.keepers.wg.Go(func() { k.live(own) })
	}
	return k, nil
}

// kept returns the keeper of a tab if there is one.
func (b *Browser) kept(id protocol.TabID) *keeper {
	r, err := b.running()
	if err != nil {
		return nil
	}
	r.keepers.mu.Lock()
	defer r.keepers.mu.Unlock()
	return r.keepers.tab[id]
}

func (ks *keepers) forget(k *keeper) {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	if ks.tab[k.tab] == k {
		delete(ks.tab, k.tab)
	}
}

func (k *keeper) enter(ctx context.Context) (func(), error) {
	select {
	case k.op <- struct{}{}:
		return func() { <-k.op }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *keeper) session() *devtools.Session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.main
}

// attach opens the session with the target that shows the tab, and begins
// everything on it.
func (k *keeper) attach(ctx context.Context, id target.ID) error {
	s, err := k.r.conn.Attach(ctx, id)
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.main = s
	k.mu.Unlock()
	return k.adopt(ctx, s, false)
}

// adopt follows a session and begins the features on it.
func (k *keeper) adopt(ctx context.Context, s *devtools.Session, child bool) error {
	sub := s.Events()
	k.mu.Lock()
	k.sessions[s] = child
	all := k.list()
	k.mu.Unlock()
	own := context.WithoutCancel(ctx)
	k.r.keepers.wg.Go(func() { k.pump(own, s, sub, child) })
	flat := true
	// Frames from other sites live in targets of their own.
	err := devtools.Post(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, Flatten: &flat, Filter: target.Filter{{Type: "iframe"}, {Exclude: true}},
	})
	for _, f := range all {
		err = errors.Join(err, f.begin(ctx, s, child))
	}
	return err
}

// list is the features in the order of their making; k.mu is held.
func (k *keeper) list() []feature {
	all := make([]feature, 0, len(k.order))
	for _, name := range k.order {
		all = append(all, k.features[name])
	}
	return all
}

// live follows the tab from target to target until it is closed or the browser
// ends.
func (k *keeper) live(ctx context.Context) {
	defer k.close()
	for {
		main := k.session()
		select {
		case <-main.Done:
		case <-k.r.conn.Done:
			return
		}
		for again := true; again; {
			changed := k.r.b.tabs.Changes()
			t, ok := k.r.b.tabs.Lookup(k.tab)
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
			case <-k.r.conn.Done:
				return
			}
		}
	}
}

// close ends what is left when the tab is gone.
func (k *keeper) close() {
	k.r.keepers.forget(k)
	k.mu.Lock()
	k.ended = true
	all := k.list()
	for _, b := range k.barriers {
		close(b)
	}
	k.barriers = map[string]chan struct{}{}
	k.mu.Unlock()
	for _, f := range all {
		if c, ok := f.(interface{ closed() }); ok {
			c.closed()
		}
	}
}

// pump hands the events of a session to the features until it ends.
func (k *keeper) pump(ctx context.Context, s *devtools.Session, sub *devtools.Subscription, child bool) {
	for {
		for e := range sub.C {
			k.take(ctx, s, e)
		}
		if !sub.Overflowed() {
			break
		}
		// Too slow for a burst: what was lost is lost, and the rest goes on.
		k.r.log.WarnContext(ctx, "events of a watched tab were lost", "tab", k.tab)
		sub = s.Events()
	}
	k.mu.Lock()
	delete(k.sessions, s)
	k.mu.Unlock()
	if child {
		return
	}
	k.mu.Lock()
	for name, b := range k.barriers {
		close(b)
		delete(k.barriers, name)
	}
	k.mu.Unlock()
}

func (k *keeper) take(ctx context.Context, s *devtools.Session, e devtools.Event) {
	k.mu.Lock()
	if b, ok := k.barriers[e.Method]; ok {
		delete(k.barriers, e.Method)
		k.mu.Unlock()
		close(b)
		return
	}
	all := k.list()
	k.mu.Unlock()
	if e.Method == target.AttachedToTarget.Method {
		if v, ok := devtools.Decode(e, target.AttachedToTarget); ok && v.TargetInfo != nil && v.TargetInfo.Type == "iframe" {
			if child := k.r.conn.Session(v.SessionID); child != nil {
				k.r.keepers.wg.Go(func() {
					if err := k.adopt(ctx, child, true); err != nil {
						k.r.log.DebugContext(ctx, "a frame is not watched", "tab", k.tab, "error", err)
					}
				})
			}
		}
	}
	for _, f := range all {
		f.event(ctx, s, e)
	}
}

// catchUp waits until everything that the browser has said of the tab is taken
// in.
func (k *keeper) catchUp(ctx context.Context) error {
	s := k.session()
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

func (k *keeper) has(s *devtools.Session) bool { _, ok := k.sessions[s]; return ok }

// each calls f for every session of the tab, its own first.
func (k *keeper) each(f func(s *devtools.Session, child bool) error) error {
	k.mu.Lock()
	type one struct {
		s     *devtools.Session
		child bool
	}
	all := []one{}
	for s, child := range k.sessions {
		all = append(all, one{s, child})
	}
	k.mu.Unlock()
	slices.SortFunc(all, func(a, b one) int {
		if a.child == b.child {
			return 0
		}
		if a.child {
			return 1
		}
		return -1
	})
	var err error
	for _, o := range all {
		if e := f(o.s, o.child); e != nil && !errors.Is(e, devtools.ErrSessionEnded) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// use returns the feature of a name, made and begun if it is not there.
func use[F feature](ctx context.Context, k *keeper, name string, fresh func() F) (F, error) {
	release, err := k.enter(ctx)
	if err != nil {
		var none F
		return none, tabError(ctx, k.tab, "waiting for the changes before it", nil, err)
	}
	defer release()
	if f, ok := get[F](k, name); ok {
		return f, nil
	}
	f := fresh()
	k.mu.Lock()
	k.features[name] = f
	k.order = append(k.order, name)
	k.mu.Unlock()
	err = k.each(func(s *devtools.Session, child bool) error { return f.begin(ctx, s, child) })
	if err != nil {
		k.drop(ctx, name)
		return f, k.r.b.explain(ctx, k.tab, nil, err)
	}
	return f, nil
}

// get returns the feature of a name if it is there.
func get[F feature](k *keeper, name string) (F, bool) {
	var none F
	if k == nil {
		return none, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.features[name].(F)
	return f, ok
}

// stop ends a feature and forgets it.
func (k *keeper) stop(ctx context.Context, name string) error {
	release, err := k.enter(ctx)
	if err != nil {
		return tabError(ctx, k.tab, "waiting for the changes before it", nil, err)
	}
	defer release()
	k.drop(ctx, name)
	return nil
}

func (k *keeper) drop(ctx context.Context, name string) {
	k.mu.Lock()
	f := k.features[name]
	delete(k.features, name)
	k.order = slices.DeleteFunc(k.order, func(n string) bool { return n == name })
	k.mu.Unlock()
	if f == nil {
		return
	}
	_ = k.each(func(s *devtools.Session, _ bool) error { f.end(context.WithoutCancel(ctx), s); return nil })
}

// watched waits a moment for what a domain says when it is switched on; a page
// that hangs is watched all the same.
func watched[R any](ctx context.Context, s *devtools.Session, c cdp.Command[cdp.Empty, R]) error {
	inner, cancel := context.WithTimeout(ctx, watchBegin)
	defer cancel()
	_, err := cdp.Call(inner, s, c, cdp.Empty{})
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watching the page: %w", err)
	}
	return nil
}

// ring keeps the last things of a kind.
type ring[T any] struct {
	items   []T
	limit   int
	dropped int
}

func (r *ring[T]) add(v T) {
	if len(r.items) >= r.limit {
		n := max(1, r.limit/10) // a tenth at once, so that it is not moved for each
		r.items = append(r.items[:0:0], r.items[n:]...)
		r.dropped += n
	}
	r.items = append(r.items, v)
}
