package protocol

import "time"

// SessionState is where a session is in its life.
type SessionState string

// The states of a session.
const (
	SessionStopped  SessionState = "stopped"
	SessionStarting SessionState = "starting"
	SessionRunning  SessionState = "running"
	SessionStopping SessionState = "stopping"
	// SessionRestarting is a browser that ended by itself and is being started again.
	SessionRestarting SessionState = "restarting"
	// SessionFailed needs the person: Error says what to do.
	SessionFailed SessionState = "failed"
)

// SessionInfo is what window, tray and command line show of a session.
type SessionInfo struct {
	Name SessionName `json:"name"`
	// Title is the name that the user gave it, where that could not be a folder's.
	Title string       `json:"title,omitempty"`
	State SessionState `json:"state"`
	// StartedAt is when the browser came up; absent while it is not running.
	StartedAt *time.Time `json:"startedAt,omitempty"`
	Error     *Error     `json:"error,omitempty"`
	// Warnings are things to know that do not stop the session, such as a
	// browser that runs without its sandbox.
	Warnings  []Error        `json:"warnings"`
	Browser   *BrowserInfo   `json:"browser,omitempty"`
	Panel     PanelState     `json:"panel"`
	Tabs      []Tab          `json:"tabs"`
	Terminals []TerminalInfo `json:"terminals"`
	// Approvals are what waits for a person, oldest first.
	Approvals []Approval `json:"approvals,omitempty"`
}

// Awaited is the terminal that a panel will show when it opens: of those of the
// tab in front, or of the only tab, the one that was shown last, or the newest
// where none was; nil for none, and where somebody views it already.
func (s *SessionInfo) Awaited() *TerminalInfo {
	var front TabID
	for _, tab := range s.Tabs {
		if tab.Focused || len(s.Tabs) == 1 {
			front = tab.ID
		}
	}
	var next *TerminalInfo
	for i := range s.Terminals {
		t := &s.Terminals[i]
		if t.Tab == front && (next == nil || t.Shown > next.Shown || (t.Shown == next.Shown && t.StartedAt.After(next.StartedAt))) {
			next = t
		}
	}
	if next == nil || next.Viewers > 0 || (next.State != TerminalLive && next.State != TerminalStarting) {
		return nil
	}
	return next
}

// PanelState says whether a side panel of the session is connected.
type PanelState string

// The states of the panel.
const (
	PanelAbsent    PanelState = "absent"
	PanelConnected PanelState = "connected"
)

// BrowserInfo is the browser that a session runs.
type BrowserInfo struct {
	Name    string `json:"name"`    // "Chromium", "Google Chrome", …
	Version string `json:"version"` // as the browser says it
	Path    string `json:"path"`
	PID     int    `json:"pid"`
	Sandbox bool   `json:"sandbox"`
}

// Tab is one tab of the browser, the same everywhere: panel, command line,
// tabs.json, activity, tray.
type Tab struct {
	ID    TabID  `json:"id"`
	URL   string `json:"url"`
	Title string `json:"title"`
	// Active is the front tab of its window.
	Active bool `json:"active"`
	// Focused is the front tab of the window that was focused last; at most one
	// tab of a session has it.
	Focused bool `json:"focused"`
	Loading bool `json:"loading"`
	Crashed bool `json:"crashed,omitempty"`
	// ChromeTabID and WindowID are the browser's own numbers. They are for our
	// extension only: everybody else names a tab by ID.
	ChromeTabID int `json:"chromeTabId,omitempty"`
	WindowID    int `json:"windowId,omitempty"`
	Index       int `json:"index"`
	// Opener is the tab whose page opened this one.
	Opener TabID `json:"opener,omitempty"`
	// Agent is the state of the agent of this tab; absent when it has none.
	Agent *TabAgent `json:"agent,omitempty"`
}

// TabAgent is what a tab's agent is doing, in one word and one name.
type TabAgent struct {
	Name   string      `json:"name"`
	Status AgentStatus `json:"status"`
}

// TabsFile is tabs.json: the tabs that an agent may know of. Written whole or
// not at all.
type TabsFile struct {
	Version int       `json:"version"`
	Updated time.Time `json:"updated"`
	Tabs    []Tab     `json:"tabs"`
}

// ActiveTabFile is active-tab.json: the tab that the person looks at.
type ActiveTabFile struct {
	Version int       `json:"version"`
	Updated time.Time `json:"updated"`
	Tab     *Tab      `json:"tab"`
}

// StateVersion is the version of the files in the state folder.
const StateVersion = 1
