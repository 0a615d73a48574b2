// Package mask covers the pages of tabs in which a task works: what the user does there
// is held back, and what a command does passes.
package mask

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

// pauseBinding is what the cover of a masked page calls when the person wants a
// pause. Only our world has it: the page can neither see nor call it.
const pauseBinding = "pilotfishPause"

// Config is what covers of tabs need of their browser.
type Config struct {
	// Open are the tabs.
	Open *tabs.Registry
	// Pause is told of a tab in which the user wants a pause; it must not block. It
	// may be nil.
	Pause func(id protocol.TabID)
}

// Masks are the tabs whose pages are covered, because a task works on them.
type Masks struct {
	tabs   page.Tabs
	config Config

	mu  sync.Mutex
	tab map[protocol.TabID]*cover
}

// New returns the masks of a browser's tabs: none.
func New(all page.Tabs, c Config) *Masks {
	return &Masks{tabs: all, config: c, tab: make(map[protocol.TabID]*cover)}
}

// cover is one tab under a cover.
type cover struct {
	op sync.Mutex // one change at a time
	// source is what every document of the tab runs when it begins; empty when the
	// tab is covered no more.
	source  string
	p       *page.Page
	scripts map[*devtools.Session]cdppage.ScriptIdentifier
}

// Mask covers the page of a tab, or changes what its cover says. What the person
// does to the page is held back, in this document and in those that follow it,
// before their first line runs; what a command does passes. Esc and the cover's
// button call Config.OnPause. The cover is in no look and in no picture.
func (ms *Masks) Mask(ctx context.Context, id protocol.TabID, shown protocol.Mask) error {
	said, err := json.Marshal(shown)
	if err != nil {
		return fmt.Errorf("encoding what a cover says: %w", err)
	}
	ms.mu.Lock()
	m := ms.tab[id]
	fresh := m == nil
	if fresh {
		m = &cover{scripts: make(map[*devtools.Session]cdppage.ScriptIdentifier)}
		ms.tab[id] = m
	}
	ms.mu.Unlock()
	m.op.Lock()
	m.source = fmt.Sprintf("globalThis.pilotfishPage?.mask.show(%s)", said)
	m.op.Unlock()
	// Not in the queue of the tab: a command there may take long, and is what the
	// cover tells of.
	err = ms.tabs.Beside(ctx, id, false, func(ctx context.Context, p *page.Page) error {
		if p.OpenDialog() != nil { // it holds the page, and is a cover itself
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

// Unmask takes the cover away. A tab without one is left as it is.
func (ms *Masks) Unmask(ctx context.Context, id protocol.TabID) error {
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
	// A page that hangs is uncovered when it goes on, and is not waited for.
	ctx, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	var err error
	for s, old := range m.scripts {
		if s.Ended() {
			continue
		}
		err = errors.Join(err, m.remove(ctx, s, old))
		// A document may begin just now: what is uncovered is told by the same way,
		// and in the same order, as it was told to be covered.
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

// say calls a function of the cover in a frame, and waits for nothing.
func say(ctx context.Context, p *page.Page, f *page.Frame, call string) {
	if s, world := p.Frames.State(f); world != "" {
		_ = devtools.Post(context.WithoutCancel(ctx), s, runtime.Evaluate, page.EvaluateParams("globalThis.pilotfishPage?.mask."+call, world))
	}
}

// sessionsOf are those of a page: its own, and those of frames that another
// process draws.
func sessionsOf(p *page.Page) []*devtools.Session {
	all, seen := []*devtools.Session{p.Session}, map[*devtools.Session]bool{p.Session: true}
	for _, f := range p.Frames.All() {
		if s, _ := p.Frames.State(f); s != nil && !seen[s] {
			all, seen[s] = append(all, s), true
		}
	}
	return all
}

// spread covers every frame of the page, now and whenever a document begins.
func (m *cover) spread(ctx context.Context, p *page.Page) error {
	m.op.Lock()
	defer m.op.Unlock()
	if m.source == "" {
		return nil // uncovered meanwhile
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

// put covers the frames of one session; m.op is held.
func (m *cover) put(ctx context.Context, s *devtools.Session) error {
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

func (m *cover) add(ctx context.Context, s *devtools.Session, source string) (cdppage.ScriptIdentifier, error) {
	now := true
	res, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: source, WorldName: page.WorldName, RunImmediately: &now,
	})
	return res.Identifier, err
}

func (m *cover) remove(ctx context.Context, s *devtools.Session, id cdppage.ScriptIdentifier) error {
	return devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
}

// Joined covers a frame of the page of a target that another process has begun to draw.
func (ms *Masks) Joined(ctx context.Context, id target.ID, s *devtools.Session) error {
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

// Covers says whether the tab that a target shows is covered.
func (ms *Masks) Covers(id target.ID) bool { return ms.of(id) != nil }

// of is the cover of the tab that a target shows; nil for none.
func (ms *Masks) of(shown target.ID) *cover {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for id, m := range ms.tab {
		if at, ok := ms.config.Open.Lookup(id); ok && at.Target == shown {
			return m
		}
	}
	return nil
}

// PauseAsked takes in a call of the binding by the page of a target. The reader calls it,
// which must not wait.
func (ms *Masks) PauseAsked(shown target.ID, e devtools.Event) {
	v, ok := devtools.Decode(e, runtime.BindingCalled)
	if !ok || v.Name != pauseBinding || ms.config.Pause == nil {
		return
	}
	if t, ok := ms.config.Open.Find(func(t *tabs.Entry) bool { return t.Target == shown }); ok {
		ms.config.Pause(t.ID)
	}
}

// Expected is the input that a cover lets pass; see extension/src/page/mask.ts.
type Expected struct {
	// Area is where a pointer will be, in the tab's viewport; nil for nowhere.
	Area    *[4]float64 `json:"area,omitempty"`
	Pointer bool        `json:"pointer,omitempty"`
	// Keys go down; an empty list, and not none, is keys that only go up.
	Keys []string `json:"keys,omitzero"`
}

// Include makes the area large enough for a point.
func (e *Expected) Include(x, y float64) {
	if e.Area == nil {
		e.Area = &[4]float64{x, y, x, y}
	}
	a := e.Area
	a[0], a[1], a[2], a[3] = math.Min(a[0], x), math.Min(a[1], y), math.Max(a[2], x), math.Max(a[3], y)
}

// Lift does something whose input a page under a cover shall get, in the frames that it
// goes through.
func (ms *Masks) Lift(ctx context.Context, p *page.Page, frames []*page.Frame, what Expected, do func() error) error {
	for _, f := range frames {
		one := what
		if f.Number == 0 {
			one.Pointer = false // the outermost frame knows the place
		} else {
			one.Area = nil
		}
		if err := p.Ask(ctx, f, "lift", one, nil); err != nil && !errors.Is(err, page.ErrReplaced) {
			return err
		}
	}
	// Not waited for: a dialog that the input opened holds the page, and so does a
	// document that goes. What is asked next comes after it.
	defer func() {
		for _, f := range frames {
			say(ctx, p, f, "lower()")
		}
	}()
	return do()
}

// Veiled takes a picture of a page without its cover.
func (ms *Masks) Veiled(ctx context.Context, p *page.Page, take func() error) error {
	if !ms.Covers(p.Target) || !p.IsOpen() {
		return take()
	}
	f := p.Frames.Main()
	defer say(ctx, p, f, "veil(false)")
	// The picture forces a frame of its own, drawn from what the document is then. A
	// page that hangs draws nothing at all.
	inner, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	if err := p.Ask(inner, f, "veil", map[string]bool{"on": true}, nil); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return take()
}
