package protocol

import "encoding/json"

// Pairing is what the app writes into the extension's session storage through
// the browser's private pipe, under the key PairingKey. No file, URL or route
// ever contains it.
type Pairing struct {
	Version string      `json:"version"`
	Session SessionName `json:"session"`
	Port    int         `json:"port"`
	Token   string      `json:"token"`
	// Key proves the server's identity: before the panel sends its token, it calls
	// GET /health?challenge=HEX and compares the proof with HMAC-SHA256(Key,
	// challenge).
	Key string `json:"key"`
	// Epoch grows with every pairing of this app run.
	Epoch int `json:"epoch"`
	// ByHand: the user installed the extension and entered the panel's code. There is no
	// pipe: the panel keeps the pairing itself, reports the tabs, and carries commands out.
	ByHand bool `json:"byHand,omitempty"`
}

// PairRequest is the body of POST /pair: a panel without a pairing asks for one. It shows its
// code to the user and never sends it. MAC, in hex, is HMAC-SHA256 with the code as the key
// over the lines PairPanel, port and nonce: a program on another port cannot pass it on.
type PairRequest struct {
	Nonce string `json:"nonce"`
	MAC   string `json:"mac"`
}

// PairReply is sent once the user has entered the code. MAC, as in PairRequest but over the
// lines PairApp, port, nonce, and the pairing's token and key, proves to the panel that the app
// knows the code.
type PairReply struct {
	Pairing Pairing `json:"pairing"`
	MAC     string  `json:"mac"`
}

// The first lines of the texts of a PairRequest and a PairReply.
const (
	PairPanel = "pilotfish panel"
	PairApp   = "pilotfish app"
)

// PanelTasks is the parameter of the panel's socket by which the task page says that it is one.
const PanelTasks = "tasks"

// PairingKey is the key of Pairing in chrome.storage.session.
const PairingKey = "pilotfish.pairing"

// HeaderProgram is the header by which `pilotfish mcp` says for which program it asks:
// an id of the connection, a space, and the program's name. The holder of the token of
// the command line then acts as that program, with the rights of an agent.
const HeaderProgram = "Pilotfish-Program"

// TokenSubprotocol is the prefix of the subprotocol that carries a token at a
// WebSocket upgrade, beside Version. The server selects Version, so the
// response does not repeat the token.
const TokenSubprotocol = "token."

// PanelEventType is the type of a message from the backend to the panel.
type PanelEventType string

// The messages of the panel's socket, backend to panel.
const (
	PanelHello    PanelEventType = "hello"    // the whole state; first, and again after a gap
	PanelSession  PanelEventType = "session"  // the session changed
	PanelTabs     PanelEventType = "tabs"     // the tabs changed
	PanelTerminal PanelEventType = "terminal" // a terminal changed or is new
	PanelTermGone PanelEventType = "terminal_gone"
	PanelAgents   PanelEventType = "agents"   // the probe has a result
	PanelSettings PanelEventType = "settings" // what the panel shows of Settings changed
	PanelReauth   PanelEventType = "reauth"   // the token was rotated: send the new one
	PanelPairing  PanelEventType = "pairing"  // the new pairing, for a panel that keeps it itself
	PanelCarry    PanelEventType = "carry"    // carry something out in a browser that has no pipe
	PanelShow     PanelEventType = "show"     // show this tab's terminal
	PanelPong     PanelEventType = "pong"

	PanelConversation     PanelEventType = "conversation"      // a conversation's head changed or is new
	PanelConversationGone PanelEventType = "conversation_gone" // a conversation was deleted
	PanelChat             PanelEventType = "chat"              // events of a conversation that the panel watches

	PanelPicked PanelEventType = "picked" // a picker ended, with or without a picked element

	PanelTask      PanelEventType = "task"       // a task's head changed or is new
	PanelTaskGone  PanelEventType = "task_gone"  // a task was deleted
	PanelTaskOrder PanelEventType = "task_order" // a program starts a task
	PanelModels    PanelEventType = "models"     // the model profiles changed

	PanelFeed PanelEventType = "feed" // what is new in a feed that the panel follows
)

// HelloEvent is the whole state of a session as the panel needs it.
type HelloEvent struct {
	Type     PanelEventType `json:"type" tstype:"'hello'"`
	Version  string         `json:"version"`
	Session  SessionInfo    `json:"session"`
	Agents   AgentsFile     `json:"agents"`
	Settings PanelView      `json:"settings"`
	// Conversations are the heads of all conversations of the session, newest
	// first.
	Conversations []Conversation `json:"conversations"`
	// Panel names this panel while its socket is open. A panel that runs a task
	// sends it with its requests.
	Panel string `json:"panel"`
	// Tasks are the heads of the tasks that have not ended, newest first.
	Tasks []Task `json:"tasks"`
	// Attach saves the panel the request POST /pty-session for the terminal that
	// it shows first. Only the first hello of a socket has it.
	Attach *HelloAttach `json:"attach,omitempty"`
}

