package acp

import (
	"context"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"pilotfish/backend/protocol"
)

// Bounds of what an agent may list: pages, sessions, and the bytes of one text.
const (
	pastPages    = 5
	pastSessions = 200
	pastText     = 4096
)

// pastPage is a reply to session/list. Agents that leave fields out are tolerated, so it is
// not the type of the SDK.
type pastPage struct {
	NextCursor string `json:"nextCursor"`
	Sessions   []struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
		Title     string `json:"title"`
		UpdatedAt string `json:"updatedAt"`
	} `json:"sessions"`
}

// Past lists the sessions that the agent keeps; nil if it does not offer that.
func (a *agent) Past(ctx context.Context) ([]protocol.PastSession, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	if can := &a.can.Can; !can.Session.List.Yes() || !can.Load && !can.Session.Resume.Yes() {
		return nil, nil
	}
	var list []protocol.PastSession
	var cursor *string
	for range pastPages {
		var page pastPage
		if err := a.conn.request(ctx, sdk.AgentMethodSessionList, sdk.ListSessionsRequest{Cursor: cursor}, &page); err != nil {
			return list, a.explained(err)
		}
		for _, one := range page.Sessions {
			if one.SessionID == "" || len(one.SessionID) > pastText || len(one.Cwd) > pastText || len(list) == pastSessions {
				continue
			}
			updated, _ := time.Parse(time.RFC3339, one.UpdatedAt) // without a time, it is the oldest
			list = append(list, protocol.PastSession{
				Agent: a.launch.Kind, AgentName: a.launch.Name, ID: one.SessionID,
				Title: one.Title[:min(len(one.Title), pastText)], Folder: one.Cwd, Updated: updated.UTC(), Chat: true,
			})
		}
		if page.NextCursor == "" {
			break
		}
		cursor = &page.NextCursor
	}
	return list, nil
}
