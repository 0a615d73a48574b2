package protocol

import "time"

// Every timer and limit of the backend stands here. A timer exists only for a
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
	// MaxConnections is how many sockets the server keeps open at once.
	MaxConnections = 64
	// MaxHeaderBytes bounds a request's header.
	MaxHeaderBytes = 16 << 10
	// ReadHeaderTimeout is how long a client may take for its header.
	ReadHeaderTimeout = 5 * time.Second
	// ReadBodyTimeout is how long a client may take for its body.
	ReadBodyTimeout = 10 * time.Second
	// IdleTimeout is how long a connection without a request stays open.
	IdleTimeout = 60 * time.Second
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
	// WriteTimeout is how long one WebSocket write may take before the viewer
	// is dropped; it comes back with its last offset.
	WriteTimeout = 30 * time.Second
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
	// RingSize is how much output a terminal keeps for a viewer that comes back.
	RingSize = 4 << 20
	// RingMax is what the ring may grow to while it waits for a checkpoint of
	// its viewer.
	RingMax = 8 << 20
	// CheckpointEvery is after how many drawn bytes a viewer sends a checkpoint
	// at the latest; it sends one earlier when the terminal falls quiet.
	CheckpointEvery = 4 << 20
	// CheckpointQuiet is how long the terminal is quiet before a checkpoint.
	CheckpointQuiet = 50 * time.Millisecond
	// MaxCheckpoint bounds a checkpoint's text, in bytes.
	MaxCheckpoint = 8 << 20
	// MaxResizes is how many sizes a terminal remembers for a replay.
	MaxResizes = 4096
	// PictureQuiet is how long the terminal is quiet before its viewer tells what it
	// looks like.
	PictureQuiet = 250 * time.Millisecond
	// MaxPicture bounds that, in bytes: a screen full of colours has a tenth of it.
	MaxPicture = 256 << 10
	// MaxFrame is the largest frame of output, header excluded.
	MaxFrame = 64 << 10
	// MaxInputFrame is the largest frame of input.
	MaxInputFrame = 16 << 20
	// InputQueue is how many bytes of input wait for a slow program before the
	// viewer's socket is read no further.
	InputQueue = 32 << 20
	// MaxTerminals is how many terminals one session runs at once.
	MaxTerminals = 32
	// MinCols, MaxCols, MinRows and MaxRows clamp a resize.
	MinCols = 2
	MaxCols = 1000
	MinRows = 1
	MaxRows = 500
	// DefaultTerminalGrace is how long a terminal lives without a viewer.
	DefaultTerminalGrace = 30 * time.Minute
	// TerminalAttachTimeout is how long a viewer may take for its first message.
	TerminalAttachTimeout = 5 * time.Second
	// TerminalCloseWait is how long a viewer may take for the closing handshake.
	TerminalCloseWait = 1 * time.Second
	// TerminalInputWait is how long a full input queue may stand still before
	// the viewer that fills it is dropped.
	TerminalInputWait = 30 * time.Second
	// FirstAnswerWithin is how long after the start of a program its first viewer
	// still answers what the program asked of its terminal meanwhile; a program
	// that waits longer for a terminal's answer has given up.
	FirstAnswerWithin = 10 * time.Second
	// ResizeEvery is the shortest time between two resizes of a program; what
	// comes closer together becomes one.
	ResizeEvery = 50 * time.Millisecond
	// NudgeWait is how long a program has another size when it is to draw itself
	// anew: long enough for a busy one to notice.
	NudgeWait = 250 * time.Millisecond
	// StatusDelay is after how long a change of the foreground program or the
	// title is told: one that is over sooner is not worth a flicker.
	StatusDelay = 100 * time.Millisecond
	// InterruptQuiet is how long an agent is silent after Escape or Ctrl-C until it
	// counts as waiting for the person: far longer than the steps of its animation.
	InterruptQuiet = 2 * time.Second
	// MaxTitle bounds a title, in characters.
	MaxTitle = 256
	// MaxFirstScreen bounds what a panel is told at once of what its first terminal
	// has written, in bytes: a prompt and what stands above it.
	MaxFirstScreen = 4 << 10
	// ModeMarkEvery is after how many bytes of output a terminal notes a place
	// at which a replay can begin.
	ModeMarkEvery = 64 << 10
)

