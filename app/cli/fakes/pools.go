package fakes

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// pools are the sessions that were started. What their commands do depends on the address.
type pools struct {
	state map[protocol.SessionName]protocol.SessionState
	seen  map[string]int // by address: how often it was opened
	first chan struct{}  // receives when first.test is opened
	last  chan struct{}  // closed when last.test is opened
}

func newPools() pools {
	return pools{state: map[protocol.SessionName]protocol.SessionState{}, seen: map[string]int{}, first: make(chan struct{}, 8), last: make(chan struct{})}
}

// pool starts and stops sessions, except the default one and work. The engine of a session
// whose name begins with full has two browsers.
func (b *Backend) pool(ctx context.Context, req protocol.AppRequest) error {
	b.mu.Lock()
	switch req.Action {
	case protocol.AppStart:
		if strings.HasPrefix(string(req.Session), "full-") && req.Session > "full-2" {
			b.sessions.state[req.Session] = protocol.SessionStarting
			b.mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		}
		if strings.Contains(string(req.Session), "-") {
			b.sessions.state[req.Session] = protocol.SessionRunning
		}
	case protocol.AppStop:
		if _, has := b.sessions.state[req.Session]; has {
			b.sessions.state[req.Session] = protocol.SessionStopped
		}
	default:
	}
	b.mu.Unlock()
	return nil
}

// members are the sessions that were started.
func (b *Backend) members() []protocol.SessionInfo {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []protocol.SessionInfo
	for _, name := range slices.Sorted(maps.Keys(b.sessions.state)) {
		s := protocol.SessionInfo{Name: name, State: b.sessions.state[name]}
		if s.State == protocol.SessionStarting {
			until := time.Now().Add(time.Hour)
			s.Attaching = &protocol.Attaching{Browser: "engine.test", Step: protocol.AttachFull, Until: &until}
		}
		all = append(all, s)
	}
	return all
}

func (b *Backend) started(name protocol.SessionName) (protocol.SessionState, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	state, ours := b.sessions.state[name]
	return state, ours
}

// Seen returns how often an address was opened in the sessions that were started.
func (b *Backend) Seen(address string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions.seen[address]
}

// First receives each time that first.test is opened.
func (b *Backend) First() <-chan struct{} { return b.sessions.first }

// pooled answers a command in such a session: once.test fails the first time, broken.test
// always, first.test answers after last.test was opened, and ends.test stops the session.
func (b *Backend) pooled(ctx context.Context, req protocol.CommandRequest) (any, error) {
	var address string
	_ = json.Unmarshal(req.Args["url"], &address) // other commands have none
	b.mu.Lock()
	if req.Command == "goto" {
		b.sessions.seen[address]++
	}
	seen := b.sessions.seen[address]
	stopped := b.sessions.state[req.Session] == protocol.SessionStopped
	if address == "ends.test" && seen == 1 {
		b.sessions.state[req.Session], stopped = protocol.SessionStopped, true
	}
	if address == "last.test" && seen == 1 {
		close(b.sessions.last)
	}
	b.mu.Unlock()
	switch {
	case stopped:
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeNotRunning, "the session is not running", "")}, nil
	case address == "first.test":
		b.sessions.first <- struct{}{}
		select {
		case <-b.sessions.last:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case address == "broken.test", address == "once.test" && seen == 1:
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeNavigation, "the page could not be loaded", "")}, nil
	case req.Command == "click":
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeTimeout, "the page does not answer", "")}, nil
	}
	return protocol.CommandReply{OK: true, Tab: "t1", Text: req.Command + " in " + string(req.Session) + " " + strconv.Quote(string(req.Args["target"]))}, nil
}
