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

// accepts says whether a caller takes a type of reply and names it: a wildcard
// is no wish for a stream.
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

// commandEvents runs a command and tells its caller at once when it waits for
// the person: server-sent events, the last of which is the reply.
func (s *Server) commandEvents(ctx context.Context, w http.ResponseWriter, grant auth.Grant, req protocol.CommandRequest) error {
	w.Header().Set("Content-Type", "text/event-stream")
	out := &flowing{w}
	// So many can wait; what does not fit is not told, and nobody is kept waiting.
	waiting := make(chan protocol.Waiting, protocol.MaxApprovals)
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		heartbeat := time.NewTicker(streamHeartbeat)
		defer heartbeat.Stop()
		for {
			// A caller that is gone ends ctx, and with it the command.
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
	// The command runs here, where a fault of ours is caught.
	var last protocol.CommandReply
	ok := false
	defer func() {
		close(ended)
		<-told
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

// namedEvent is a server-sent event without an id: nobody can go on behind it.
func namedEvent(name string, data any) string {
	b, err := json.Marshal(data)
	if err != nil {
		b = []byte("{}") // cannot happen: the values have been JSON before
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, b)
}
