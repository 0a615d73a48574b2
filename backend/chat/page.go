package chat

import (
	"pilotfish/backend/protocol"
)

// page returns the last limit entries before an index (0 means the end), as
// they are now. Events queued for the viewer are already in the page. They are
// removed from the viewer's queue under the same lock, so that nothing is shown
// twice and nothing is missing.
func (c *conversation) page(before uint64, limit int, v *viewer) (protocol.ChatPage, error) {
	if limit <= 0 {
		limit = chatPageSize
	}
	limit = min(limit, protocol.ChatPageMax)
	c.mu.Lock()
	if err := c.loadLocked(); err != nil {
		c.mu.Unlock()
		return protocol.ChatPage{}, err
	}
	page := protocol.ChatPage{Head: c.headLocked(), Index: c.entries.Last()}
	view := c.entries.View()
	if v != nil {
		v.Take()
	}
	c.mu.Unlock()

	var err error
	page.Entries, page.More, err = view.Page(before, limit)
	return page, err
}

// History returns a page of a conversation.
func (m *Manager) History(req protocol.ChatHistoryRequest) (protocol.ChatPage, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.ChatPage{}, err
	}
	return c.page(req.Before, req.Limit, nil)
}
