package browser

import (
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

// extension keeps our extension in the browser, and hears its worker.
type extension struct{ *run }

// workerURL is what the URL of our extension's worker begins with.
const workerURL = "chrome-extension://" + protocol.ExtensionID + "/"

// load installs the extension and checks that it is ours: the id comes
// from the key in its manifest, so another one is another program.
func (x extension) load(ctx context.Context) error {
	res, err := cdp.Call(ctx, x.conn.Root, extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: x.b.config.ExtensionDir})
	if err != nil {
		return fmt.Errorf("loading the extension: %w", err)
	}
	if res.ID != protocol.ExtensionID {
		_, _ = cdp.Call(ctx, x.conn.Root, extensions.Uninstall, extensions.UninstallParams(res))
		return fmt.Errorf("loading the extension: its id is %s and not %s", res.ID, protocol.ExtensionID)
	}
	return nil
}

// putBack restores the extension after the person removed, disabled or reloaded
// it. What is left of it is removed first: loading a disabled one again leaves
// it disabled, and so does Chromium's own reload while the developer mode of its
// extensions page is off.
func (x extension) putBack(ctx context.Context) error {
	x.log.WarnContext(ctx, "the extension is gone and is put back")
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
			// One that came with the browser is not the protocol's to remove, until
			// it was loaded by the protocol, too.
			if err = x.load(ctx); err == nil {
				_, err = cdp.Call(ctx, x.conn.Root, extensions.Uninstall, params)
			}
		}
		if err != nil {
			// It may be going at this very moment: loading it says what matters.
			x.log.InfoContext(ctx, "what is left of the extension was not removed", "error", err)
		}
	}
	return x.load(ctx)
}

// supervise owns the worker's session, and puts the extension back when
// that session ends: a worker that is only stopped keeps it.
func (x extension) supervise(ctx context.Context) {
	restarts := newBurst(protocol.RestartBurst, protocol.RestartWindow)
	there, err := x.loaded(ctx)
	switch {
	case err != nil:
	case there:
		// Nobody waits for it: the worker may be here before the window.
		var click sync.WaitGroup
		defer click.Wait()
		click.Go(func() { x.firstClick(ctx) })
	default:
		err = x.load(ctx)
	}
	for err == nil {
		worker := x.nextWorker(ctx)
		if worker != nil {
			served := x.serveWorker(ctx, worker)
			x.setWorker(nil)
			x.b.tabs.Unbridge()
			if ctx.Err() != nil {
				return
			}
			if !served {
				// One of before, which Chromium had started again when its process died:
				// it went when the extension was put back, and the next one is on its way.
				continue
			}
			x.b.notice(protocol.NewError(protocol.CodeInternal, "the extension was removed, disabled or reloaded", "it is installed again automatically"))
		}
		if ctx.Err() != nil {
			return
		}
		if !restarts.allow() {
			err = errors.New("the extension was removed too often")
			break
		}
		x.panelWanted.Store(true)
		err = x.putBack(ctx)
	}
	if ctx.Err() == nil {
		x.log.ErrorContext(ctx, "no extension", "error", err)
		x.b.notice(protocol.NewError(protocol.CodeInternal, "the side panel is missing: "+err.Error(), "restart the session"))
	}
}

// nextWorker waits for the session of a worker; nil when none came in time.
func (x extension) nextWorker(ctx context.Context) *devtools.Session {
	timer := time.NewTimer(workerStartTimeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
		return nil
	case s := <-x.workers:
		return s
	}
}

// watchWorkers has the browser attach to the workers that start, and takes in
// those of our extension, until the run ends. Workers are not paused: a site's
// would wait for us. A session that the browser opened ends with its extension;
// one that we opened would stay.
func (x extension) watchWorkers(ctx context.Context) {
	root, err := x.conn.AttachBrowser(ctx)
	if err != nil {
		x.log.WarnContext(ctx, "cannot watch for the extension's worker", "error", err)
		return
	}
	events := root.Events(target.AttachedToTarget.Method)
	defer events.Cancel()
	flat := true
	// Pages, too: Chromium 156 holds back each window that a script opens until it
	// is attached and let go, whatever the filter says, and its opener hangs.
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

// attached takes in a session that the browser opened by itself. A page and a
// site's worker are let go at once.
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
	// Only one worker lives at a time: a newer one replaces one that nobody has
	// taken yet.
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

// serveWorker takes a worker's reports until its target ends, and says whether
// there were any. The session survives that Chromium stops and starts the worker.
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
		case e, ok := <-events.C:
			if !ok {
				return served
			}
			switch e.Method {
			case inspector.TargetCrashed.Method:
				// Stopped by the browser: the next event of a tab starts it again.
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

// greetWorker gives a worker that starts the pairing and the bridge. Its own first report may
// have come before the binding, so it is asked for one; before its first line
// there is nothing to ask, and its own report finds the binding. Nobody waits
// for the answers: they come in order.
func (x extension) greetWorker(ctx context.Context, s *devtools.Session) error {
	var paired error
	if p := x.b.pairing(); p != nil {
		// Before the panel's page looks for it.
		paired = x.pair(ctx, s, p)
	}
	return errors.Join(
		paired,
		devtools.Post(ctx, s, runtime.Enable, cdp.Empty{}),
		devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: protocol.BridgeBinding}),
		devtools.Post(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{}),
		devtools.Post(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: `globalThis.pilotfish?.report("ready")`}),
	)
}

// bridgeEvent takes a report. The first of each worker means that the extension
// is up: it is paired again and, where wanted, its panel opens.
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
	x.mark("worker_ready")
	x.setWorker(s)
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
}

// pair puts the pairing into the extension's session storage. It is not waited
// for: what the panel needs it for comes behind it in the same pipe.
func (r *run) pair(ctx context.Context, s *devtools.Session, p *protocol.Pairing) error {
	items, err := stored(p)
	if err != nil {
		return err
	}
	return devtools.Post(ctx, s, extensions.SetStorageItems, items)
}

// stored is the pairing as it is put into the extension's session storage.
func stored(p *protocol.Pairing) (extensions.SetStorageItemsParams, error) {
	values, err := json.Marshal(map[string]*protocol.Pairing{protocol.PairingKey: p})
	if err != nil {
		return extensions.SetStorageItemsParams{}, fmt.Errorf("encoding the pairing: %w", err)
	}
	return extensions.SetStorageItemsParams{
		ID: protocol.ExtensionID, StorageArea: extensions.StorageAreaSession, Values: jsonv2.Value(values),
	}, nil
}

// callWorker runs one of the worker's functions with arguments.
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

// errNoWorker is returned while no worker is attached: headless, or just now
// stopped.
var errNoWorker = errors.New("the extension's worker does not run")
