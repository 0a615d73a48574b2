package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// reportBinding is the binding by which our world reports. The page can neither see
// nor call it.
const reportBinding = "pilotfishReport"

// Marks are what is drawn over the pages of tabs for the user who looks at them: that an
// agent works there, which element is meant, and which refs the elements have. They also
// report that a page has changed. extension/src/page/marks.ts draws them. Methods are safe
// for concurrent use.
type Marks struct {
	tabs    page.Tabs
	open    *tabs.Registry
	clicked func(id protocol.TabID)

	mu  sync.Mutex
	tab map[protocol.TabID]*tabMarks
}

// NewMarks returns the marks of a browser's tabs: none yet. clicked is called with the tab
// on whose sign the user clicked; it must not block.
func NewMarks(all page.Tabs, open *tabs.Registry, clicked func(id protocol.TabID)) *Marks {
	return &Marks{tabs: all, open: open, clicked: clicked, tab: make(map[protocol.TabID]*tabMarks)}
}

// live is what every document of a tab does; see Live in extension/src/page/marks.ts.
type live struct {
	Report bool                `json:"report,omitempty"`
	Agent  *protocol.AgentSign `json:"agent,omitempty"`
}

// tabMarks are the marks of one tab.
type tabMarks struct {
	op sync.Mutex // one change at a time
	// The following fields belong to op.
	agent    *protocol.AgentSign
	watchers map[*Watcher]bool
	on       map[*devtools.Session]*installed

	mu sync.Mutex
	// notified are the watchers again, for the goroutines that receive reports.
	notified []*Watcher
}

// installed is what the marks of a tab need in one session.
type installed struct {
	script cdppage.ScriptIdentifier
	source string
	events *devtools.Subscription
}

// of returns the marks of a tab; it makes them if there are none.
func (ms *Marks) of(id protocol.TabID) *tabMarks {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.tab[id]
	if m == nil {
		m = &tabMarks{watchers: make(map[*Watcher]bool), on: make(map[*devtools.Session]*installed)}
		ms.tab[id] = m
	}
	return m
}

// SetAgent shows in a tab's page, and in the documents that follow, that an agent
// works there; nil removes the sign. A page that no command has opened yet gets the
// sign when one does.
func (ms *Marks) SetAgent(ctx context.Context, id protocol.TabID, sign *protocol.AgentSign) error {
	m := ms.of(id)
	m.op.Lock()
	m.agent = sign
	m.op.Unlock()
	return ms.apply(ctx, id, m, false)
}

// Watcher receives an event when the page of a tab may have changed.
type Watcher struct {
	// Changed receives a value after a change; it is at most one ahead of its reader.
	Changed <-chan struct{}

	changed chan struct{}
	ms      *Marks
	id      protocol.TabID
	m       *tabMarks
}

// Watch begins to watch a tab's page, and those that follow it there. The caller
// closes the Watcher.
func (ms *Marks) Watch(ctx context.Context, id protocol.TabID) (*Watcher, error) {
	c := make(chan struct{}, 1)
	w := &Watcher{Changed: c, changed: c, ms: ms, id: id, m: ms.of(id)}
	w.m.op.Lock()
	w.m.watchers[w] = true
	w.m.tell()
	w.m.op.Unlock()
	if err := ms.apply(ctx, id, w.m, true); err != nil {
		w.Close(ctx)
		return nil, err
	}
	return w, nil
}

// tell updates the watchers that reports go to; m.op is held.
func (m *tabMarks) tell() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notified = slices.Collect(maps.Keys(m.watchers))
}

// Close ends the watch, and with the last one of a tab everything that was marked in
// the tab, but for the sign of an agent.
func (w *Watcher) Close(ctx context.Context) {
	w.m.op.Lock()
	delete(w.m.watchers, w)
	w.m.tell()
	w.m.op.Unlock()
	// A page that hangs is not waited for: it removes its marks when it responds.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watch.BeginWait)
	defer cancel()
	_ = w.ms.apply(ctx, w.id, w.m, false)
}

// Arm makes the next change of the page a report. Changes after a snapshot that is
// taken after Arm are never missed.
func (w *Watcher) Arm(ctx context.Context) error {
	return w.ms.everywhere(ctx, w.id, "arm()")
}

