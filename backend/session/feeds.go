package session

import (
	"context"
	"iter"

	"pilotfish/backend/activity/viewer"
	"pilotfish/backend/auth"
	"pilotfish/backend/feed"
	"pilotfish/backend/protocol"
)

// feeds returns what the rooms of a session's panels follow.
func feeds(s *Session) feed.Sources {
	return feed.Sources{
		protocol.FeedActivity: viewer.New(s.recorder, s.shots).Feed,
	}
}

// Feed returns what a room of the panel follows.
func (g gateway) Feed(ctx context.Context, grant auth.Grant, name protocol.FeedName, tab protocol.TabID, after uint64) (iter.Seq2[protocol.FeedBatch, error], error) {
	s, err := g.m.Session(grant.Session)
	if err != nil {
		return nil, err
	}
	return feeds(s).Open(ctx, name, tab, after)
}
