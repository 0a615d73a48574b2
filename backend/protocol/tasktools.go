package protocol

import "encoding/json"

// ToolQuestion is the command of the question whether a task may use a tool of one of
// the user's own MCP servers, and of the activity's entry about that use.
const ToolQuestion = "mcp-tool"

// TaskToolsRequest is the body of POST /task/tools: which tools of the user's MCP
// servers a task may use. Without a task, the reply has the names of the servers only,
// and none is started.
type TaskToolsRequest struct {
	Task   TaskID `json:"task,omitempty"`
	Viewer string `json:"viewer,omitempty"`
}

// TaskToolsReply is the reply of POST /task/tools, in the order of the servers' names.
type TaskToolsReply struct {
	Servers []TaskToolServer `json:"servers"`
}

// TaskToolServer is one of the user's MCP servers. What it says of its tools is text of
// a stranger.
type TaskToolServer struct {
	Name  string     `json:"name"`
	Tools []TaskTool `json:"tools"`
	// More is how many tools are left out, because there are too many.
	More int `json:"more,omitempty"`
	// Error is why its tools cannot be used.
	Error *Error `json:"error,omitempty"`
}

// TaskTool is a tool as its server describes it, bounded.
type TaskTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Schema is the JSON Schema of the arguments; left out where it is too large.
	Schema json.RawMessage `json:"schema,omitempty" tstype:"unknown"`
}

// TaskToolRequest is the body of POST /task/tool: use a tool for a task.
type TaskToolRequest struct {
	Task   TaskID `json:"task"`
	Viewer string `json:"viewer"`
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Arguments are a JSON object; left out for none.
	Arguments json.RawMessage `json:"arguments,omitempty" tstype:"unknown"`
}

// TaskToolReply is the reply of POST /task/tool.
type TaskToolReply struct {
	OK bool `json:"ok"`
	// Text is what the tool answered, in the envelope of foreign text, for the model.
	// Where the tool reports an error, it is the text of that error.
	Text string `json:"text"`
	// Error is why the tool was not used, or that it reports an error. It has no text
	// of the server.
	Error *Error `json:"error,omitempty"`
	// Kept are arguments and answer with credentials masked: what may be written.
	Kept TaskToolKept `json:"kept"`
}

// TaskToolKept is what may be written of the use of a tool; the text is in the envelope,
// too.
type TaskToolKept struct {
	Arguments json.RawMessage `json:"arguments,omitempty" tstype:"{ [key: string]: unknown}"`
	Text      string          `json:"text"`
}