// Badges shows the refs of a tab's elements on its page, or removes them. They end
// with the tab's last Watcher, or with the document.
func (ms *Marks) Badges(ctx context.Context, id protocol.TabID, on bool) error {
	return ms.everywhere(ctx, id, fmt.Sprintf("badges(%t)", on))
}

// Highlight highlights an element of a tab's page, and scrolls to it if wanted. An
// empty ref removes the highlight. A ref whose element is gone is CodeGone.
func (ms *Marks) Highlight(ctx context.Context, id protocol.TabID, ref string, scroll bool) error {
	if ref != "" && !page.RefScope().MatchString(ref) {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a ref", ref), "a ref is like e5 or f2e5")
	}
	return ms.beside(ctx, id, func(ctx context.Context, p *page.Page) error {
		var found bool
		for _, f := range p.Frames.All() {
			own, ok := p.Frames.Of(ref)
			if ref == "" || !ok || own != f {
				mark(ctx, p, f, `point("")`)
				continue
			}
			err := p.Ask(ctx, f, "point", map[string]any{"ref": ref, "scroll": scroll}, &found)
			if err != nil && !errors.Is(err, page.ErrReplaced) {
				return err
			}
		}
		if ref != "" && !found {
			return protocol.NewError(protocol.CodeGone, ref+" is no longer on the page", "", page.SnapshotAgain())
		}
		return nil
	})
}

// Veiled takes a screenshot of a page without its marks. Screenshots that are taken
// at the same time are without them, too.
func (ms *Marks) Veiled(ctx context.Context, p *page.Page, take func() error) error {
	if !p.IsOpen() || !ms.marked(p.Target) {
		return take()
	}
	var veiled []*page.Frame
	defer func() {
		for _, f := range veiled {
			mark(ctx, p, f, "veil(false)")
		}
	}()
	for _, f := range p.Frames.All() {
		// A page that hangs renders nothing.
		inner, cancel := context.WithTimeout(ctx, watch.BeginWait)
		err := p.Ask(inner, f, "unmark", map[string]bool{"on": true}, nil)
		cancel()
		switch {
		case err == nil || errors.Is(err, context.DeadlineExceeded):
			veiled = append(veiled, f)
		case !errors.Is(err, page.ErrReplaced) && !errors.Is(err, page.ErrNoFrame):
			return err
		}
	}
	return take()
}

// marked reports whether the tab of a target may have marks.
func (ms *Marks) marked(shown target.ID) bool {
	m := ms.shownBy(shown)
	if m == nil {
		return false
	}
	m.op.Lock()
	defer m.op.Unlock()
	return m.wanted() != live{}
}

// shownBy returns the marks of the tab that a target shows; nil for none.
func (ms *Marks) shownBy(shown target.ID) *tabMarks {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for id, m := range ms.tab {
		at, ok := ms.open.Lookup(id)
		if !ok {
			delete(ms.tab, id) // the tab was closed
			continue
		}
		if at.Target == shown {
			return m
		}
	}
	return nil
}

// wanted returns what the tab's documents are to do; m.op is held.
func (m *tabMarks) wanted() live { return live{Report: len(m.watchers) > 0, Agent: m.agent} }

// everywhere calls a function of the marks in all frames of a tab, and does not wait.
func (ms *Marks) everywhere(ctx context.Context, id protocol.TabID, call string) error {
	return ms.beside(ctx, id, func(ctx context.Context, p *page.Page) error {
		for _, f := range p.Frames.All() {
			mark(ctx, p, f, call)
		}
		return nil
	})
}

// beside runs f with an opened page outside the tab's queue: a user who points at
// elements does not wait for commands.
func (ms *Marks) beside(ctx context.Context, id protocol.TabID, f func(ctx context.Context, p *page.Page) error) error {
	return ms.tabs.Beside(ctx, protocol.Caller{}, id, false, func(ctx context.Context, p *page.Page) error {
		if d := p.OpenDialog(); d != nil { // the dialog blocks the page
			return page.DialogOpen(id, d)
		}
		if err := p.Open(ctx, id); err != nil {
			return err
		}
		return f(ctx, p)
	})
}

