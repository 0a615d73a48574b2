package protocol

import (
	"encoding/json"
	"strings"
	"time"
)

// ConsoleEntry is one line of a tab's console.
type ConsoleEntry struct {
	// N counts the entries of a tab since recording began, from 1.
	N     int       `json:"n"`
	At    time.Time `json:"at"`
	Level string    `json:"level"` // "error", "warning", "info", "log" or "debug"
	// Source is "console" for what the page wrote, "exception" for an uncaught
	// exception, else the part of the browser that reports it, such as "network".
	Source string `json:"source"`
	Text   string `json:"text"`
	// URL, Line and Column are the position in the source, from 1.
	URL    string `json:"url,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Stack are the callers, nearest first.
	Stack []string `json:"stack,omitempty"`
}

// ConsoleLog is the recorded console of a tab.
type ConsoleLog struct {
	Entries []ConsoleEntry `json:"entries"`
	// Dropped is how many older entries are no longer kept.
	Dropped int `json:"dropped,omitempty"`
	// Since is when recording began.
	Since time.Time `json:"since"`
}

// NetworkEntry is one request of a tab.
type NetworkEntry struct {
	// ID names the request within its tab: "n1", "n2", …
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	URL    string    `json:"url"`
	// Type is the kind of resource: "document", "script", "xhr", "fetch", …
	Type string `json:"type"`
	// Status is 0 until a response came.
	Status     int    `json:"status,omitempty"`
	StatusText string `json:"statusText,omitempty"`
	MIME       string `json:"mime,omitempty"`
	// Bytes is the size that was transferred over the network.
	Bytes int `json:"bytes,omitempty"`
	// DurationMS is the time from the request to its end; 0 while it runs.
	DurationMS float64 `json:"durationMs,omitempty"`
	Done       bool    `json:"done"`
	// Failed says why there was no response.
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

// NetworkLog is the recorded requests of a tab.
type NetworkLog struct {
	Entries []NetworkEntry `json:"entries"`
	Dropped int            `json:"dropped,omitempty"`
	Since   time.Time      `json:"since"`
}

// NetworkBody is the body of a response.
type NetworkBody struct {
	Entry NetworkEntry `json:"entry"`
	// Text is the body if it is text; otherwise only its size, Bytes, is known.
	Text string `json:"text,omitempty"`
	// Bytes is the size of the whole body.
	Bytes int `json:"bytes"`
	// Path is the file that the body was saved to, if it was.
	Path string `json:"path,omitempty"`
	// Data is a body that is not text, when it was asked for and is not too large.
	Data []byte `json:"data,omitempty" tstype:"string"`
}

// NetworkRule changes the responses that a tab gets for the addresses that
// match.
type NetworkRule struct {
	// Pattern is an address in which * stands for any text.
	Pattern string `json:"pattern"`
	// Block makes the request fail; otherwise the following fields are its
	// response.
	Block bool `json:"block,omitempty"`
	// Types are the types of request that the rule is for, such as "fetch"; empty
	// means all.
	Types   []string          `json:"types,omitempty"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	// Hits is how often the rule was used.
	Hits int `json:"hits"`
}

// AddressPattern returns the pattern that a text means for a NetworkRule. A text
// without * matches an address that contains it, or that begins with it if it
// begins with the scheme.
func AddressPattern(text string) string {
	switch {
	case strings.Contains(text, "*"):
		return text
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		return text + "*"
	}
	return "*" + text + "*"
}

// SavedFile is a file that a command wrote into the session's folder.
type SavedFile struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	// Entries is the number of items in the file: requests, frames, steps.
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
	// Accepted and Answer say how the dialog ended.
	Accepted bool   `json:"accepted,omitempty"`
	Answer   string `json:"answer,omitempty"`
	// ByPolicy: the tab's policy answered it, not a user or a caller.
	ByPolicy bool `json:"byPolicy,omitempty"`
}

// DialogLog is the recorded dialogs of a tab.
type DialogLog struct {
	// Policy is "leave", "accept" or "dismiss".
	Policy  string        `json:"policy"`
	Entries []DialogEntry `json:"entries"`
	Dropped int           `json:"dropped,omitempty"`
	Since   time.Time     `json:"since"`
}

