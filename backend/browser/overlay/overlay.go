// Package overlay draws over the pages of tabs: an overlay where a task works, which
// blocks the user's input and lets the input of commands pass, and marks for the user who
// looks at a page. Snapshots and screenshots have neither.
package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// pauseBinding is the binding that the overlay calls when the user wants a pause.
// It exists only in our world: the page can neither see nor call it.
const pauseBinding = "pilotfishPause"

// Overlays holds the overlays of the tabs on whose pages a task works.
type Overlays struct {
	tabs page.Tabs
	open *tabs.Registry

	mu  sync.Mutex
	tab map[protocol.TabID]*tabOverlay
}

// New returns the overlays of a browser's tabs: none yet.
func New(all page.Tabs, open *tabs.Registry) *Overlays {
	return &Overlays{tabs: all, open: open, tab: make(map[protocol.TabID]*tabOverlay)}
}

// tabOverlay is the overlay of one tab.
type tabOverlay struct {
	op sync.Mutex // one change at a time
	// source is the script that every document of the tab runs when it begins;
	// empty once the overlay was removed.
	source  string
	p       *page.Page
	scripts map[*devtools.Session]cdppage.ScriptIdentifier
}

// SetOverlay puts an overlay over the page of a tab, or changes the text of the
// overlay. It blocks the user's input in this document and, before their first
// script runs, in the documents that follow; the input of commands passes. Esc
// and the overlay's button ask for a pause (see PauseAsked). Snapshots and screenshots
// do not contain the overlay.
func (ms *Overlays) SetOverlay(ctx context.Context, id protocol.TabID, shown protocol.Overlay) error {
	said, err := json.Marshal(shown)
	if err != nil {
		return fmt.Errorf("encoding what an overlay says: %w", err)
	}
	ms.mu.Lock()
	m := ms.tab[id]
	fresh := m == nil
	if fresh {
		m = &tabOverlay{scripts: make(map[*devtools.Session]cdppage.ScriptIdentifier)}
		ms.tab[id] = m
	}
	ms.mu.Unlock()
	m.op.Lock()
	m.source = fmt.Sprintf("globalThis.pilotfishPage?.mask.show(%s)", said)
	m.op.Unlock()
	// This bypasses the tab's queue: a command in the queue may take long, and
	// the overlay describes that command.
	err = ms.tabs.Beside(ctx, protocol.Caller{}, id, false, func(ctx context.Context, p *page.Page) error {
		if p.OpenDialog() != nil { // the dialog blocks the page, and the user's input with it
			return nil
		}
		if err := p.Open(ctx, id); err != nil {
			return err
		}
		return m.spread(ctx, p)
	})
	if err != nil && fresh {
		ms.mu.Lock()
		if ms.tab[id] == m {
			delete(ms.tab, id)
		}
		ms.mu.Unlock()
	}
	return err
}

// RemoveOverlay removes the overlay. It does nothing to a tab without one.
func (ms *Overlays) RemoveOverlay(ctx context.Context, id protocol.TabID) error {
	ms.mu.Lock()
	m := ms.tab[id]
	delete(ms.tab, id)
	ms.mu.Unlock()
	if m == nil {
		return nil
	}
	m.op.Lock()
	defer m.op.Unlock()
	m.source = ""
	if m.p == nil || m.p.Ended() {
		return nil
	}
	// If the page hangs, its overlay disappears when it responds again. Unmask
	// does not wait for that.
	ctx, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	var err error
	for s, old := range m.scripts {
		if s.Ended() {
			continue
		}
		err = errors.Join(err, m.remove(ctx, s, old))
		// A document may be beginning at this moment. The command that hides the
		// overlay is sent in the same way as the one that showed it, so the two
		// keep their order.
		id, e := m.add(ctx, s, "globalThis.pilotfishPage?.mask.hide()")
		if e == nil {
			e = m.remove(ctx, s, id)
		}
		if e == nil {
			e = devtools.Post(ctx, s, runtime.RemoveBinding, runtime.RemoveBindingParams{Name: pauseBinding})
		}
		if !errors.Is(e, devtools.ErrSessionEnded) && !errors.Is(e, context.DeadlineExceeded) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// say calls a function of the overlay in a frame, and does not wait for the
// answer.
func say(ctx context.Context, p *page.Page, f *page.Frame, call string) {
	if s, world := p.Frames.State(f); world != "" {
		_ = devtools.Post(context.WithoutCancel(ctx), s, runtime.Evaluate, page.EvaluateParams("globalThis.pilotfishPage?.mask."+call, world))
	}
}

// sessionsOf returns the sessions of a page: its own, and those of frames that
// another process renders.
func sessionsOf(p *page.Page) []*devtools.Session {
	all, seen := []*devtools.Session{p.Session}, map[*devtools.Session]bool{p.Session: true}
	for _, f := range p.Frames.All() {
		if s, _ := p.Frames.State(f); s != nil && !seen[s] {
			all, seen[s] = append(all, s), true
		}
	}
	return all
}

// spread puts the overlay over every frame of the page, now and whenever a
// document begins.
func (m *tabOverlay) spread(ctx context.Context, p *page.Page) error {
	m.op.Lock()
	defer m.op.Unlock()
	if m.source == "" {
		return nil // removed meanwhile
	}
	m.p = p
	var err error
	for _, s := range sessionsOf(p) {
		if e := m.put(ctx, s); e != nil && !errors.Is(e, devtools.ErrSessionEnded) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// put puts the overlay over the frames of one session; m.op is held.
func (m *tabOverlay) put(ctx context.Context, s *devtools.Session) error {
	old, had := m.scripts[s]
	if !had {
		if err := devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: pauseBinding, ExecutionContextName: page.WorldName}); err != nil {
			return err
		}
	}
	id, err := m.add(ctx, s, m.source)
	if err != nil {
		return err
	}
	m.scripts[s] = id
	if had {
		return m.remove(ctx, s, old)
	}
	return nil
}

func (m *tabOverlay) add(ctx context.Context, s *devtools.Session, source string) (cdppage.ScriptIdentifier, error) {
	now := true
	res, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: source, WorldName: page.WorldName, RunImmediately: &now,
	})
	return res.Identifier, err
}

