package attention_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/attention"
	"pilotfish/backend/protocol"
)

// Everything that waits for the user is there once, with nothing of a page but its host.
func TestNeeds(t *testing.T) {
	chat := protocol.Actor{Kind: protocol.ActorChat, ID: "c1"}
	state := protocol.WindowState{
		Sessions: []protocol.SessionInfo{
			{
				Name: "default", State: protocol.SessionRunning,
				Tabs: []protocol.Tab{{ID: "t1", Title: "PAGE", URL: "https://shop.example:8443/PAGE?q=PAGE#PAGE"}, {ID: "t2", URL: "file:///PAGE"}},
				Approvals: []protocol.Approval{
					{ID: "1", Actor: chat, URL: "https://shop.example:8443/PAGE", Origin: "https://shop.example:8443", Args: []protocol.ApprovalArg{{Value: "PAGE"}}, Words: protocol.ApprovalWords{Who: "Claude Code\u202e in Chat", What: "PAGE", Where: "PAGE"}},
					{ID: "2", Actor: protocol.Actor{Kind: protocol.ActorTask, ID: "k1", Title: "PAGE"}, Words: protocol.ApprovalWords{Who: "Task “PAGE”"}},
					{ID: "3", Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: "p1"}, Words: protocol.ApprovalWords{Who: "Codex"}},
					{ID: "4", Actor: chat, Origin: "https://[::1]", Login: &protocol.LoginAsk{}, Words: protocol.ApprovalWords{Who: "Gemini"}},
				},
				Terminals: []protocol.TerminalInfo{
					{ID: "p1", Name: "codex", State: protocol.TerminalLive, Status: protocol.AgentNeedsYou},
					{ID: "p2", Name: "claude", Title: "PAGE", Message: "PAGE", State: protocol.TerminalLive, Status: protocol.AgentNeedsYou, Seen: true},
					{ID: "p3", Name: "claude", State: protocol.TerminalEnded, Status: protocol.AgentNeedsYou},
					{ID: "p4", Name: "claude", State: protocol.TerminalLive, Status: protocol.AgentWorking},
				},
				Tasks: []protocol.Task{
					{ID: "k1", Title: "PAGE", State: protocol.TaskWaiting, Tab: "t1"},
					{ID: "k2", Title: "PAGE", State: protocol.TaskWaiting, Tab: "t1"},
					{ID: "k3", Goal: "PAGE", State: protocol.TaskFailed, Tab: "t2"},
					{ID: "k4", State: protocol.TaskInterrupted},
					{ID: "k5", State: protocol.TaskRunning},
				},
			},
			{Name: "mine", State: protocol.SessionStarting, Attaching: &protocol.Attaching{Browser: "Google Chrome", Step: protocol.AttachAllow}},
			{Name: "far", State: protocol.SessionStarting, Attaching: &protocol.Attaching{Browser: "grid", Step: protocol.AttachFull}},
			{Name: "bad", State: protocol.SessionFailed, Error: &protocol.Error{Message: "PAGE"}},
			{Name: "off", State: protocol.SessionStopped, Tasks: []protocol.Task{{ID: "k6", State: protocol.TaskInterrupted}}},
		},
		Conversations: []protocol.WindowConversation{
			{Session: "default", ID: "c1", Title: "PAGE", AgentName: "Gemini CLI", State: protocol.ConversationSignIn},
			{Session: "default", ID: "c2", AgentName: "Pilot", State: protocol.ConversationNeedsYou}, // its question is an approval
		},
	}
	var have []string
	needs := attention.Needs(state)
	ids := map[string]bool{}
	for _, n := range needs {
		have = append(have, strings.Join([]string{string(n.Session), n.Says(), n.Site}, " | "))
		ids[strings.Join([]string{string(n.Session), string(n.Kind), n.ID}, " ")] = true
		if n.Seen != (n.ID == "p2") {
			t.Errorf("seen: %+v", n)
		}
	}
	want := []string{
		"default | Claude Code in Chat needs your approval | shop.example",
		"default | A task needs your approval | ",
		"default | Codex needs your approval | ",
		"default | Gemini needs a login | ::1",
		"default | claude needs you | ",
		"default | A task asks you | shop.example",
		"default | A task failed | ",
		"default | A task was interrupted | ",
		"mine | Google Chrome needs you | ",
		"bad | Session bad could not be started | ",
		"default | Gemini CLI needs you to sign in | ",
	}
	if !slices.Equal(have, want) {
		t.Errorf("the needs are\n%s\nand not\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if len(ids) != len(needs) {
		t.Errorf("some needs have one identity: %v", ids)
	}
	if text, err := json.Marshal(needs); err != nil || strings.Contains(string(text), "PAGE") {
		t.Errorf("%s, %v", text, err)
	}
}
