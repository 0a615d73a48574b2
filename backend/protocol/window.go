package protocol

import (
	"time"
)

// Settings are the user's settings. On disk they are TOML with comments; package config
// writes those without a key there in another form.
type Settings struct {
	// BrowserPath is the browser's program; empty means the first one that is
	// found.
	BrowserPath string `json:"browserPath" toml:"browser_path"`
	// ProfileDir is the browser profile of the default session; empty means
	// inside the session's own folder.
	ProfileDir string `json:"profileDir" toml:"profile_dir"`
	// StartURL is the first page; empty means the welcome page.
	StartURL string `json:"startUrl" toml:"start_url"`
	// Agent is the agent that a terminal runs.
	Agent AgentKind `json:"agent" toml:"agent"`
	// AgentCommand is the command line of AgentCustom.
	AgentCommand string `json:"agentCommand" toml:"agent_command"`
	// AgentArgs are further arguments of the agent, as in a shell.
	AgentArgs string `json:"agentArgs" toml:"agent_args"`
	// WorkDir is where agents start; empty means a folder of the app's own.
	WorkDir string `json:"workDir" toml:"work_dir"`
	// ConfineAgents confines agents where that is possible, see Confinement.
	ConfineAgents bool `json:"confineAgents" toml:"confine_agents"`
	// EveryTab starts an agent in each tab that is looked at.
	EveryTab bool `json:"everyTab" toml:"every_tab"`
	// TerminalGraceMinutes is how long a terminal runs without a viewer, in
	// minutes; 0 keeps it until the session stops.
	TerminalGraceMinutes int `json:"terminalGraceMinutes" toml:"terminal_grace_minutes"`
	// FontSize is the font size of the terminal in CSS pixels, 8 to 32.
	FontSize int `json:"fontSize" toml:"font_size"`
	// TextSize is the size of texts in window and panel, in percent, 80 to 150.
	TextSize int `json:"textSize" toml:"text_size"`
	// ChatAgent is the agent of a new conversation; AgentAuto is the first agent
	// that is installed, or Pilot if there is none.
	ChatAgent AgentKind `json:"chatAgent" toml:"chat_agent"`
	// ChatCommand is the command line of AgentCustom in Chat: a program that speaks
	// the Agent Client Protocol.
	ChatCommand string `json:"chatCommand" toml:"chat_command"`
	// ChatSilenceMinutes is after how many minutes the user is offered to end a
	// turn that produces nothing.
	ChatSilenceMinutes int `json:"chatSilenceMinutes" toml:"chat_silence_minutes"`
	// ChatRouting is the table that selects a message's route. If it has no words
	// or no models, the built-in ones apply; the built-in models also apply to an
	// agent that the table does not name.
	ChatRouting ChatRouting `json:"chatRouting" toml:"-"`
	// CDPAllow are the methods of the DevTools protocol that the command `cdp` may
	// send for the user in addition to the harmless ones, separated by spaces.
	// CDPAllowAgents are those that it may send for agents; the user is asked each
	// time unless a site rule says otherwise.
	CDPAllow       string `json:"cdpAllow" toml:"-"`
	CDPAllowAgents string `json:"cdpAllowAgents" toml:"-"`
	// Theme is the theme of window and panel.
	Theme Theme `json:"theme" toml:"theme"`
	// ActivityShots keeps a small screenshot of the page after each command that acts,
	// for the activity.
	ActivityShots bool `json:"activityShots" toml:"activity_shots"`
	// TerminalNotices shows a desktop notification when a terminal that is not in view
	// rings its bell or needs the user.
	TerminalNotices bool `json:"terminalNotices" toml:"terminal_notifications"`
	// StartOnLogin starts the app when the user logs in to the desktop.
	StartOnLogin bool `json:"startOnLogin" toml:"start_on_login"`
	// StartSession starts the default session with the app.
	StartSession bool `json:"startSession" toml:"start_session"`
	// NotifyURL is where a message is posted when something needs the user; empty for
	// nowhere. Who knows the address can post there, so clients get it masked.
	NotifyURL string `json:"notifyUrl" toml:"notify_url"`
}

