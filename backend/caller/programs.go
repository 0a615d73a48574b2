package caller

import (
	"sync"

	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Programs are the tabs of the programs that the user has connected by MCP. Its zero
// value is ready. Its methods are safe for concurrent use.
type Programs struct {
	mu  sync.Mutex
	all map[string]*programTabs // by the actor's id
}

// programTabs are the tabs of one program.
type programTabs struct {
	// tab is the tab that it means when it names none.
	tab protocol.TabID
	// front is the tab that was in front at its last call.
	front protocol.TabID
	// closed is how many of its own tabs were closed at its last call.
	closed int
	// left is the tab in front, if it came there when a tab of the program was closed: the
	// user has not shown it.
	left protocol.TabID
}

// Tab returns the tab that a program means when it names none: the one that was in front
// when it first needed one; empty once that is closed. A program may also use a tab that it
// names while that is in front: the user gives it a tab by showing it. A tab that is in
// front because the program's own was closed is not given. In the user's own browser, showing
// a tab does not give it.
func (p *Programs) Tab(actor protocol.Actor, named protocol.TabID, tabs *opentabs.List, owners *policy.Policy) protocol.TabID {
	front, gives := tabs.Front(), owners.Opened
	if owners.Private() { // the user gives a tab by saying so, and the policy knows which
		front, gives = tabs.Given(front), func(protocol.Actor, protocol.TabID) {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.all[actor.ID]
	if one == nil {
		if front == "" {
			return ""
		}
		if p.all == nil {
			p.all = make(map[string]*programTabs)
		}
		one = &programTabs{tab: front}
		p.all[actor.ID] = one
		gives(actor, front)
	}
	closed := 0
	for _, tab := range owners.Owned(actor) {
		if !tabs.Has(tab) {
			closed++
		}
	}
	if front != one.front {
		one.left = ""
		if closed > one.closed {
			one.left = front
		}
	}
	one.front, one.closed = front, closed
	if named != "" && named == front && named != one.left {
		gives(actor, named)
	}
	if !tabs.Has(one.tab) {
		return ""
	}
	return one.tab
}
