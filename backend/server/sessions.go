package server

import (
	"context"
	"iter"
	"os"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Sessions is the logic behind the routes. Every call carries the grant of its
// caller, which is the only source of the caller's identity. An error with a
// protocol.Code keeps it on the wire.
type Sessions interface {
	// PtySession finds the running terminal that req names, or starts a new one.
	PtySession(ctx context.Context, grant auth.Grant, req protocol.PtySessionRequest) (protocol.TerminalInfo, error)
	// AskTool asks the user for the agent of a terminal whether it may use a tool of
	// its own. It waits for the answer.
	AskTool(ctx context.Context, grant auth.Grant, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error)
	// Terminals returns the terminals of the grant's session, which must be
	// running.
	Terminals(grant auth.Grant) (Terminals, error)

	// Hello returns the whole state of the grant's session.
	Hello(ctx context.Context, grant auth.Grant) (protocol.HelloEvent, error)
	// Subscribe returns a subscription to the events of the grant's session from
	// now on.
	Subscribe(grant auth.Grant) Subscription
	// PanelConnected records that a panel is connected, until release is called.
	// It returns the panel's id for that time.
	PanelConnected(grant auth.Grant) (panel string, release func())
	// Feed returns what a room of the panel follows, after an index, until ctx ends.
	Feed(ctx context.Context, grant auth.Grant, name protocol.FeedName, tab protocol.TabID, after uint64) (iter.Seq2[protocol.FeedBatch, error], error)
	// PanelMessage handles a message of a panel, except auth, ping, and those that
	// begin and end to watch a conversation or to follow a feed. It must not block.
	PanelMessage(grant auth.Grant, msg protocol.PanelMessage)

	// Command runs one command. It calls waiting, unless it is nil, when the
	// command waits for the user; waiting must not block.
	Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply
	Tabs(ctx context.Context, grant auth.Grant) ([]protocol.Tab, error)
	// Agents returns the result of the newest probe, or of a new one.
	Agents(ctx context.Context, grant auth.Grant, probe bool) (protocol.AgentsFile, error)
	App(ctx context.Context, grant auth.Grant, req protocol.AppRequest) (protocol.AppReply, error)
	// Pick lets the user at the panel pick an element of a page. It returns as
	// soon as the user can pick.
	Pick(ctx context.Context, grant auth.Grant, req protocol.PickRequest) (protocol.PickReply, error)
	// RouteRule changes the table of Chat's routes, which all sessions share.
	RouteRule(ctx context.Context, req protocol.ChatRouteRuleRequest) error

	// Activity returns the activity of the grant's session, Files the files that
	// its commands saved.
	Activity(grant auth.Grant) (Activity, error)
	Files(grant auth.Grant) (Files, error)
}

// Terminals are the terminals of one session.
type Terminals interface {
	Restart(ctx context.Context, req protocol.PtyRestartRequest) (protocol.TerminalInfo, error)
	Close(ctx context.Context, id protocol.TerminalID) error
	// Serve serves one viewer of a terminal until its socket, the terminal or ctx
	// ends. It makes the socket's reads and its heartbeat: only Serve knows when
	// it pauses reading because the program does not read.
	Serve(ctx context.Context, conn *websocket.Conn, id protocol.TerminalID) error
	SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error
}

// Activity is the activity of one session.
type Activity interface {
	// History returns at most limit entries after an index, of those that the
	// grant may see.
	History(grant auth.Grant, after uint64, limit int) (protocol.ActivityPage, error)
	// Follow returns the entries after an index and all new ones, until ctx ends.
	Follow(ctx context.Context, grant auth.Grant, after uint64) (iter.Seq2[protocol.ActivityItem, error], error)
	// Search returns the newest entries that a query selects, and Shot the screenshot
	// of an entry's moment.
	Search(ctx context.Context, grant auth.Grant, q protocol.ActivityQuery) (protocol.ActivityFound, error)
	Shot(ctx context.Context, grant auth.Grant, index uint64) (protocol.ChatAttachment, error)
}

// Files are the files that commands of one session saved.
type Files interface {
	// Open opens a file, if the actor may read it.
	Open(actor protocol.Actor, path string) (*os.File, error)
}

// Subscription is a bounded stream of events, each of which encoding/json can
// encode. *hub.Subscription[any] implements it.
type Subscription interface {
	C() <-chan any
	// Gap reports whether events were lost since the last call of Gap.
	Gap() bool
	Close()
}
