package server

import (
	"context"
	"iter"
	"net/http"
	"net/netip"
	"os"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// Sessions is the logic behind the routes that are more than an operation: sockets, files
// and long replies. Every call carries the grant of its caller, which is the only source of
// the caller's identity. An error with a protocol.Code keeps it on the wire.
type Sessions interface {
	// Caller returns the grant on whose behalf a request is made.
	Caller(request auth.Request) (auth.Grant, error)
	// ServeMCP serves the Model Context Protocol to the holder of a grant.
	ServeMCP(w http.ResponseWriter, r *http.Request, grant auth.Grant)

	// PtySession finds the running terminal that req names, or starts a new one.
	PtySession(ctx context.Context, grant auth.Grant, req protocol.PtySessionRequest) (protocol.TerminalInfo, error)
	// ServeTerminal serves one viewer of the grant's terminal until its socket, the
	// terminal or ctx ends. It makes the socket's reads and its heartbeat: only it knows
	// when it pauses reading because the program does not read.
	ServeTerminal(ctx context.Context, grant auth.Grant, conn *websocket.Conn) error

	// ServeShare serves a program that speaks the DevTools protocol with the tabs of the grant,
	// until its socket, the browser or ctx ends.
	ServeShare(ctx context.Context, grant auth.Grant, conn *websocket.Conn) error

	// Pairs reports whether a session waits for a panel that its user pairs by a code.
	Pairs() bool
	// Pair waits until the user enters the code of a panel that has no pairing. client and
	// server are the two ends of its connection.
	Pair(ctx context.Context, client, server netip.AddrPort, req protocol.PairRequest) (protocol.PairReply, error)
	// Hello returns the whole state of the grant's session.
	Hello(ctx context.Context, grant auth.Grant) (protocol.HelloEvent, error)
	// Subscribe returns a subscription to the events of the grant's session from
	// now on, each of which encoding/json can encode.
	Subscribe(grant auth.Grant) *hub.Subscription[any]
	// PanelConnected records that a panel, or the task page (tasks), is connected, until
	// release is called. It returns the panel's id for that time.
	PanelConnected(grant auth.Grant, tasks bool) (panel string, release func())
	// Feed returns what a room of the panel follows, and WatchConversation the events of a
	// conversation, after an index, until ctx ends.
	Feed(ctx context.Context, grant auth.Grant, name protocol.FeedName, tab protocol.TabID, after uint64) (iter.Seq2[protocol.FeedBatch, error], error)
	WatchConversation(ctx context.Context, grant auth.Grant, id protocol.ConversationID, after uint64) (iter.Seq2[protocol.ChatEventsEvent, error], error)
	// PanelMessage handles a message of a panel, except auth, ping, and those that
	// begin and end to watch a conversation or to follow a feed. It must not block.
	PanelMessage(grant auth.Grant, msg protocol.PanelMessage)

	// Command runs one command. It calls waiting, unless it is nil, when the
	// command waits for the user; waiting must not block.
	Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply
	// View shows a tab to the user until ctx ends: show gets each picture, a JPEG with its
	// number, and the next one when inputs has said that it was drawn.
	View(ctx context.Context, grant auth.Grant, tab protocol.TabID, inputs <-chan protocol.LiveInput, show func(protocol.LiveFrame) error) error
	// OpenFile opens a file that a command of the grant's session saved, if the caller may
	// read it. It returns the file's media type, too.
	OpenFile(grant auth.Grant, path string) (f *os.File, mediaType string, err error)
	// Prompt forwards a prompt, the provider's own body, to the model of a profile, and
	// streams the response. When it returns an error, it has written nothing to w.
	Prompt(ctx context.Context, w http.ResponseWriter, profile string, body []byte) error
}
