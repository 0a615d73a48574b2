package protocol

import "time"

// ConnectState says how a program stands to Pilotfish.
type ConnectState string

// The states of a program.
const (
	ConnectAbsent ConnectState = "absent" // the program was not found
	ConnectFound  ConnectState = "found"  // it could be connected
	ConnectDone   ConnectState = "connected"
	// ConnectChanged: it starts a server by our name, but not the one of this Pilotfish:
	// it was changed by hand, or belongs to another installation.
	ConnectChanged ConnectState = "changed"
	// ConnectUnclear: its settings cannot be read or changed; see Problem.
	ConnectUnclear ConnectState = "unclear"
)

// ConnectProgram is a program that can be connected to Pilotfish.
type ConnectProgram struct {
	Name  string       `json:"name"`
	Title string       `json:"title"`
	State ConnectState `json:"state"`
	// File is its configuration, Skill the file of the skill; empty for a program
	// without skills.
	File    string `json:"file"`
	Skill   string `json:"skill,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// ConnectChange is a change of a program's configuration: what will be done, or what was
// done.
type ConnectChange struct {
	Program ConnectProgram `json:"program"`
	// Lines are the file's path, and the lines with + and - before them; empty when
	// nothing changes.
	Lines string `json:"lines"`
	// Own is the program's own command that made the change; empty if we made it.
	Own string `json:"own,omitempty"`
	// Tools is how many tools the server had when it was started as the program will;
	// 0 when it was not started.
	Tools int `json:"tools,omitempty"`
}

// ClientKind says what a connected client is.
type ClientKind string

// The kinds of clients.
const (
	ClientPanel        ClientKind = "panel"
	ClientCommandLine  ClientKind = "command_line"
	ClientTerminal     ClientKind = "terminal"     // an agent or a shell in a terminal
	ClientConversation ClientKind = "conversation" // the agent of a conversation
	ClientProcess      ClientKind = "process"      // a process that serves conversations
)

// Client is a holder of a token.
type Client struct {
	// ID names the client for Revoke. It is not secret.
	ID      string      `json:"id"`
	Kind    ClientKind  `json:"kind"`
	Name    string      `json:"name"`
	Session SessionName `json:"session,omitempty"`
	Tab     TabID       `json:"tab,omitempty"`
	Since   time.Time   `json:"since"`
	// TokenSince is when the current token was made; later than Since after a rotation.
	TokenSince time.Time `json:"tokenSince"`
	// LastUsed is when a token of the client was used last; absent for never.
	LastUsed *time.Time `json:"lastUsed,omitempty"`
	// Rotates: revoking gives the client a new token, because it belongs to the user.
	// Without it, revoking ends the client's access.
	Rotates bool `json:"rotates,omitempty"`
	// Through are the programs that use the token now, such as MCP clients.
	Through []ClientUse `json:"through,omitempty"`
}

// ClientUse is a program that uses a client's token.
type ClientUse struct {
	Name     string    `json:"name"`
	LastUsed time.Time `json:"lastUsed"`
}

// StoredKind names a kind of data that Pilotfish keeps on this computer.
type StoredKind string

// The kinds of stored data.
const (
	StoredActivity      StoredKind = "activity"
	StoredConversations StoredKind = "conversations"
	StoredTasks         StoredKind = "tasks"
	StoredRoutines      StoredKind = "routines"
	StoredRecordings    StoredKind = "recordings"
	StoredScreenshots   StoredKind = "screenshots"
	StoredDownloads     StoredKind = "downloads"
	StoredSignIns       StoredKind = "sign_ins"
	StoredCaches        StoredKind = "caches"
	StoredProfiles      StoredKind = "profiles"
	StoredLogs          StoredKind = "logs"
)

// Stored is the data of one kind that one session has on disk.
type Stored struct {
	Kind    StoredKind  `json:"kind"`
	Session SessionName `json:"session,omitempty"` // empty for data of the app itself
	// Places are the files and folders.
	Places []string `json:"places"`
	Bytes  int64    `json:"bytes"`
	Files  int      `json:"files"`
	// Kept says why the data cannot be deleted now; empty when it can.
	Kept string `json:"kept,omitempty"`
}
