//go:build soak

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// startWork sends messages and commands until the returned function is called.
func (s *soak) startWork(seed uint64) (stop func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	var workers sync.WaitGroup
	for i, work := range []func(rng *rand.Rand, n int){s.sendOne, s.commandOne} {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)+1))
			for n := 1; ctx.Err() == nil; n++ {
				s.work.RLock()
				work(rng, n)
				s.work.RUnlock()
				select { // the pause is a part of the load
				case <-ctx.Done():
				case <-time.After(time.Duration(300+rng.IntN(700)) * time.Millisecond):
				}
			}
		})
	}
	return func() {
		cancel()
		workers.Wait()
	}
}

// soakPatience is how long one message is sent again: longer than any fault lasts.
const soakPatience = 3 * time.Minute

// sendOne sends a message to a conversation, again and again until it is accepted.
// The same message twice is one message.
func (s *soak) sendOne(rng *rand.Rand, n int) {
	id := protocol.ConversationID(fmt.Sprintf("5f0c8c3a-61c1-4c3e-9a36-3b1f0f6a1%03d", rng.IntN(soakConversations)))
	s.deliver(id, protocol.MessageID(fmt.Sprintf("soak-%d", n)), fmt.Sprintf("say begin %d ; slow %d 50 ; say end %d", n, 5+rng.IntN(30), n))
}

func (s *soak) deliver(id protocol.ConversationID, message protocol.MessageID, text string) {
	var err error
	for began := time.Now(); time.Since(began) < soakPatience && s.ctx.Err() == nil; <-time.After(250 * time.Millisecond) {
		if err = s.post("/chat/send", protocol.ChatSendRequest{Conversation: id, Message: message, Text: text}, nil); err == nil {
			s.mu.Lock()
			s.sent[id] = append(s.sent[id], message)
			s.mu.Unlock()
			return
		}
	}
	s.t.Errorf("message %s was never accepted: %v", message, err)
}

// commandOne opens an address in a tab. It may fail during a fault.
func (s *soak) commandOne(rng *rand.Rand, n int) {
	page := rng.IntN(soakTabs)
	var sessions protocol.AppReply
	if s.post("/app", protocol.AppRequest{Action: protocol.AppStatus}, &sessions) != nil || len(sessions.Sessions) == 0 {
		return
	}
	for _, tab := range sessions.Sessions[0].Tabs {
		if path(tab.URL) != fmt.Sprintf("%s/tab-%d", s.pages, page) {
			continue
		}
		address := fmt.Sprintf("%s/tab-%d?visit=%d", s.pages, page, n)
		var reply protocol.CommandReply
		args := map[string]json.RawMessage{"url": json.RawMessage(strconv.Quote(address))}
		if s.post("/command", protocol.CommandRequest{Command: "goto", Args: args, Tab: tab.ID}, &reply) == nil && reply.OK {
			s.mu.Lock()
			s.visited = append(s.visited, address)
			s.mu.Unlock()
		}
		return
	}
}

func (s *soak) messages() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.sent {
		n += len(list)
	}
	return n
}

func (s *soak) commands() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.visited)
}

// askAll sends one more message to each conversation and waits until all are answered.
// It makes a conversation send what a killed app has left in its queue, and every agent
// run.
func (s *soak) askAll(message protocol.MessageID) {
	s.t.Helper()
	for id := range s.sent {
		s.deliver(id, message, "say "+string(message))
	}
	s.idle()
}

// idle waits until no conversation has a turn or a message that waits.
func (s *soak) idle() {
	s.t.Helper()
	var busy string
	deadline := time.Now().Add(soakPatience)
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
		var list protocol.ChatListReply
		s.request("/chat/list", struct{}{}, &list)
		busy = ""
		for _, c := range list.Conversations {
			if c.State != protocol.ConversationIdle && c.State != protocol.ConversationFailed || len(c.Queue) > 0 {
				busy += fmt.Sprintf("%s is %s with %d messages; ", c.Title, c.State, len(c.Queue))
			}
		}
		if busy == "" {
			tick.Stop()
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("conversations do not end: %s", busy)
		}
	}
}
