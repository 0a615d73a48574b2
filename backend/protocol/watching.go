package protocol

import (
	"encoding/json"
	"time"
)

// ConsoleEntry is one line of a tab's console.
type ConsoleEntry struct {
	// N counts the entries of a tab since it is watched, from 1.
	N     int       `json:"n"`
	At    time.Time `json:"at"`
	Level string    `json:"level"` // "error", "warning", "info", "log" or "debug"
	// Source is "console" for what the page wrote, "exception" for what it did
	// not catch, else what in the browser speaks, such as "network".
	Source string `json:"source"`
	Text   string `json:"text"`
	// URL, Line and Column are where in the source it came from, from 1.
	URL    string `json:"url,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Stack are the callers, nearest first.
	Stack []string `json:"stack,omitempty"`
}

// ConsoleLog is what a tab's console said.
type ConsoleLog struct {
	Entries []ConsoleEntry `json:"entries"`
	// Dropped is how many older entries are no longer kept.
	Dropped int `json:"dropped,omitempty"`
	// Since is when the tab began to be watched.
	Since time.Time `json:"since"`
}

// NetworkEntry is one request of a tab.
type NetworkEntry struct {
	// ID names the request within its tab: "n1", "n2", …
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	URL    string    `json:"url"`
	// Type is what it was for: "document", "script", "xhr", "fetch", …
	Type string `json:"type"`
	// Status is 0 until an answer came.
	Status     int    `json:"status,omitempty"`
	StatusText string `json:"statusText,omitempty"`
	MIME       string `json:"mime,omitempty"`
	// Bytes is what came over the network.
	Bytes int `json:"bytes,omitempty"`
	// DurationMS is from the request to its end; 0 while it runs.
	DurationMS float64 `json:"durationMs,omitempty"`
	Done       bool    `json:"done"`
	// Failed says why no answer came.
	Failed string `json:"failed,omitempty"`
	// From is "cache", "worker", "mock" or empty for the network.
	From            string            `json:"from,omitempty"`
	Initiator       string            `json:"initiator,omitempty"`
	RequestHeaders  map[string]string `json:"requestHeaders,omitempty"`
	ResponseHeaders map[string]string `json:"responseHeaders,omitempty"`
	PostData        string            `json:"postData,omitempty"`
	Protocol        string            `json:"protocol,omitempty"`
	RemoteAddress   string            `json:"remoteAddress,omitempty"`
}

// NetworkLog is what a tab asked the network for.
type NetworkLog struct {
	Entries []NetworkEntry `json:"entries"`
	Dropped int            `json:"dropped,omitempty"`
	Since   time.Time      `json:"since"`
}

// NetworkBody is the body of an answer.
type NetworkBody struct {
	Entry NetworkEntry `json:"entry"`
	// Text is the body when it is text; else Bytes only tells its size.
	Text string `json:"text,omitempty"`
	// Bytes is the size of the whole body.
	Bytes int `json:"bytes"`
	// Path is the file that the body was saved to, if it was.
	Path string `json:"path,omitempty"`
}

// NetworkRule changes what a tab gets for the addresses that match.
type NetworkRule struct {
	// Pattern is an address in which * stands for anything.
	Pattern string `json:"pattern"`
	// Block fails the request; else it is answered with what follows.
	Block   bool              `json:"block,omitempty"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	// Hits is how often it was used.
	Hits int `json:"hits"`
}

// SavedFile is a file that a command wrote into the session's folder.
type SavedFile struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	// Entries is how many things are in it: requests, frames, steps.
	Entries int `json:"entries,omitempty"`
}

// DialogEntry is one dialog that a page showed.
type DialogEntry struct {
	N       int       `json:"n"`
	At      time.Time `json:"at"`
	Type    string    `json:"type"` // "alert", "confirm", "prompt" or "beforeunload"
	Message string    `json:"message"`
	URL     string    `json:"url"`
	Open    bool      `json:"open"`
	// Accepted and Answer are how it ended.
	Accepted bool   `json:"accepted,omitempty"`
	Answer   string `json:"answer,omitempty"`
	// ByPolicy: it was answered by the tab's policy and not by anybody.
	ByPolicy bool `json:"byPolicy,omitempty"`
}

