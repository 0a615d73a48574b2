package protocol

// Pairing is what the app puts into the extension's session storage through the
// browser's private pipe, under the key PairingKey. No file, URL or route ever
// carries it.
type Pairing struct {
	Version string      `json:"version"`
	Session SessionName `json:"session"`
	Port    int         `json:"port"`
	Token   string      `json:"token"`
	// Key proves the server: before the panel shows its token it asks
	// GET /health?challenge=HEX and compares HMAC-SHA256(Key, challenge).
	Key string `json:"key"`
	// Epoch grows with every pairing of this app run.
	Epoch int `json:"epoch"`
}

// PairingKey is the key of Pairing in chrome.storage.session.
const PairingKey = "pilotfish.pairing"

// TokenSubprotocol is the prefix of the subprotocol that carries a token at a
// WebSocket upgrade, beside Version. The server selects Version, so that the
// token is not echoed.
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
	PanelShow     PanelEventType = "show"     // bring this tab's terminal to view
	PanelPong     PanelEventType = "pong"

	PanelConversation     PanelEventType = "conversation"      // a conversation's head changed or is new
	PanelConversationGone PanelEventType = "conversation_gone" // a conversation was deleted
	PanelChat             PanelEventType = "chat"              // what was said in a conversation that the panel watches

	PanelPicked PanelEventType = "picked" // a person picked an element of a page, or did not

	PanelTask      PanelEventType = "task"       // a task's head changed or is new
	PanelTaskGone  PanelEventType = "task_gone"  // a task was deleted
	PanelTaskOrder PanelEventType = "task_order" // a program asks for a task
	PanelModels    PanelEventType = "models"     // the ways to a model changed
)

// HelloEvent is the whole state of a session as the panel needs it.
type HelloEvent struct {
	Type     PanelEventType `json:"type" tstype:"'hello'"`
	Version  string         `json:"version"`
	Session  SessionInfo    `json:"session"`
	Agents   AgentsFile     `json:"agents"`
	Settings PanelView      `json:"settings"`
	// Conversations are the heads of all of the session's, newest first.
	Conversations []Conversation `json:"conversations"`
	// Panel names this view for as long as its socket is open: whoever runs a task
	// says it.
	Panel string `json:"panel"`
	// Tasks are the heads of the tasks that are not over, newest first.
	Tasks []Task `json:"tasks"`
	// Attach spares the panel the way to POST /pty-session for the terminal that
	// it will show first. Only the first hello of a socket has it.
	Attach *HelloAttach `json:"attach,omitempty"`
}

// HelloAttach is good for one upgrade of one terminal's socket, like the token
// of PtySessionReply.
type HelloAttach struct {
	Terminal TerminalID `json:"terminal"`
	Token    string     `json:"token"`
	// Screen is what the terminal's process has written since its start, where that
	// is short (MaxFirstScreen) and text: a first picture of it, until its own
	// socket has brought the same. Nobody answers what it asks.
	Screen string `json:"screen,omitempty"`
	// Picture is how a panel drew it last, as that panel told it (ControlPicture),
	// where nothing was written since.
	Picture string `json:"picture,omitempty"`
}

// SessionEvent says that the session's state changed; Tabs and Terminals of the
// info are whole, too.
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

// TerminalGoneEvent says that a terminal is forgotten.
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

// ReauthEvent asks an open socket for the new token, which came over the pipe.
type ReauthEvent struct {
	Type PanelEventType `json:"type" tstype:"'reauth'"`
}

// ShowEvent brings a tab's terminal, or a conversation, to view in the panel of
// its window.
type ShowEvent struct {
	Type     PanelEventType `json:"type" tstype:"'show'"`
	Tab      TabID          `json:"tab"`
	Terminal TerminalID     `json:"terminal,omitempty"`
	// Conversation is shown beside the tab, and is put there when it has none.
	Conversation ConversationID `json:"conversation,omitempty"`
}

// PongEvent answers a ping.
type PongEvent struct {
	Type PanelEventType `json:"type" tstype:"'pong'"`
	ID   int            `json:"id"`
}

// PanelView is the part of Settings that the panel shows.
type PanelView struct {
	Agent    AgentKind `json:"agent"`
	Command  string    `json:"command,omitempty"`
	FontSize int       `json:"fontSize"`
	// EveryTab starts an agent in each tab that is looked at, not only in the
	// first.
	EveryTab bool `json:"everyTab"`
	// ChatAgent answers in a new conversation; AgentAuto is what the panel makes of
	// the probe, which changes when something is installed.
	ChatAgent AgentKind `json:"chatAgent"`
	Theme     Theme     `json:"theme"`
	// AppVersion is the version of the app, as a user quotes it.
	AppVersion string `json:"appVersion"`
}

// PanelMessageType is the type of a message from the panel to the backend.
type PanelMessageType string

// The messages of the panel's socket, panel to backend.
const (
	PanelAuth PanelMessageType = "auth"
	PanelPing PanelMessageType = "ping"
	// PanelViewing says which tab the panel shows now.
	PanelViewing PanelMessageType = "viewing"
	// PanelAnswer is a person's word about an approval.
	PanelAnswer PanelMessageType = "answer"
	// PanelTheme chooses the look of window and panel.
	PanelTheme PanelMessageType = "theme"
	// PanelWatch asks for what is said in a conversation, from After on;
	// PanelUnwatch for no more of it.
	PanelWatch   PanelMessageType = "chat_watch"
	PanelUnwatch PanelMessageType = "chat_unwatch"
)

// PanelMessage is a message from the panel. Which fields count depends on Type.
type PanelMessage struct {
	Type  PanelMessageType `json:"type"`
	Token string           `json:"token,omitempty"` // auth
	ID    int              `json:"id,omitempty"`    // ping
	Tab   TabID            `json:"tab,omitempty"`   // viewing

	Approval string         `json:"approval,omitempty"` // answer: its ID
	Answer   ApprovalAnswer `json:"answer,omitempty"`   // answer
	Theme    Theme          `json:"theme,omitempty"`    // theme

	Conversation ConversationID `json:"conversation,omitempty"` // chat_watch, chat_unwatch
	After        uint64         `json:"after,omitempty"`        // chat_watch: the last index that the panel has
}

// BridgeBinding is the name of the function that the backend adds to the
// worker's global scope through the pipe. The worker reports what only an
// extension can see; the payload is a BridgeEvent as JSON.
const BridgeBinding = "pilotfishBridge"

// BridgeEventType is the type of a message from the worker to the backend.
type BridgeEventType string

// The messages of the bridge.
const (
	// BridgeReady is the worker's first word after each start, with all tabs.
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
	// Seq grows with each look of one worker; what an earlier look saw and a
	// later one did not is over.
	Seq int `json:"seq"`
	// FocusedWindow is the window that was focused last; 0 when none was.
	FocusedWindow int `json:"focusedWindow"`
}

// BridgeTab is a tab as chrome.tabs knows it, with the CDP target that
// chrome.debugger.getTargets pairs it with.
type BridgeTab struct {
	ChromeTabID int    `json:"chromeTabId"`
	TargetID    string `json:"targetId"`
	WindowID    int    `json:"windowId"`
	Index       int    `json:"index"`
	Active      bool   `json:"active"`
	Loading     bool   `json:"loading"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	// OpenerChromeTabID is the tab whose page opened this one; a tab that a
	// person opened has none.
	OpenerChromeTabID int `json:"openerChromeTabId,omitempty"`
	// ReplacesChromeTabID is the number that this tab had before the browser
	// gave it another one (a discarded tab).
	ReplacesChromeTabID int `json:"replacesChromeTabId,omitempty"`
}
