package session

import (
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// panels counts the connected panels of a session. It also keeps the last
// request to show something: a panel that was only being opened may have missed
// it.
type panels struct {
	mu      sync.Mutex
	count   int
	showing protocol.ShowEvent
	since   time.Time
}

func (p *panels) connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count > 0
}

// add adds by to the count, and reports whether the first panel connected or
// the last one disconnected.
func (p *panels) add(by int) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.count
	p.count += by
	return (before == 0) != (p.count == 0)
}

// show keeps the event for a panel that is being opened.
func (p *panels) show(event protocol.ShowEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showing, p.since = event, time.Now()
}

// again returns the event that a panel which has just connected was opened for;
// false for none.
func (p *panels) again() (protocol.ShowEvent, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.showing, p.showing.Tab != "" && time.Since(p.since) < showWait
}

// shownTo drops the kept event when a panel views its tab, because that panel
// receives the events for the tab.
func (p *panels) shownTo(tab protocol.TabID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.showing.Tab == tab {
		p.showing = protocol.ShowEvent{}
	}
}
