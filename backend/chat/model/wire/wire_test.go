package wire_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pilotfish/backend/chat/model/wire"
	"pilotfish/backend/protocol"
)

// read reads a stream of OpenAI's format, each line the data of one event.
func read(t *testing.T, lines ...string) (wire.Answer, string, error) {
	t.Helper()
	var said strings.Builder
	// One byte at a time, because an event may arrive in any pieces.
	stream := iotest.OneByteReader(strings.NewReader("data: " + strings.Join(lines, "\n\ndata: ") + "\n\n"))
	answer, err := wire.Read(protocol.DialectOpenAI, stream, func(p wire.Piece) {
		if p.Thought {
			said.WriteString("(" + p.Text + ")")
		} else {
			said.WriteString(p.Text)
		}
	})
	return answer, said.String(), err
}

func delta(delta string) string { return `{"choices":[{"delta":` + delta + `}]}` }

const (
	stop = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	done = "[DONE]"
)

// Servers differ in how they send tool calls.
func TestCallsAsServersSendThem(t *testing.T) {
	for name, lines := range map[string][]string{
		"in pieces, with an index": {
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
			delta(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"two","arguments":""}}]}`), stop, done,
		},
		"whole, all with the index 0": {
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}},{"index":0,"id":"b","function":{"name":"two","arguments":"{}"}}]}`), stop, done,
		},
		"whole, without an index": {
			delta(`{"tool_calls":[{"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]}`), delta(`{"tool_calls":[{"id":"b","function":{"name":"two","arguments":"null"}}]}`), stop, done,
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer, _, err := read(t, lines...)
			if err != nil || answer.Stop != wire.StopCalls || len(answer.Calls) != 2 {
				t.Fatalf("%+v, %v", answer, err)
			}
			if one, two := answer.Calls[0], answer.Calls[1]; one.ID != "a" || string(one.Input) != `{"x":1}` || two.Name != "two" || string(two.Input) != "{}" || two.Broken != "" {
				t.Errorf("calls %+v", answer.Calls)
			}
		})
	}
	answer, _, err := read(t, delta(`{"tool_calls":[{"index":0,"function":{"name":"one","arguments":"click it"}}]}`), stop, done)
	if err != nil || answer.Calls[0].Broken != "click it" || answer.Calls[0].ID == "" {
		t.Errorf("arguments that are no object: %+v, %v", answer, err)
	}
}

// Servers differ in where they put the reasoning.
func TestReasoningAsServersSendIt(t *testing.T) {
	for _, thought := range []string{`{"reasoning_content":"hm"}`, `{"reasoning":"hm"}`, `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`} {
		answer, said, err := read(t, delta(thought), delta(`{"content":"Yes."}`), stop, done)
		if err != nil || said != "(hm)Yes." || answer.Text != "Yes." || answer.Stop != wire.StopDone {
			t.Errorf("%s: said %q, %+v, %v", thought, said, answer, err)
		}
	}
}

func TestAnswersThatEndBadly(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		is    error
	}{
		"it breaks off":     {[]string{delta(`{"content":"Half"}`)}, wire.ErrBroken},
		"another server":    {[]string{`<html>`}, wire.ErrForeign},
		"nothing at all":    {[]string{""}, wire.ErrForeign},
		"an error within":   {[]string{delta(`{"content":"Half"}`), `{"error":{"message":"out of memory"}}`}, &wire.Failure{Message: "out of memory"}},
		"an error in words": {[]string{`{"error":"out of memory"}`}, &wire.Failure{Message: "out of memory"}},
	} {
		answer, said, err := read(t, c.lines...)
		failure, failed := errors.AsType[*wire.Failure](err)
		want, wantFailure := errors.AsType[*wire.Failure](c.is)
		if failed != wantFailure || failed && failure.Message != want.Message || !failed && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
		if answer.Text != said {
			t.Errorf("%s: the answer %q is not what was said: %q", name, answer.Text, said)
		}
	}
	for reason, stop := range map[string]wire.Stop{"length": wire.StopLength, "content_filter": wire.StopRefused} {
		if answer, _, err := read(t, `{"choices":[{"delta":{},"finish_reason":"`+reason+`"}]}`, done); err != nil || answer.Stop != stop {
			t.Errorf("%s: %+v, %v", reason, answer, err)
		}
	}
	overloaded := "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	_, err := wire.Read(protocol.DialectAnthropic, strings.NewReader(overloaded), func(wire.Piece) {})
	if failure, ok := errors.AsType[*wire.Failure](err); !ok || !failure.Busy {
		t.Errorf("an overloaded model: %v", err)
	}
	_, err = wire.Read(protocol.DialectAnthropic, iotest.ErrReader(io.ErrUnexpectedEOF), func(wire.Piece) {})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a network that fails: %v", err)
	}
}