// mark calls a function of the marks in a frame, and does not wait for the answer.
func mark(ctx context.Context, p *page.Page, f *page.Frame, call string) {
	if s, world := p.Frames.State(f); world != "" {
		_ = devtools.Post(context.WithoutCancel(ctx), s, runtime.Evaluate, page.EvaluateParams("globalThis.pilotfishPage?.marks."+call+";0", world))
	}
}

// apply makes a tab's documents do what is wanted. With open, it opens a page that no
// command has opened.
func (ms *Marks) apply(ctx context.Context, id protocol.TabID, m *tabMarks, open bool) error {
	return ms.tabs.Beside(ctx, protocol.Caller{}, id, false, func(ctx context.Context, p *page.Page) error {
		if !open && !p.IsOpen() {
			return nil // Joined applies it
		}
		if d := p.OpenDialog(); d != nil && open {
			return page.DialogOpen(id, d)
		}
		if open {
			if err := p.Open(ctx, id); err != nil {
				return err
			}
		}
		m.op.Lock()
		defer m.op.Unlock()
		sessions := map[*devtools.Session]bool{p.Session: true}
		for _, f := range p.Frames.All() {
			if s, _ := p.Frames.State(f); s != nil {
				sessions[s] = true
			}
		}
		var err error
		for s := range sessions {
			if e := ms.put(ctx, id, m, s); e != nil && !errors.Is(e, devtools.ErrSessionEnded) {
				err = errors.Join(err, e)
			}
		}
		return err
	})
}

// Joined applies the marks of a target's tab to one more session: that of the page
// when it is opened, or of a frame that another process has begun to render.
func (ms *Marks) Joined(ctx context.Context, shown target.ID, s *devtools.Session) error {
	m := ms.shownBy(shown)
	at, ok := ms.open.Find(func(t *tabs.Entry) bool { return t.Target == shown })
	if m == nil || !ok {
		return nil
	}
	m.op.Lock()
	defer m.op.Unlock()
	return ms.put(ctx, at.ID, m, s)
}

// put applies the marks to the documents of one session; m.op is held.
func (ms *Marks) put(ctx context.Context, id protocol.TabID, m *tabMarks, s *devtools.Session) error {
	for old := range m.on {
		if old.Ended() {
			delete(m.on, old)
		}
	}
	want := m.wanted()
	has := m.on[s]
	if has == nil && (want == live{}) {
		return nil
	}
	data, err := json.Marshal(want)
	if err != nil {
		return fmt.Errorf("encoding the marks of a page: %w", err)
	}
	source := fmt.Sprintf("globalThis.pilotfishPage?.marks.live(%s)", data)
	if has != nil && has.source == source {
		return nil
	}
	if has == nil {
		has = &installed{events: s.Events(runtime.BindingCalled.Method)}
		if err := devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: reportBinding, ExecutionContextName: page.WorldName}); err != nil {
			has.events.Cancel()
			return err
		}
		m.on[s] = has
		go ms.hear(id, m, has.events) // ends with the session or with Cancel
	}
	now := true
	res, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: source, WorldName: page.WorldName, RunImmediately: &now,
	})
	if err != nil {
		return err
	}
	old := has.script
	has.script, has.source = res.Identifier, source
	if old != "" {
		err = removeScript(ctx, s, old)
	}
	if (want != live{}) {
		return err
	}
	delete(m.on, s)
	has.events.Cancel()
	return errors.Join(err, removeScript(ctx, s, has.script), devtools.Post(ctx, s, runtime.RemoveBinding, runtime.RemoveBindingParams{Name: reportBinding}))
}

func removeScript(ctx context.Context, s *devtools.Session, id cdppage.ScriptIdentifier) error {
	return devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
}

// hear passes the reports of a session on until its subscription ends.
func (ms *Marks) hear(id protocol.TabID, m *tabMarks, events *devtools.Subscription) {
	for e := range events.C {
		v, ok := devtools.Decode(e, runtime.BindingCalled)
		if !ok || v.Name != reportBinding {
			continue
		}
		if v.Payload == "panel" {
			ms.clicked(id)
			continue
		}
		m.mu.Lock()
		for _, w := range m.notified {
			select {
			case w.changed <- struct{}{}:
			default:
			}
		}
		m.mu.Unlock()
	}
}
