package protocol

import "encoding/json"

// WindowOrder is a message from the app to the window's program, one JSON
// object per line.
type WindowOrder struct {
	Order WindowOrderType `json:"order"`
	// Title is the window's title, with OrderTitle.
	Title string `json:"title,omitempty"`
	// Event is the name of an event for the page, with Data.
	Event string `json:"event,omitempty"`
	// Call is the number of the call that this answers, with its result in Data,
	// or with Failed.
	Call uint64          `json:"call,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
	// Failed is the SettingsError of a call that failed, as JSON.
	Failed string `json:"failed,omitempty"`
}

// ConversationWatchRequest starts to read a conversation in the window after an index; 0
// starts with one page of its end.
type ConversationWatchRequest struct {
	Conversation ConversationID `json:"conversation"`
	After        uint64         `json:"after"`
}

// WindowShow says what the app's window shows when it comes to the front.
type WindowShow struct {
	Page WindowPage `json:"page,omitempty"` // empty for the page that was open
	// Schedule fills in the form of a new schedule, in Session.
	Schedule *ScheduleWhat `json:"schedule,omitempty"`
	Session  SessionName   `json:"session,omitempty"`
}

// WindowPage is a page of the app's window that the rest of the app can open.
type WindowPage string

// The pages of the app's window.
const (
	WindowSessions  WindowPage = "sessions"
	WindowApprovals WindowPage = "approvals"
	WindowSchedules WindowPage = "schedules"
	WindowSettings  WindowPage = "settings"
	WindowLogs      WindowPage = "logs"
	WindowFirst     WindowPage = "first" // the first steps
)

// WindowOrderType is the kind of a WindowOrder.
type WindowOrderType string

// The orders to the window's program.
const (
	OrderEvent    WindowOrderType = "event"
	OrderAnswer   WindowOrderType = "answer"
	OrderShow     WindowOrderType = "show" // bring it to the front
	OrderMinimise WindowOrderType = "minimise"
	OrderTitle    WindowOrderType = "title" // set the window's title
)

// WindowReport is a message from the window's program to the app, one JSON
// object per line.
type WindowReport struct {
	Report WindowReportType `json:"report"`
	// Call is the number of a call of the operation Op, about Session, with In; the
	// answer has the same number.
	Call    uint64          `json:"call,omitempty"`
	Op      string          `json:"op,omitempty"`
	Session SessionName     `json:"session,omitempty"`
	In      json.RawMessage `json:"in,omitempty"`
	// Again is set when a page that ended is being loaded again.
	Again bool `json:"again,omitempty"`
	// Problem is why there is no window.
	Problem *Error `json:"problem,omitempty"`
	// Placement is the position of the window, with ReportPlaced.
	Placement *WindowPlacement `json:"placement,omitempty"`
}

// WindowPlacement is the position of the app's window on the desktop, in
// device-independent pixels: its upper left corner including the frame, its
// size without.
type WindowPlacement struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
	// Maximised: the window fills the screen; this is the position that it returns
	// to.
	Maximised bool `json:"maximised"`
}

// WindowReportType is the kind of a WindowReport.
type WindowReportType string

// The reports of the window's program.
const (
	ReportCall   WindowReportType = "call"   // the page calls an operation of the app
	ReportClosed WindowReportType = "closed" // the user clicked the close button; the window is still open
	ReportEnded  WindowReportType = "ended"  // the process that draws the page ended
	ReportFailed WindowReportType = "failed" // there cannot be a window
	ReportPlaced WindowReportType = "placed" // the user moved, resized or maximised the window
)
