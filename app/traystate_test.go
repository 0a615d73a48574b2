package main

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

func sessionInfo(name protocol.SessionName, state protocol.SessionState, agents ...protocol.AgentStatus) protocol.SessionInfo {
	s := protocol.SessionInfo{Name: name, State: state}
	for i, status := range agents {
		s.Terminals = append(s.Terminals, protocol.TerminalInfo{
			ID: protocol.TerminalID(fmt.Sprint("x", i)), Session: name, Tab: "t2", Agent: protocol.AgentClaude, Name: "claude",
			State: protocol.TerminalLive, Status: status, Epoch: 1, Cols: 80, Rows: 24,
		})
	}
	return s
}

func TestTrayIconIsTheMostUrgent(t *testing.T) {
	const (
		idle    = protocol.AgentIdle
		working = protocol.AgentWorking
		needs   = protocol.AgentNeedsYou
	)
	tests := []struct {
		name     string
		sessions []protocol.SessionInfo
		problem  *protocol.Error
		icon     protocol.TrayIcon
		tooltip  string
		running  bool
		busy     bool
	}{
		{name: "nothing", icon: protocol.IconStopped, tooltip: "stopped"},
		{
			name:     "stopped",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionStopped)},
			icon:     protocol.IconStopped, tooltip: "stopped",
		},
		{
			name:     "starting",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionStarting)},
			icon:     protocol.IconStopped, tooltip: "starting", busy: true,
		},
		{
			name: "waiting for its user",
			sessions: []protocol.SessionInfo{
				{Name: "a", State: protocol.SessionStarting, Attaching: &protocol.Attaching{Browser: "Google Chrome", Step: protocol.AttachAllow}},
			},
			icon: protocol.IconNeedsYou, tooltip: "Google Chrome needs you", running: true,
		},
		{
			name: "waiting for an engine",
			sessions: []protocol.SessionInfo{
				{Name: "a", State: protocol.SessionStarting, Attaching: &protocol.Attaching{Browser: "grid.example", Step: protocol.AttachFull}},
			},
			icon: protocol.IconStopped, tooltip: "starting", running: true,
		},
		{
			name: "a task asks",
			sessions: []protocol.SessionInfo{
				{Name: "a", State: protocol.SessionRunning, Tasks: []protocol.Task{{ID: "k1", State: protocol.TaskWaiting}}},
			},
			icon: protocol.IconNeedsYou, tooltip: "A task asks you", running: true,
		},
		{
			name: "a task failed, and waits for nothing",
			sessions: []protocol.SessionInfo{
				{Name: "a", State: protocol.SessionRunning, Tasks: []protocol.Task{{ID: "k1", State: protocol.TaskFailed}}},
			},
			icon: protocol.IconRunning, tooltip: "running", running: true,
		},
		{
			name:     "running",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionStopped), sessionInfo("b", protocol.SessionRunning, idle)},
			icon:     protocol.IconRunning, tooltip: "running", running: true,
		},
		{
			name:     "stopping",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionStopping)},
			icon:     protocol.IconRunning, tooltip: "stopping", running: true, busy: true,
		},
		{
			name:     "a browser that is started again",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionRestarting)},
			icon:     protocol.IconRunning, tooltip: "running", running: true,
		},
		{
			name:     "working",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionRunning, idle, working)},
			icon:     protocol.IconWorking, tooltip: "claude is working", running: true,
		},
		{
			name:     "needs you before working, across sessions",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionRunning, working), sessionInfo("b", protocol.SessionRunning, needs)},
			icon:     protocol.IconNeedsYou, tooltip: "claude needs you", running: true,
		},
		{
			name: "error before needs you",
			sessions: []protocol.SessionInfo{
				sessionInfo("a", protocol.SessionRunning, needs),
				{Name: "b", State: protocol.SessionFailed, Error: protocol.NewError(protocol.CodeNoBrowser, "no browser was found", "install one")},
			},
			icon: protocol.IconError, tooltip: "no browser was found", running: true,
		},
		{
			name:     "a problem of the app itself",
			sessions: []protocol.SessionInfo{sessionInfo("a", protocol.SessionRunning, needs)},
			problem:  protocol.NewError(protocol.CodeNotWritable, "the state folder cannot be written", ""),
			icon:     protocol.IconError, tooltip: "the state folder cannot be written", running: true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := trayState(protocol.WindowState{Sessions: test.sessions, Problem: test.problem})
			if got.Icon != test.icon || got.Tooltip != "Pilotfish: "+test.tooltip || got.Running != test.running || got.Busy != test.busy {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestTrayListsTheTabsOfWhatRuns(t *testing.T) {
	one := sessionInfo("default", protocol.SessionRunning)
	one.Tabs = []protocol.Tab{
		{ID: "t1", Title: "Welcome", Agent: &protocol.TabAgent{Name: "claude", Status: protocol.AgentNeedsYou}},
		{ID: "t2", URL: "https://example.test/"},
	}
	stopped := sessionInfo("old", protocol.SessionStopped)
	stopped.Tabs = []protocol.Tab{{ID: "t9", Title: "gone"}}

	labels := func(state protocol.TrayState) string {
		var all []string
		for _, tab := range state.Tabs {
			all = append(all, string(tab.Session)+"/"+string(tab.ID)+" "+tab.Label)
		}
		return strings.Join(all, "\n")
	}
	got := labels(trayState(protocol.WindowState{Sessions: []protocol.SessionInfo{one, stopped}}))
	if want := "default/t1 Welcome — claude needs you\ndefault/t2 https://example.test/"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	two := sessionInfo("work", protocol.SessionRunning)
	two.Tabs, two.Identity = []protocol.Tab{{ID: "t1", Title: "Mail", Crashed: true}}, &protocol.IdentityFacts{Color: "#c5221f"}
	got = labels(trayState(protocol.WindowState{Sessions: []protocol.SessionInfo{one, two}}))
	if want := "default/t1 default · Welcome — claude needs you\ndefault/t2 default · https://example.test/\nwork/t1 🔴 work · Mail (crashed)"; got != want {
		t.Errorf("several sessions: got\n%s\nwant\n%s", got, want)
	}
	got = labels(trayState(protocol.WindowState{Sessions: []protocol.SessionInfo{two}}))
	if want := "work/t1 🔴 work · Mail (crashed)"; got != want {
		t.Errorf("another session than the default one: got %q, want %q", got, want)
	}
}

// A menu shows a session's colour as the nearest circle there is.
func TestCirclesOfSessions(t *testing.T) {
	for color, want := range map[string]string{
		"#1a73e8": "🔵 ", "#188038": "🟢 ", "#c5221f": "🔴 ", "#e37400": "🟠 ", "#9334e6": "🟣 ", "#ffffff": "⚪ ", "#000000": "⚫ ", "": "", "red": "",
	} {
		if got := dot(&protocol.IdentityFacts{Color: color}); got != want {
			t.Errorf("%s is %q, want %q", color, got, want)
		}
	}
	if dot(nil) != "" {
		t.Error("a session without a colour has a circle")
	}
}

func TestLabelsAreOneShortLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"short", "short"},
		{"two\nlines\tand   spaces ", "two lines and spaces"},
		{"\u202ereversed\u2066", "reversed"},
		{strings.Repeat("ä", labelRunes), strings.Repeat("ä", labelRunes)},
		{strings.Repeat("漢", labelRunes+1), strings.Repeat("漢", labelRunes-1) + "…"},
	}
	for _, test := range tests {
		if got := shorten(test.in); got != test.want {
			t.Errorf("shorten(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzLabel(f *testing.F) {
	f.Add("a title\xff")
	f.Fuzz(func(t *testing.T, title string) {
		label := shorten(title)
		if !utf8.ValidString(label) || utf8.RuneCountInString(label) > labelRunes || strings.ContainsAny(label, "\n\r\x1b") {
			t.Errorf("shorten(%q) = %q", title, label)
		}
	})
}

func TestTrayShowsWhatWaits(t *testing.T) {
	waiting := protocol.Approval{
		ID: "n1", Session: "default", Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: "k", Name: "claude in t1", Agent: "Claude Code", Tab: "t1"},
		Words: protocol.ApprovalWords{Who: "Claude Code in the terminal of t1", What: "click “Buy\u202e now”", Where: "https://example.com\u202e"},
	}
	// The menu cannot show the code of this approval.
	code := waiting
	code.ID, code.Words.What, code.Words.Details = "n2", "run JavaScript", []protocol.ApprovalArg{{Name: "expression", Value: "x()\nx()"}}
	// Who asks is a part of the question.
	task := waiting
	task.ID, task.Words.Who = "n3", "Task “"+strings.Repeat("x", labelRunes)+"”"
	got := trayState(protocol.WindowState{Sessions: []protocol.SessionInfo{{
		Name: "default", State: protocol.SessionRunning, Approvals: []protocol.Approval{waiting, code, task},
	}}, Confinement: protocol.Confinement{On: true}})
	if got.Icon != protocol.IconNeedsYou || got.Tooltip != "Pilotfish: Claude Code in the terminal of t1 needs your approval" {
		t.Errorf("icon %s, tooltip %q", got.Icon, got.Tooltip)
	}
	want := []protocol.TrayApproval{
		{Session: "default", ID: "n1", Label: "Claude Code in the terminal of t1: click “Buy now” on https://example.com", Whole: true},
		{Session: "default", ID: "n2", Label: "Claude Code in the terminal of t1: run JavaScript on https://example.com"},
		{Session: "default", ID: "n3", Label: "Task “" + strings.Repeat("x", labelRunes-7) + "…: click “Buy now” on https://example.com"},
	}
	if !reflect.DeepEqual(got.Approvals, want) {
		t.Errorf("approvals are %+v and not %+v", got.Approvals, want)
	}
	// Where an agent reaches the message bus, it could press the menu for the user.
	open := protocol.NewError(protocol.CodeNotConfined, "open", "")
	program := waiting
	program.Actor = protocol.Actor{Kind: protocol.ActorMCP, ID: "1", Name: "Zed"}
	for _, one := range []struct {
		approval protocol.Approval
		state    protocol.Confinement
	}{{waiting, protocol.Confinement{}}, {waiting, protocol.Confinement{On: true, Problem: open}}, {waiting, protocol.Confinement{On: true, Desktop: open}}, {program, protocol.Confinement{On: true}}} {
		got := trayState(protocol.WindowState{Confinement: one.state, Sessions: []protocol.SessionInfo{{Name: "default", State: protocol.SessionRunning, Approvals: []protocol.Approval{one.approval}}}})
		if len(got.Approvals) != 1 || got.Approvals[0].Whole != (runtime.GOOS != "linux") {
			t.Errorf("with %+v the menu offers %+v", one.state, got.Approvals)
		}
	}
}
