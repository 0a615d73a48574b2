package protocol

import (
	"fmt"
	"time"
)

// SessionState is the state of a session.
type SessionState string

// The states of a session.
const (
	SessionStopped  SessionState = "stopped"
	SessionStarting SessionState = "starting"
	SessionRunning  SessionState = "running"
	SessionStopping SessionState = "stopping"
	// SessionRestarting: the browser ended unexpectedly and is being restarted.
	SessionRestarting SessionState = "restarting"
	// SessionBackground: the user closed the browser while something worked;
	// terminals and conversations run on, and a start opens the browser again.
	SessionBackground SessionState = "background"
	// SessionFailed: the user has to act; Error says what to do.
	SessionFailed SessionState = "failed"
)

// SessionInfo is what window, tray and command line show of a session.
type SessionInfo struct {
	Name SessionName `json:"name"`
	// Title is the name that the user chose, if it cannot be a folder's name.
	Title string       `json:"title,omitempty"`
	State SessionState `json:"state"`
	// Alone: there is no other session.
	Alone bool `json:"alone,omitempty"`
	// StartedAt is when the browser came up; absent while it is not running.
	StartedAt *time.Time `json:"startedAt,omitempty"`
	Error     *Error     `json:"error,omitempty"`
	// Warnings are problems that do not stop the session, such as a browser that
	// runs without its sandbox.
	Warnings  []Error        `json:"warnings"`
	Browser   *BrowserInfo   `json:"browser,omitempty"`
	Panel     PanelState     `json:"panel"`
	Tabs      []Tab          `json:"tabs"`
	Terminals []TerminalInfo `json:"terminals"`
	// Approvals are the requests that wait for the user, oldest first.
	Approvals []Approval `json:"approvals,omitempty"`
	// Identity is absent when nothing of it is set. Of a stopped session it has colour and browser.
	Identity *IdentityFacts `json:"identity,omitempty"`
	// Attaching is set while the session waits for a browser that Pilotfish does not start.
	Attaching *Attaching `json:"attaching,omitempty"`
	// Tasks are those that need the user. Clients get them with the panel's events.
	Tasks []Task `json:"-"`
}

// Awaited returns the terminal that a panel will show when it opens. Of the
// terminals of the front tab, or of the only tab, it is the one that was shown
// last, or the newest if none was. It is nil if there is none, if it has a
// viewer already, or if it is neither starting nor live.
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
	Version string `json:"version"` // as the browser reports it
	Path    string `json:"path"`
	PID     int    `json:"pid"`
	Sandbox bool   `json:"sandbox"`
	// Attached: its user started it and works in it; Pilotfish was allowed to use it.
	Attached bool `json:"attached,omitempty"`
	// Remote: an engine elsewhere runs it; Name is that engine's host.
	Remote bool `json:"remote,omitempty"`
	// Cannot is what it cannot do for a session; absent for a browser of Pilotfish's own.
	Cannot []Capability `json:"cannot,omitempty"`
}

// Capability is something that a browser of Pilotfish's own can do, and not every browser.
type Capability string

// The capabilities.
const (
	// CapabilitySignIns: sign-ins of other browsers are imported into it.
	CapabilitySignIns Capability = "signins"
	// CapabilityLogins: it answers servers that ask for a login with the user's secrets, and
	// sends the headers among them.
	CapabilityLogins Capability = "logins"
	// CapabilityTrace: what it does is traced. A trace names the addresses of all of its tabs.
	CapabilityTrace Capability = "trace"
)

// GivenTab is a tab of the user's own browser that agents can use, or no longer.
type GivenTab struct {
	Tab   TabID `json:"tab"`
	Given bool  `json:"given"`
}

// AttachStep is what the user has to do until a session may use a browser that runs.
type AttachStep string

// The steps with remote debugging: start the browser and switch it on at AttachAddress, and
// press Allow in the dialog that the browser then shows. Without it: install the extension
// and open its panel, enter the code that the panel shows, and open the panel again that was
// closed. Two are for nobody to do: with AttachFull the engine that gives the browser has none
// free, with AttachAway it cannot be reached any more; it is asked again.
const (
	AttachSwitchOn AttachStep = "switch-on"
	AttachAllow    AttachStep = "allow"
	AttachInstall  AttachStep = "install"
	AttachCode     AttachStep = "code"
	AttachPanel    AttachStep = "panel"
	AttachFull     AttachStep = "full"
	AttachAway     AttachStep = "away"
)

// ByHand is the value of SessionIdentity.Browser for a browser in which the user has installed
// the extension, without remote debugging.
const ByHand = "by-hand"

