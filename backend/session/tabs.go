package session

import (
	"slices"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// tabList holds the open tabs of a session's browser.
type tabList struct {
	mu   sync.Mutex
	tabs []protocol.Tab
}

func (l *tabList) set(tabs []protocol.Tab) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tabs = tabs
}

func (l *tabList) all() []protocol.Tab {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tabs)
}

// Has reports whether a tab is open.
func (l *tabList) Has(id protocol.TabID) bool {
	return slices.ContainsFunc(l.all(), func(tab protocol.Tab) bool { return tab.ID == id })
}

// url returns the address of an open tab's page.
func (l *tabList) url(id protocol.TabID) string {
	for _, tab := range l.all() {
		if tab.ID == id {
			return tab.URL
		}
	}
	return ""
}

// Front returns the tab that the user looks at. When the browser is behind
// another window, it returns an active tab, or any.
func (l *tabList) Front() protocol.TabID {
	front := protocol.TabID("")
	for _, tab := range l.all() {
		if tab.Focused {
			return tab.ID
		}
		if front == "" || tab.Active {
			front = tab.ID
		}
	}
	return front
}

// ofCaller returns the tab that a call means when it names none: the agent's
// own tab, or for a user at a shell the focused one.
func (l *tabList) ofCaller(grant auth.Grant) protocol.TabID {
	if grant.Tab != "" || grant.Kind == auth.KindAgent {
		return grant.Tab
	}
	for _, tab := range l.all() {
		if tab.Focused {
			return tab.ID
		}
	}
	return ""
}