// Theme is the color theme of window and panel.
type Theme string

// The themes.
const (
	ThemeSystem Theme = "system" // as the desktop
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// LogRecord is one line of the log as the window shows it.
type LogRecord struct {
	// Seq grows by one with each record of this run.
	Seq       uint64    `json:"seq"`
	Time      time.Time `json:"time"`
	Level     string    `json:"level"` // DEBUG, INFO, WARN, ERROR
	Component string    `json:"component,omitempty"`
	Message   string    `json:"message"`
	// Attrs are the attributes as text: "key=value key=value".
	Attrs string `json:"attrs,omitempty"`
}

// TrayHost says whether the desktop shows tray icons.
type TrayHost string

// The states of the tray.
const (
	TrayStarting TrayHost = "starting"
	TrayShown    TrayHost = "shown"
	// TrayNoHost: the desktop has no place for tray icons.
	TrayNoHost TrayHost = "no_host"
	// TrayFailed: the tray program could not be kept running.
	TrayFailed TrayHost = "failed"
)

// WindowState is everything that the app window shows. The whole state is sent
// at every change.
type WindowState struct {
	Version  string        `json:"version"`
	Sessions []SessionInfo `json:"sessions"`
	// Conversations are the conversations beside an open tab, and those without a
	// tab that are active; the newest first.
	Conversations []WindowConversation `json:"conversations"`
	// Questions are the tasks that wait for the user's answer, oldest first.
	Questions []WindowQuestion `json:"questions,omitempty"`
	Agents    AgentsFile       `json:"agents"`
	Tray      TrayHost         `json:"tray"`
	// Problem is a start-up error of the app itself.
	Problem *Error `json:"problem,omitempty"`
	// Port is the port of the loopback server; 0 while it is down.
	Port int `json:"port"`
	// Browsers are the browsers found on this machine. The first is the one that
	// an empty Settings.BrowserPath means.
	Browsers []FoundBrowser `json:"browsers,omitempty"`
	// BrowserInstall is the command that installs a browser on this system; empty
	// when we do not know one.
	BrowserInstall string `json:"browserInstall,omitempty"`
	// FirstRun: the user has not yet seen the steps of the first run.
	FirstRun bool `json:"firstRun,omitempty"`
	// Models counts the changes of the model profiles. A window that shows them
	// requests them again when it changes.
	Models uint64 `json:"models"`
	// Schedules counts the changes of the schedules and their runs, in the same way.
	Schedules uint64 `json:"schedules"`
	// Work counts the changes of tasks and routines, in the same way.
	Work uint64 `json:"work"`
	// Theme and TextSize are those of the settings.
	Theme    Theme `json:"theme"`
	TextSize int   `json:"textSize"`
	// Settings counts the changes of the settings. A window that shows them requests
	// them again when it changes.
	Settings uint64 `json:"settings"`
	// SettingsProblem is what is wrong in the settings file; absent when nothing is.
	SettingsProblem *SettingsProblem `json:"settingsProblem,omitempty"`
	Confinement     Confinement      `json:"confinement"`
	// StateDir and LogDir are shown with "open folder".
	StateDir string `json:"stateDir"`
	LogDir   string `json:"logDir"`
}

// WindowConversation is a conversation in the window's list. It is not in any
// state that a command line or an agent gets, because its title is the user's
// text.
type WindowConversation struct {
	Session   SessionName       `json:"session"`
	ID        ConversationID    `json:"id"`
	Tab       TabID             `json:"tab,omitempty"`
	Title     string            `json:"title"`
	Agent     AgentKind         `json:"agent"`
	AgentName string            `json:"agentName"`
	State     ConversationState `json:"state"`
	// Waiting is how many messages are queued.
	Waiting int `json:"waiting,omitempty"`
}

// WindowQuestion is a question of a task in the window's list.
type WindowQuestion struct {
	Session      SessionName `json:"session"`
	Task         TaskID      `json:"task"`
	Title        string      `json:"title"`
	Tab          TabID       `json:"tab,omitempty"`
	Since        time.Time   `json:"since"`
	TaskQuestion `tstype:",extends"`
}

// SessionWork is what the window shows of a session on request: the saved routines, and
// the tasks, newest first.
type SessionWork struct {
	Routines []TaskRoutine `json:"routines"`
	Tasks    []Task        `json:"tasks"`
}

// MaxWindowTasks is how many tasks a SessionWork has at most.
const MaxWindowTasks = 50

// FoundBrowser is a browser that Pilotfish could run.
type FoundBrowser struct {
	Name string `json:"name"` // "Chromium", "Google Chrome", …
	Path string `json:"path"`
	// Version is what the browser says; empty when it did not say it in time.
	Version string `json:"version,omitempty"`
}

// SettingsError is why SaveSettings failed: the Error that it returns is this
// struct as JSON.
type SettingsError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Field is the JSON name of the invalid setting; empty when there is none.
	Field string `json:"field,omitempty"`
}