// AttachAddress is the browser's page on which its user switches remote debugging on.
const AttachAddress = "chrome://inspect/#remote-debugging"

// Ask says what the session waits for, in a sentence without its full stop.
func (a Attaching) Ask() string {
	const you, enter = "waiting for you: ", "run `pilotfish pair CODE` with the code that the panel shows"
	switch {
	case a.Step == AttachAllow:
		return you + "press Allow in the dialog of " + a.Browser
	case a.Step == AttachInstall:
		return you + fmt.Sprintf("open chrome://extensions in your browser, switch on \"Developer mode\", and choose %s with \"Load unpacked\"; open %s there and then the panel of Pilotfish, and %s", a.Folder, a.Page, enter)
	case a.Step == AttachCode:
		return you + enter
	case a.Step == AttachPanel:
		return you + "open the panel of Pilotfish in your browser; if it shows a code, " + enter
	case a.Step == AttachFull && a.Until != nil:
		return fmt.Sprintf("waiting: %s has no free browser, and is asked again at %s", a.Browser, a.Until.Local().Format(time.TimeOnly))
	case a.Step == AttachAway:
		return fmt.Sprintf("waiting: %s cannot be reached, and is dialled again for up to 5 minutes", a.Browser)
	}
	return fmt.Sprintf("waiting for you: start %s, open %s there, and switch on \"Allow remote debugging for this browser instance\"", a.Browser, AttachAddress)
}

// NewSession is a session to make.
type NewSession struct {
	// Title is the name that the user chose.
	Title string `json:"title"`
	// Identity is what the session keeps; absent for none.
	Identity *SessionIdentity `json:"identity,omitempty"`
}

// Attaching is a session that waits for a browser that Pilotfish does not start.
type Attaching struct {
	// Browser is its name, or the host of the engine that gives it.
	Browser string     `json:"browser"`
	Step    AttachStep `json:"step"`
	// Until is set for AttachFull: the engine is asked again then.
	Until *time.Time `json:"until,omitempty"`
	// Folder has the extension to install by hand, and Page is the app's page by which the
	// panel finds the app. Both are only for a browser without remote debugging.
	Folder string `json:"folder,omitempty"`
	Page   string `json:"page,omitempty"`
}

// Tab is one tab of the browser, the same everywhere: panel, command line,
// tabs.json, activity, tray.
type Tab struct {
	ID    TabID  `json:"id"`
	URL   string `json:"url"`
	Title string `json:"title"`
	// Untrusted: the page at Origin wrote the title and most of the address. Both are
	// set where a tab is encoded.
	Untrusted bool   `json:"untrusted,omitempty"`
	Origin    string `json:"origin,omitempty"`
	// Given: the browser is the user's own, and the user lets agents use this tab.
	Given bool `json:"given,omitempty"`
	// Private: the browser is the user's own, and no agent sees this tab.
	Private bool `json:"private,omitempty"`
	// Active is the front tab of its window.
	Active bool `json:"active"`
	// Focused is the front tab of the window that was focused last; at most one
	// tab of a session has it.
	Focused bool `json:"focused"`
	Loading bool `json:"loading"`
	Crashed bool `json:"crashed,omitempty"`
	// ChromeTabID and WindowID are the browser's own numbers. Only our extension
	// uses them; everything else names a tab by ID.
	ChromeTabID int `json:"chromeTabId,omitempty"`
	WindowID    int `json:"windowId,omitempty"`
	Index       int `json:"index"`
	// Opener is the tab whose page opened this one.
	Opener TabID `json:"opener,omitempty"`
	// ByUser: no command acted on Opener when it opened this one, so the user did it.
	ByUser bool `json:"byUser,omitempty"`
	// Agent is the state of this tab's agent; absent when it has none.
	Agent *TabAgent `json:"agent,omitempty"`
}

// TabAgent is the name and the status of a tab's agent.
type TabAgent struct {
	Name   string      `json:"name"`
	Status AgentStatus `json:"status"`
}

// TabsFile is the content of tabs.json: the tabs that an agent may know of. It
// is written atomically.
type TabsFile struct {
	Version int       `json:"version"`
	Updated time.Time `json:"updated"`
	Tabs    []Tab     `json:"tabs"`
}

// ActiveTabFile is the content of active-tab.json: the tab that the user looks
// at.
type ActiveTabFile struct {
	Version int       `json:"version"`
	Updated time.Time `json:"updated"`
	Tab     *Tab      `json:"tab"`
}

// StateVersion is the version of the files in the state folder.
const StateVersion = 1
