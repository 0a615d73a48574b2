package session

import (
	"context"
	"iter"

	"pilotfish/backend/activity/viewer"
	"pilotfish/backend/auth"
	"pilotfish/backend/feed"
	"pilotfish/backend/observed"
	"pilotfish/backend/protocol"
)

// feeds returns what the rooms of a session's panels follow.
func feeds(s *Session) feed.Sources {
	return feed.Sources{
		protocol.FeedActivity: viewer.New(s.recorder, s.shots).Feed,
		protocol.FeedNetwork:  ofTab(s, observed.Network),
		protocol.FeedConsole:  ofTab(s, observed.Console),
		protocol.FeedSignals:  ofTab(s, observed.Signals),
	}
}

// ofTab returns a feed of what the browser that runs now observes.
func ofTab(s *Session, made func(observed.Browser) feed.Source) feed.Source {
	return func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
		r, err := s.current()
		if err != nil {
			return func(yield func(protocol.FeedBatch, error) bool) { yield(protocol.FeedBatch{}, err) }
		}
		return made(r.browser)(ctx, tab, after)
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