// Processes: the one stop ladder, 5 s from first to last step.
const (
	StopHangupWait    = 1 * time.Second // after SIGHUP (and end of input), before SIGTERM
	StopTerminateWait = 2 * time.Second // after SIGTERM, before SIGKILL
	StopKillWait      = 1 * time.Second // after SIGKILL, before it is reported as left over
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
	// BrowserStartTimeout is how long Chromium may take to answer on its pipe.
	BrowserStartTimeout = 30 * time.Second
	// BrowserStopTimeout is how long it may take to close by itself.
	BrowserStopTimeout = 3 * time.Second
	// PanelOpenTimeout is how long the side panel may take to appear.
	PanelOpenTimeout = 10 * time.Second
	// FirstScreenTimeout is how long a panel that has connected may take to show
	// a terminal before the rest of the start goes on.
	FirstScreenTimeout = 500 * time.Millisecond
	// StateRetry is the pause before state files that the disk did not take are
	// written again.
	StateRetry = 1 * time.Second
	// TabSettle is how long a change of the tabs waits for the word of the
	// extension's worker before the worker is asked.
	TabSettle = 25 * time.Millisecond
	// WorkerAnswer is how long the worker may take to answer; after it the
	// browser's own word counts.
	WorkerAnswer = 1 * time.Second
	// WorkerStartTimeout is how long the extension's worker may take to appear
	// after the extension was loaded, before it is loaded again.
	WorkerStartTimeout = 8 * time.Second
	// BrowserEventQueue is how many DevTools events wait for one reader inside
	// the backend before its subscription is closed.
	BrowserEventQueue = 4096
	// WindowWait is how long a window or download that was announced may take to
	// begin.
	WindowWait = 3 * time.Second
	// PictureWait is when the picture of a tab in front is overdue: its window may
	// be shown nowhere.
	PictureWait = 500 * time.Millisecond
	// NetworkQuiet is how long no request may be under way for the network to
	// count as quiet.
	NetworkQuiet = 500 * time.Millisecond
	// RootsAgain is how often a wait asks for closed shadow roots that have come
	// meanwhile: no event tells of them.
	RootsAgain = 250 * time.Millisecond
	// RequestsHeard is how long after a command a page's requests are still told:
	// the next command often follows at once.
	RequestsHeard = 5 * time.Second
	// CommandTimeout is a command's deadline unless its caller names another.
	CommandTimeout = 30 * time.Second
	// MaxCommandTimeout is the longest deadline that a caller may name.
	MaxCommandTimeout = 10 * time.Minute
	// TextLimit is how many characters `text` returns unless asked for more.
	TextLimit = 200_000
	// ReplyLimit is how many characters the commands that show a page's parts
	// answer unless asked for more; what is left out is counted.
	ReplyLimit = 20_000
	// SliceHeight is the height of one slice of a tall picture, in CSS pixels:
	// models scale larger pictures down until their text cannot be read.
	SliceHeight = 1400
	// SliceOverlap is what two slices have in common, so that no line is cut in
	// both.
	SliceOverlap = 60
	// MaxResponsive is how many widths `responsive` takes in one call.
	MaxResponsive = 12
	// MaxTraceTime is how long `perf --trace` may record.
	MaxTraceTime = 60 * time.Second
	// StyleHistory is how many style edits of a tab are remembered.
	StyleHistory = 100
)

// Logs.
const (
	LogFileSize  = 10 << 20 // a log file is rotated when it reaches this size
	LogFileCount = 5        // how many rotated files are kept
	LogTail      = 2000     // how many records the window is given when it opens
)

// Agents.
const (
	// AgentPathTimeout is how long the login shell may take to say its PATH; a
	// profile that starts a version manager takes about a second.
	AgentPathTimeout = 5 * time.Second
	// AgentPathWait is how long the start of a terminal waits for that answer.
	AgentPathWait = 300 * time.Millisecond
	// AgentVersionTimeout is how long an agent may take for `--version`; the
	// slowest start a Node or Python runtime from a cold disk.
	AgentVersionTimeout = 10 * time.Second
	// AgentProbes is how many agents are asked at once.
	AgentProbes = 4
)

