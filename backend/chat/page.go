package chat

import (
	"errors"
	"math"

	"pilotfish/backend/protocol"
)

// errGap says that a part of the journal is missing.
var errGap = errors.New("a part of the conversation's journal is missing")

// page is the last limit entries before an index, 0 for the end, as they are now.
// What waits for a viewer is in it, and is taken away from there, at the same
// moment: nothing is shown twice, and nothing is missing.
func (c *conversation) page(before uint64, limit int, v *viewer) (protocol.ChatPage, error) {
	if limit <= 0 {
		limit = chatPageSize
	}
	limit = min(limit, protocol.ChatPageMax)
	if before == 0 || before > math.MaxInt64 {
		before = math.MaxUint64
	}
	c.mu.Lock()
	if err := c.loadLocked(); err != nil {
		c.mu.Unlock()
		return protocol.ChatPage{}, err
	}
	page := protocol.ChatPage{Head: c.headLocked(), Index: c.last}
	recent := c.window.entries()
	upTo := c.fold.log.Last()
	if v != nil {
		v.take()
	}
	c.mu.Unlock()

	// What the window has is newer than what stands on disk of it.
	seen := make(map[string]bool, len(recent))
	for _, e := range recent {
		seen[e.ID] = true
	}
	older, more, err := c.fold.tail(view{upTo: upTo, before: before, limit: limit, seen: seen})
	if err != nil {
		return page, err
	}
	page.Entries, page.More = merge(older, more, recent, before, limit)
	return page, nil
}

// merge puts what stands on disk and what is in memory together: the last limit
// entries before an index.
func merge(older []protocol.ChatEntry, more bool, recent []protocol.ChatEntry, before uint64, limit int) ([]protocol.ChatEntry, bool) {
	first := uint64(0) // what is before the part on disk that was read stays out
	if more && len(older) > 0 {
		first = older[0].Index
	}
	all := make([]protocol.ChatEntry, 0, len(older)+len(recent))
	for len(older) > 0 || len(recent) > 0 {
		var e protocol.ChatEntry
		if len(recent) == 0 || len(older) > 0 && older[0].Index < recent[0].Index {
			e, older = older[0], older[1:]
		} else {
			e, recent = recent[0], recent[1:]
		}
		switch {
		case e.Index >= before:
		case e.Index < first:
			more = true
		default:
			all = append(all, e)
		}
	}
	if len(all) > limit {
		all, more = all[len(all)-limit:], true
	}
	return all, more
}

// History is a part of a conversation.
func (m *Manager) History(req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.ChatPage{}, err
	}
	return c.page(req.Before, req.Limit, nil)
}
