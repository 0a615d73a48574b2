package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// extension keeps our extension installed in the browser and receives its
// worker's reports.
type extension struct{ *run }

// workerURL is the prefix of the URL of our extension's worker.
const workerURL = "chrome-extension://" + protocol.ExtensionID + "/"

// load installs the extension and checks that it is ours. The id is derived from
// the key in the manifest, so a different id means a different program.
func (x extension) load(ctx context.Context) error {
	res, err := cdp.Call(ctx, x.conn.Root, extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: cmp.Or(x.b.config.ExtensionDir, x.b.unloaded)})
	if err != nil {
		return fmt.Errorf("loading the extension: %w", err)
	}
	if res.ID != protocol.ExtensionID {
		_, _ = cdp.Call(ctx, x.conn.Root, extensions.Uninstall, extensions.UninstallParams(res))
		return fmt.Errorf("loading the extension: its id is %s and not %s", res.ID, protocol.ExtensionID)
	}
	return nil
}

// putBack reinstalls the extension after the user removed, disabled or reloaded
// it, or an app that was killed has left it. It uninstalls what is left first: loading a disabled extension again leaves
// it disabled, and so does Chromium's own reload while the extensions page is not
// in developer mode.
func (x extension) putBack(ctx context.Context) error {
	list, err := cdp.Call(ctx, x.conn.Root, extensions.GetExtensions, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("listing the extensions: %w", err)
	}
	for _, e := range list.Extensions {
		if e.ID != protocol.ExtensionID {
			continue
		}
		params := extensions.UninstallParams{ID: e.ID}
		_, err := cdp.Call(ctx, x.conn.Root, extensions.Uninstall, params)
		if err != nil && !e.Enabled {
			// The protocol cannot uninstall an extension that came from
			// --load-extension until the protocol has loaded it, too.
			if err = x.load(ctx); err == nil {
				_, err = cdp.Call(ctx, x.conn.Root, extensions.Uninstall, params)
			}
		}
		if err != nil {
			// It may be disappearing at this moment. The load below returns the
			// error that matters.
			x.log.InfoContext(ctx, "what is left of the extension was not removed", "error", err)
		}
	}
	return x.load(ctx)
}

// supervise owns the worker's session and reinstalls the extension when that
// session ends. A worker that Chromium only stops keeps its session.
func (x extension) supervise(ctx context.Context) {
	restarts := newRateLimit(protocol.RestartLimit, protocol.RestartWindow)
	byHand := false // the user may load it
	there, err := x.loaded(ctx)
	switch {
	case err != nil:
	case x.run.attached():
		// Its windows have to be known before the worker reports: the panel opens then.
		if x.b.tabs.Await(ctx, func() bool { _, ok := x.b.tabs.FrontStrip(); return ok }) != nil {
			return // the browser ends
		}
		if there { // an app that was killed has left it
			err = x.putBack(ctx)
		} else {
			err = x.load(ctx)
		}
		if byHand = err != nil && ctx.Err() == nil; byHand {
			x.b.config.Events.Report(*protocol.NewError(protocol.CodeInternal, x.b.config.Attach.Name+" does not let Pilotfish load the side panel; everything else works ("+err.Error()+")",
				"to have the panel, open chrome://extensions there, switch on developer mode and load the folder "+x.b.config.ExtensionDir))
			err = nil
		}
	case there:
		// This runs concurrently, because the worker may start before the window
		// exists.
		var click sync.WaitGroup
		defer click.Wait()
		click.Go(func() { x.firstClick(ctx) })
	default:
		err = x.load(ctx)
	}
	for err == nil {
		worker := x.nextWorker(ctx, byHand)
		if worker != nil {
			served := x.serveWorker(ctx, worker)
			x.setWorker(nil)
			x.b.tabs.Unbridge()
			if ctx.Err() != nil {
				return
			}
			if !served {
				// This was an older worker, which Chromium had restarted after
				// its process died. It ended when the extension was reinstalled,
				// and the next worker is starting.
				continue
			}
			if byHand {
				continue
			}
			x.b.config.Events.Report(*protocol.NewError(protocol.CodeInternal, "the extension was removed, disabled or reloaded", "it is installed again automatically"))
		}
		if ctx.Err() != nil {
			return
		}
		if !restarts.allow() {
			err = errors.New("the extension was removed too often")
			break
		}
		x.panelWanted.Store(true)
		x.log.WarnContext(ctx, "the extension is gone and is put back")
		err = x.putBack(ctx)
	}
	if ctx.Err() == nil {
		x.log.ErrorContext(ctx, "no extension", "error", err)
		x.b.config.Events.Report(*protocol.NewError(protocol.CodeInternal, "the side panel is missing: "+err.Error(), "restart the session"))
	}
}