// HelloAttach is valid for one upgrade of one terminal's socket, like the token
// of PtySessionReply.
type HelloAttach struct {
	Terminal TerminalID `json:"terminal"`
	Token    string     `json:"token"`
}

// SessionEvent reports that the session's state changed. It also contains all
// tabs and terminals.
type SessionEvent struct {
	Type    PanelEventType `json:"type" tstype:"'session'"`
	Session SessionInfo    `json:"session"`
}

// TabsEvent carries all tabs.
type TabsEvent struct {
	Type PanelEventType `json:"type" tstype:"'tabs'"`
	Tabs []Tab          `json:"tabs"`
}

// TerminalEvent carries one terminal, changed or new.
type TerminalEvent struct {
	Type     PanelEventType `json:"type" tstype:"'terminal'"`
	Terminal TerminalInfo   `json:"terminal"`
}

// TerminalGoneEvent reports that a terminal was removed.
type TerminalGoneEvent struct {
	Type     PanelEventType `json:"type" tstype:"'terminal_gone'"`
	Terminal TerminalID     `json:"terminal"`
}

// AgentsEvent carries the result of the probe.
type AgentsEvent struct {
	Type   PanelEventType `json:"type" tstype:"'agents'"`
	Agents AgentsFile     `json:"agents"`
}

// SettingsEvent carries what the panel shows of Settings.
type SettingsEvent struct {
	Type     PanelEventType `json:"type" tstype:"'settings'"`
	Settings PanelView      `json:"settings"`
}

// ReauthEvent asks an open socket for the new token, which the panel got
// through the pipe.
type ReauthEvent struct {
	Type PanelEventType `json:"type" tstype:"'reauth'"`
}

// PairingEvent carries the new token to a panel that the app reaches over its socket only.
type PairingEvent struct {
	Type    PanelEventType `json:"type" tstype:"'pairing'"`
	Pairing Pairing        `json:"pairing"`
}

// ShowEvent asks the panel of a tab's window to show the tab's terminal, a
// conversation, or the picker of sign-ins.
type ShowEvent struct {
	Type     PanelEventType `json:"type" tstype:"'show'"`
	Tab      TabID          `json:"tab"`
	Terminal TerminalID     `json:"terminal,omitempty"`
	// Conversation is shown beside the tab. If it has no tab, it moves to this
	// one.
	Conversation ConversationID `json:"conversation,omitempty"`
	// SignIns opens the picker of sign-ins of other browsers.
	SignIns bool `json:"signIns,omitempty"`
}

// PongEvent is the response to a ping.
type PongEvent struct {
	Type PanelEventType `json:"type" tstype:"'pong'"`
	ID   int            `json:"id"`
}

// PanelView is the part of Settings that the panel shows.
type PanelView struct {
	Agent    AgentKind `json:"agent"`
	Command  string    `json:"command,omitempty"`
	FontSize int       `json:"fontSize"`
	// TextSize is the size of texts in percent.
	TextSize int `json:"textSize"`
	// EveryTab starts an agent in each tab that the user views, not only in the
	// first.
	EveryTab    bool        `json:"everyTab"`
	Confinement Confinement `json:"confinement"`
	// ChatAgent answers in a new conversation; AgentAuto is what the panel makes of
	// the probe, which changes when something is installed.
	ChatAgent AgentKind `json:"chatAgent"`
	Theme     Theme     `json:"theme"`
	// AppVersion is the version of the app, for users.
	AppVersion string `json:"appVersion"`
}

// PanelMessageType is the type of a message from the panel to the backend.
type PanelMessageType string

// The messages of the panel's socket, panel to backend.
const (
	PanelAuth PanelMessageType = "auth"
	PanelPing PanelMessageType = "ping"
	// PanelViewing reports which tab the panel shows now.
	PanelViewing PanelMessageType = "viewing"
	// PanelAnswer is the user's answer to an approval.
	PanelAnswer PanelMessageType = "answer"
	// PanelTheme sets the theme of window and panel.
	PanelTheme PanelMessageType = "theme"
	// PanelWindow brings the app's window to the front.
	PanelWindow PanelMessageType = "window"
	// PanelWatch subscribes to the events of a conversation after the index After;
	// PanelUnwatch ends that.
	PanelWatch   PanelMessageType = "chat_watch"
	PanelUnwatch PanelMessageType = "chat_unwatch"
	// PanelFollow begins to follow a feed after the index After, under an id that
	// the panel chooses; PanelUnfollow ends that.
	PanelFollow   PanelMessageType = "feed_follow"
	PanelUnfollow PanelMessageType = "feed_unfollow"
)

