package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
)

// BeginWait is how long a page may take to answer when watching begins. A page
// that hangs is watched all the same.
const BeginWait = 1 * time.Second

// Feature is something that a tab is made to do, or is watched for, beyond one
// command. Event is called with one event at a time.
type Feature interface {
	// Begin turns on what the feature needs on a session: that of the tab, or
	// (child) that of a frame from another site. It is called again when the tab
	// continues in another target.
	Begin(ctx context.Context, s *devtools.Session, child bool) error
	// Event handles one event of a session of the tab.
	Event(ctx context.Context, s *devtools.Session, e devtools.Event)
	// End turns off on a session what Begin turned on.
	End(ctx context.Context, s *devtools.Session)
}

// Closer is a Feature that is notified when its tab is gone.
type Closer interface{ Closed() }

// ForWorkers is a Feature that also follows the workers of the tab's pages: its methods
// are called for their sessions, too, as for a frame's (child).
type ForWorkers interface {
	Feature
	// Workers does nothing; a feature has it to say that it is one.
	Workers()
}

// Use returns the feature with a name. It makes and begins the feature if there
// is none.
func Use[F Feature](ctx context.Context, k *Keeper, name string, fresh func() F) (F, error) {
	release, err := k.Change(ctx)
	if err != nil {
		var none F
		return none, err
	}
	defer release()
	if f, ok := Get[F](k, name); ok {
		return f, nil
	}
	f := fresh()
	k.mu.Lock()
	k.features[name] = f
	k.order = append(k.order, name)
	k.mu.Unlock()
	if _, ok := any(f).(ForWorkers); ok {
		err = k.followWorkers(ctx)
	}
	err = errors.Join(err, k.Each(f, func(s *devtools.Session, child bool) error {
		return errors.Join(f.Begin(ctx, s, child), answered(ctx, s))
	}))
	if err != nil {
		k.drop(ctx, name)
		return f, k.all.config.Explain(ctx, k.Tab, err)
	}
	return f, nil
}

// Get returns the feature with a name, if there is one.
func Get[F Feature](k *Keeper, name string) (F, bool) {
	var none F
	if k == nil {
		return none, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.features[name].(F)
	return f, ok
}

// Has reports whether there is a feature with a name.
func (k *Keeper) Has(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.features[name]
	return ok
}

// Stop ends a feature and removes it.
func (k *Keeper) Stop(ctx context.Context, name string) error {
	release, err := k.Change(ctx)
	if err != nil {
		return err
	}
	defer release()
	k.drop(ctx, name)
	return nil
}

func (k *Keeper) drop(ctx context.Context, name string) {
	k.mu.Lock()
	f := k.features[name]
	delete(k.features, name)
	k.order = slices.DeleteFunc(k.order, func(n string) bool { return n == name })
	k.mu.Unlock()
	if f == nil {
		return
	}
	_ = k.Each(f, func(s *devtools.Session, _ bool) error { f.End(context.WithoutCancel(ctx), s); return nil })
}

// answered waits until a session has carried out the commands before, at most BeginWait,
// so that what a domain reports at once has been read. A page that hangs is watched all
// the same.
func answered(ctx context.Context, s *devtools.Session) error {
	inner, cancel := context.WithTimeout(ctx, BeginWait)
	defer cancel()
	_, err := cdp.Call(inner, s, runtime.GetIsolateID, cdp.Empty{})
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watching the page: %w", err)
	}
	return nil
}