// nextWorker waits for the session of a worker; it returns nil when none appeared
// in time. A user who loads the extension has any time.
func (x extension) nextWorker(ctx context.Context, byHand bool) *devtools.Session {
	timer := time.NewTimer(workerStartTimeout)
	defer timer.Stop()
	late := timer.C
	if byHand {
		late = nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-late:
		return nil
	case s := <-x.workers:
		return s
	}
}

// watchWorkers auto-attaches to workers that start and passes on those of our
// extension, until the run ends. Workers are not paused, because a site's worker
// would have to wait for us. A session that the browser opened ends with its
// extension; one that we opened would not.
func (x extension) watchWorkers(ctx context.Context) {
	root, err := x.conn.AttachBrowser(ctx)
	if err != nil {
		x.log.WarnContext(ctx, "cannot watch for the extension's worker", "error", err)
		return
	}
	events := root.Events(target.AttachedToTarget.Method)
	defer events.Cancel()
	flat := true
	// The filter includes pages: Chromium 156 holds back each window that a
	// script opens until it has been attached and resumed, whatever the filter
	// says, and the opener hangs meanwhile.
	err = devtools.Post(ctx, root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, Flatten: &flat, Filter: target.Filter{{Type: "service_worker"}, {Type: "page"}, {Exclude: true}},
	})
	if err != nil {
		x.log.WarnContext(ctx, "cannot watch for the extension's worker", "error", err)
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events.C:
			if !ok {
				return // the pipe has ended
			}
			if v, ok := devtools.Decode(e, target.AttachedToTarget); ok {
				x.attached(ctx, &v)
			}
		}
	}
}

// attached handles a session that the browser attached by itself. Pages and the
// workers of sites are resumed and detached at once.
func (x extension) attached(ctx context.Context, e *target.EventAttachedToTarget) {
	s := x.conn.Session(e.SessionID)
	if s == nil || e.TargetInfo == nil {
		return // it is gone already
	}
	if e.TargetInfo.Type == "page" {
		devtools.LetGo(ctx, s)
		return
	}
	if !strings.HasPrefix(e.TargetInfo.URL, workerURL) {
		devtools.LetGo(ctx, s)
		return
	}
	// Only one worker runs at a time. A newer one replaces one that has not been
	// received yet.
	for {
		select {
		case x.workers <- s:
			return
		default:
		}
		select {
		case <-x.workers:
		default:
		}
	}
}

// serveWorker handles the reports of a worker, and of a newer one that replaces it,
// until its target ends. served says whether there were any. The session continues when Chromium stops and restarts
// the worker.
func (x extension) serveWorker(ctx context.Context, s *devtools.Session) (served bool) {
	events := s.Events(runtime.BindingCalled.Method, inspector.TargetReloadedAfterCrash.Method, inspector.TargetCrashed.Method)
	defer events.Cancel()
	if err := x.greetWorker(ctx, s); err != nil {
		return served
	}
	for {
		select {
		case <-ctx.Done():
			return served
		case newer := <-x.workers:
			// A worker that Chromium restarts while the extension is put back may never
			// run, and its session may never end.
			x.setWorker(nil)
			x.b.tabs.Unbridge()
			return x.serveWorker(ctx, newer)
		case e, ok := <-events.C:
			if !ok {
				return served
			}
			switch e.Method {
			case inspector.TargetCrashed.Method:
				// Chromium stopped the worker. The next event of a tab starts it
				// again.
				x.setWorker(nil)
				x.b.tabs.Unbridge()
			case inspector.TargetReloadedAfterCrash.Method:
				if err := x.greetWorker(ctx, s); err != nil {
					return served
				}
			case runtime.BindingCalled.Method:
				if call, ok := devtools.Decode(e, runtime.BindingCalled); ok && call.Name == protocol.BridgeBinding {
					served = true
					x.bridgeEvent(ctx, s, call.Payload)
				}
			}
		}
	}
}

