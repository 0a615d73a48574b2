package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// pauseBinding is what the cover of a masked page calls when the person wants a
// pause. Only our world has it: the page can neither see nor call it.
const pauseBinding = "pilotfishPause"

// masks are the tabs whose pages are covered, because a task works on them.
type masks struct {
	mu  sync.Mutex
	tab map[protocol.TabID]*cover
}

// cover is one tab under a cover.
type cover struct {
	op sync.Mutex // one change at a time
	// source is what every document of the tab runs when it begins; empty when the
	// tab is covered no more.
	source  string
	p       *tabPage
	scripts map[*devtools.Session]cdppage.ScriptIdentifier
}

// Mask covers the page of a tab, or changes what its cover says. What the person
// does to the page is held back, in this document and in those that follow it,
// before their first line runs; what a command does passes. Esc and the cover's
// button call Config.OnPause. The cover is in no look and in no picture.
func (b *Browser) Mask(ctx context.Context, id protocol.TabID, shown protocol.Mask) error {
	said, err := json.Marshal(shown)
	if err != nil {
		return fmt.Errorf("encoding what a cover says: %w", err)
	}
	r, err := b.running()
	if err != nil {
		return err
	}
	if _, ok := b.tabs.Lookup(id); !ok {
		return page.UnknownTab(id)
	}
	b.masks.mu.Lock()
	m := b.masks.tab[id]
	fresh := m == nil
	if fresh {
		if b.masks.tab == nil {
			b.masks.tab = make(map[protocol.TabID]*cover)
		}
		m = &cover{scripts: make(map[*devtools.Session]cdppage.ScriptIdentifier)}
		b.masks.tab[id] = m
	}
	b.masks.mu.Unlock()
	m.op.Lock()
	m.source = fmt.Sprintf("globalThis.pilotfishPage?.mask.show(%s)", said)
	m.op.Unlock()
	// Not in the queue of the tab: a command there may take long, and is what the
	// cover tells of.
	_, p, err := b.pageOf(ctx, r, id)
	if err == nil && p.OpenDialog() == nil { // it holds the page, and is a cover itself
		if err = p.Open(ctx, id); err == nil {
			err = m.spread(ctx, p)
		}
	}
	if err != nil {
		err = b.explain(ctx, id, p, err)
	}
	if err != nil && fresh {
		b.masks.mu.Lock()
		if b.masks.tab[id] == m {
			delete(b.masks.tab, id)
		}
		b.masks.mu.Unlock()
	}
	return err
}

