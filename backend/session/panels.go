package session

import (
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// panels are the panels of a session that are connected, and what one was asked to
// show that may not have heard it: it was only being opened.
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

// add counts panels in or out, and says whether the first came or the last went.
func (p *panels) add(by int) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.count
	p.count += by
	return (before == 0) != (p.count == 0)
}

// show keeps what a panel that is being opened is to show.
func (p *panels) show(event protocol.ShowEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showing, p.since = event, time.Now()
}

// again is what a panel that has just connected was opened for; false for nothing.
func (p *panels) again() (protocol.ShowEvent, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.showing, p.showing.Tab != "" && time.Since(p.since) < showWait
}

// shownTo notes that a panel is beside a tab and hears what is shown there.
func (p *panels) shownTo(tab protocol.TabID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.showing.Tab == tab {
		p.showing = protocol.ShowEvent{}
	}
}
