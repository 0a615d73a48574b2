package chat

import (
	"context"
	"math"
	"slices"
	"strings"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/protocol"
)

// Search finds a text in all conversations of the session. The hits in the
// newest conversation come first.
func (m *Manager) Search(ctx context.Context, req protocol.ChatSearchRequest) (protocol.ChatSearchReply, error) {
	reply := protocol.ChatSearchReply{Found: []protocol.ChatFound{}}
	words := strings.TrimSpace(req.Text)
	if words == "" {
		return reply, protocol.NewError(protocol.CodeBadArgument, "the search text is empty", "enter a word")
	}
	limit := req.Limit
	if limit <= 0 || limit > protocol.ChatPageMax {
		limit = chatHits
	}
	for _, head := range m.List() {
		c, err := m.find(head.ID)
		if err != nil {
			continue // deleted a moment ago
		}
		err = c.all(func(e protocol.ChatEntry) bool {
			if before, match, after, ok := clip.Match(e.Text, words); ok {
				reply.Found = append(reply.Found, protocol.ChatFound{
					Conversation: head.ID, Title: head.Title, Entry: e.ID, Index: e.Index, At: e.At, Before: before, Match: match, After: after,
				})
			}
			return len(reply.Found) < limit && ctx.Err() == nil
		})
		if err != nil {
			m.log.Warn("a conversation could not be searched", "conversation", head.ID, "error", err)
		}
		if len(reply.Found) >= limit {
			break
		}
	}
	return reply, ctx.Err()
}

// all calls yield with every entry as it is now, newest first, until yield
// returns false.
func (c *conversation) all(yield func(protocol.ChatEntry) bool) error {
	before := uint64(math.MaxUint64)
	for {
		page, err := c.page(before, protocol.ChatPageMax, nil)
		if err != nil {
			return err
		}
		for i := len(page.Entries) - 1; i >= 0; i-- {
			if !yield(page.Entries[i]) {
				return nil
			}
		}
		if !page.More || len(page.Entries) == 0 {
			return nil
		}
		before = page.Entries[0].Index
	}
}

// Export returns a conversation as a document.
func (m *Manager) Export(req protocol.ChatExportRequest) (protocol.ChatExportReply, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.ChatExportReply{}, err
	}
	head := c.Head()
	var entries []protocol.ChatEntry
	if err := c.all(func(e protocol.ChatEntry) bool { entries = append(entries, e); return true }); err != nil {
		return protocol.ChatExportReply{}, err
	}
	slices.Reverse(entries)
	return exportConversation(head, entries, req.Format)
}

// Paths returns completions for a mention of a file in the working folder.
func (m *Manager) Paths(ctx context.Context, req protocol.ChatPathsRequest) (protocol.ChatPathsReply, error) {
	found, err := completePath(ctx, m.config.Agents.Settings().WorkDir, req.Text)
	return protocol.ChatPathsReply{Paths: found}, err
}
