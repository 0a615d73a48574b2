package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// host is one running agent and the conversations that it serves.
type host struct {
	hosts *hosts
	key   hostKey
	agent driver.Agent
	name  string
	// why says why we ended it; empty when it ended by itself.
	why string
	// serves are the conversations with a session in it.
	serves map[*conversation]struct{}
	// begun is closed when agent or err is set.
	begun chan struct{}
	err   error
}

// hostKey says which conversations can share a process.
type hostKey struct {
	kind    protocol.AgentKind
	command string
	dir     string
}

// hosts are the running agents of a Manager.
type hosts struct {
	m *Manager

	mu      sync.Mutex
	shared  map[hostKey]*host
	all     map[*host]struct{}
	closing bool
	wg      sync.WaitGroup
}

// get returns an agent for a conversation: one that runs and may be shared, or a
// new one. The conversation is noted in it.
func (hs *hosts) get(ctx context.Context, c *conversation, s driver.Starter, command string) (*host, error) {
	key := hostKey{s.Launch.Kind, command, s.Launch.Dir}
	for {
		hs.mu.Lock()
		if hs.closing {
			hs.mu.Unlock()
			return nil, errClosed
		}
		h := hs.shared[key]
		if h == nil {
			h = &host{hosts: hs, key: key, name: s.Launch.Name, serves: map[*conversation]struct{}{c: {}}, begun: make(chan struct{})}
			if hs.shared == nil {
				hs.shared, hs.all = map[hostKey]*host{}, map[*host]struct{}{}
			}
			hs.shared[key], hs.all[h] = h, struct{}{}
			hs.wg.Add(1)
			hs.mu.Unlock()
			h.start(s)
			return h, h.err
		}
		hs.mu.Unlock()
		// Another conversation starts it: whether it can be shared is known then.
		select {
		case <-h.begun:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		hs.mu.Lock()
		if hs.shared[key] == h && h.err == nil {
			h.serves[c] = struct{}{}
			hs.mu.Unlock()
			return h, nil
		}
		hs.mu.Unlock()
	}
}

// start starts the process and watches it.
func (h *host) start(s driver.Starter) {
	hs := h.hosts
	agent, err := s.Driver.Start(hs.m.ctx, s.Launch)
	hs.mu.Lock()
	h.agent, h.err = agent, err
	if err != nil || !agent.Shared() {
		delete(hs.shared, h.key)
	}
	if err != nil {
		delete(hs.all, h)
	}
	hs.mu.Unlock()
	close(h.begun)
	if err != nil {
		hs.wg.Done()
		return
	}
	go func() {
		defer hs.wg.Done()
		<-agent.Done()
		h.gone()
	}()
}

// gone tells every conversation of the process that it is over.
func (h *host) gone() {
	hs := h.hosts
	hs.mu.Lock()
	delete(hs.all, h)
	if hs.shared[h.key] == h {
		delete(hs.shared, h.key)
	}
	serves := make([]*conversation, 0, len(h.serves))
	for c := range h.serves {
		serves = append(serves, c)
	}
	hs.mu.Unlock()
	for _, c := range serves {
		c.agentGone(h)
	}
}

// reason is why the agent is over, for a person.
func (h *host) reason() *protocol.Error {
	h.hosts.mu.Lock()
	why := h.why
	h.hosts.mu.Unlock()
	if err := h.agent.Err(); why == "" && err != nil {
		if e, ok := errors.AsType[*protocol.Error](err); ok {
			return e
		}
		why = err.Error()
	}
	return protocol.NewError(protocol.CodeCrashed, fmt.Sprintf("%s stopped: %s", h.name, cmp.Or(why, "it gave no reason")), "restart it to continue; nothing is lost")
}

// retire keeps new conversations from a process that is dying.
func (h *host) retire() {
	h.hosts.mu.Lock()
	defer h.hosts.mu.Unlock()
	if h.hosts.shared[h.key] == h {
		delete(h.hosts.shared, h.key)
	}
}

// leave takes a conversation off; a process that serves none any more ends. It
// returns at once.
func (h *host) leave(c *conversation) {
	hs := h.hosts
	hs.mu.Lock()
	delete(h.serves, c)
	idle := len(h.serves) == 0
	if idle && hs.shared[h.key] == h {
		delete(hs.shared, h.key)
	}
	hs.mu.Unlock()
	if idle {
		h.end("it was no longer used")
	}
}

// end ends the process, and says why to those whom it serves.
func (h *host) end(why string) {
	hs := h.hosts
	hs.mu.Lock()
	if h.why == "" {
		h.why = why
	}
	if hs.shared[h.key] == h {
		delete(hs.shared, h.key)
	}
	if hs.all == nil || h.agent == nil {
		hs.mu.Unlock()
		return
	}
	hs.mu.Unlock()
	// Of the Manager's goroutines, which are waited for last: a turn may let its
	// agent go while the others are being closed.
	hs.m.wg.Go(func() {
		// The stop ladder has its own end.
		if err := h.agent.Close(context.WithoutCancel(hs.m.ctx)); err != nil {
			hs.m.log.Warn("an agent could not be ended", "agent", h.name, "error", err)
		}
	})
}

// close ends every process and returns when all are gone.
func (hs *hosts) close() {
	hs.mu.Lock()
	hs.closing = true
	all := make([]*host, 0, len(hs.all))
	for h := range hs.all {
		all = append(all, h)
	}
	hs.mu.Unlock()
	for _, h := range all {
		<-h.begun
		if h.err == nil {
			h.end("Pilotfish stopped it")
		}
	}
	hs.wg.Wait()
}
