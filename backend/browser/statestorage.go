package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

const featureRestore = "restore"

// restoring puts the storage of sites back that are not open: each once, before
// the first script of its next document in the tab. What the page writes later
// is its own.
type restoring struct {
	mu      sync.Mutex
	pending map[string]protocol.Storage // by origin
	scripts map[scriptKey]cdppage.ScriptIdentifier
}

type scriptKey struct {
	s      *devtools.Session
	origin string
}

func (r *restoring) begin(ctx context.Context, s *devtools.Session, _ bool) error {
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
		script, e := restoreScript(st)
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

func (r *restoring) event(ctx context.Context, _ *devtools.Session, e devtools.Event) {
	if e.Method != cdppage.FrameNavigated.Method {
		return
	}
	v, ok := devtools.Decode(e, cdppage.FrameNavigated)
	if !ok || v.Frame == nil {
		return
	}
	origin := originOf(v.Frame.URL)
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

func (r *restoring) end(ctx context.Context, s *devtools.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, id := range r.scripts {
		if key.s == s {
			_ = devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
			delete(r.scripts, key)
		}
	}
}

func restoreScript(st protocol.Storage) (string, error) {
	data, err := json.Marshal(st)
	if err != nil {
		return "", fmt.Errorf("encoding the storage: %w", err)
	}
	return fmt.Sprintf(`(() => {
	const s = %s;
	if (s.origin !== location.origin) return;
	try {
		for (const i of s.local ?? []) localStorage.setItem(i.key, i.value);
		for (const i of s.session ?? []) sessionStorage.setItem(i.key, i.value);
	} catch { /* a sandboxed frame has no storage */ }
})()`, data), nil
}

// restoreStorage puts the storage of the tab's own site back at once, and that
// of the others when they are opened.
func (b *Browser) restoreStorage(ctx context.Context, id protocol.TabID, all []protocol.Storage) error {
	later := map[string]protocol.Storage{}
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		for _, st := range all {
			if st.Origin != originOf(info.URL) {
				later[st.Origin] = st
				continue
			}
			script, err := restoreScript(st)
			if err != nil {
				return err
			}
			world, err := p.world(ctx)
			if err != nil {
				return err
			}
			if _, err := evaluate[any](ctx, p.Session, script, world); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(later) == 0 {
		return err
	}
	k, err := b.keeper(ctx, id)
	if err != nil {
		return err
	}
	if err := k.stop(ctx, featureRestore); err != nil {
		return err
	}
	_, err = use(ctx, k, featureRestore, func() *restoring {
		return &restoring{pending: later, scripts: make(map[scriptKey]cdppage.ScriptIdentifier)}
	})
	return err
}
