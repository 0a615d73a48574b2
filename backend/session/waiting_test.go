package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// events opens a stream of server-sent events. It returns a function that reads
// the next event: its name and its data.
func (h *fixture) events(t *testing.T, method, path, token string, body any) func() (string, []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", h.port, path), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	return func() (string, []byte) {
		t.Helper()
		event := ""
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				event = value
			case "data":
				return event, []byte(value)
			}
		}
		t.Fatalf("%s ended: %v", path, lines.Err())
		return "", nil
	}
}

// A command of an agent that waits for the user is reported at once, to its
// caller and in the activity; it continues when the user answers. The commands
// in a chain are entries of their own, and a chain with a failed command has
// failed.
func TestWhatWaitsAndWhatIsInsideIsTold(t *testing.T) {
	h := newFixture(t)
	follow := h.events(t, http.MethodGet, "/activity/stream?after=0", h.cli, nil)
	entry := func() (string, protocol.ActivityEntry) {
		t.Helper()
		name, data := follow()
		var e protocol.ActivityEntry
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		return name, e
	}
	answer := func(a protocol.ApprovalAnswer) {
		t.Helper()
		pending := h.s.approvals.Pending()
		if len(pending) != 1 {
			t.Fatalf("%d questions wait", len(pending))
		}
		if err := h.s.approvals.Answer(pending[0].ID, a, "window"); err != nil {
			t.Fatal(err)
		}
	}

	next := h.events(t, http.MethodPost, "/command", h.agent, protocol.CommandRequest{Command: "clipboard"})
	name, data := next()
	var q protocol.Waiting
	if err := json.Unmarshal(data, &q); err != nil || name != protocol.CommandEventWaiting || q.Command != "clipboard" || q.Actor.Agent != "Claude Code" || q.Origin != "https://example.com" {
		t.Fatalf("%s %s, %v", name, data, err)
	}
	if bytes.Contains(data, []byte(h.s.approvals.Pending()[0].ID)) {
		t.Error("the agent is told by which word it is answered")
	}
	name, asked := entry()
	if name != protocol.ActivityEventWaiting || asked.Phase != protocol.ActivityWaiting || asked.Command != "clipboard" || asked.Summary != "Claude Code in the terminal of t1 wants to read the clipboard on https://example.com" || asked.Parent != 0 {
		t.Errorf("%s %+v", name, asked)
	}
	answer(protocol.AnswerOnce)
	var reply protocol.CommandReply
	if name, data = next(); json.Unmarshal(data, &reply) != nil || name != protocol.CommandEventReply || !reply.OK {
		t.Errorf("%s %s", name, data)
	}
	if name, e := entry(); name != protocol.ActivityEventEntry || e.Phase != protocol.ActivityAnswered || !e.OK || e.Parent != asked.Index || e.Actor.Kind != protocol.ActorUser || e.Args["in"] != "window" {
		t.Errorf("%s %+v", name, e)
	}
	if name, e := entry(); name != protocol.ActivityEventEntry || e.Phase != "" || !e.OK || e.Parent != asked.Index {
		t.Errorf("%s %+v", name, e)
	}

	// A chain: its beginning, a command, one that asks, and its end.
	next = h.events(t, http.MethodPost, "/command", h.agent, protocol.CommandRequest{Command: "chain", Args: map[string]json.RawMessage{"commands": json.RawMessage(`["tabs","clipboard 'a secret'","tabs"]`)}})
	if name, data = next(); name != protocol.CommandEventWaiting {
		t.Fatalf("%s %s", name, data)
	}
	answer(protocol.AnswerDeny)
	name, data = next()
	if json.Unmarshal(data, &reply) != nil || reply.OK || reply.Error.Code != protocol.CodeDenied || !strings.HasPrefix(reply.Error.Message, "command 2 of 3 failed: ") || !strings.Contains(reply.Text, "t1 https://example.com") {
		t.Errorf("%s %s", name, data)
	}
	_, begun := entry()
	if begun.Command != "chain" || begun.Phase != protocol.ActivityBegun || begun.Summary != "runs 3 commands" {
		t.Errorf("%+v", begun)
	}
	for _, want := range []protocol.ActivityEntry{
		{Command: "tabs", OK: true},
		{Command: "clipboard", OK: true, Phase: protocol.ActivityWaiting},
		{Command: "clipboard", Code: protocol.CodeDenied, Phase: protocol.ActivityAnswered},
		{Command: "clipboard", Code: protocol.CodeDenied},
		{Command: "chain", Code: protocol.CodeDenied},
	} {
		_, e := entry()
		if e.Phase == protocol.ActivityAnswered {
			e.Parent = begun.Index // it is the question's, which is checked above
		}
		if e.Command != want.Command || e.OK != want.OK || e.Code != want.Code || e.Phase != want.Phase || e.Parent != begun.Index {
			t.Errorf("%+v, want %+v of %d", e, want, begun.Index)
		}
	}
	// The agent sees its own entries, including questions; another agent sees none
	// of them.
	if page, err := h.s.recorder.History(agentGrant("another"), 0, 100); err != nil || len(page.Entries) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}

// The values of a routine's parameters are not recorded anywhere.
func TestARoutinesSecretsAreNotKept(t *testing.T) {
	h := newFixture(t)
	if status, body := h.post(t, h.cli, "/command", protocol.CommandRequest{Command: "run", Args: map[string]json.RawMessage{
		"name": json.RawMessage(`"paste"`), "params": json.RawMessage(`["what=hunter2"]`),
	}}); status != http.StatusOK || !bytes.Contains(body, []byte(`"ok":true`)) {
		t.Fatalf("%d %s", status, body)
	}
	page, err := h.s.recorder.History(auth.Grant{Kind: auth.KindCLI}, 0, 100)
	if err != nil || len(page.Entries) != 3 || page.Entries[1].Command != "clipboard" {
		t.Fatalf("%+v, %v", page, err)
	}
	kept, err := json.Marshal(page)
	if err != nil || bytes.Contains(kept, []byte("hunter2")) {
		t.Errorf("%s, %v", kept, err)
	}
	if page.Entries[1].Args["text"] != "${what}" {
		t.Errorf("%+v", page.Entries[1])
	}
}