// Agents of Chat: what passes over their standard input and output.
const (
	// MaxAgentLine bounds one message of an agent, in bytes.
	MaxAgentLine = 64 << 20
	// MaxAgentQueue is how many bytes wait for an agent that does not read.
	MaxAgentQueue = 64 << 20
	// AgentInbox is how many bytes of one session wait for its conversation
	// before the agent is read no further.
	AgentInbox = 4 << 20
	// AgentRubbish is how many lines in a row may be no messages before the agent
	// counts as broken. Many print a word or two before they begin.
	AgentRubbish = 1000
	// AgentStderr is how many lines of an agent's error output are kept for the
	// reason of its end, AgentStderrLine how long one of them may be, in bytes.
	AgentStderr     = 20
	AgentStderrLine = 4 << 10
	// AgentHandshake is how long an agent may take for its first answer; a Node
	// runtime from a cold disk takes 10 s and more.
	AgentHandshake = 60 * time.Second
	// AgentEndWait is how long an agent is let alone after what it said last before
	// its input ends, and how long it may then take to end by itself before it is
	// signalled: in both it writes down what was said.
	AgentEndWait = 250 * time.Millisecond
	// AgentPipeWait is how long an agent that closed its output may take to end,
	// and what it left in the pipe to be read.
	AgentPipeWait = 2 * time.Second
)

// Chat.
const (
	// ChatQueue is how many messages of a conversation wait for their turn.
	ChatQueue = 5
	// MaxRouteWord bounds a word of the table of routes, in characters.
	MaxRouteWord = 60
	// MaxChatText bounds a prompt and a draft, in bytes.
	MaxChatText = 256 << 10
	// MaxAttachment bounds one attachment, in bytes; MaxAttachments is how many a
	// prompt has. MaxChatBody is what both come to in base64, and the prompt.
	MaxAttachment  = 10 << 20
	MaxAttachments = 10
	MaxChatBody    = 48 << 20
	// MaxToolText bounds one text, or one side of a diff, that a tool call brought,
	// in bytes; what is beyond is cut and said.
	MaxToolText = 512 << 10
	// DiffAround is how many unchanged lines are kept on each side of a change.
	DiffAround = 20
	// DiffFile is how large a file may be of which it is looked up where a change of
	// it is, in bytes.
	DiffFile = 8 << 20
	// ChatBlock is the length in bytes at which a text of an agent goes on in a new
	// entry.
	ChatBlock = 256 << 10
	// ChatPageSize is how many entries a page has unless asked for another number,
	// ChatPageMax the most that it has.
	ChatPageSize = 100
	ChatPageMax  = 1000
	// ChatReplay is how many events a viewer that comes back is given; one that is
	// further behind gets a page.
	ChatReplay = 2000
	// ChatViewerQueue and ChatViewerBytes are how much waits for a viewer before it
	// gets a page instead.
	ChatViewerQueue = 1024
	ChatViewerBytes = 4 << 20
	// ChatWindow is how many entries of a turn are kept in memory.
	ChatWindow = 1000
	// ChatHits is how many hits a search gives unless asked for another number.
	ChatHits = 50
	// MaxWatches is how many conversations one panel watches at once.
	MaxWatches = 64
	// ShowWait is how long a panel that is being opened is told what it was opened
	// for.
	ShowWait = 10 * time.Second
	// ChatHeadEvery is the shortest time between two heads that differ in nothing
	// that a person waits for (usage, draft).
	ChatHeadEvery = 100 * time.Millisecond
	// ChatCancelWait is how long an agent may take to end a turn that is cancelled,
	// before its process is ended.
	ChatCancelWait = 10 * time.Second
	// ChatCloseWait is how long an agent may take to close a session, in which it
	// writes down what was said, before its process may end.
	ChatCloseWait = 2 * time.Second
	// ChatAnswerWait is how long a question of an agent waits for the person.
	ChatAnswerWait = 24 * time.Hour
	// ChatSilence is after how long a turn that says nothing is offered to be ended,
	// unless Settings say otherwise.
	ChatSilence = 5 * time.Minute
	// ChatIdle is how long an agent that can load its sessions again is kept for a
	// conversation in which nothing happens.
	ChatIdle = 30 * time.Minute
	// ChatStepWait is how long a step in the browser waits for the tool call that it
	// belongs to: the two come over different pipes.
	ChatStepWait = 250 * time.Millisecond
	// ChatKnown is how many of a conversation's last messages are recognised when
	// they are sent again.
	ChatKnown = 256
	// ChatContext bounds the history that is given to an agent that cannot load it,
	// in bytes.
	ChatContext = 96 << 10
	// ChatTitle bounds a title that is made from the first prompt, in characters.
	ChatTitle = 60
	// ChatVersion is the version of a conversation's files.
	ChatVersion = 1
	// ChatSearchLimit is how many hits a search gives unless asked for another number.
	ChatSearchLimit = 50
	// ChatPathsMax is how many paths a mention of a file is completed by,
	// ChatPathsVisited how many of the working folder are looked at for that.
	ChatPathsMax     = 30
	ChatPathsVisited = 20000
	// PickTimeout is how long the picker waits for a person to pick an element of a
	// page.
	PickTimeout = 2 * time.Minute
	// PickEndTimeout is how long a page may take to switch its picker off.
	PickEndTimeout = time.Second
	// PickElements is how many elements are listed beside the picker.
	PickElements = 500
)

