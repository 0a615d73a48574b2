package viewer

import (
	"context"
	"fmt"
	"iter"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// pageQuery is what ActivityHistory takes.
type pageQuery struct {
	// After is an index; 0 for the beginning.
	After uint64 `json:"after"`
	// Limit is the most entries, 1 to protocol.ActivityPageMax; nil means
	// protocol.ActivityPageSize.
	Limit *int `json:"limit"`
}

// streamQuery is what FollowActivity takes. After is an index; nil means only what is new.
type streamQuery struct {
	After *uint64 `json:"after"`
}

// Operations are what callers read of the activity of a session, which find returns. An
// agent sees its own.
func Operations(find func(protocol.SessionName) (*Viewer, error)) []op.Operation {
	at := func(path, about string) op.Route {
		return op.Route{Path: "/activity/" + path, Capability: auth.CapabilityActivity, About: about}
	}
	history := at("history", "What was done in a session, oldest first. An agent sees its own.")
	history.Get = true
	stream := at("stream", "The same as server-sent events, and what is new as it happens: `activity` has an entry, `waiting` one of a command that waits for the user, `gap` the indexes that are gone. Without `after` only what is new.")
	stream.Get = true
	search := at("search", "Search the activity backwards, and read it as Markdown. An agent sees its own.")
	search.Window = true
	follow := op.Streamed("FollowActivity", func(ctx context.Context, call op.Call, q streamQuery) (iter.Seq2[protocol.ActivityItem, error], error) {
		v, err := find(call.Session)
		if err != nil {
			return nil, err
		}
		return v.follow(ctx, call.Grant, q.After)
	}, event).At(stream)
	follow.Out = protocol.ActivityEntry{} // an item is an entry, or says which are gone
	return []op.Operation{
		follow,
		op.Of(find, "ActivityHistory", func(_ context.Context, v *Viewer, call op.Call, q pageQuery) (protocol.ActivityPage, error) {
			limit := protocol.ActivityPageSize
			if q.Limit != nil {
				limit = *q.Limit
			}
			if limit < 1 || limit > protocol.ActivityPageMax {
				return protocol.ActivityPage{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("limit is from 1 to %d", protocol.ActivityPageMax), "")
			}
			return v.History(call.Grant, q.After, limit)
		}).At(history),
		op.Of(find, "SearchActivity", func(ctx context.Context, v *Viewer, call op.Call, q protocol.ActivityQuery) (protocol.ActivityFound, error) {
			return v.Search(ctx, call.Grant, q)
		}).At(search),
		op.Of(find, "ActivityShot", func(ctx context.Context, v *Viewer, call op.Call, req protocol.ActivityShotRequest) (protocol.ChatAttachment, error) {
			return v.Shot(ctx, call.Grant, req.Index)
		}).At(at("shot", "The screenshot of an entry's moment, as data.")),
	}
}

// follow returns the entries after an index and all new ones; without an index only the
// new ones.
func (v *Viewer) follow(ctx context.Context, grant auth.Grant, after *uint64) (iter.Seq2[protocol.ActivityItem, error], error) {
	now, err := v.History(grant, 0, 0)
	if err != nil {
		return nil, err
	}
	from := now.Last
	switch {
	case after == nil:
	case *after > now.Last:
		from = 0 // from before the session was created anew: its indexes started again
	default:
		from = *after
	}
	return v.Follow(ctx, grant, from)
}

// event returns an item as an event of a stream.
func event(item protocol.ActivityItem) op.Event {
	switch {
	case item.Gap != nil:
		return op.Event{ID: item.Gap.To, Name: protocol.ActivityEventGap, Data: item.Gap}
	case item.Entry.Phase == protocol.ActivityWaiting:
		return op.Event{ID: item.Entry.Index, Name: protocol.ActivityEventWaiting, Data: item.Entry}
	default:
		return op.Event{ID: item.Entry.Index, Name: protocol.ActivityEventEntry, Data: item.Entry}
	}
}