// PanelMessage is a message from the panel. Type says which fields are used.
type PanelMessage struct {
	Type  PanelMessageType `json:"type"`
	Token string           `json:"token,omitempty"` // auth
	ID    int              `json:"id,omitempty"`    // ping, feed_follow, feed_unfollow
	Tab   TabID            `json:"tab,omitempty"`   // viewing, feed_follow; empty for a feed of all tabs

	Approval string         `json:"approval,omitempty"` // answer: its ID
	Answer   ApprovalAnswer `json:"answer,omitempty"`   // answer
	Login    *LoginAnswer   `json:"login,omitempty"`    // answer: to a question with Login
	Theme    Theme          `json:"theme,omitempty"`    // theme
	Window   *WindowShow    `json:"window,omitempty"`   // window: what it shows; its Session is the panel's

	Conversation ConversationID `json:"conversation,omitempty"` // chat_watch, chat_unwatch
	After        uint64         `json:"after,omitempty"`        // chat_watch, feed_follow: the last index that the panel has
	Feed         FeedName       `json:"feed,omitempty"`         // feed_follow
}

// BridgeBinding is the name of the function that the backend adds to the
// worker's global scope through the pipe. With it, the worker reports what only
// an extension can see; its argument is a BridgeEvent as JSON.
const BridgeBinding = "pilotfishBridge"

// BridgeEventType is the type of a message from the worker to the backend.
type BridgeEventType string

// The messages of the bridge.
const (
	// BridgeReady is the worker's first message after each start, with all tabs.
	BridgeReady BridgeEventType = "ready"
	// BridgeTabs carries all tabs, after any change of one.
	BridgeTabs BridgeEventType = "tabs"
)

// BridgeEvent is a message from the worker.
type BridgeEvent struct {
	Type BridgeEventType `json:"type"`
	// Version of the extension (ready).
	Version string      `json:"version,omitempty"`
	Tabs    []BridgeTab `json:"tabs"`
	// Seq grows with each report of one worker. A tab in an earlier report that is
	// missing in a later one is closed.
	Seq int `json:"seq"`
	// FocusedWindow is the window that was focused last; 0 when none was.
	FocusedWindow int `json:"focusedWindow"`
}

// PanelTabsRequest is the body of POST /panel/tabs, by which a panel reports the tabs of a browser
// that has no pipe.
type PanelTabsRequest struct {
	Panel  string      `json:"panel"`
	Report BridgeEvent `json:"report"`
}

// CarryKind is what a panel carries out.
type CarryKind string

// What a panel carries out: a command by the page's own events, a navigation, or something
// about a tab.
const (
	CarryCommand  CarryKind = "command"
	CarryGo       CarryKind = "go"
	CarryNewTab   CarryKind = "new-tab"
	CarryCloseTab CarryKind = "close-tab"
	CarryShowTab  CarryKind = "show-tab"
)

// CarryEvent has one panel carry something out in a browser without a pipe. The panel asks for
// each command with CarryAllowRequest before it does anything that is seen, and replies with
// CarryDoneRequest.
type CarryEvent struct {
	Type  PanelEventType `json:"type" tstype:"'carry'"`
	ID    int            `json:"id"`
	Panel string         `json:"panel"` // the one that is meant
	Do    CarryKind      `json:"do"`
	// Tab is the tab that it is about, and ChromeTabID its number in the browser; for CarryNewTab
	// the tab beside it, if there is one.
	Tab         TabID `json:"tab,omitempty"`
	ChromeTabID int   `json:"chromeTabId,omitempty"`
	// Command, Args and Caller are for CarryCommand; the page remembers by Caller what it has shown.
	Command string                     `json:"command,omitempty"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Caller  string                     `json:"caller,omitempty"`
	URL     string                     `json:"url,omitempty"`   // CarryGo
	Front   bool                       `json:"front,omitempty"` // CarryNewTab: the tab comes to the front; CarryShowTab: so does its window
}

// CarryAllowRequest is the body of POST /panel/allow: whether a command may be carried out,
// with the facts about its element.
type CarryAllowRequest struct {
	ID     int    `json:"id"`
	ByPage ByPage `json:"byPage"`
}

// CarryDoneRequest is the body of POST /panel/done.
type CarryDoneRequest struct {
	ID    int          `json:"id"`
	Reply CommandReply `json:"reply"`
	// ChromeTabID is the new tab's number in the browser.
	ChromeTabID int `json:"chromeTabId,omitempty"`
}

// BridgeTab is a tab as in chrome.tabs, with its CDP target from
// chrome.debugger.getTargets.
type BridgeTab struct {
	ChromeTabID int    `json:"chromeTabId"`
	TargetID    string `json:"targetId"`
	WindowID    int    `json:"windowId"`
	Index       int    `json:"index"`
	Active      bool   `json:"active"`
	Loading     bool   `json:"loading"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	// OpenerChromeTabID is the tab whose page opened this one; a tab that the user
	// opened has none.
	OpenerChromeTabID int `json:"openerChromeTabId,omitempty"`
	// ReplacesChromeTabID is the number that this tab had before the browser
	// assigned it another one (for a discarded tab).
	ReplacesChromeTabID int `json:"replacesChromeTabId,omitempty"`
}
