package protocol

import "encoding/json"

// Scope is a class of commands. Each command needs one scope; a token has a set
// of them.
type Scope string

// The scopes of commands, from harmless to dangerous.
const (
	ScopeRead      Scope = "read"      // reads only
	ScopeAct       Scope = "act"       // changes the page or the tabs
	ScopeSensitive Scope = "sensitive" // secrets, code, files
	ScopeAdmin     Scope = "admin"     // the app itself
)

// CommandRequest is the body of POST /command.
type CommandRequest struct {
	Command string `json:"command"`
	// Args are the arguments by name.
	Args map[string]json.RawMessage `json:"args,omitempty"`
	// Tab is the tab to act on; empty means the caller's own.
	Tab TabID `json:"tab,omitempty"`
	// TimeoutMS is the deadline in milliseconds; 0 means the default.
	TimeoutMS int `json:"timeoutMs,omitempty"`
	// Session is for callers that may reach several; empty means the caller's
	// own, or the only one that runs.
	Session SessionName `json:"session,omitempty"`
}

// CommandReply is the reply of POST /command.
type CommandReply struct {
	OK bool `json:"ok"`
	// Tab is the tab that the command acted on.
	Tab TabID `json:"tab,omitempty"`
	// Text is the reply for a user or a model.
	Text string `json:"text"`
	// Data is the reply for a program; its shape depends on the command. It
	// contains the text of pages unchanged, without the envelope that Text has for
	// an agent; Untrusted says so. A program that passes it to a model must add one. The MCP tools
	// return Text only.
	Data json.RawMessage `json:"data,omitempty"`
	// Untrusted: others, such as the page at Origin, may have written what Data has.
	Untrusted bool   `json:"untrusted,omitempty"`
	Origin    string `json:"origin,omitempty"`
	Error     *Error `json:"error,omitempty"`
	// DurationMS is how long the command took in the backend.
	DurationMS float64 `json:"durationMs"`
}

// String returns the reply as JSON, for the output of a test.
func (r CommandReply) String() string {
	text, err := json.Marshal(r)
	if err != nil {
		return "a reply whose data is no JSON: " + r.Text
	}
	return string(text)
}

// The events of POST /command for a caller that accepts text/event-stream: any
// number of waiting events, whose data is a Waiting, and then one reply event,
// whose data is the CommandReply.
const (
	CommandEventWaiting = "waiting"
	CommandEventReply   = "reply"
)

// BatchRequest is the body of POST /batch: commands that run one after the
// other, at most MaxBatch.
type BatchRequest struct {
	Commands []CommandRequest `json:"commands"`
	// KeepGoing runs the remaining commands after one that failed.
	KeepGoing bool `json:"keepGoing,omitempty"`
}

// BatchReply is the reply of POST /batch: one reply for each command that ran,
// in order. It has fewer replies than the request has commands when one failed.
type BatchReply struct {
	Replies []CommandReply `json:"replies"`
}

// ErrorReply is the body of every reply of the server that is not a success.
type ErrorReply struct {
	Error *Error `json:"error" tstype:",required"`
}

// Endpoint is the content of pilotfish.json, in which the command line finds
// the running app. The file has mode 0600.
type Endpoint struct {
	Version   int    `json:"version"`
	PID       int    `json:"pid"`
	StartTime uint64 `json:"startTime"` // of the process, in the kernel's unit: a PID alone can be reused
	Port      int    `json:"port"`
	Token     string `json:"token"`
	App       string `json:"app"` // the app's version
	Headless  bool   `json:"headless,omitempty"`
	// Ending: the app takes no more commands; another one can start when it has
	// ended.
	Ending bool `json:"ending,omitempty"`
}

// Health is the reply of GET /health. It never contains a secret.
type Health struct {
	Status   string  `json:"status"` // "ok"
	Version  string  `json:"version"`
	Protocol string  `json:"protocol"`
	UptimeS  float64 `json:"uptimeS"`
	// Proof is the answer to ?challenge=HEX, for a caller that has paired.
	Proof string `json:"proof,omitempty"`
	// Pairs: a session waits for a panel that its user pairs by a code.
	Pairs bool `json:"pairs,omitempty"`
}

// AppAction is what POST /app does.
type AppAction string

// The actions of POST /app.
const (
	AppShow    AppAction = "show"    // bring the window to the front
	AppStatus  AppAction = "status"  // list the sessions
	AppStart   AppAction = "start"   // start a session, which is made if there is none
	AppStop    AppAction = "stop"    // stop a session
	AppRestart AppAction = "restart" // restart a session
	AppCreate  AppAction = "create"  // make a new, stopped session
	AppDelete  AppAction = "delete"  // stop a session and remove what it has on disk
	// AppTestProxy connects through the proxy of a session.
	AppTestProxy AppAction = "test-proxy"
	// AppHold keeps a session that AppStart has started, until its client disconnects, the session
	// ends or the app does; then the session is deleted.
	AppHold AppAction = "hold"
	// AppPair gives the session to the panel that shows the request's code.
	AppPair AppAction = "pair"
	// AppRotateTokens gives every panel a new token now.
	AppRotateTokens AppAction = "rotate-tokens"
	// AppRestartServer opens a new listener; panels and agents reconnect to it.
	AppRestartServer AppAction = "restart-server"
	AppQuit          AppAction = "quit"
)

// AppRequest is the body of POST /app.
type AppRequest struct {
	Action  AppAction   `json:"action"`
	Session SessionName `json:"session,omitempty"`
	// Identity changes the identity of the session for this start only.
	Identity *SessionIdentity `json:"identity,omitempty"`
	// Project is the file pilotfish.toml of a work tree: AppStart starts its session.
	Project string `json:"project,omitempty"`
	// Code is what a panel shows, for AppPair.
	Code string `json:"code,omitempty"`
}

// AppReply is the reply of POST /app.
type AppReply struct {
	Sessions []SessionInfo `json:"sessions"`
	// Test is what AppTestProxy found.
	Test *ProxyTest `json:"test,omitempty"`
	// Started is the session that AppStart has started.
	Started SessionName `json:"started,omitempty"`
	// Settings is what is wrong in the settings file; absent when nothing is.
	Settings *SettingsProblem `json:"settings,omitempty"`
	// Confinement is the state of the confinement of agents, with the sessions.
	Confinement *Confinement `json:"confinement,omitempty"`
}