// greetWorker sends the pairing and the bridge to a worker that starts. The
// worker's own first report may have come before the binding existed, so
// greetWorker requests another one. Before the worker's script has run there is
// nothing to call, and the worker's own report will find the binding. Nothing
// waits for the answers, because the browser runs the commands in order.
func (x extension) greetWorker(ctx context.Context, s *devtools.Session) error {
	var paired error
	if p := x.b.pairing(); p != nil {
		// It must arrive before the panel's page reads it.
		paired = x.pair(ctx, s, p)
	}
	err := errors.Join(
		paired,
		devtools.Post(ctx, s, runtime.Enable, cdp.Empty{}),
		devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: protocol.BridgeBinding}),
	)
	devtools.Resume(ctx, s)
	return errors.Join(
		err,
		devtools.Post(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: `globalThis.pilotfish?.report("ready")`}),
	)
}

// bridgeEvent handles a report of the worker. A worker's first report means that
// the extension is running: it is paired again and, where wanted, its panel
// opens.
func (x extension) bridgeEvent(ctx context.Context, s *devtools.Session, payload string) {
	var e protocol.BridgeEvent
	if err := json.Unmarshal([]byte(payload), &e); err != nil {
		x.log.WarnContext(ctx, "a report of the worker cannot be read", "error", err)
		return
	}
	x.b.tabs.Report(&e)
	if e.Type != protocol.BridgeReady {
		return
	}
	if p := x.b.pairing(); p != nil {
		if err := x.pair(ctx, s, p); err != nil {
			x.log.WarnContext(ctx, "pairing was not sent", "error", err)
		}
	}
	if x.panelWanted.CompareAndSwap(true, false) {
		if err := x.triggerFront(ctx); err != nil {
			x.log.WarnContext(ctx, "the panel was not opened", "error", err)
		}
	}
	x.setWorker(s) // last: OpenPanel waits for it, and would click a second time
}

// pair puts the pairing into the extension's session storage. It does not wait
// for the answer: whatever needs the pairing comes later on the same pipe.
func (r *run) pair(ctx context.Context, s *devtools.Session, p *protocol.Pairing) error {
	items, err := stored(p)
	if err != nil {
		return err
	}
	return devtools.Post(ctx, s, extensions.SetStorageItems, items)
}

// stored returns the parameters that put a pairing into the extension's session
// storage.
func stored(p *protocol.Pairing) (extensions.SetStorageItemsParams, error) {
	values, err := json.Marshal(map[string]*protocol.Pairing{protocol.PairingKey: p})
	if err != nil {
		return extensions.SetStorageItemsParams{}, fmt.Errorf("encoding the pairing: %w", err)
	}
	return extensions.SetStorageItemsParams{
		ID: protocol.ExtensionID, StorageArea: extensions.StorageAreaSession, Values: jsonv2.Value(values),
	}, nil
}

// callWorker calls one of the worker's functions with arguments and returns its
// result.
func callWorker[T any](ctx context.Context, r *run, function string, arguments ...any) (T, error) {
	var zero T
	s := r.worker()
	if s == nil {
		return zero, errNoWorker
	}
	encoded, err := json.Marshal(append([]any{}, arguments...)) // never null
	if err != nil {
		return zero, fmt.Errorf("encoding the arguments: %w", err)
	}
	v, err := devtools.Evaluate[T](ctx, s, "pilotfish."+function+"(..."+string(encoded)+")", 0)
	if err != nil {
		return zero, fmt.Errorf("asking the extension's worker: %w", err)
	}
	return v, nil
}

// errNoWorker is returned while no worker is attached: the browser is headless,
// or Chromium has just stopped the worker.
var errNoWorker = errors.New("the extension's worker does not run")
