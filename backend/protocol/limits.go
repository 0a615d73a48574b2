package protocol

import "time"

// The timers and limits that several packages share, or that are part of what is
// sent. One of a single package stands in that package. A timer exists only for a
// deadline, a heartbeat or a backoff; changes travel by event.

// Tokens.
const (
	// PanelTokenLife is how long a panel token is current before it is rotated.
	PanelTokenLife = 30 * time.Minute
	// RotatedTokenGrace is how long the token before is still honoured.
	RotatedTokenGrace = 10 * time.Second
	// AttachTokenLife is how long an attach token waits for its one upgrade.
	AttachTokenLife = 30 * time.Second
	// CLITokenLife is how long a cli token is current before it is rotated.
	CLITokenLife = 12 * time.Hour
	// TokenBytes is the entropy of a token.
	TokenBytes = 32
	// AuthFailuresPerSecond is how many wrong tokens are answered at once;
	// further ones wait.
	AuthFailuresPerSecond = 10
	// AuthFailureWaiters is how many wrong tokens wait for their answer at once;
	// further ones are told to come back later (CodeBusy).
	AuthFailureWaiters = 16
)

// The server.
const (
	// MaxHeaderBytes bounds a request's header.
	MaxHeaderBytes = 16 << 10
	// ReadHeaderTimeout is how long a client may take for its header.
	ReadHeaderTimeout = 5 * time.Second
	// ReadBodyTimeout is how long a client may take for its body.
	ReadBodyTimeout = 10 * time.Second
	// MaxPanelMessage bounds one message of the panel, in bytes.
	MaxPanelMessage = 64 << 10
	// MaxBatch is how many commands one POST /batch may carry.
	MaxBatch = 100
	// SocketCloseGrace is how long a viewer may take to answer a close frame
	// before its connection is cut.
	SocketCloseGrace = 1 * time.Second
	// MaxBody bounds a request's JSON body unless its route says otherwise.
	MaxBody = 1 << 20
	// PingInterval is the heartbeat of every WebSocket.
	PingInterval = 15 * time.Second
	// DeadAfter is how long a silent WebSocket counts as alive.
	DeadAfter = 30 * time.Second
	// SubscriberQueue is how many events wait for one subscriber before it is
	// resynchronised.
	SubscriberQueue = 256
	// ShutdownGrace is how long open requests may take when the server ends.
	ShutdownGrace = 2 * time.Second
)

// Terminals.
const (
	// AckWindow is how many bytes a viewer may leave undrawn before the backend
	// stops reading the PTY.
	AckWindow = 512 << 10
	// AckEvery is after how many drawn bytes a viewer acknowledges.
	AckEvery = 64 << 10
	// CheckpointEvery is after how many drawn bytes a viewer sends a checkpoint
	// at the latest; it sends one earlier when the terminal falls quiet.
	CheckpointEvery = 4 << 20
	// CheckpointQuiet is how long the terminal is quiet before a checkpoint.
	CheckpointQuiet = 50 * time.Millisecond
	// MaxCheckpoint bounds a checkpoint's text, in bytes.
	MaxCheckpoint = 8 << 20
	// PictureQuiet is how long the terminal is quiet before its viewer tells what it
	// looks like.
	PictureQuiet = 250 * time.Millisecond
	// MaxPicture bounds that, in bytes: a screen full of colours has a tenth of it.
	MaxPicture = 256 << 10
	// MaxFrame is the largest frame of output, header excluded.
	MaxFrame = 64 << 10
	// MaxInputFrame is the largest frame of input.
	MaxInputFrame = 16 << 20
	// MinCols, MaxCols, MinRows and MaxRows clamp a resize.
	MinCols = 2
	MaxCols = 1000
	MinRows = 1
	MaxRows = 500
	// DefaultTerminalGrace is how long a terminal lives without a viewer.
	DefaultTerminalGrace = 30 * time.Minute
	// MaxTitle bounds a title, in characters.
	MaxTitle = 256
	// MaxFirstScreen bounds what a panel is told at once of what its first terminal
	// has written, in bytes: a prompt and what stands above it.
	MaxFirstScreen = 4 << 10
)

// Processes: the one stop ladder, 5 s from first to last step.
const (
	StopHangupWait    = 1 * time.Second // after SIGHUP (and end of input), before SIGTERM
	StopTerminateWait = 2 * time.Second // after SIGTERM, before SIGKILL
)

