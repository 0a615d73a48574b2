package browser

import (
	"cmp"
	"slices"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// snapshot returns the tabs that are shown, by window and place.
func (r *registry) snapshot() []protocol.Tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]protocol.Tab, 0, len(r.tabs))
	front := protocol.TabID("")
	for _, t := range r.tabs {
		if t.shown {
			out = append(out, t.Tab)
		}
		if t.target == r.front {
			front = t.ID
		}
	}
	slices.SortStableFunc(out, func(a, b protocol.Tab) int {
		return cmp.Or(cmp.Compare(a.WindowID, b.WindowID), cmp.Compare(a.Index, b.Index))
	})
	if !r.bridged {
		guessActive(out, front)
	}
	for i := range out {
		out[i].Focused = out[i].Active && (out[i].WindowID == r.focused || !r.bridged)
	}
	return out
}

// guessActive marks a front tab where no worker says which it is: the one that
// is known to be there, else the one that a worker named last, else the first.
func guessActive(tabs []protocol.Tab, known protocol.TabID) {
	front := -1
	for i := range tabs {
		tabs[i].Index = i
		if tabs[i].ID == known {
			front = i
		}
	}
	if front < 0 {
		front = max(0, slices.IndexFunc(tabs, func(t protocol.Tab) bool { return t.Active }))
	}
	for i := range tabs {
		tabs[i].Active = i == front
	}
}

// lookup returns a copy of a tab and its target.
func (r *registry) lookup(id protocol.TabID) (tab, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if t.ID == id && t.shown {
			return *t, true
		}
	}
	return tab{}, false
}

// find returns the first tab that ok says yes to, shown or not.
func (r *registry) find(ok func(*tab) bool) (tab, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if ok(t) {
			return *t, true
		}
	}
	return tab{}, false
}

// panelTargets returns the open side panels.
func (r *registry) panelTargets() []target.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]target.ID, 0, len(r.panels))
	for id := range r.panels {
		ids = append(ids, id)
	}
	return ids
}

// frontStrip returns a target of type "tab" that is in front of its window.
func (r *registry) frontStrip() (target.ID, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, front := range r.strips {
		if front || len(r.strips) == 1 {
			return id, true
		}
	}
	return "", false
}

// stripTargets returns every target of type "tab" that is in a tab strip.
func (r *registry) stripTargets() []target.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]target.ID, 0, len(r.strips))
	for id := range r.strips {
		ids = append(ids, id)
	}
	return ids
}

// unsettled says whether a tab waits for the worker's word.
func (r *registry) unsettled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.tabs, func(t *tab) bool { return t.gone || (!t.shown && !t.denied) })
}

// isStrip says whether a target is one of type "tab" in a tab strip.
func (r *registry) isStrip(id target.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, is := r.strips[id]
	return is
}
