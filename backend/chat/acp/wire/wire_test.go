package wire

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"testing"

	"pilotfish/backend/protocol"
)

// A field of another type does not affect the other fields.
func TestAFieldOfAnotherType(t *testing.T) {
	var p Params
	err := Lenient(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":7,"status":"failed","locations":[{"path":"/a"}]}}`), &p)
	u := p.Update
	if err != nil || p.Session != "s" || u.Kind != KindTool || u.ID != "c" || *u.Title != "" || *u.Status != "failed" || len(u.Locations) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if err := Lenient(json.RawMessage(`{`), &p); err == nil {
		t.Error("half an object was read")
	}
	if err := Lenient(nil, &p); err != nil || p.Session != "s" {
		t.Errorf("nothing became %+v, %v", p, err)
	}
}

func TestWhatAnAgentCan(t *testing.T) {
	for raw, want := range map[string]bool{`{}`: true, `true`: true, `{"a":1}`: true, `false`: false, `null`: false} {
		var can Initialized
		if err := Lenient(json.RawMessage(`{"agentCapabilities":{"sessionCapabilities":{"resume":`+raw+`}}}`), &can); err != nil {
			t.Fatal(err)
		}
		if can.Can.Session.Resume.Yes() != want || can.Can.Session.Close.Yes() {
			t.Errorf("%s is %v", raw, !want)
		}
	}
	var can Initialized
	if err := Lenient(json.RawMessage(`{"authMethods":[{"id":"key"},{"name":"without an id"},{"id":"web","name":"Browser","description":"opens a page"}]}`), &can); err != nil {
		t.Fatal(err)
	}
	want := []protocol.SignInMethod{{ID: "key", Name: "key"}, {ID: "web", Name: "Browser", About: "opens a page"}}
	if got := can.Methods(); !reflect.DeepEqual(got, want) {
		t.Errorf("the ways to sign in are %+v", got)
	}
}

func TestBlocks(t *testing.T) {
	for raw, want := range map[string]string{
		`"plain"`:                                                            "plain",
		`{"type":"text","text":"a"}`:                                         "a",
		`{"type":"hologram","text":"b"}`:                                     "b",
		`{"type":"audio","data":"x"}`:                                        "[audio]",
		`{"type":"image","data":"?"}`:                                        "[a picture that cannot be read]",
		`{"type":"resource_link","uri":"file:///a","name":"a.go"}`:           "[a.go](file:///a)",
		`{"type":"resource_link","uri":"file:///a"}`:                         "file:///a",
		`{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}`: "inside",
		`{"type":"resource","resource":{"uri":"file:///a"}}`:                 "file:///a",
		`7`: "",
	} {
		if text, image := ReadBlock(json.RawMessage(raw)); string(text) != want || image != nil {
			t.Errorf("%s is %q, %v", raw, text, image)
		}
	}
	picture := base64.StdEncoding.EncodeToString([]byte("pixels"))
	if text, image := ReadBlock(json.RawMessage(`{"type":"image","mimeType":"image/png","data":"` + picture + `"}`)); text != nil || image == nil || string(image.Data) != "pixels" || image.Mime != "image/png" {
		t.Errorf("a picture is %q, %v", text, image)
	}
}

func TestToolContent(t *testing.T) {
	picture := `{"type":"image","data":"aGk=","mimeType":"image/png"}`
	content, images := ReadToolContent(json.RawMessage(`[{"type":"content","content":{"type":"text","text":"wrapped"}},{"type":"text","text":"bare"},{"type":"content","content":` + picture + `},` +
		`{"type":"diff","path":"p","oldText":"o","newText":"n"},{"type":"diff","path":"q","newText":"n"},{"type":"terminal","terminalId":"1"},{"type":"text","text":""},5]`))
	want := []protocol.ToolContent{
		{Kind: protocol.ContentText, Text: "wrapped"},
		{Kind: protocol.ContentText, Text: "bare"},
		{Kind: protocol.ContentImage},
		{Kind: protocol.ContentDiff, Path: "p", Old: "o", New: "n"},
		{Kind: protocol.ContentDiff, Path: "q", New: "n", Fresh: true},
	}
	if !reflect.DeepEqual(content, want) || len(images) != 1 {
		t.Errorf("it is %+v with %d pictures", content, len(images))
	}
	if content, _ := ReadToolContent(json.RawMessage(`[]`)); content == nil {
		t.Error("an empty list is nothing said")
	}
	for _, raw := range []string{``, `null`, `"words"`} {
		if content, _ := ReadToolContent(json.RawMessage(raw)); content != nil {
			t.Errorf("%q is %+v", raw, content)
		}
	}
}

func TestRawOutput(t *testing.T) {
	for raw, want := range map[string]string{
		`"as it is"`: "as it is", `{"output":"done"}`: "done", `{"error":"not done"}`: "not done", `{"n":1}`: protocol.Indented(json.RawMessage(`{"n":1}`)),
	} {
		if got := Output(json.RawMessage(raw)); got != want {
			t.Errorf("%s is %q, not %q", raw, got, want)
		}
	}
}

func TestToolStatus(t *testing.T) {
	for said, want := range map[string]protocol.ToolStatus{
		"pending": protocol.ToolPending, "in_progress": protocol.ToolRunning, "completed": protocol.ToolDone,
		"failed": protocol.ToolFailed, "cancelled": protocol.ToolCancelled, "canceled": protocol.ToolCancelled,
	} {
		got := ToolStatus(&said)
		if got == nil || *got != want || Final(*got) != (want != protocol.ToolPending && want != protocol.ToolRunning) {
			t.Errorf("%s is %v", said, got)
		}
	}
	if ToolStatus(nil) != nil || ToolStatus(new("thinking")) != nil {
		t.Error("a status was made up")
	}
}

// Agents report the usage of a turn in three different places.
func TestTheEndOfATurn(t *testing.T) {
	meanwhile := &Tokens{Input: 5, Output: 6}
	for name, test := range map[string]struct {
		raw    string
		reason protocol.EndReason
		usage  *protocol.ChatUsage
	}{
		"with the end":      {`{"stopReason":"end_turn","usage":{"inputTokens":1,"cachedReadTokens":2,"cachedWriteTokens":3,"outputTokens":4}}`, protocol.EndDone, &protocol.ChatUsage{Input: 6, Output: 4}},
		"beside it":         {`{"stopReason":"max_tokens","_meta":{"quota":{"token_count":{"input_tokens":7,"output_tokens":8}}}}`, protocol.EndMaxTokens, &protocol.ChatUsage{Input: 7, Output: 8}},
		"meanwhile":         {`{"stopReason":"refusal"}`, protocol.EndRefused, &protocol.ChatUsage{Input: 5, Output: 6}},
		"too many requests": {`{"stopReason":"max_turn_requests"}`, protocol.EndMaxTurns, &protocol.ChatUsage{Input: 5, Output: 6}},
		"cancelled":         {`{"stopReason":"cancelled"}`, protocol.EndCancelled, &protocol.ChatUsage{Input: 5, Output: 6}},
	} {
		var reply PromptReply
		if err := Lenient(json.RawMessage(test.raw), &reply); err != nil {
			t.Fatal(err)
		}
		if end := reply.TurnEnd(meanwhile); end.Reason != test.reason || !reflect.DeepEqual(end.Usage, test.usage) {
			t.Errorf("%s: %+v with %+v", name, end, end.Usage)
		}
	}
	if end := new(PromptReply).TurnEnd(nil); end.Usage != nil {
		t.Errorf("a use was made up: %+v", end.Usage)
	}
}