// An answer that is cut off at any byte before the provider has ended it is
// broken, in each provider's format.
func TestAnAnswerThatIsCutOffIsBroken(t *testing.T) {
	for dialect, c := range map[protocol.LLMDialect]struct{ before, end string }{
		protocol.DialectOpenAI: {
			"data: " + delta(`{"content":"Half"}`) + "\n\ndata: " + delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}`) + "\n\n",
			"data: " + stop + "\n\n",
		},
		protocol.DialectAnthropic: {
			`data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}` + "\n\n" +
				`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Half"}}` + "\n\n" +
				`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n",
			`data: {"type":"message_stop"}` + "\n\n",
		},
	} {
		end := len(c.end) - len("}\n\n") // the last brace ends the event
		for cut := len("data: {"); cut <= len(c.before)+end; cut++ {
			if _, err := wire.Read(dialect, strings.NewReader((c.before + c.end)[:cut]), func(wire.Piece) {}); !errors.Is(err, wire.ErrBroken) {
				t.Errorf("%s, cut at %d: %v", dialect, cut, err)
			}
		}
		if answer, err := wire.Read(dialect, strings.NewReader(c.before+c.end), func(wire.Piece) {}); err != nil || answer.Text != "Half" {
			t.Errorf("%s, whole: %+v, %v", dialect, answer, err)
		}
	}
}

// Adjacent messages of one role become one message, and images of a tool are
// put where the format allows them.
func TestEncode(t *testing.T) {
	request := wire.Request{Model: "m", System: "s", Messages: []wire.Message{
		{Role: wire.User, Text: "one"},
		{Role: wire.User, Text: "two"},
		{Role: wire.Assistant, Text: ""},
		{Role: wire.Assistant, Text: "I look."},
		{Role: wire.Assistant, Calls: []wire.Call{{ID: "a", Name: "look", Input: json.RawMessage(`{}`)}}},
		{Role: wire.Results, Results: []wire.Result{{ID: "a", Text: "seen", Images: []wire.Image{{Mime: "image/png", Data: []byte("x")}}}}},
		{Role: wire.User, Text: "three"},
	}}
	for dialect, want := range map[protocol.LLMDialect]string{
		protocol.DialectOpenAI: `[{"role":"system","content":"s"},{"role":"user","content":"one\n\ntwo"},` +
			`{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
			`{"role":"tool","content":"seen","tool_call_id":"a"},` +
			`{"role":"user","content":[{"type":"text","text":"The pictures that the tools took:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]},` +
			`{"role":"user","content":"three"}]`,
		protocol.DialectAnthropic: `[{"role":"user","content":[{"type":"text","text":"one\n\ntwo"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"look","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"seen"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"eA=="}}]},` +
			`{"type":"text","text":"three","cache_control":{"type":"ephemeral"}}]}]`,
	} {
		body, err := wire.Encode(dialect, request)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Messages json.RawMessage }
		if err := json.Unmarshal(body, &got); err != nil || string(got.Messages) != want {
			t.Errorf("%s: %v\n%s\nand not\n%s", dialect, err, got.Messages, want)
		}
	}
	if _, err := wire.Encode("smoke", request); err == nil {
		t.Error("a format that nobody speaks was written")
	}
}