// Unmask takes the cover away. A tab without one is left as it is.
func (b *Browser) Unmask(ctx context.Context, id protocol.TabID) error {
	b.masks.mu.Lock()
	m := b.masks.tab[id]
	delete(b.masks.tab, id)
	b.masks.mu.Unlock()
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
func (p *tabPage) say(ctx context.Context, f *page.Frame, call string) {
	if s, world := p.Frames.State(f); world != "" {
		_ = devtools.Post(context.WithoutCancel(ctx), s, runtime.Evaluate, page.EvaluateParams("globalThis.pilotfishPage?.mask."+call, world))
	}
}

// sessions are those of the page: its own, and those of frames that another
// process draws.
func (p *tabPage) sessions() []*devtools.Session {
	all, seen := []*devtools.Session{p.Session}, map[*devtools.Session]bool{p.Session: true}
	for _, f := range p.Frames.All() {
		if s, _ := p.Frames.State(f); s != nil && !seen[s] {
			all, seen[s] = append(all, s), true
		}
	}
	return all
}

// spread covers every frame of the page, now and whenever a document begins.
func (m *cover) spread(ctx context.Context, p *tabPage) error {
	m.op.Lock()
	defer m.op.Unlock()
	if m.source == "" {
		return nil // uncovered meanwhile
	}
	m.p = p
	var err error
	for _, s := range p.sessions() {
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

// joined covers a frame that another process has begun to draw.
func (p *tabPage) joined(ctx context.Context, s *devtools.Session) error {
	m := p.mask()
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

// mask is the cover of the page's tab; nil for none.
func (p *tabPage) mask() *cover {
	b := p.r.b
	b.masks.mu.Lock()
	defer b.masks.mu.Unlock()
	for id, m := range b.masks.tab {
		if at, ok := b.tabs.Lookup(id); ok && at.Target == p.Target {
			return m
		}
	}
	return nil
}

// paused takes in a call of the binding. The reader calls it, which must not wait.
func (p *tabPage) paused(e devtools.Event) {
	v, ok := devtools.Decode(e, runtime.BindingCalled)
	if !ok || v.Name != pauseBinding || p.r.b.config.OnPause == nil {
		return
	}
	for _, t := range p.r.b.tabs.All() {
		if at, ok := p.r.b.tabs.Lookup(t.ID); ok && at.Target == p.Target {
			p.r.b.config.OnPause(t.ID)
			return
		}
	}
}

// expected is the input that a cover lets pass; see extension/src/page/mask.ts.
type expected struct {
	Area    *[4]float64 `json:"area,omitempty"`
	Pointer bool        `json:"pointer,omitempty"`
	// Keys go down; an empty list, and not none, is keys that only go up.
	Keys []string `json:"keys,omitzero"`
}

// expects reads from messages what they will be to a page.
func expects(messages []message) (e expected, is bool) {
	for _, m := range messages {
		var x, y float64
		switch q := m.params.(type) {
		case input.DispatchMouseEventParams:
			x, y = q.X, q.Y
		case input.DispatchDragEventParams:
			x, y = q.X, q.Y
		case input.DispatchKeyEventParams:
			is = true
			if e.Keys == nil {
				e.Keys = []string{}
			}
			if q.Type == input.DispatchKeyEventTypeKeyDown || q.Type == input.DispatchKeyEventTypeRawKeyDown {
				e.Keys = append(e.Keys, q.Key)
			}
			continue
		case input.InsertTextParams:
			is = true
			continue
		case input.DispatchTouchEventParams:
			is, e.Pointer = true, true
			for _, p := range q.TouchPoints {
				e.include(p.X, p.Y)
			}
			continue
		default:
			continue
		}
		is, e.Pointer = true, true
		e.include(x, y)
	}
	return e, is
}

// include makes the area large enough for a point.
func (e *expected) include(x, y float64) {
	if e.Area == nil {
		e.Area = &[4]float64{x, y, x, y}
	}
	a := e.Area
	a[0], a[1], a[2], a[3] = math.Min(a[0], x), math.Min(a[1], y), math.Max(a[2], x), math.Max(a[3], y)
}

// send sends input. Under a cover it alone passes, for as long as it takes.
func (a *action) send(ctx context.Context, s *devtools.Session, messages ...message) error {
	return a.lifted(ctx, func() error { return a.fx.send(ctx, s, messages...) }, messages)
}

// lifted does something with messages of input under a cover that lets them pass.
func (a *action) lifted(ctx context.Context, do func() error, messages []message) error {
	in, _ := a.p.Frames.State(a.f)
	a.fx.listen(in)
	what, is := expects(messages)
	if !is || a.p.mask() == nil {
		return do()
	}
	for _, at := range a.fingered { // the end of a touch names no place
		what.include(at.X, at.Y)
	}
	frames := a.touched()
	for _, f := range frames {
		one := what
		if f.Number == 0 {
			one.Pointer = false // the outermost frame knows the place
		} else {
			one.Area = nil
		}
		if err := a.p.Ask(ctx, f, "lift", one, nil); err != nil && !errors.Is(err, page.ErrReplaced) {
			return err
		}
	}
	// Not waited for: a dialog that the input opened holds the page, and so does a
	// document that goes. What is asked next comes after it.
	defer func() {
		for _, f := range frames {
			a.p.say(ctx, f, "lower()")
		}
	}()
	return do()
}

// touched are the frames that an input of the action goes through.
func (a *action) touched() []*page.Frame {
	main := a.p.Frames.Main()
	if a.q.Target == "" {
		return a.p.Frames.All() // whichever has the focus
	}
	all := []*page.Frame{main}
	for _, f := range append([]*page.Frame{a.f}, a.way...) {
		if f != nil && f != main {
			all = append(all, f)
		}
	}
	return all
}

// veiled takes a picture of a page without its cover.
func (p *tabPage) veiled(ctx context.Context, take func() error) error {
	if p.mask() == nil {
		return take()
	}
	if !p.IsOpen() {
		return take()
	}
	known := p.Frames
	f := known.Main()
	defer p.say(ctx, f, "veil(false)")
	// The picture forces a frame of its own, drawn from what the document is then. A
	// page that hangs draws nothing at all.
	inner, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	if err := p.Ask(inner, f, "veil", map[string]bool{"on": true}, nil); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return take()
}
