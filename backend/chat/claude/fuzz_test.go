//go:build unix

package claude

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/stdio"
)

// storing is a sink that fails on updates that a conversation could not store.
type storing struct{ t *testing.T }

func (s storing) Update(u driver.Update) {
	if _, err := json.Marshal(u); err != nil {
		s.t.Errorf("an update that has no JSON: %v", err)
	}
}

func (s storing) Ask(_ context.Context, ask driver.Ask, _ func(string)) {
	s.Update(driver.Update{Tool: &ask.Tool})
}

// Whatever claude writes, nothing crashes, and the resulting updates can be
// stored.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		`{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a\ud83d"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_start","index":-1,"content_block":{"type":"tool_use","id":"x","name":"Edit"}}}`,
		`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"x","name":"TodoWrite","input":{"todos":[{"content":"a","status":"done"}]}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"image","source":{"data":"aGk=","media_type":"image/png"}}]}]}}`,
		`{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"x","input":{"command":"ls"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash"}]}]}}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{}}}`, `{"type":"control_cancel_request","request_id":"q"}`,
		`{"type":"system","permissionMode":"plan"}`, `{"type":"result","is_error":true,"errors":["no"],"modelUsage":{"m":{"contextWindow":-1}}}`, `{"type":7}`, `[`, "\xff",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		life, end := context.WithCancel(t.Context())
		defer end()
		s := newSession(&agent{life: life}, driver.SessionConfig{}, storing{t})
		s.log = slog.New(slog.DiscardHandler)
		s.process = &stdio.Process{} // what is sent to it waits
		s.pieces, s.edits = map[int]string{}, map[string]bool{}
		s.turn = &turn{id: "m", ended: make(chan turnResult, 1), sent: true, begun: true}
		for range 2 {
			if err := s.line(line); err != nil {
				t.Fatal(err)
			}
		}
	})
}
