package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"pilotfish/backend/protocol"
)

// flowing is a response without an overall write deadline: each write gets the
// time that the whole reply of another route has.
type flowing struct {
	http.ResponseWriter
}

// Write extends the deadline and writes.
func (f *flowing) Write(b []byte) (int, error) {
	deadline(f.ResponseWriter, (*http.ResponseController).SetWriteDeadline, writeTimeout)
	return f.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush.
func (f *flowing) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// lasting returns a context for a long request: it ends with the request, the
// server, and the token of the request.
func (s *Server) lasting(r *http.Request, c call) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(r.Context())
	watch := s.auth.Watch(c.grant.ID)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-c.stopping:
		case <-watch.Ended():
		case <-ctx.Done():
		}
		cancel()
	}()
	return ctx, func() {
		cancel()
		<-done
		watch.Close()
	}
}

// position reads the index after which a client continues; said is false when
// the request does not name one.
func position(r *http.Request) (after uint64, said bool, err error) {
	text := r.URL.Query().Get("after")
	// A client that was cut off sends its last index in this header when it
	// reconnects; its URL still has the index of its first request.
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		text = last
	}
	if text == "" {
		return 0, false, nil
	}
	after, err = strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, false, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("after is an index, not %.40q", text), "take the index of the last entry that you have, or 0")
	}
	return after, true, nil
}

func (s *Server) activityHistory(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	after, _, err := position(r)
	if err != nil {
		return err
	}
	limit := protocol.ActivityPageSize
	if text := r.URL.Query().Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > protocol.ActivityPageMax {
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("limit is from 1 to %d", protocol.ActivityPageMax), "")
		}
	}
	did, err := s.sessions.Activity(grant)
	if err != nil {
		return err
	}
	page, err := did.History(grant, after, limit)
	if err != nil {
		return err
	}
	return reply(w, page)
}

// activityStream sends the activity as server-sent events.
func (s *Server) activityStream(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	after, said, err := position(r)
	if err != nil {
		return err
	}
	did, err := s.sessions.Activity(grant)
	if err != nil {
		return err
	}
	now, err := did.History(grant, after, 0)
	if err != nil {
		return err
	}
	switch {
	case !said:
		after = now.Last
	case after > now.Last:
		after = 0 // from before the session was created anew: its indexes started again
	}
	ctx, release := s.lasting(r, c)
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	items, err := did.Follow(ctx, grant, after)
	if err != nil {
		return err
	}
	streamEvents(ctx, cancel, w, "the activity of a session", items, event)
	return nil
}

// streamEvents sends items as server-sent events until they or ctx end, or the
// client disconnects. about is the stream's first line, a comment; cancel ends
// the context that the items wait in.
func streamEvents[T any](ctx context.Context, cancel context.CancelFunc, w http.ResponseWriter, about string, items iter.Seq2[T, error], event func(T) string) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := &flowing{w}
	if err := send(out, ": "+about+"\nretry: 1000\n\n"); err != nil {
		return // the client has disconnected and needs no reply
	}
	feed := pump(ctx, items)
	defer func() {
		cancel()
		for range feed { // until the goroutine has ended
			continue
		}
	}()
	heartbeat := time.NewTicker(streamHeartbeat)
	defer heartbeat.Stop()
	for {
		select {
		case item, ok := <-feed:
			if !ok || send(out, event(item)) != nil {
				return
			}
		case <-heartbeat.C:
			if send(out, ": alive\n\n") != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// pump sends items over a channel, so that the receiver can select on it. It
// closes the channel at the end.
func pump[T any](ctx context.Context, items iter.Seq2[T, error]) <-chan T {
	feed := make(chan T)
	go func() {
		defer close(feed)
		for item, err := range items {
			if err != nil {
				return // the session is gone: the client reconnects and gets the error
			}
			select {
			case feed <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	return feed
}

// event formats an item as a server-sent event. Its id is where a client
// continues.
func event(item protocol.ActivityItem) string {
	name, id, data := protocol.ActivityEventEntry, item.Entry.Index, any(item.Entry)
	switch {
	case item.Gap != nil:
		name, id, data = protocol.ActivityEventGap, item.Gap.To, item.Gap
	case item.Entry.Phase == protocol.ActivityWaiting:
		name = protocol.ActivityEventWaiting
	}
	b, err := json.Marshal(data)
	if err != nil {
		b = []byte("{}") // cannot happen: text and numbers only
	}
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", id, name, b)
}

// send writes and flushes.
func send(w http.ResponseWriter, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}
