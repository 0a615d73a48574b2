//go:build unix

package acp

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"unicode/utf8"

	"pilotfish/backend/chat/acp/wire"
	"pilotfish/backend/chat/driver"
)

// checking is a sink that fails on updates that a conversation could not store.
type checking struct{ t *testing.T }

func (c checking) Update(u driver.Update) {
	raw, err := json.Marshal(u)
	if err != nil {
		c.t.Errorf("an update that has no JSON: %v", err)
	}
	if !utf8.Valid(raw) {
		c.t.Errorf("an update that is no UTF-8: %q", raw)
	}
}

func (c checking) Ask(_ context.Context, ask driver.Ask, answer func(string)) {
	c.Update(driver.Update{Tool: &ask.Tool})
	answer("")
}

// Whatever an agent writes, nothing crashes, and the resulting updates can be
// stored.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ud83d"}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":7,"status":"completed","rawInput":{"a":1},"rawOutput":"x","content":[{"type":"content","content":{"type":"image","data":"aGk=","mimeType":"image/png"}},{"type":"diff","path":"p","newText":"n"},5]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","type":"select","currentValue":"a","options":[{"group":"g","options":[{"value":"a"}]}]},{"id":"b","type":"boolean","currentValue":true}]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"x"}]}}}`,
		`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","kind":"allow_once"}]}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"` + "\xb2" + `":1}}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`, `{"id":1,"error":{"code":-32603,"message":"m","data":{"details":"d"}}}`, `[1]`, `{`, "\xff\xfe", `{"id":{},"method":7}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		life, end := context.WithCancel(t.Context())
		defer end()
		a := &agent{life: life, log: slog.New(slog.DiscardHandler), sessions: map[string]*session{}, held: map[string][]*message{}}
		a.conn = newConn(func(out []byte) error {
			if !json.Valid(out) {
				t.Errorf("an answer that is no JSON: %q", out)
			}
			return nil
		}, a.incoming, a.log)
		s := newSession(a, driver.SessionConfig{}, checking{t})
		s.id = "s"
		a.sessions["s"] = s
		_ = a.conn.call("initialize", nil, func(result json.RawMessage, _ error) { _ = wire.Lenient(result, &wire.SessionReply{}) })
		for range 2 {
			if err := a.conn.line(line); err != nil {
				t.Fatal(err)
			}
		}
		s.inbox.close()
		s.inbox.run()
		s.flush()
	})
}
