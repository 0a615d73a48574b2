package session

import (
	"slices"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// tabList are the tabs that are open in a session's browser.
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

// has says whether a tab is open.
func (l *tabList) has(id protocol.TabID) bool {
	return slices.ContainsFunc(l.all(), func(tab protocol.Tab) bool { return tab.ID == id })
}

// url is the address of an open tab's page.
func (l *tabList) url(id protocol.TabID) string {
	for _, tab := range l.all() {
		if tab.ID == id {
			return tab.URL
		}
	}
	return ""
}

// front is the tab that the person looks at; any other when the browser is
// behind another window.
func (l *tabList) front() protocol.TabID {
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

// ofCaller is the tab that a call means when it names none: the agent's own, or
// for a person at a shell the one they look at.
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
