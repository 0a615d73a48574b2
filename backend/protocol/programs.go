package protocol

// ProgramsAction is what the window asks for about other programs.
type ProgramsAction string

// The actions on other programs.
const (
	ProgramsList    ProgramsAction = "list"
	ProgramsShow    ProgramsAction = "show" // the change that connect would make
	ProgramsConnect ProgramsAction = "connect"
	ProgramsRemove  ProgramsAction = "remove"
)

// ProgramsRequest asks about other programs, or changes the settings of one.
type ProgramsRequest struct {
	Do ProgramsAction `json:"do"`
	// Program is its name; empty with list.
	Program string `json:"program,omitempty"`
}

// Program is another program whose agent can drive the browser.
type Program struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	// Connected: the program's settings have our MCP server.
	Connected bool `json:"connected"`
	// Current: it starts the Pilotfish that runs, and not another one.
	Current bool   `json:"current"`
	File    string `json:"file"`
	// Problem says why the settings cannot be read; empty when they can.
	Problem string `json:"problem,omitempty"`
}

// ProgramsReply has how every program stands after a request.
type ProgramsReply struct {
	Programs []Program `json:"programs"`
	// Done says what was changed, or would be with show; absent with list.
	Done *ProgramChange `json:"done,omitempty"`
}

// ProgramChange is a change of another program's settings.
type ProgramChange struct {
	Program string `json:"program"`
	// Change is the change as lines with + and -, after the path of the file; empty when
	// nothing was to be changed.
	Change string `json:"change"`
	// Own is the program's own command that made it; empty if we made it.
	Own string `json:"own,omitempty"`
	// Skill is the file of the skill that goes with it; empty for none.
	Skill string `json:"skill,omitempty"`
	// Tools is how many tools the server has that was started as the program will start
	// it; 0 when it was not.
	Tools int `json:"tools"`
	// Problem says why that server does not start, although the change was made.
	Problem *Error `json:"problem,omitempty"`
}

// ToolServersAction is what the window asks for about the user's own MCP servers.
type ToolServersAction string

// The actions on MCP servers.
const (
	ToolServersList   ToolServersAction = "list"
	ToolServersAdd    ToolServersAction = "add"
	ToolServersPermit ToolServersAction = "permit"
	ToolServersRemove ToolServersAction = "remove"
	ToolServersImport ToolServersAction = "import"
)

// ToolServersRequest asks for the user's own MCP servers, or changes their list.
type ToolServersRequest struct {
	Do ToolServersAction `json:"do"`
	// Name is the server of permit and remove.
	Name string `json:"name,omitempty"`
	// Permission is ask, allow or deny, with permit.
	Permission string `json:"permission,omitempty"`
	// Program is whose servers are imported.
	Program string `json:"program,omitempty"`
	// Server is what is added; it replaces the one of the same name.
	Server *ToolServerDraft `json:"server,omitempty"`
}

// ToolServerDraft is an MCP server to add.
type ToolServerDraft struct {
	Name string `json:"name"`
	// Line is the command line that starts it, or its address (https://…).
	Line string `json:"line"`
	// Variables are for a program, Headers for a server at an address.
	Variables []NamedValue `json:"variables,omitempty"`
	Headers   []NamedValue `json:"headers,omitempty"`
}

// NamedValue is a variable or a header.
type NamedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ToolServer is one of the user's own MCP servers, without the values of its variables
// and headers.
type ToolServer struct {
	Name string `json:"name"`
	// Line is its command line or its address, with credentials masked.
	Line string `json:"line"`
	// Remote: it is at an address.
	Remote    bool     `json:"remote,omitempty"`
	Variables []string `json:"variables,omitempty"`
	Headers   []string `json:"headers,omitempty"`
	// From is the program out of whose settings it came; empty when the user added it.
	From       string `json:"from,omitempty"`
	Permission string `json:"permission"`
}

// ToolServerLeft is a server that was not imported, and why.
type ToolServerLeft struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// ToolServersReply has the servers after a request, by name.
type ToolServersReply struct {
	Servers []ToolServer `json:"servers"`
	// Taken are the names of those that were imported, Left those that were not.
	Taken []string         `json:"taken,omitempty"`
	Left  []ToolServerLeft `json:"left,omitempty"`
}
