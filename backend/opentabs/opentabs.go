// Package opentabs holds the tabs that are open in the browser of a session.
package opentabs

import (
	"slices"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// List holds the open tabs. It is safe for concurrent use; the zero value has none.
type List struct {
	mu   sync.Mutex
	tabs []protocol.Tab
}

// New returns a list of tabs.
func New(tabs ...protocol.Tab) *List { return &List{tabs: tabs} }

// Set replaces the tabs.
func (l *List) Set(tabs []protocol.Tab) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tabs = tabs
}

// All returns the tabs.
func (l *List) All() []protocol.Tab {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tabs)
}

// Has reports whether a tab is open.
func (l *List) Has(id protocol.TabID) bool {
	return slices.ContainsFunc(l.All(), func(tab protocol.Tab) bool { return tab.ID == id })
}

// Given returns a tab of the user's own browser if the user gave it to agents, else none.
func (l *List) Given(id protocol.TabID) protocol.TabID {
	if slices.ContainsFunc(l.All(), func(tab protocol.Tab) bool { return tab.ID == id && tab.Given }) {
		return id
	}
	return ""
}

// Title returns the title of an open tab's page.
func (l *List) Title(id protocol.TabID) string {
	for _, tab := range l.All() {
		if tab.ID == id {
			return tab.Title
		}
	}
	return ""
}

// URL returns the address of an open tab's page.
func (l *List) URL(id protocol.TabID) string {
	for _, tab := range l.All() {
		if tab.ID == id {
			return tab.URL
		}
	}
	return ""
}

// Front returns the tab that the user looks at. When the browser is behind
// another window, it returns an active tab, or any.
func (l *List) Front() protocol.TabID {
	front := protocol.TabID("")
	for _, tab := range l.All() {
		if tab.Focused {
			return tab.ID
		}
		if front == "" || tab.Active {
			front = tab.ID
		}
	}
	return front
}

// OfCaller returns the tab that a call means when it names none: the agent's
// own tab, or for a user at a shell the focused one.
func (l *List) OfCaller(grant auth.Grant) protocol.TabID {
	if grant.Tab != "" || grant.Kind == auth.KindAgent {
		return grant.Tab
	}
	for _, tab := range l.All() {
		if tab.Focused {
			return tab.ID
		}
	}
	return ""
}
