package tabs

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// All returns the shown tabs, ordered by window and position.
func (r *Registry) All() []protocol.Tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]protocol.Tab, 0, len(r.tabs))
	front := protocol.TabID("")
	for _, t := range r.tabs {
		if t.Shown {
			out = append(out, t.Tab)
		}
		if r.front != "" && t.Target == r.front {
			front = t.ID
		}
	}
	slices.SortStableFunc(out, func(a, b protocol.Tab) int {
		return cmp.Or(cmp.Compare(a.WindowID, b.WindowID), cmp.Compare(a.Index, b.Index))
	})
	if !r.bridged {
		guessActive(out, front, r.focused)
	}
	for i := range out {
		out[i].Focused = out[i].Active && (out[i].WindowID == r.focused || !r.bridged)
	}
	return out
}

// guessActive marks one tab as active when no worker reports which one is: the
// tab that is known to be in front, else the one that a worker reported last (in
// the focused window, if there are several), else the first.
func guessActive(tabs []protocol.Tab, known protocol.TabID, window int) {
	front := -1
	for i := range tabs {
		tabs[i].Index = i
		if tabs[i].ID == known {
			front = i
		}
	}
	for _, there := range []func(protocol.Tab) bool{
		func(t protocol.Tab) bool { return t.Active && t.WindowID == window },
		func(t protocol.Tab) bool { return t.Active },
		func(protocol.Tab) bool { return true },
	} {
		if front < 0 {
			front = slices.IndexFunc(tabs, there)
		}
	}
	for i := range tabs {
		tabs[i].Active = i == front
	}
}

// Lookup returns a copy of a tab and its target.
func (r *Registry) Lookup(id protocol.TabID) (Entry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if t.ID == id && t.Shown {
			return *t, true
		}
	}
	return Entry{}, false
}

// Find returns the first tab for which ok returns true, shown or not.
func (r *Registry) Find(ok func(*Entry) bool) (Entry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if ok(t) {
			return *t, true
		}
	}
	return Entry{}, false
}

// PanelTargets returns the targets of the open side panels.
func (r *Registry) PanelTargets() []target.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]target.ID, 0, len(r.panels))
	for id := range r.panels {
		ids = append(ids, id)
	}
	return ids
}

// FrontStrip returns a target of type "tab" that is in front of its window.
func (r *Registry) FrontStrip() (target.ID, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, front := range r.strips {
		if front || len(r.strips) == 1 {
			return id, true
		}
	}
	return "", false
}

// StripTargets returns every target of type "tab" that is in a tab strip.
func (r *Registry) StripTargets() []target.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]target.ID, 0, len(r.strips))
	for id := range r.strips {
		ids = append(ids, id)
	}
	return ids
}

// Unsettled reports whether a tab waits for the worker's report.
func (r *Registry) Unsettled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.tabs, func(t *Entry) bool { return t.gone || (!t.Shown && !t.denied) })
}

// IsStrip reports whether a target is of type "tab" and in a tab strip.
func (r *Registry) IsStrip(id target.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, is := r.strips[id]
	return is
}

// Closed reports whether a tab of this id was open, and no longer is.
func (r *Registry) Closed(id protocol.TabID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := strconv.ParseUint(strings.TrimPrefix(string(id), "t"), 10, 64)
	return err == nil && n <= r.next && !slices.ContainsFunc(r.tabs, func(t *Entry) bool { return t.ID == id })
}

// closing is how long the list may take to learn that a tab whose page has ended is
// closed.
const closing = 3 * time.Second

// AwaitClosed reports whether the page of a tab ends within a time, and the tab is closed
// with it. A tab may also go on in another target.
func (r *Registry) AwaitClosed(ctx context.Context, id protocol.TabID, ended <-chan struct{}, within time.Duration) bool {
	select {
	case <-ended:
	default:
		if within <= 0 {
			return false
		}
		late := time.NewTimer(within)
		defer late.Stop()
		select {
		case <-ended:
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return r.Await(ctx, func() bool { return r.Closed(id) }) == nil
}

// Await waits until ok returns true. It calls ok again after every change of the
// tabs.
func (r *Registry) Await(ctx context.Context, ok func() bool) error {
	for {
		changed := r.Changes()
		if ok() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