// Approvals.
const (
	// ApprovalTimeout is how long a command waits for a person whose caller
	// names no deadline.
	ApprovalTimeout = 5 * time.Minute
	// MaxApprovals is how many commands of a session wait for a person at once;
	// further ones are refused.
	MaxApprovals = 20
	// NotifySettle is how long a notification is on the screen before a press on its
	// "Allow once" counts: an earlier one was meant for what was there before.
	NotifySettle = 700 * time.Millisecond
	// NotifyTimeout is how long the desktop may take to show a notification.
	NotifyTimeout = 5 * time.Second
	// MaxSiteRules bounds the rules of a session.
	MaxSiteRules = 500
	// MaxSitePattern bounds the site of a rule, in bytes.
	MaxSitePattern = 300
	// RulesVersion is the version of rules.json.
	RulesVersion = 1
)

// Activity.
const (
	// ActivityRing is how many entries a session keeps in memory.
	ActivityRing = 1000
	// ActivityFileSize is the size at which a session's activity begins a new
	// file, in bytes.
	ActivityFileSize = 4 << 20
	// ActivityFiles is how many of these files are kept.
	ActivityFiles = 8
	// ActivityText bounds one argument, and the summary, of an entry, in
	// characters.
	ActivityText = 200
	// ActivityPageSize is how many entries GET /activity/history gives unless
	// asked for another number, ActivityPageMax the most that it gives.
	ActivityPageSize = 100
	ActivityPageMax  = 1000
	// StreamHeartbeat is how often a stream of server-sent events says that it
	// lives.
	StreamHeartbeat = 15 * time.Second
	// ActorFiles is how many files of an actor's commands it can still fetch.
	ActorFiles = 500
)

// MCP.
const (
	// MCPSessionIdle is how long an MCP session without a request lives.
	MCPSessionIdle = 30 * time.Minute
	// MCPSchemaChars bounds what tools/list costs a model, in characters.
	MCPSchemaChars = 8000
	// MaxImage bounds a picture that is given to a model, in bytes.
	MaxImage = 8 << 20
)

// The command line.
const (
	// AutostartTimeout is how long a session that a command starts by itself may
	// take until it listens.
	AutostartTimeout = 30 * time.Second
	// PredecessorTimeout is how long a start waits for one that is ending.
	PredecessorTimeout = 15 * time.Second
	// PredecessorGone is how long a start waits for the lock of one whose endpoint
	// file is away, or not yet there.
	PredecessorGone = 2 * time.Second
	// AutostartIdle is how long such a session lives without a command.
	AutostartIdle = 30 * time.Minute
	// CLIMargin is how much longer the command line waits for a reply than the
	// deadline that it sends: the backend's own answer says more.
	CLIMargin = 2 * time.Second
	// HookTimeout is all that an agent's hook may take: the agent waits for it.
	HookTimeout = 2 * time.Second
	// HookInputWait is how long a hook waits for the JSON on its input.
	HookInputWait = 250 * time.Millisecond
	// DoctorTimeout is how long `doctor` gives each of its checks.
	DoctorTimeout = 10 * time.Second
)