// GuardStartTimeout is how long the guard may take to say that it is there.
const GuardStartTimeout = 5 * time.Second

// Restart policy: at most RestartBurst restarts in RestartWindow, each after a
// backoff that doubles from RestartBackoffMin to RestartBackoffMax.
const (
	RestartBurst      = 5
	RestartWindow     = 30 * time.Second
	RestartBackoffMin = 100 * time.Millisecond
	RestartBackoffMax = 5 * time.Second
)

// Browser.
const (
	// PanelOpenTimeout is how long the side panel may take to appear.
	PanelOpenTimeout = 10 * time.Second
	// StateRetry is the pause before state files that the disk did not take are
	// written again.
	StateRetry = 1 * time.Second
	// BrowserEventQueue is how many DevTools events wait for one reader inside
	// the backend before its subscription is closed.
	BrowserEventQueue = 4096
	// CommandTimeout is a command's deadline unless its caller names another.
	CommandTimeout = 30 * time.Second
	// MaxCommandTimeout is the longest deadline that a caller may name.
	MaxCommandTimeout = 10 * time.Minute
	// TextLimit is how many characters `text` returns unless asked for more.
	TextLimit = 200_000
	// MaxTraceTime is how long `perf --trace` may record.
	MaxTraceTime = 60 * time.Second
)

// Agents of Chat: what passes over their standard input and output.
const (
	// AgentRubbish is how many lines in a row may be no messages before the agent
	// counts as broken. Many print a word or two before they begin.
	AgentRubbish = 1000
	// AgentStderr is how many lines of an agent's error output are kept for the
	// reason of its end, AgentStderrLine how long one of them may be, in bytes.
	AgentStderr = 20
	// AgentHandshake is how long an agent may take for its first answer; a Node
	// runtime from a cold disk takes 10 s and more.
	AgentHandshake = 60 * time.Second
)

// Chat.
const (
	// ChatQueue is how many messages of a conversation wait for their turn.
	ChatQueue = 5
	// MaxRouteWord bounds a word of the table of routes, in characters.
	MaxRouteWord = 60
	// MaxAttachment bounds one attachment, in bytes; MaxAttachments is how many a
	// prompt has. MaxChatBody is what both come to in base64, and the prompt.
	MaxAttachment = 10 << 20
	MaxChatBody   = 48 << 20
	ChatPageMax   = 1000
	// ChatSilence is after how long a turn that says nothing is offered to be ended,
	// unless Settings say otherwise.
	ChatSilence = 5 * time.Minute
	// ChatContext bounds the history that is given to an agent that cannot load it,
	// in bytes.
	ChatContext = 96 << 10
)

// Approvals.
const (
	// ApprovalTimeout is how long a command waits for a person whose caller
	// names no deadline.
	ApprovalTimeout = 5 * time.Minute
	// MaxApprovals is how many commands of a session wait for a person at once;
	// further ones are refused.
	MaxApprovals = 20
)

// Activity.
const (
	// ActivityRing is how many entries a session keeps in memory.
	ActivityRing = 1000
	// ActivityPageSize is how many entries GET /activity/history gives unless
	// asked for another number, ActivityPageMax the most that it gives.
	ActivityPageSize = 100
	ActivityPageMax  = 1000
)

// MCP.
const (
	// MCPSchemaChars bounds what tools/list costs a model, in characters.
	MCPSchemaChars = 8000
	// MaxImage bounds a picture that is given to a model, in bytes.
	MaxImage = 8 << 20
)

// The command line.
const (
	// CLIMargin is how much longer the command line waits for a reply than the
	// deadline that it sends: the backend's own answer says more.
	CLIMargin = 2 * time.Second
	// HookTimeout is all that an agent's hook may take: the agent waits for it.
	HookTimeout = 2 * time.Second
)

// Watching: what a tab keeps of what it is asked to remember.
const (
	// NetworkRules is how many addresses a tab may have blocked or mocked.
	NetworkRules = 100
)

// Tasks.
const (
	// TaskPageSize is how many events a reader is given at once.
	TaskPageSize = 500
	// TaskTakeTimeout is how long a task that a program asks for waits for a panel
	// to take it.
	TaskTakeTimeout = 10 * time.Second
	// TaskLostWait is how long whoever follows a task waits for it to go on after
	// its panel was gone: one that only lost its connection is back by then.
	TaskLostWait = 10 * time.Second
)
