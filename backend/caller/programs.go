package caller

import (
	"sync"

	"pilotfish/backend/protocol"
)

// Tabs are the open tabs of a session.
type Tabs interface {
	// Front returns the tab that the user looks at; empty for none.
	Front() protocol.TabID
	Has(tab protocol.TabID) bool
}

// Programs are the tabs of the programs that the user has connected by MCP. Its zero
// value is ready. Its methods are safe for concurrent use.
type Programs struct {
	mu  sync.Mutex
	tab map[string]protocol.TabID // by the actor's id
}

// Tab returns the tab that a program means when it names none: the one that was in front
// when it first needed one, until that is closed. A program may also use a tab that it
// names while that is in front: the user gives it a tab by showing it. gives is called
// with each tab that becomes the program's own.
func (p *Programs) Tab(program protocol.Actor, named protocol.TabID, tabs Tabs, gives func(protocol.Actor, protocol.TabID)) protocol.TabID {
	front := tabs.Front()
	if named != "" && named == front {
		gives(program, named)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.tab[program.ID]; own != "" && tabs.Has(own) {
		return own
	}
	if front == "" {
		return ""
	}
	if p.tab == nil {
		p.tab = map[string]protocol.TabID{}
	}
	p.tab[program.ID] = front
	gives(program, front) // also when it has another one later
	return front
}