// Watching: what a tab keeps of what it is asked to remember.
const (
	// ConsoleRing, NetworkRing, DialogRing and DownloadRing are how many entries
	// are kept; the oldest go first and are counted.
	ConsoleRing  = 1000
	NetworkRing  = 1000
	DialogRing   = 200
	DownloadRing = 200
	// NewsRing is how much of what happens on a tab by itself is kept for who looks
	// next, NewsTold how many lines of it one look tells.
	NewsRing = 50
	NewsTold = 10
	// ConsoleText bounds one entry of the console, in characters.
	ConsoleText = 10_000
	// NetworkBuffer is how many bytes of bodies the browser keeps for a watched
	// tab, NetworkBodyMax the largest single one.
	NetworkBuffer  = 64 << 20
	NetworkBodyMax = 16 << 20
	// WatchBegin is how long a page may take to say what it already knows when
	// watching begins; a page that hangs is watched all the same.
	WatchBegin = 1 * time.Second
	// RecordSteps and RecordFrames bound a recording.
	RecordSteps  = 2000
	RecordFrames = 1200
	// RecordRate is how many pictures a second a video has at most.
	RecordRate = 10
	// TraceStop is how long the browser may take to hand over a trace.
	TraceStop = 30 * time.Second
	// TraceBytes bounds a trace's file.
	TraceBytes = 256 << 20
	// NetworkRules is how many addresses a tab may have blocked or mocked.
	NetworkRules = 100
	// ListShown is how many entries a listing shows unless asked for more.
	ListShown = 50
	// EachTabs is how many tabs `each` asks at once.
	EachTabs = 8
)

// Models.
const (
	// MaxModelRequest bounds one request to a model, in bytes: a conversation with
	// several pictures.
	MaxModelRequest = 32 << 20
	// MaxModelError bounds what is read of a provider's error, in bytes.
	MaxModelError = 64 << 10
	// MaxModelList bounds a provider's list of models, in bytes.
	MaxModelList = 8 << 20
	// ModelDialTimeout is how long a connection to a provider may take.
	ModelDialTimeout = 10 * time.Second
	// ModelSilence is how long a model may say nothing before it counts as hung:
	// before its first byte, and between two.
	ModelSilence = 2 * time.Minute
	// ModelAttempts is how often a request is sent that a provider turns away
	// because it is busy.
	ModelAttempts = 4
	// ModelBackoff is the wait before the second attempt; it doubles.
	ModelBackoff = 500 * time.Millisecond
	// ModelMaxBackoff bounds the wait that we choose ourselves.
	ModelMaxBackoff = 8 * time.Second
	// ModelMaxRetryAfter bounds the wait that a provider asks for; when it asks
	// for more, the caller is told instead.
	ModelMaxRetryAfter = 60 * time.Second
	// ModelTestTimeout bounds a test of a connection, and a fetch of the models.
	ModelTestTimeout = 30 * time.Second
	// ModelLocalTimeout bounds the look for a model server on this machine.
	ModelLocalTimeout = time.Second
	// MaxModelProfiles bounds how many ways to a model there are.
	MaxModelProfiles = 32
)

// Tasks.
const (
	// MaxTaskEvent bounds the data of one event of a task, in bytes; pictures are
	// files.
	MaxTaskEvent = 256 << 10
	// TaskPictures is how many bytes the pictures of a session's tasks have; those
	// of old tasks make room. TaskPictureQuality is that of their JPEGs.
	TaskPictures       = 128 << 20
	TaskPictureQuality = 50
	// TaskSearchText is how many bytes of each text of a step can be searched.
	TaskSearchText = 4 << 10
	// TaskFiles is how many files of 4 MiB a task's journal keeps.
	TaskFiles = 16
	// TaskPageSize is how many events a reader is given at once.
	TaskPageSize = 500
	// TaskGoneViews is how many of the panel views that went are remembered, so
	// that a late write of theirs is refused.
	TaskGoneViews = 64
	// TaskWritesKnown is how many writes of a task are remembered, so that one whose
	// answer got lost is not written twice. A view has a few on their way at most.
	TaskWritesKnown = 32
	// MaxTaskRoutines bounds how many routines a session has.
	MaxTaskRoutines = 200
	// DefaultTaskSteps is how many steps a task has unless it is told otherwise.
	DefaultTaskSteps = 40
	// TaskPagesTimeout is how long the cover of a page and the group of a task's
	// tabs may take to be as they should.
	TaskPagesTimeout = 10 * time.Second
	// TaskTakeTimeout is how long a task that a program asks for waits for a panel
	// to take it.
	TaskTakeTimeout = 10 * time.Second
	// TaskLostWait is how long whoever follows a task waits for it to go on after
	// its panel was gone: one that only lost its connection is back by then.
	TaskLostWait = 10 * time.Second
	// TaskToolWait is how long a tool of MCP waits for a task's end: most clients
	// give a tool up after a minute. TaskToolMaxWait is the most that may be asked
	// for, and the default for a client that hears progress.
	TaskToolWait    = 50 * time.Second
	TaskToolMaxWait = 10 * time.Minute
)