// Download is one download of the session.
type Download struct {
	// ID names the download within the session: "d1", "d2", …
	ID   string `json:"id"`
	Tab  TabID  `json:"tab,omitempty"`
	URL  string `json:"url"`
	Name string `json:"name"`
	// State is "running", "done" or "canceled".
	State    string    `json:"state"`
	At       time.Time `json:"at"`
	Received int64     `json:"received"`        // bytes
	Total    int64     `json:"total,omitempty"` // bytes; 0 while it is not known
	// Path is the file, once the download is done.
	Path string `json:"path,omitempty"`
}

// WatchRequest says what to wait for: exactly one of the kinds.
type WatchRequest struct {
	// Kind is "text", "element", "url", "console", "request" or "download".
	Kind string `json:"kind"`
	// Value is the text, the selector, or a pattern in which * stands for any
	// text.
	Value string `json:"value"`
	// Gone waits until the text or element is no longer there.
	Gone bool `json:"gone,omitempty"`
}

// WatchReply is what was observed.
type WatchReply struct {
	Kind string `json:"kind"`
	// What is the text, address or line that matched.
	What string `json:"what"`
	// Origin is the origin of What.
	Origin string `json:"origin,omitempty"`
	// AfterMS is how long the wait took, in milliseconds.
	AfterMS float64 `json:"afterMs"`
}

// RecordedStep is one recorded action on a page.
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
	// Sure: the role and name, as computed for accessibility, identify this
	// element and no other.
	Sure bool `json:"sure,omitempty"`
	// Frame is the address of the action's frame; empty for the page itself.
	Frame string `json:"frame,omitempty"`
	// Secret: the typed text is not stored; a parameter of the routine replaces
	// it.
	Secret bool `json:"secret,omitempty"`
}

// Recording is a finished recording, or the state of one.
type Recording struct {
	Running bool `json:"running"`
	// Held: it has ended, and is kept so that it can be saved.
	Held bool `json:"held,omitempty"`
	// Began is when it began, in UTC.
	Began   time.Time      `json:"began,omitzero"`
	Steps   []RecordedStep `json:"steps"`
	Dropped int            `json:"dropped,omitempty"`
	Frames  int            `json:"frames,omitempty"`
	// Video is the video file, if it was requested.
	Video *SavedFile `json:"video,omitempty"`
	// VideoError is why a requested video was not made; the steps are kept anyway.
	VideoError *Error `json:"videoError,omitempty"`
}

// RecordReply is the data of `record stop` and `record save`: the recording, and the files
// that it was saved in.
type RecordReply struct {
	Recording  `tstype:",extends"`
	Routine    *SavedFile `json:"routine,omitempty"`
	Playwright *SavedFile `json:"playwright,omitempty"`
}

// RecordingState is an item of the feed "recordings": a tab that is recorded.
type RecordingState struct {
	Tab TabID `json:"tab"`
	// Began is when it began, in UTC.
	Began time.Time `json:"began"`
	// Held: it has ended, and is kept so that it can be saved.
	Held bool `json:"held,omitempty"`
	// Video: screenshots of it are taken, for a video.
	Video bool `json:"video,omitempty"`
}

// Routine is what can be run again with other parameters: command lines for
// `pilotfish run`, and for the panel the goal and the actions of the task that
// it was made from. ${name} in a line or in the goal stands for the parameter
// of that name.
type Routine struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	// Goal is for a model; empty for a recording.
	Goal   string            `json:"goal,omitempty"`
	Params map[string]string `json:"params,omitempty"` // with their default values
	// Secrets are the parameters without a stored default.
	Secrets []string `json:"secrets,omitempty"`
	Steps   []string `json:"steps"`
	// Owner is the agent that recorded it, as its actor's kind and id; empty for
	// the user.
	Owner string `json:"owner,omitempty"`
	// Actions are in the panel's own format: the steps with facts about each
	// element.
	Actions json.RawMessage `json:"actions,omitempty" tstype:"unknown"`
	Created time.Time       `json:"created"`
}

// PageTool is a tool that a page offers to agents (WebMCP). Everything in it is
// text of the page.
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

// PageToolResult is the result of a page's tool.
type PageToolResult struct {
	Tool   string `json:"tool"`
	Status string `json:"status"` // "Completed", "Canceled" or "Error"
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
	Origin string `json:"origin,omitempty"`
}
