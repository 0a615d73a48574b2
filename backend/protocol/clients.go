package protocol

import "time"

// ClientKind says what holds a token.
type ClientKind string

// The kinds of client.
const (
	ClientPanel    ClientKind = "panel"    // the side panel of a session
	ClientTerminal ClientKind = "terminal" // an agent or a shell in a terminal
	ClientChat     ClientKind = "chat"     // an agent in Chat
	ClientMCP      ClientKind = "mcp"      // a program of the user that is connected by MCP
	ClientShell    ClientKind = "shell"    // the command line
	ClientScript   ClientKind = "script"   // programs at an address of `pilotfish share`
	ClientControl  ClientKind = "control"  // a browser with the control page
)

// Client is a program that uses Pilotfish with a token.
type Client struct {
	// ID names it for ClientsRequest. It is not secret.
	ID   string     `json:"id"`
	Kind ClientKind `json:"kind"`
	// Name is what the program is called, or calls itself.
	Name string `json:"name"`
	// Session is the one that it reaches; empty for all.
	Session SessionName `json:"session,omitempty"`
	// Tab is its own tab; empty for none.
	Tab TabID `json:"tab,omitempty"`
	// Made is when its token was made; for ClientMCP, when the program connected.
	Made time.Time `json:"made"`
	// Expires is when the access ends by itself; absent for never, and for tokens that are
	// replaced by themselves.
	Expires *time.Time `json:"expires,omitempty"`
	// Used is when it last asked for something; absent for never.
	Used *time.Time `json:"used,omitempty"`
	// Open is how many of its requests and connections are open.
	Open int `json:"open"`
	// Revoked is when the user revoked a program of ClientMCP, which is refused since
	// then; the times of its use are not known any more.
	Revoked *time.Time `json:"revoked,omitempty"`
}

// ClientsDo is what is done with the clients.
type ClientsDo string

// What ClientsRequest does.
const (
	ClientsList ClientsDo = "list"
	// ClientsRevoke ends a client: its connections close, and it is refused.
	ClientsRevoke ClientsDo = "revoke"
	// ClientsAllow lets a revoked program of ClientMCP come back.
	ClientsAllow ClientsDo = "allow"
)

// ClientsRequest asks for the clients, and changes one.
type ClientsRequest struct {
	Do ClientsDo `json:"do"`
	// ID is that of the client to change, or its first characters.
	ID string `json:"id,omitempty"`
}

// ClientsReply has all clients, after the change.
type ClientsReply struct {
	Clients []Client `json:"clients"`
}
