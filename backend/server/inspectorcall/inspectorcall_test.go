package inspectorcall_test

import (
	"encoding/json"
	"testing"

	"pilotfish/backend/protocol"
	"pilotfish/backend/server/inspectorcall"
)

func TestRequest(t *testing.T) {
	three, empty := 3, ""
	for name, c := range map[string]struct {
		ask  protocol.InspectorRequest
		want string
	}{
		"read":    {protocol.InspectorRequest{Tab: "t1", Element: "e5", Step: "next"}, `{"command":"details","args":{"element":"e5","step":"next"},"tab":"t1"}`},
		"apply":   {protocol.InspectorRequest{Element: "e5", What: "style", Rule: "ab", Index: &three, Value: &empty, Off: true}, `{"command":"edit","args":{"element":"e5","index":3,"off":true,"rule":"ab","value":"","what":"style"}}`},
		"undo":    {protocol.InspectorRequest{All: true, TimeoutMS: 5}, `{"command":"edit","args":{"all":true,"undo":true},"timeoutMs":5}`},
		"redo":    {protocol.InspectorRequest{Session: "work"}, `{"command":"edit","args":{"redo":true},"session":"work"}`},
		"history": {protocol.InspectorRequest{Element: "e5"}, `{"command":"edit","args":{"history":true}}`},
		"pick":    {protocol.InspectorRequest{Tab: "t2"}, `{"command":"pick","tab":"t2"}`},
	} {
		got, err := inspectorcall.Request(name, c.ask)
		if text, _ := json.Marshal(got); err != nil || string(text) != c.want {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if _, is := inspectorcall.Routes()[name]; !is {
			t.Errorf("%s has no route", name)
		}
	}
	if _, err := inspectorcall.Request("dance", protocol.InspectorRequest{}); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("dance: %v", err)
	}
}

func TestEvents(t *testing.T) {
	got := inspectorcall.Events(protocol.FeedBatch{Items: []json.RawMessage{json.RawMessage(`{"a":1}`)}, Last: 7, Gap: true})
	if got != "event: gap\ndata: {}\n\nid: 7\nevent: inspector\ndata: {\"a\":1}\n\n" {
		t.Errorf("%q", got)
	}
}
