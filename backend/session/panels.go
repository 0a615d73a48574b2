package session

import (
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// panelWait is how long a request to show something is kept for a panel that is being opened.
const panelWait = 10 * time.Second

// connectedPanels counts the connected panels of a session. It also keeps the last
// request to show something: a panel that was only being opened may have missed
// it. The zero value is ready for use.
type connectedPanels struct {
	mu      sync.Mutex
	count   int
	showing protocol.ShowEvent
	since   time.Time
}

// Connected reports whether a panel is connected.
func (p *connectedPanels) Connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count > 0
}

// Add adds by to the count, and reports whether the first panel connected or
// the last one disconnected.
func (p *connectedPanels) Add(by int) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.count
	p.count += by
	return (before == 0) != (p.count == 0)
}

// Show keeps the event for a panel that is being opened.
func (p *connectedPanels) Show(event protocol.ShowEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showing, p.since = event, time.Now()
}

// Pending returns the event that a panel which has just connected was opened for;
// false for none.
func (p *connectedPanels) Pending() (protocol.ShowEvent, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.showing, p.showing.Tab != "" && time.Since(p.since) < panelWait
}

// Viewed drops the kept event when a panel views its tab, because that panel
// receives the events for the tab.
func (p *connectedPanels) Viewed(tab protocol.TabID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.showing.Tab == tab {
		p.showing = protocol.ShowEvent{}
	}
}
