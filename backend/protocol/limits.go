package protocol

import "time"

// The timers and limits that several packages share, or that are part of
// messages. A limit of a single package is in that package. A timer exists only
// for a deadline, a heartbeat or a backoff; changes are reported by events.

// Tokens.
const (
	// PanelTokenLife is how long a panel token is current before it is rotated.
	PanelTokenLife = 30 * time.Minute
	// RotatedTokenGrace is how long the previous token stays valid after a
	// rotation.
	RotatedTokenGrace = 10 * time.Second
	// AttachTokenLife is how long an attach token stays valid for its one upgrade.
	AttachTokenLife = 30 * time.Second
	// CLITokenLife is how long a cli token is current before it is rotated.
	CLITokenLife = 12 * time.Hour
	// TokenBytes is the size of a token's random value, in bytes.
	TokenBytes = 32
	// AuthFailuresPerSecond is how many wrong tokens get their response at once;
	// further ones wait.
	AuthFailuresPerSecond = 10
	// AuthFailureWaiters is how many requests with wrong tokens may wait at once;
	// further ones get CodeBusy.
	AuthFailureWaiters = 16
)

// The server.
const (
	// MaxHeaderBytes is the limit of a request's header.
	MaxHeaderBytes = 16 << 10
	// ReadHeaderTimeout is how long a client may take for its header.
	ReadHeaderTimeout = 5 * time.Second
	// ReadBodyTimeout is how long a client may take for its body.
	ReadBodyTimeout = 10 * time.Second
	// MaxPanelMessage is the limit of one message of the panel, in bytes.
	MaxPanelMessage = 64 << 10
	// MaxBatch is how many commands one POST /batch may carry.
	MaxBatch = 100
	// SocketCloseGrace is how long a viewer may take to answer a close frame
	// before its connection is cut.
	SocketCloseGrace = 1 * time.Second
	// MaxBody is the limit of a request's JSON body, in bytes, unless its route
	// says otherwise.
	MaxBody = 1 << 20
	// PingInterval is the heartbeat interval of every WebSocket.
	PingInterval = 15 * time.Second
	// DeadAfter is how long a WebSocket without a pong counts as alive.
	DeadAfter = 30 * time.Second
	// SubscriberQueue is how many events are queued for one subscriber before it
	// is resynchronised.
	SubscriberQueue = 256
	// ShutdownGrace is how long open requests may take when the server stops.
	ShutdownGrace = 2 * time.Second
)

// Terminals.
const (
	// AckWindow is how many bytes a viewer may leave undrawn before the backend
	// stops reading the PTY.
	AckWindow = 512 << 10
	// AckEvery is the number of drawn bytes after which a viewer acknowledges.
	AckEvery = 64 << 10
	// CheckpointEvery is the number of drawn bytes after which a viewer sends a
	// checkpoint at the latest; it sends one earlier when the terminal becomes
	// quiet.
	CheckpointEvery = 4 << 20
	// CheckpointQuiet is how long the terminal must be quiet before a checkpoint.
	CheckpointQuiet = 50 * time.Millisecond
	// MaxCheckpoint is the limit of a checkpoint's text, in bytes.
	MaxCheckpoint = 8 << 20
	// MaxFrame is the largest frame of output, in bytes, without the header.
	MaxFrame = 64 << 10
	// MaxInputFrame is the largest frame of input, in bytes.
	MaxInputFrame = 16 << 20
	// MinCols, MaxCols, MinRows and MaxRows limit a resize.
	MinCols = 2
	MaxCols = 1000
	MinRows = 1
	MaxRows = 500
	// DefaultTerminalGrace is how long a terminal runs without a viewer.
	DefaultTerminalGrace = 30 * time.Minute
	// MaxTitle is the limit of a title, in characters.
	MaxTitle = 256
)

// The stop ladder of processes, with at most 5 s from the first to the last
// step.
const (
	StopHangupWait    = 1 * time.Second // after SIGHUP (and end of input), before SIGTERM
	StopTerminateWait = 2 * time.Second // after SIGTERM, before SIGKILL
)

// GuardStartTimeout is how long the guard may take to report that it runs.
const GuardStartTimeout = 5 * time.Second

// Restart policy: at most RestartLimit restarts in RestartWindow, each after a
// backoff that doubles from RestartBackoffMin to RestartBackoffMax.
const (
	RestartLimit      = 5
	RestartWindow     = 30 * time.Second
	RestartBackoffMin = 100 * time.Millisecond
	RestartBackoffMax = 5 * time.Second
)

