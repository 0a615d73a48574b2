package server

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// accepts reports whether a caller names a media type in its Accept header. A
// wildcard does not count: it does not ask for a stream.
func accepts(r *http.Request, want string) bool {
	for _, header := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			if got, _, err := mime.ParseMediaType(one); err == nil && got == want {
				return true
			}
		}
	}
	return false
}

// commandEvents runs a command and replies with server-sent events. One reports
// at once that the command waits for the user; the last one is the reply.
func (s *Server) commandEvents(ctx context.Context, w http.ResponseWriter, grant auth.Grant, req protocol.CommandRequest) error {
	w.Header().Set("Content-Type", "text/event-stream")
	out := &flowing{w}
	// Room for every approval that can wait at once. One that does not fit is not
	// reported, so that the command never blocks here.
	waiting := make(chan protocol.Waiting, protocol.MaxApprovals)
	ended, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		heartbeat := time.NewTicker(streamHeartbeat)
		defer heartbeat.Stop()
		for {
			// A caller that disconnects ends ctx, and with it the command.
			select {
			case q := <-waiting:
				_ = send(out, namedEvent(protocol.CommandEventWaiting, q))
			case <-heartbeat.C:
				_ = send(out, ": alive\n\n")
			case <-ended:
				return
			}
		}
	}()
	// The command runs in this goroutine, where guarded recovers from a panic.
	var last protocol.CommandReply
	ok := false
	defer func() {
		close(ended)
		<-finished
		for len(waiting) > 0 {
			_ = send(out, namedEvent(protocol.CommandEventWaiting, <-waiting))
		}
		if ok {
			_ = send(out, namedEvent(protocol.CommandEventReply, last))
		}
	}()
	last = s.sessions.Command(ctx, grant, req, func(q protocol.Waiting) {
		select {
		case waiting <- q:
		default:
		}
	})
	ok = true
	return nil
}

// namedEvent formats a server-sent event without an id: a client cannot
// continue after it.
func namedEvent(name string, data any) string {
	b, err := json.Marshal(data)
	if err != nil {
		b = []byte("{}") // cannot happen: the values have been JSON before
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, b)
}
