package quick

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"

	"pilotfish/backend/protocol"
)

// Every way in which an answer can go wrong is told, and none is a success.
func TestAnswers(t *testing.T) {
	const events = "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	for name, c := range map[string]struct {
		answer string
		err    error // after the answer
		text   string
		code   protocol.Code
		asked  int
	}{
		"a reply":        {answer: events + ": alive\n\nevent: waiting\ndata: {\"command\":\"click\",\"origin\":\"https://a.test\"}\n\nevent: reply\ndata: {\"ok\":true,\"text\":\"clicked\"}\n\n", text: "clicked", asked: 1},
		"an old app":     {answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"ok\":true,\n\"text\":\"clicked\"}", text: "clicked"},
		"a failure":      {answer: events + "event: reply\ndata: {\"ok\":false,\"error\":{\"code\":\"covered\",\"message\":\"e1 is covered\"}}\n\n", code: protocol.CodeCovered},
		"no reason":      {answer: events + "event: reply\ndata: {\"ok\":false}\n\n", code: protocol.CodeInternal},
		"refused":        {answer: "HTTP/1.0 401 Unauthorized\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"code\":\"unauthorized\",\"message\":\"a token is needed\"}}", code: protocol.CodeUnauthorized},
		"another server": {answer: "HTTP/1.0 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>", code: protocol.CodeInternal},
		"no HTTP":        {answer: "SSH-2.0-x\r\n", code: protocol.CodeNotRunning},
		"nothing":        {code: protocol.CodeNotRunning},
		"an early end":   {answer: events + ": alive\n\n", code: protocol.CodeNotRunning},
		"half a reply":   {answer: events + "event: reply\ndata: {\"ok\":tr", code: protocol.CodeInternal},
		"reset":          {answer: events, err: syscall.ECONNRESET, code: protocol.CodeNotRunning},
		"too late":       {answer: events, err: syscall.EAGAIN, code: protocol.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			last := c.err
			if last == nil {
				last = io.EOF
			}
			asked := 0
			reply, err := answer(io.MultiReader(strings.NewReader(c.answer), ended{last}), func(protocol.Waiting) { asked++ })
			var stdout, stderr bytes.Buffer
			exit := end(&stdout, &stderr, reply, err)
			if asked != c.asked {
				t.Errorf("the person was asked %d times", asked)
			}
			if c.code == "" {
				if exit != 0 || stdout.String() != c.text+"\n" || stderr.Len() > 0 {
					t.Errorf("%d, %q, %q", exit, &stdout, &stderr)
				}
				return
			}
			if exit != c.code.ExitCode() || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "pilotfish: ") {
				t.Errorf("%d, %q, %q", exit, &stdout, &stderr)
			}
			if e := protocol.AsError(err); err != nil && e.Code != c.code {
				t.Errorf("%s: %v", e.Code, e)
			}
		})
	}
}