// Browser.
const (
	// BrowserStartTimeout is how long Chromium may take to answer on its pipe.
	BrowserStartTimeout = 30 * time.Second
	// PanelOpenTimeout is how long the side panel may take to appear.
	PanelOpenTimeout = 10 * time.Second
	// StateRetry is the pause before a failed write of state files is retried.
	StateRetry = 1 * time.Second
	// BrowserEventQueue is how many DevTools events are queued for one reader
	// inside the backend before its subscription is closed.
	BrowserEventQueue = 4096
	// CommandTimeout is a command's deadline unless its caller sets one.
	CommandTimeout = 30 * time.Second
	// MaxCommandTimeout is the longest deadline that a caller may set.
	MaxCommandTimeout = 10 * time.Minute
	// MaxPixels is the largest area that Chromium is made to draw at once, in pixels of the
	// screen: with it the process that draws takes 0.4 GB. With twice the area it takes
	// 1.5 GB, with four times 4.7 GB, and where it is ended, the browser ends with it.
	MaxPixels = 64 << 20
	// TextLimit is the largest number of characters that `text` returns, and its
	// default.
	TextLimit = 200_000
	// MaxTraceTime is how long `perf --trace` may record.
	MaxTraceTime = 60 * time.Second
)

// Agents of Chat: their standard input and output.
const (
	// AgentRubbish is how many lines in a row may not be messages before the agent
	// counts as broken. Many agents print a line or two before they begin.
	AgentRubbish = 1000
	// AgentStderr is how many lines of an agent's error output are kept to explain
	// its end.
	AgentStderr = 20
	// AgentHandshake is how long an agent may take for its first response; a Node
	// runtime from a cold disk takes 10 s and more.
	AgentHandshake = 60 * time.Second
)

// Chat.
const (
	// ChatQueue is how many messages of a conversation can be queued.
	ChatQueue = 5
	// MaxRouteWord is the limit of a word in the table of routes, in characters.
	MaxRouteWord = 60
	// MaxAttachment is the limit of one attachment, in bytes. MaxChatBody is the
	// limit of a request with a prompt and its attachments in base64, in bytes.
	MaxAttachment = 10 << 20
	MaxChatBody   = 48 << 20
	ChatPageMax   = 1000
	// ChatSilence is after how long the user is offered to end a turn that
	// produces nothing, unless Settings say otherwise.
	ChatSilence = 5 * time.Minute
	// ChatContext is the limit of the history that an agent gets which cannot load
	// it, in bytes.
	ChatContext = 96 << 10
)

// Approvals.
const (
	// ApprovalTimeout is how long a command waits for the user if its caller sets
	// no deadline.
	ApprovalTimeout = 5 * time.Minute
	// MaxApprovals is how many commands of a session may wait for the user at
	// once; further ones are refused.
	MaxApprovals = 20
)

// Activity.
const (
	// ActivityRing is how many entries a session keeps in memory.
	ActivityRing = 1000
	// ActivityPageSize is how many entries GET /activity/history returns by
	// default, ActivityPageMax the most that it returns.
	ActivityPageSize = 100
	ActivityPageMax  = 1000
)

// MCP.
const (
	// MCPSchemaChars is the limit of the tool list that a model gets, in
	// characters.
	MCPSchemaChars = 8000
	// MaxImage is the limit of an image for a model, in bytes.
	MaxImage = 8 << 20
)

// The command line.
const (
	// CLIMargin is how much longer the command line waits for a reply than the
	// deadline that it sends, because the backend's own timeout error says more.
	CLIMargin = 2 * time.Second
	// HookTimeout is the most that an agent's hook may take, because the agent
	// waits for it.
	HookTimeout = 2 * time.Second
)

// Watching: what a tab records.
const (
	// NetworkRules is how many patterns of addresses a tab may have blocked or
	// mocked.
	NetworkRules = 100
)

// Tasks.
const (
	// TaskPageSize is how many events a reader gets at once.
	TaskPageSize = 500
	// TaskPageTimeout is how long the page for tasks may take to open. The extension may have to
	// be loaded first, which takes over 10 s on a busy machine.
	TaskPageTimeout = 30 * time.Second
	// TaskTakeTimeout is how long a task from a program waits for a panel to take
	// it.
	TaskTakeTimeout = 10 * time.Second
	// TaskLostWait is how long after an interruption a task may be resumed by itself, and how
	// long a client that follows it waits for that: the panel may only have lost its
	// connection, and a browser that crashed is started again.
	TaskLostWait = time.Minute
	// TaskAnswerWait is how long a task without a panel, in an app without a window, waits for
	// an answer, and TaskNobodyWait how long while nobody is there to answer.
	TaskAnswerWait = 30 * time.Minute
	TaskNobodyWait = 10 * time.Second
)
