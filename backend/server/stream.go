package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"pilotfish/backend/op"
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

// events are the events of a stream.
type events = iter.Seq2[op.Event, error]

// stream sends the events of an operation until they or ctx end, or the client disconnects.
func stream(ctx context.Context, w http.ResponseWriter, o op.Operation, asked op.Call, in json.RawMessage) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	items, err := o.Stream(ctx, asked, in)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := &flowing{w}
	if err := send(out, ": "+o.Route.Path+"\nretry: 1000\n\n"); err != nil {
		return nil // the client has disconnected and needs no reply
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
			if !ok || send(out, formatted(item)) != nil {
				return nil
			}
		case <-heartbeat.C:
			if send(out, ": alive\n\n") != nil {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// pump sends items over a channel, so that the receiver can select on it. It
// closes the channel at the end.
func pump(ctx context.Context, items events) <-chan op.Event {
	feed := make(chan op.Event)
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

// formatted returns an event as a server-sent event.
func formatted(e op.Event) string {
	data, err := json.Marshal(e.Data)
	if err != nil {
		data = []byte("{}") // cannot happen: what is streamed was read from JSON
	}
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Name, data)
}

// send writes and flushes.
func send(w http.ResponseWriter, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}
