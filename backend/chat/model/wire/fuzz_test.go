package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pilotfish/backend/chat/model/wire"
	"pilotfish/backend/protocol"
)

// A server may send any stream: an answer has what was said, and calls whose
// arguments are JSON or are named as broken; it can be sent back.
func FuzzRead(f *testing.F) {
	f.Add([]byte("data: "+delta(`{"content":"Yes.","tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{"}}]}`)+"\n\ndata: [DONE]\n\n"), false)
	f.Add([]byte("data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"), true)
	f.Add([]byte("event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"no\"}}\r\n\r\n"), true)
	f.Fuzz(func(t *testing.T, stream []byte, anthropic bool) {
		dialect := protocol.DialectOpenAI
		if anthropic {
			dialect = protocol.DialectAnthropic
		}
		var said strings.Builder
		answer, err := wire.Read(dialect, bytes.NewReader(stream), func(p wire.Piece) {
			if !p.Thought {
				said.WriteString(p.Text)
			}
		})
		if err != nil {
			return
		}
		if !anthropic && answer.Text != said.String() {
			t.Errorf("%q was said, the answer has %q", said.String(), answer.Text)
		}
		for _, c := range answer.Calls {
			if !json.Valid(c.Input) {
				t.Errorf("the arguments %q are no JSON", c.Input)
			}
		}
		if _, err := wire.Encode(dialect, wire.Request{Messages: []wire.Message{answer.Message}}); err != nil {
			t.Errorf("the answer cannot be sent back: %v", err)
		}
	})
}
