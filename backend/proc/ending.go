package proc

import "pilotfish/backend/protocol"

// setReason keeps the first reason and reports whether this is the first.
func (p *Process) setReason(reason string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return false
	}
	p.stopping = true
	select {
	case <-p.exited: // it ended by itself, so no reason is recorded
	default:
		p.reason = reason
	}
	return true
}

// Exited is closed when the leader has ended; Exit is known from then on. Its
// descendants may still be running.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done is closed when the whole tree is gone and no zombie is left.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit returns how the leader ended. It is valid once Exited is closed.
func (p *Process) Exit() protocol.Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Stop ends the tree with the stop ladder and waits until it is gone, 5 s at most.
// The first caller's reason becomes part of Exit. The error names the processes that
// could not be ended.
func (p *Process) Stop(reason string) error {
	if p.setReason(reason) {
		close(p.stop)
	}
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leftOver
}