// TrayIcon is the tray icon for a state.
type TrayIcon string

// The icons of the tray.
const (
	IconStopped  TrayIcon = "stopped"
	IconRunning  TrayIcon = "running"
	IconWorking  TrayIcon = "working"
	IconNeedsYou TrayIcon = "needs_you"
	IconError    TrayIcon = "error"
)

// TrayState is what the app writes to the tray program, one JSON object per
// line: the whole menu, every time.
type TrayState struct {
	Icon    TrayIcon `json:"icon"`
	Tooltip string   `json:"tooltip"`
	// Running selects "Start session" or "Stop session".
	Running bool `json:"running"`
	// Busy disables that entry while the session starts or stops.
	Busy bool      `json:"busy"`
	Tabs []TrayTab `json:"tabs"`
	// Approvals are the requests that wait for the user, oldest first. While there
	// are any, the first menu entry opens the oldest.
	Approvals []TrayApproval `json:"approvals,omitempty"`
}

// TrayApproval is a request that waits for the user, in the tray's menu.
type TrayApproval struct {
	Session SessionName `json:"session"`
	ID      string      `json:"id"`
	Label   string      `json:"label"` // who, what and where, shortened
	// Whole: the label says all that is asked, so that it can be allowed there.
	Whole bool `json:"whole,omitempty"`
}

// TrayTab is a tab in the tray's menu.
type TrayTab struct {
	Session SessionName `json:"session"`
	ID      TabID       `json:"id"`
	Label   string      `json:"label"` // title and agent state, shortened
}

// TrayAction is what the tray program writes back, one JSON object per line.
type TrayAction struct {
	Action  TrayActionType `json:"action"`
	Session SessionName    `json:"session,omitempty"`
	Tab     TabID          `json:"tab,omitempty"`

	Approval string         `json:"approval,omitempty"`
	Answer   ApprovalAnswer `json:"answer,omitempty"`
}

// TrayActionType is the kind of a TrayAction.
type TrayActionType string

// The actions of the tray's menu.
const (
	TrayReady  TrayActionType = "ready"   // the icon is registered with a host
	TrayAbsent TrayActionType = "no_host" // there is no host for icons
	TrayStart  TrayActionType = "start"
	TrayStop   TrayActionType = "stop"
	TrayTabOp  TrayActionType = "tab" // bring this tab and its panel to the front
	TrayOpen   TrayActionType = "open"
	TrayAnswer TrayActionType = "answer" // the user's answer to an approval
	TrayReview TrayActionType = "review" // bring an approval to the front
	TrayLogs   TrayActionType = "logs"
	TrayQuit   TrayActionType = "quit"
)