func (m *tabOverlay) remove(ctx context.Context, s *devtools.Session, id cdppage.ScriptIdentifier) error {
	return devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
}

// Joined puts the overlay over a frame that another process has begun to render,
// in the page of a target.
func (ms *Overlays) Joined(ctx context.Context, id target.ID, s *devtools.Session) error {
	m := ms.of(id)
	if m == nil {
		return nil
	}
	m.op.Lock()
	defer m.op.Unlock()
	if m.source == "" {
		return nil
	}
	return m.put(ctx, s)
}

// Covers reports whether the tab of a target has an overlay.
func (ms *Overlays) Covers(id target.ID) bool { return ms.of(id) != nil }

// of returns the overlay of the tab that a target shows; nil for none.
func (ms *Overlays) of(shown target.ID) *tabOverlay {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for id, m := range ms.tab {
		if at, ok := ms.open.Lookup(id); ok && at.Target == shown {
			return m
		}
	}
	return nil
}

// PauseAsked returns the tab in which the user wants a pause, if an event of a target
// says so.
func (ms *Overlays) PauseAsked(shown target.ID, e devtools.Event) (id protocol.TabID, asked bool) {
	v, ok := devtools.Decode(e, runtime.BindingCalled)
	if !ok || v.Name != pauseBinding {
		return "", false
	}
	t, ok := ms.open.Find(func(t *tabs.Entry) bool { return t.Target == shown })
	return t.ID, ok
}

// Expected is the input that an overlay lets pass; see
// extension/src/page/mask.ts.
type Expected struct {
	// Area is where the pointer will be, in the tab's viewport: left, top, right,
	// bottom in CSS pixels. nil means nowhere.
	Area    *[4]float64 `json:"area,omitempty"`
	Pointer bool        `json:"pointer,omitempty"`
	// Keys are the keys that will go down. An empty list, as opposed to nil,
	// means keys that only go up.
	Keys []string `json:"keys,omitzero"`
}

// Include extends the area so that it contains a point.
func (e *Expected) Include(x, y float64) {
	if e.Area == nil {
		e.Area = &[4]float64{x, y, x, y}
	}
	a := e.Area
	a[0], a[1], a[2], a[3] = math.Min(a[0], x), math.Min(a[1], y), math.Max(a[2], x), math.Max(a[3], y)
}

// Lift runs do, whose input a page under an overlay must receive. The overlay
// lets the input what pass in the frames that the input goes through.
func (ms *Overlays) Lift(ctx context.Context, p *page.Page, frames []*page.Frame, what Expected, do func() error) error {
	for _, f := range frames {
		one := what
		if f.Number == 0 {
			one.Pointer = false // only the outermost frame can check the position
		} else {
			one.Area = nil
		}
		if err := p.Ask(ctx, f, "lift", one, nil); err != nil && !errors.Is(err, page.ErrReplaced) {
			return err
		}
	}
	// This does not wait for the answer: a dialog that the input opened blocks
	// the page, and so does a document that is being replaced. Later calls run
	// after it.
	defer func() {
		for _, f := range frames {
			say(ctx, p, f, "lower()")
		}
	}()
	return do()
}

// Veiled takes a screenshot of a page without its overlay.
func (ms *Overlays) Veiled(ctx context.Context, p *page.Page, take func() error) error {
	if !ms.Covers(p.Target) || !p.IsOpen() {
		return take()
	}
	f := p.Frames.Main()
	defer say(ctx, p, f, "veil(false)")
	// The screenshot forces a frame of its own, rendered from the document as it
	// is then. A page that hangs renders nothing.
	inner, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	if err := p.Ask(inner, f, "veil", map[string]bool{"on": true}, nil); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return take()
}
