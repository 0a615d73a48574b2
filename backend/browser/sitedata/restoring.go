package sitedata

import (
	"context"
	"errors"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureRestore = "restore"

// restoring restores the storage of sites that are not open: each once, before
// the first script of the site's next document in the tab. Later changes by the
// page are not touched.
type restoring struct {
	mu      sync.Mutex
	pending map[string]protocol.Storage // by origin
	scripts map[scriptKey]cdppage.ScriptIdentifier
}

type scriptKey struct {
	s      *devtools.Session
	origin string
}

func (r *restoring) Begin(ctx context.Context, s *devtools.Session, _ bool) error {
	r.mu.Lock()
	pending := make([]protocol.Storage, 0, len(r.pending))
	for origin, st := range r.pending {
		if _, there := r.scripts[scriptKey{s, origin}]; !there {
			pending = append(pending, st)
		}
	}
	r.mu.Unlock()
	err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
	for _, st := range pending {
		script, e := RestoreScript(st)
		if e != nil {
			return e
		}
		res, e := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script, WorldName: "pilotfish-state"})
		if err = errors.Join(err, e); e == nil {
			r.mu.Lock()
			r.scripts[scriptKey{s, st.Origin}] = res.Identifier
			r.mu.Unlock()
		}
	}
	return err
}

func (r *restoring) Event(ctx context.Context, _ *devtools.Session, e devtools.Event) {
	if e.Method != cdppage.FrameNavigated.Method {
		return
	}
	v, ok := devtools.Decode(e, cdppage.FrameNavigated)
	if !ok || v.Frame == nil {
		return
	}
	origin := page.OriginOf(v.Frame.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, origin)
	for key, id := range r.scripts {
		if key.origin == origin {
			_ = devtools.Post(ctx, key.s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
			delete(r.scripts, key)
		}
	}
}

func (r *restoring) End(ctx context.Context, s *devtools.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, id := range r.scripts {
		if key.s == s {
			_ = devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
			delete(r.scripts, key)
		}
	}
}

// restoreLater restores the storage of sites when they are next opened in a tab.
func (d *Sites) restoreLater(ctx context.Context, id protocol.TabID, later map[string]protocol.Storage) error {
	k, err := d.config.Watches.Of(ctx, id)
	if err != nil {
		return err
	}
	if err := k.Stop(ctx, featureRestore); err != nil {
		return err
	}
	_, err = watch.Use(ctx, k, featureRestore, func() *restoring {
		return &restoring{pending: later, scripts: make(map[scriptKey]cdppage.ScriptIdentifier)}
	})
	return err
}