// DialogLog is what dialogs a tab showed since it is watched.
type DialogLog struct {
	// Policy is "leave", "accept" or "dismiss".
	Policy  string        `json:"policy"`
	Entries []DialogEntry `json:"entries"`
	Dropped int           `json:"dropped,omitempty"`
	Since   time.Time     `json:"since"`
}

// Download is one download of the session.
type Download struct {
	// ID names it within the session: "d1", "d2", …
	ID   string `json:"id"`
	Tab  TabID  `json:"tab,omitempty"`
	URL  string `json:"url"`
	Name string `json:"name"`
	// State is "running", "done" or "canceled".
	State    string    `json:"state"`
	At       time.Time `json:"at"`
	Received int64     `json:"received"`        // bytes
	Total    int64     `json:"total,omitempty"` // bytes; 0 while it is not known
	// Path is the file, once it is done.
	Path string `json:"path,omitempty"`
}

// WatchRequest says what to wait for; exactly one of the kinds.
type WatchRequest struct {
	// Kind is "text", "element", "url", "console", "request" or "download".
	Kind string `json:"kind"`
	// Value is the text, the selector, or a pattern in which * stands for
	// anything.
	Value string `json:"value"`
	// Gone waits until text or element is no longer there.
	Gone bool `json:"gone,omitempty"`
}

// WatchReply is what came.
type WatchReply struct {
	Kind string `json:"kind"`
	// What is the text, address or line that matched.
	What string `json:"what"`
	// Origin is where What came from.
	Origin string `json:"origin,omitempty"`
	// AfterMS is how long it took.
	AfterMS float64 `json:"afterMs"`
}

// RecordedStep is one thing that was done on a page.
type RecordedStep struct {
	// Do is "goto", "click", "rightclick", "dblclick", "fill", "select", "check",
	// "uncheck", "press" or "upload".
	Do    string    `json:"do"`
	At    time.Time `json:"at"`
	URL   string    `json:"url,omitempty"`
	CSS   string    `json:"css,omitempty"`
	Role  string    `json:"role,omitempty"`
	Name  string    `json:"name,omitempty"`
	Value string    `json:"value,omitempty"`
	// Sure: role and name, as accessibility computes them, mean this element and
	// no other.
	Sure bool `json:"sure,omitempty"`
	// Frame is the address of the frame that it was done in; empty for the page
	// itself.
	Frame string `json:"frame,omitempty"`
	// Secret: what was typed is not kept; a parameter of the routine stands for
	// it.
	Secret bool `json:"secret,omitempty"`
}

// Recording is a recording that ended, or its state.
type Recording struct {
	Running bool           `json:"running"`
	Steps   []RecordedStep `json:"steps"`
	Dropped int            `json:"dropped,omitempty"`
	Frames  int            `json:"frames,omitempty"`
	// Video is the file of the pictures, if they were asked for.
	Video *SavedFile `json:"video,omitempty"`
	// VideoError is why there is no such file though it was asked for; the steps
	// are kept all the same.
	VideoError *Error `json:"videoError,omitempty"`
}

// Routine is what can be run again with other parameters: command lines for
// `pilotfish run`, and for the panel the goal and the actions of the task that it
// was made of. ${name} in a line or in the goal stands for the parameter of that
// name.
type Routine struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	// Goal is for a model; empty for what was recorded.
	Goal   string            `json:"goal,omitempty"`
	Params map[string]string `json:"params,omitempty"` // with their defaults
	// Secrets are the parameters that keep no default.
	Secrets []string `json:"secrets,omitempty"`
	Steps   []string `json:"steps"`
	// Actions are the panel's: the steps with what each element was.
	Actions json.RawMessage `json:"actions,omitempty" tstype:"unknown"`
	Created time.Time       `json:"created"`
}

// PageTool is a tool that a page offers to agents (WebMCP). Everything in it is
// the page's word.
type PageTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Schema is the JSON schema of its input.
	Schema string `json:"schema,omitempty"`
	Origin string `json:"origin,omitempty"`
	Frame  string `json:"frame"`
	// ReadOnly and Consequential are hints of the page.
	ReadOnly      bool `json:"readOnly,omitempty"`
	Consequential bool `json:"consequential,omitempty"`
}

// PageToolResult is what a page's tool answered.
type PageToolResult struct {
	Tool   string `json:"tool"`
	Status string `json:"status"` // "Completed", "Canceled" or "Error"
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
	Origin string `json:"origin,omitempty"`
}
