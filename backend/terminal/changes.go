package terminal

import (
	"sync"

	"pilotfish/backend/protocol"
)

// changes is the set of terminals that have changed since it was last read. Posting
// never blocks, and a terminal that changes several times is in it once.
type changes struct {
	mu    *sync.Mutex
	names map[protocol.TerminalID]struct{}
	wake  chan struct{}
}

func newChanges() changes {
	return changes{mu: new(sync.Mutex), names: make(map[protocol.TerminalID]struct{}), wake: make(chan struct{}, 1)}
}

func (n *changes) post(id protocol.TerminalID) {
	n.mu.Lock()
	n.names[id] = struct{}{}
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *changes) take() []protocol.TerminalID {
	n.mu.Lock()
	defer n.mu.Unlock()
	ids := make([]protocol.TerminalID, 0, len(n.names))
	for id := range n.names {
		ids = append(ids, id)
	}
	clear(n.names)
	return ids
}

// tell publishes changes from one goroutine, so that the last event describes
// the last change. It returns when quiet is closed and all changes have been
// reported.
func (m *Manager) tell(quiet <-chan struct{}) {
	for {
		last := false
		select {
		case <-m.news.wake:
		case <-quiet:
			last = true
		}
		for _, id := range m.news.take() {
			if t, err := m.find(id); err == nil {
				m.config.Events.Publish(protocol.TerminalEvent{Type: protocol.PanelTerminal, Terminal: t.snapshot()})
			} else {
				m.config.Events.Publish(protocol.TerminalGoneEvent{Type: protocol.PanelTermGone, Terminal: id})
			}
		}
		if last {
			return
		}
	}
}
