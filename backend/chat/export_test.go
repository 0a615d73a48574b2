package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

func TestConversation(t *testing.T) {
	head := protocol.Conversation{Title: "Where? / Here!", AgentName: "Played", Created: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	entries := []protocol.ChatEntry{
		{Kind: protocol.EntryUser, Text: "hello", Attachments: []protocol.ChatAttachment{{Kind: protocol.AttachFile, Name: "a.txt"}}},
		{Kind: protocol.EntryThought, Text: "one\ntwo"},
		{Kind: protocol.EntryTool, Tool: &protocol.ChatTool{Title: "click", Line: "Clicked Save", Status: protocol.ToolDone}},
		{Kind: protocol.EntryPlan, Plan: []protocol.ChatPlanItem{{Text: "look", Status: "completed"}, {Text: "act"}}},
		{Kind: protocol.EntryText, Text: "done"},
		{Kind: protocol.EntryEnd, End: &protocol.ChatEnd{Reason: protocol.EndCancelled}},
	}
	out, err := exportConversation(head, entries, "")
	if err != nil || out.Name != "where-here.md" {
		t.Errorf("%s, %v", out.Name, err)
	}
	for _, want := range []string{"# Where? / Here!\n\nPlayed, 2 January 2026\n", "## You\n\nhello\n\n- file: a.txt\n", "> one\n> two\n", "- Clicked Save (done)", "- [x] look\n- [ ] act\n", "*The turn ended: cancelled.*"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q is not in\n%s", want, out.Text)
		}
	}
	out, err = exportConversation(protocol.Conversation{Title: "…"}, nil, "json")
	var read map[string]json.RawMessage
	if err != nil || out.Name != "conversation.json" || json.Unmarshal([]byte(out.Text), &read) != nil || string(read["entries"]) != "[]" || string(read["version"]) != "1" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := exportConversation(head, nil, "pdf"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a format that there is not: %v", err)
	}
}
