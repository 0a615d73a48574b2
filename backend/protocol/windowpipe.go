package protocol

import "encoding/json"

// WindowOrder is what the app writes to the window's program, one JSON object a
// line.
type WindowOrder struct {
	Order WindowOrderType `json:"order"`
	// Title is the window's, with OrderTitle.
	Title string `json:"title,omitempty"`
	// Event is what the page hears, with Data.
	Event string `json:"event,omitempty"`
	// Call is the number of the call that is answered: with Data, what it returned,
	// or with Failed.
	Call uint64          `json:"call,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
	// Failed is the SettingsError of a call that failed, as JSON.
	Failed string `json:"failed,omitempty"`
}

// WindowOrderType is the kind of a WindowOrder.
type WindowOrderType string

// The orders to the window's program.
const (
	OrderEvent    WindowOrderType = "event"
	OrderAnswer   WindowOrderType = "answer"
	OrderShow     WindowOrderType = "show" // bring it forward
	OrderHide     WindowOrderType = "hide"
	OrderMinimise WindowOrderType = "minimise"
	OrderTitle    WindowOrderType = "title" // the window has this title
)

// WindowReport is what the window's program writes back, one JSON object a line.
type WindowReport struct {
	Report WindowReportType `json:"report"`
	// Call is the number by which the call of Method with Args is answered.
	Call   uint64            `json:"call,omitempty"`
	Method string            `json:"method,omitempty"`
	Args   []json.RawMessage `json:"args,omitempty"`
	// Again says that a page that ended is loaded again.
	Again bool `json:"again,omitempty"`
	// Problem is why there is no window.
	Problem *Error `json:"problem,omitempty"`
	// Placement is where the window is, with ReportPlaced.
	Placement *WindowPlacement `json:"placement,omitempty"`
}

// WindowPlacement is where the app's window is on the desktop, in device
// independent pixels: its upper left corner with the frame, its size without.
type WindowPlacement struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
	// Maximised: the window fills the screen, and goes back to this place.
	Maximised bool `json:"maximised"`
}

// WindowReportType is the kind of a WindowReport.
type WindowReportType string

// The reports of the window's program.
const (
	ReportCall   WindowReportType = "call"   // the page calls a method of the app
	ReportLoaded WindowReportType = "loaded" // the page is loaded, or loaded again
	ReportClosed WindowReportType = "closed" // the person clicked the cross; nothing was done yet
	ReportEnded  WindowReportType = "ended"  // the process that draws the page ended
	ReportFailed WindowReportType = "failed" // there cannot be a window
	ReportPlaced WindowReportType = "placed" // the user moved it, changed its size or maximised it
)
