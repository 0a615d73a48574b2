package protocol_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// golden returns the messages that TypeScript reads. The first part of a file's
// name is the type: the TypeScript tests choose the schema by it.
func golden() map[string]any {
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	tab := protocol.Tab{
		ID: "t1", URL: "https://example.com/a?b=c", Title: "Beispiel \u202e“quoted” 🐟", Active: true, Focused: true,
		ChromeTabID: 7, WindowID: 1, Index: 0, Agent: &protocol.TabAgent{Name: "claude", Status: protocol.AgentNeedsYou},
	}
	background := protocol.Tab{ID: "t2", URL: "about:blank", Loading: true, Crashed: true, Opener: "t1", Index: 1}
	live := protocol.TerminalInfo{
		Progress: &protocol.TerminalProgress{State: protocol.ProgressNormal, Percent: 40}, Bells: 1,
		ID: "k3v9", Session: "default", Tab: "t1", Agent: protocol.AgentClaude, Name: "claude", Title: "✳ thinking",
		State: protocol.TerminalLive, Status: protocol.AgentWorking, Epoch: 2, PID: 4242, Cols: 80, Rows: 24, StartedAt: at, Viewers: 1, Shown: 3,
	}
	ended := live
	ended.ID, ended.State, ended.Status, ended.PID, ended.Viewers = "k3w0", protocol.TerminalEnded, protocol.AgentEnded, 0, 0
	ended.Exit = &protocol.Exit{Code: -1, Signal: "SIGKILL", Reason: "ended by SIGKILL"}
	agents := protocol.AgentsFile{Version: 1, Default: protocol.AgentShell, Agents: []protocol.AgentInfo{
		{Kind: protocol.AgentShell, Name: "Shell", Installed: true, Path: "/bin/bash", Version: "5.2"},
		{Kind: protocol.AgentClaude, Name: "Claude Code", Install: "npm install -g @anthropic-ai/claude-code", URL: "https://claude.com/claude-code", Problem: "not on the PATH"},
	}}
	info := protocol.SessionInfo{
		Name: "default", State: protocol.SessionRunning, StartedAt: &at, Panel: protocol.PanelConnected,
		Warnings: []protocol.Error{{Code: protocol.CodeNoSandbox, Message: "The browser runs without its sandbox", Hint: "start Pilotfish as an ordinary user"}},
		Browser:  &protocol.BrowserInfo{Name: "Chromium", Version: "156.0.8078.73", Path: "/usr/bin/chromium", PID: 99},
		Tabs:     []protocol.Tab{tab, background}, Terminals: []protocol.TerminalInfo{live, ended},
		Approvals: []protocol.Approval{{
			ID: "bm9uY2U", Session: "default", Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: "k3v9", Name: "claude in t1", Agent: "Claude Code", Tab: "t1"},
			Tab: "t1", URL: tab.URL, Origin: "https://example.com", Command: "eval", Kind: protocol.ActionEval, Site: "example.com", Since: at, Expires: at.Add(time.Minute),
			Words: protocol.ApprovalWords{
				Sentence: "Claude Code in the terminal of t1 wants to run JavaScript on https://example.com", Who: "Claude Code in the terminal of t1", What: "run JavaScript", Where: "https://example.com",
				Effect: "This may send or publish something.", Details: []protocol.ApprovalArg{{Name: "code", Value: "document.title"}}, May: "run JavaScript",
			},
		}},
	}
	failed := protocol.SessionInfo{
		Name: "work", State: protocol.SessionFailed, Panel: protocol.PanelAbsent, Warnings: []protocol.Error{}, Tabs: []protocol.Tab{}, Terminals: []protocol.TerminalInfo{},
		Error:    &protocol.Error{Code: protocol.CodeNoBrowser, Message: "No Chromium was found", Hint: "install chromium, or choose the browser in Settings"},
		Identity: &protocol.IdentityFacts{Color: "#1a73e8", Temporary: true, Proxy: "http://proxy.example:3128"},
	}
	view := protocol.PanelView{Agent: protocol.AgentAuto, FontSize: 13, ChatAgent: protocol.AgentAuto, Theme: protocol.ThemeSystem, AppVersion: "0.1.0"}
	tool := protocol.ChatTool{
		Call: "toolu_1", Title: "Edit a.go", Kind: "edit", Status: protocol.ToolRunning, Input: "{}", Paths: []string{"a.go"},
		Content: []protocol.ToolContent{{Kind: protocol.ContentDiff, Path: "a.go", Old: "a", New: "b"}},
	}
	talk := protocol.Conversation{
		ID: "0b6f", Title: "What does this page say?", Tab: "t1", Agent: protocol.AgentClaude, AgentName: "Claude Code", AgentSession: "s1",
		State: protocol.ConversationRunning, Message: "9c1d", Draft: "and",
		Queue:    []protocol.QueuedMessage{{ID: "77aa", Text: "next", Attachments: []protocol.ChatAttachment{{Kind: protocol.AttachTab, Name: "Example", Tab: "t1"}}, Route: protocol.RouteFast}},
		Options:  []protocol.ChatOption{{ID: "model", Name: "Model", Category: "model", Value: "small", Choices: []protocol.ChatChoice{{Value: "small", Name: "Small"}}}},
		Commands: []protocol.ChatCommand{{Name: "review", About: "review the change"}}, Usage: &protocol.ChatUsage{Context: 1200, ContextSize: 200000},
		Can: protocol.ChatAbilities{Images: true, Resume: true, Terminal: true}, Created: at, Updated: at, Index: 12, Entries: 4,
	}
	task := protocol.Task{
		ID: "5d2e", Title: "Fill the form", Goal: "fill this form with …", Tab: "t1", Tabs: []protocol.TabID{"t1"}, State: protocol.TaskWaiting,
		Profile: "p1", Steps: 3, MaxStep: 40, Tokens: 5120, Budget: 200000, Created: at, Updated: at, Index: 9,
	}
	said := protocol.ChatEntry{ID: "e1", Message: "9c1d", Kind: protocol.EntryText, At: at, Index: 11, Text: "It says “hello”.", Open: true}
	asked := protocol.ChatEntry{ID: "e2", Message: "9c1d", Kind: protocol.EntryPermission, At: at, Index: 12, Permission: &protocol.ChatPermission{
		Approval: "bm9uY2U", Subject: tool, Tab: "t1", Options: []protocol.PermissionOption{{ID: "allow", Name: "Allow", Kind: protocol.AnswerAlways, Scope: "edits in this conversation"}},
	}}
	return map[string]any{
		"HelloEvent":    protocol.HelloEvent{Type: protocol.PanelHello, Version: protocol.Version, Session: info, Agents: agents, Settings: view, Conversations: []protocol.Conversation{talk}, Tasks: []protocol.Task{task}, Panel: "p1", Attach: &protocol.HelloAttach{Terminal: "b", Token: "c"}},
		"SessionEvent":  protocol.SessionEvent{Type: protocol.PanelSession, Session: failed},
		"TabsEvent":     protocol.TabsEvent{Type: protocol.PanelTabs, Tabs: info.Tabs},
		"TerminalEvent": protocol.TerminalEvent{Type: protocol.PanelTerminal, Terminal: ended},
		"PairingEvent":  protocol.PairingEvent{Type: protocol.PanelPairing, Pairing: protocol.Pairing{Version: protocol.Version, Session: "mine", Port: 40123, Token: "dG9rZW4", Key: "a2V5", Epoch: 2, ByHand: true}},
		"CarryEvent": protocol.CarryEvent{
			Type: protocol.PanelCarry, ID: 7, Panel: "p1", Do: protocol.CarryCommand, Tab: "t3", ChromeTabID: 41, Command: "click", Args: map[string]json.RawMessage{"target": json.RawMessage(`"e1"`), "count": json.RawMessage("2")}, Caller: "mcp:a",
		},
		"TerminalGoneEvent": protocol.TerminalGoneEvent{Type: protocol.PanelTermGone, Terminal: "k3v9"},
		"AgentsEvent":       protocol.AgentsEvent{Type: protocol.PanelAgents, Agents: agents},
		"SettingsEvent":     protocol.SettingsEvent{Type: protocol.PanelSettings, Settings: protocol.PanelView{Agent: protocol.AgentCustom, Command: "my-agent --fast", FontSize: 15, Theme: protocol.ThemeDark, AppVersion: "0.1.0", EveryTab: true, Confinement: protocol.Confinement{On: true, Problem: protocol.NewError(protocol.CodeNotConfined, "bubblewrap is not installed", "install the package bubblewrap"), Desktop: protocol.NewError(protocol.CodeNotConfined, "this kernel cannot close abstract sockets", "use Linux 6.12")}, ChatAgent: protocol.AgentClaude}},
		"ReauthEvent":       protocol.ReauthEvent{Type: protocol.PanelReauth},
		"ShowEvent":         protocol.ShowEvent{Type: protocol.PanelShow, Tab: "t2", Terminal: "k3v9"},
		"ShowEvent.talk":    protocol.ShowEvent{Type: protocol.PanelShow, Tab: "t2", Conversation: talk.ID},
		"ShowEvent.signins": protocol.ShowEvent{Type: protocol.PanelShow, Tab: "t2", SignIns: true},
		"TaskChangedEvent":  protocol.TaskChangedEvent{Type: protocol.PanelTask, Task: task},
		"TaskGoneEvent":     protocol.TaskGoneEvent{Type: protocol.PanelTaskGone, Task: "5d2e"},
		"FeedEvent":         protocol.FeedEvent{Type: protocol.PanelFeed, ID: 4, Batch: protocol.FeedBatch{Items: []json.RawMessage{json.RawMessage(`{"text":"hi"}`)}, Last: 13, Gap: true}},
		"FeedEvent.error":   protocol.FeedEvent{Type: protocol.PanelFeed, ID: 4, Batch: protocol.FeedBatch{Items: []json.RawMessage{}, Last: 12}, Error: &protocol.Error{Code: protocol.CodeNotRunning, Message: "the session is starting"}},
		"ElementItem.put": protocol.ElementItem{Kind: protocol.ElementPut, After: "e1", Element: &protocol.PageElement{
			Ref: "e2", Role: "checkbox", Name: "Send me news", States: []string{"checked"}, Value: "on", Context: "Newsletter",
		}},
		"ElementItem.new":    protocol.ElementItem{Kind: protocol.ElementNew, URL: "https://example.com/", Title: "Example", More: 3},
		"ElementItem.gone":   protocol.ElementItem{Kind: protocol.ElementGone, Ref: "e2"},
		"ElementItem.failed": protocol.ElementItem{Kind: protocol.ElementFailed, Error: &protocol.Error{Code: protocol.CodeDialog, Message: "the page shows a dialog"}},
		"ConsoleItem": protocol.ConsoleItem{
			Entry: protocol.ConsoleEntry{N: 3, At: at, Level: "error", Source: "exception", Text: "it broke", URL: "https://example.com/app.js", Line: 2, Column: 7, Stack: []string{"fails https://example.com/app.js:2:7"}},
			Page:  1, Args: []protocol.PageValue{{Type: "error", Text: "Error: it broke", Handle: "v4"}}, Stack: []protocol.CodePlace{{Function: "fails", URL: "https://example.com/app.js", Line: 2, Column: 7}}, Group: 1, Begins: "group",
		},
		"NetworkItem": protocol.NetworkItem{
			Entry: protocol.NetworkEntry{ID: "n1", At: at, Method: "GET", URL: "https://example.com/api", Type: "fetch", Status: 200, StatusText: "OK", MIME: "application/json", Bytes: 320, DurationMS: 12.5, Done: true, Initiator: "script", Protocol: "h2", RemoteAddress: "192.0.2.1:443"},
			Page:  1, Size: 900, Times: &protocol.NetworkTimes{Blocked: 1, DNS: -1, Connect: -1, TLS: -1, Send: 0.5, Wait: 9, Receive: 2}, Stack: []protocol.CodePlace{{URL: "https://example.com/app.js", Line: 1, Column: 1}},
		},
		"TabSignals":            protocol.TabSignals{Errors: 2, Warnings: 1, Blocked: 1, Mocked: 1, Throttle: "slow-3g"},
		"PageRun":               protocol.PageRun{URL: "https://example.com/", Value: protocol.PageValue{Type: "number", Text: "1"}, Threw: true},
		"PageParts":             protocol.PageParts{Parts: []protocol.PagePart{{Name: "a", Value: protocol.PageValue{Type: "function", Text: "(getter)", Handle: "v5"}, Hidden: true, Accessor: true}}, Total: 1},
		"MappedPlace":           protocol.MappedPlace{CodePlace: protocol.CodePlace{URL: "https://example.com/app.js", Line: 1, Column: 1}, Source: "https://example.com/src/app.ts", SourceLine: 7, SourceColumn: 1},
		"ModelsEvent":           protocol.ModelsEvent{Type: protocol.PanelModels},
		"TaskOrderEvent":        protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: "run", Task: task, Request: &protocol.TaskRunRequest{Goal: "fill", Tab: "t1"}},
		"ConversationEvent":     protocol.ConversationEvent{Type: protocol.PanelConversation, Conversation: talk},
		"ConversationGoneEvent": protocol.ConversationGoneEvent{Type: protocol.PanelConversationGone, Conversation: "0b6f"},
		"ChatEventsEvent": protocol.ChatEventsEvent{Type: protocol.PanelChat, Conversation: "0b6f", Events: []protocol.ChatEvent{
			{Index: 11, Op: protocol.ChatPut, Entry: &said}, {Index: 12, Op: protocol.ChatAppend, ID: "e1", Text: " More."}, {Index: 12, Op: protocol.ChatHead, Head: &talk},
		}},
		"ChatPage": protocol.ChatPage{Head: talk, Entries: []protocol.ChatEntry{said, {ID: "e3", Kind: protocol.EntryTool, At: at, Index: 12, Tool: &tool}, asked}, Index: 12, More: true},
		"PickedEvent": protocol.PickedEvent{
			Type: protocol.PanelPicked, Panel: "p1", Tab: "t1", Element: &protocol.PickedElement{Ref: "e3", Role: "button", Name: "Save"},
		},
		"ActivityFound": protocol.ActivityFound{
			Entries: []protocol.ActivityEntry{
				{Index: 3, Time: at, Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: "k3v9", Name: "claude in t1", Agent: "Claude Code", Tab: "t1"}, Session: "default", Tab: "t1", Command: "click", Args: map[string]string{"target": "e5"}, Code: protocol.CodeGone, Summary: "e5 is gone", DurationMS: 12.5},
				{Index: 4, Kind: protocol.ActivityNavigation, Time: at, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"}, Session: "default", Tab: "t1", Command: "navigation", OK: true, Summary: "https://example.com/"},
				{Index: 6, Kind: protocol.ActivityQuestion, Time: at, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"}, Session: "default", Command: "eval", Phase: protocol.ActivityAnswered, Parent: 5, OK: true, Summary: "Allowed once"},
			},
			Gaps: []protocol.ActivityGap{{From: 5, To: 5}}, Before: 3, Last: 6, Shots: []uint64{3}, Markdown: "## 2026-01-02\n",
		},
		"PongEvent": protocol.PongEvent{Type: protocol.PanelPong, ID: 3},

		"PanelMessage.auth":    protocol.PanelMessage{Type: protocol.PanelAuth, Token: "dG9rZW4"},
		"PanelMessage.ping":    protocol.PanelMessage{Type: protocol.PanelPing, ID: 3},
		"PanelMessage.viewing": protocol.PanelMessage{Type: protocol.PanelViewing, Tab: "t1"},
		"PanelMessage.watch":   protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: "0b6f", After: 12},
		"PanelMessage.follow":  protocol.PanelMessage{Type: protocol.PanelFollow, ID: 4, Feed: protocol.FeedConsole, Tab: "t1", After: 12},
		"PanelMessage.theme":   protocol.PanelMessage{Type: protocol.PanelTheme, Theme: protocol.ThemeDark},
		"PanelMessage.window":  protocol.PanelMessage{Type: protocol.PanelWindow, Window: &protocol.WindowShow{Page: protocol.WindowSchedules, Schedule: &protocol.ScheduleWhat{Task: "count the orders"}}},
		"PanelMessage.login":   protocol.PanelMessage{Type: protocol.PanelAnswer, Approval: "bm9uY2U", Answer: protocol.AnswerOnce, Login: &protocol.LoginAnswer{User: "ada", Password: "hush", Save: true}},
		"PanelMessage.answer":  protocol.PanelMessage{Type: protocol.PanelAnswer, Approval: "bm9uY2U", Answer: protocol.AnswerOnce},

		"TerminalControl.ready":    protocol.TerminalControl{Type: protocol.ControlReady, Terminal: &live, Epoch: 2, Offset: 4096},
		"TerminalControl.snapshot": protocol.TerminalControl{Type: protocol.ControlSnapshot, Epoch: 2, Offset: 4096, Data: "\x1b[1mhi\x1b[0m\r\n", Cols: 80, Rows: 24},
		"TerminalControl.replayed": protocol.TerminalControl{Type: protocol.ControlReplayed, Epoch: 2, Offset: 8192},
		"TerminalControl.exit":     protocol.TerminalControl{Type: protocol.ControlExit, Exit: &protocol.Exit{Code: 3}},
		"TerminalControl.title":    protocol.TerminalControl{Type: protocol.ControlTitle, Title: "vim"},
		"TerminalControl.bell":     protocol.TerminalControl{Type: protocol.ControlBell},
		"TerminalControl.pong":     protocol.TerminalControl{Type: protocol.ControlPong, ID: 1},
		"TerminalControl.epoch":    protocol.TerminalControl{Type: protocol.ControlEpoch, Epoch: 3},
		"TerminalControl.state":    protocol.TerminalControl{Type: protocol.ControlState, Terminal: &ended},

		"ViewerControl.attach":     protocol.ViewerControl{Type: protocol.ControlAttach, Epoch: 2, Offset: 4096, Cols: 80, Rows: 24},
		"ViewerControl.checkpoint": protocol.ViewerControl{Type: protocol.ControlCheckpoint, Epoch: 2, Offset: 4096, Cols: 80, Rows: 24, Data: "x"},

		"PastSessionsReply": protocol.PastSessionsReply{
			Sessions: []protocol.PastSession{{Agent: protocol.AgentClaude, AgentName: "Claude Code", ID: "0205f437", Title: "The cart is empty", Folder: "/home/ada/src/shop", Updated: at, Conversation: "0b6f", Terminal: true, Chat: true}},
			Problem:  &protocol.Error{Code: protocol.CodeTimeout, Message: "the agent did not list its sessions in time", Hint: "try again"},
		},
		"PtySessionReply": protocol.PtySessionReply{Terminal: live, Attach: "dG9rZW4", Expires: at},
		"CommandReply":    protocol.CommandReply{OK: false, Tab: "t1", Error: &protocol.Error{Code: protocol.CodeUnknownTab, Message: "there is no tab t9", Hint: "name one of yours", Next: []protocol.Suggestion{protocol.Try("lists them", "tabs"), protocol.Example("goto", "example.com", "--tab", "t1")}}, DurationMS: 1.25},
		"Pairing":         protocol.Pairing{Version: protocol.Version, Session: "default", Port: 40123, Token: "dG9rZW4", Key: "a2V5", Epoch: 1},
		"Health":          protocol.Health{Status: "ok", Version: "0.1.0", Protocol: protocol.Version, UptimeS: 12.5, Proof: "00ff"},
		"BridgeEvent":     protocol.BridgeEvent{Type: protocol.BridgeReady, Version: "0.1.0", FocusedWindow: 1, Tabs: []protocol.BridgeTab{{ChromeTabID: 7, TargetID: "AB12", WindowID: 1, Active: true, URL: "https://example.com/", Title: "Example"}}},
		"ScheduleReply": protocol.ScheduleReply{Schedules: []protocol.Schedule{
			{Name: "report", What: protocol.ScheduleWhat{Routine: "report", Params: map[string]string{"city": "Paris"}, Start: "https://example.com"}, When: protocol.ScheduleWhen{At: "mon-fri 09:30"}, Session: "default", StartSession: true, MaxMinutes: 15, MaxSteps: 40, MaxTokens: 50000, Notify: protocol.ScheduleNotifyFailure, Created: at, Next: &at, Runs: []protocol.ScheduleRun{
				{State: protocol.ScheduleRunning, Reason: "user", Began: at, Task: "0b6f"},
				{State: protocol.ScheduleDone, Reason: "file", Began: at, DurationMS: 1200, File: "/home/ada/a.csv", Message: "Saved", Task: "0b6e", Steps: 3, Tokens: 900},
				{State: protocol.ScheduleMissed, Reason: "time", Began: at, Missed: 3, Message: "Pilotfish was not running"},
			}},
			{Name: "tea", What: protocol.ScheduleWhat{Commands: []string{"screenshot"}}, When: protocol.ScheduleWhen{Page: "https://shop.example/tea", Selector: ".price", EverySeconds: 1800}, Session: "default", MaxMinutes: 15, Notify: protocol.ScheduleNotifyNever, Off: true, Created: at, Runs: []protocol.ScheduleRun{}},
			{Name: "invoice", What: protocol.ScheduleWhat{Task: "book ${file}", Profile: "p1"}, When: protocol.ScheduleWhen{Folder: "/home/ada", Pattern: "*.csv"}, Session: "work", MaxMinutes: 5, Notify: protocol.ScheduleNotifyAlways, Created: at, Runs: []protocol.ScheduleRun{{State: protocol.ScheduleFailed, Reason: "file", Began: at, Message: "no"}}},
		}},
		"WindowState": protocol.WindowState{Theme: protocol.ThemeSystem, Version: "0.1.0", Sessions: []protocol.SessionInfo{info, failed}, Conversations: []protocol.WindowConversation{{Session: "default", ID: "0b6f", Tab: "t1", Title: talk.Title, Agent: talk.Agent, AgentName: talk.AgentName, State: talk.State, Waiting: 1}}, Agents: agents, Tray: protocol.TrayNoHost, Port: 40123, StateDir: "/state", LogDir: "/state/logs", TextSize: 100, Settings: 2, SettingsProblem: &protocol.SettingsProblem{File: "/config/settings.toml", Line: 3, Column: 1, Name: "font_size", Message: "font_size cannot be 99", Allowed: "a whole number from 8 to 32"}},
		"LogRecord":   protocol.LogRecord{Seq: 7, Time: at, Level: "WARN", Component: "browser", Message: "browser ended", Attrs: "code=1"},
		"SettingsRegistry": protocol.SettingsRegistry{
			File: "/config/settings.toml", Groups: []protocol.SettingGroup{{ID: "look", Title: "Appearance"}},
			Settings: []protocol.Setting{
				{Name: "text_size", Field: "textSize", Group: "look", Label: "Text size", Explanation: "The size of texts.", Kind: protocol.SettingNumber, Default: 100, Min: new(80), Max: new(150), Unit: "%", Choices: []protocol.SettingChoice{{Value: "100", Text: "Normal"}}, AtSessionStart: true},
				{Name: "agent_command", Field: "agentCommand", Group: "look", Label: "Command", Explanation: "A program.", Kind: protocol.SettingCommand, Default: "", Empty: "none", Example: "my-agent", When: &protocol.SettingCondition{Field: "agent", Is: "custom"}},
			},
		},
		"Settings":  protocol.Settings{Theme: protocol.ThemeLight, Agent: protocol.AgentAuto, TerminalGraceMinutes: 30, FontSize: 13, ActivityShots: true, TerminalNotices: true, StartSession: true, TextSize: 115, CDPAllow: "Page.captureSnapshot", ChatAgent: protocol.AgentAuto, ChatSilenceMinutes: 5, ChatRouting: protocol.ChatRouting{Instant: true, Strong: []string{"why"}, LongText: 600, Models: map[protocol.AgentKind]protocol.ChatModels{protocol.AgentClaude: {Fast: "small", Strong: "large"}}}},
		"TrayState": protocol.TrayState{Icon: protocol.IconNeedsYou, Tooltip: "claude needs you", Running: true, Tabs: []protocol.TrayTab{{Session: "default", ID: "t1", Label: "Example · claude needs you"}}},
	}
}

// TestGoldenFrames pins the encoded messages. A change here is a change of the
// protocol: the TypeScript tests read the same files.
func TestGoldenFrames(t *testing.T) {
	want := golden()
	for name, message := range want {
		got, err := json.MarshalIndent(message, "", "  ")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got = append(got, '\n')
		path := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test ./backend/protocol -update writes it)", err)
		}
		if !bytes.Equal(have, got) {
			t.Errorf("%s differs from what the code writes (go test ./backend/protocol -update, and look at the difference):\n%s", path, got)
		}
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(want) {
		t.Errorf("testdata has %d frames, the test knows %d", len(files), len(want))
	}
}
