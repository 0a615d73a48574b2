package session

import (
	"context"
	"iter"

	"pilotfish/backend/activity/viewer"
	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/feed"
	"pilotfish/backend/protocol"
)

// feeds returns what the rooms of a session's panels follow.
func feeds(s *Session) feed.Sources {
	return feed.Sources{
		protocol.FeedActivity:   viewer.New(s.recorder, s.shots).Feed,
		protocol.FeedElements:   ofTab(s, func(b *browser.Browser) feed.Source { return feed.Elements(b) }),
		protocol.FeedNetwork:    ofTab(s, func(b *browser.Browser) feed.Source { return feed.Network(b) }),
		protocol.FeedConsole:    ofTab(s, func(b *browser.Browser) feed.Source { return feed.Console(b) }),
		protocol.FeedSignals:    ofTab(s, func(b *browser.Browser) feed.Source { return feed.Signals(b) }),
		protocol.FeedInspector:  ofTab(s, func(b *browser.Browser) feed.Source { return feed.Inspector(b) }),
		protocol.FeedRecordings: ofTab(s, func(b *browser.Browser) feed.Source { return feed.Latest(b.RecordingStates) }),
	}
}

// ofTab returns a feed of what the browser that runs now observes.
func ofTab(s *Session, made func(*browser.Browser) feed.Source) feed.Source {
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
	s, err := g.m.pick(grant.Session)
	if err != nil {
		return nil, err
	}
	if grant.Kind == auth.KindAgent { // its token opens the streams of tabs, too
		r, err := s.current()
		if err == nil {
			err = r.policy.Tab(grant.Actor, r.callerTab(s, grant, tab), tab, s.tabs.All())
		}
		if err != nil {
			return nil, err
		}
	}
	return feeds(s).Open(ctx, name, tab, after)
}
