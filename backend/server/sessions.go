package server

import (
	"context"
	"iter"
	"os"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Sessions is what the routes do. Every call carries the grant of its caller,
// which is the only source of who that is. Errors that carry a protocol.Code
// keep it on the wire.
type Sessions interface {
	// PtySession finds the living terminal that req names, or starts a new one.
	PtySession(ctx context.Context, grant auth.Grant, req protocol.PtySessionRequest) (protocol.TerminalInfo, error)
	// Terminals are those of the grant's session, which runs.
	Terminals(grant auth.Grant) (Terminals, error)

	// Hello is the whole state of the grant's session.
	Hello(ctx context.Context, grant auth.Grant) (protocol.HelloEvent, error)
	// Subscribe gives the events of the grant's session from now on.
	Subscribe(grant auth.Grant) Subscription
	// PanelConnected says that a panel is there, until release is called, and
	// gives it a name of its own for as long.
	PanelConnected(grant auth.Grant) (panel string, release func())
	// PanelMessage hands over what a panel says, auth and ping excepted. It must
	// not block.
	PanelMessage(grant auth.Grant, msg protocol.PanelMessage)

	// Command runs one command. waiting, unless it is nil, is told when it waits
	// for the person, and must not block.
	Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply
	Tabs(ctx context.Context, grant auth.Grant) ([]protocol.Tab, error)
	// Agents gives the newest probe, or makes a new one.
	Agents(ctx context.Context, grant auth.Grant, probe bool) (protocol.AgentsFile, error)
	App(ctx context.Context, grant auth.Grant, req protocol.AppRequest) (protocol.AppReply, error)
	// Pick lets the person at the panel pick an element of a page. It returns once
	// they can.
	Pick(ctx context.Context, grant auth.Grant, req protocol.PickRequest) (protocol.PickReply, error)
	// RouteRule changes the table of Chat's routes, which all sessions share.
	RouteRule(ctx context.Context, req protocol.ChatRouteRuleRequest) error

	// Activity is what was done in the grant's session, Files are those that its
	// commands saved.
	Activity(grant auth.Grant) (Activity, error)
	Files(grant auth.Grant) (Files, error)
}

// Terminals are those of one session.
type Terminals interface {
	Restart(ctx context.Context, req protocol.PtyRestartRequest) (protocol.TerminalInfo, error)
	Close(ctx context.Context, id protocol.TerminalID) error
	// Beginning is what a terminal's process has written since its start, empty
	// where that is more than most bytes; and the picture that a panel told of it,
	// empty where that is old.
	Beginning(id protocol.TerminalID, most int) (written, picture string)
	// Serve serves one viewer of a terminal until its socket, the terminal or ctx
	// ends. It owns the socket's reads, and its heartbeat: only it knows when it does
	// not read because the program does not.
	Serve(ctx context.Context, conn *websocket.Conn, id protocol.TerminalID) error
	SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error
}

// Activity is what was done in one session.
type Activity interface {
	// History gives at most limit entries after an index: those that the grant may
	// see.
	History(grant auth.Grant, after uint64, limit int) (protocol.ActivityPage, error)
	// Follow gives them, and everything new, until ctx ends.
	Follow(ctx context.Context, grant auth.Grant, after uint64) (iter.Seq2[protocol.ActivityItem, error], error)
}

// Files are those that commands of one session saved.
type Files interface {
	// Open opens a file, if the actor may have it.
	Open(actor protocol.Actor, path string) (*os.File, error)
}

// Subscription is a bounded stream of events, each of which encoding/json can
// write; a *hub.Subscription[any] is one.
type Subscription interface {
	C() <-chan any
	// Gap reports, once, that events were lost since it was last asked.
	Gap() bool
	Close()
}
