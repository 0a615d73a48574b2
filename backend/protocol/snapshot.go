package protocol

// SnapshotRequest says what a snapshot of a page contains.
type SnapshotRequest struct {
	// Interactive omits elements that cannot be acted on.
	Interactive bool `json:"interactive,omitempty"`
	// Compact omits link targets and shortens long names where that is
	// unambiguous.
	Compact bool `json:"compact,omitempty"`
	// Depth is the number of levels; 0 means all.
	Depth int `json:"depth,omitempty"`
	// Scope is a part of the page: a ref, a frame (f2), CSS, or a handle (h3) of
	// an earlier snapshot.
	Scope string `json:"scope,omitempty"`
	// Near omits elements that are more than half a viewport outside the view.
	Near bool `json:"near,omitempty"`
	// Find keeps the lines with this text, or that match /this/i, and the lines of
	// the elements that contain them.
	Find string `json:"find,omitempty"`
	// Max is the largest number of characters of the text, at least 200; 0 means
	// no limit.
	Max int `json:"max,omitempty"`
	// Delta returns only the changes since the caller's last snapshot.
	Delta bool `json:"delta,omitempty"`
	// Boxes adds the positions of elements, in CSS pixels of their frame's
	// viewport.
	Boxes bool `json:"boxes,omitempty"`
	// JSON adds the elements as data.
	JSON bool `json:"json,omitempty"`
	// News adds the background events since the caller's last snapshot with News.
	News bool `json:"news,omitempty"`
}

// SnapshotItem is one element of a page.
type SnapshotItem struct {
	Ref  string `json:"ref,omitempty"`
	Role string `json:"role"`
	Name string `json:"name"`
	// Cells are the texts of the cells of a row that has a name of its own. The name
	// of any other row is its cells.
	Cells  []string `json:"cells,omitempty"`
	States []string `json:"states,omitempty"`
	Value  string   `json:"value,omitempty"`
	Level  int      `json:"level,omitempty"`
	Href   string   `json:"href,omitempty"`
	// Context is the title of the part of the page that contains the element,
	// where that distinguishes it from others with the same role and name. Where
	// no title does, Which says which of them it is.
	Context  string          `json:"context,omitempty"`
	Which    string          `json:"which,omitempty"`
	Box      *[4]float64     `json:"box,omitempty"` // x, y, width, height
	Children []*SnapshotItem `json:"children,omitempty"`
}

// Snapshot is a snapshot of a page with all its frames.
type Snapshot struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Refs is how many elements can be acted on.
	Refs int `json:"refs"`
	// More is how many lines were omitted and replaced by handles.
	More  int             `json:"more,omitempty"`
	Items []*SnapshotItem `json:"items,omitempty"`
	// News are background events between the caller's actions: script errors,
	// downloads and answered dialogs. They contain text of the page.
	News []string `json:"news,omitempty"`
	// Secrets are the names of the secrets that `fill --secret` can enter on the page's
	// origin.
	Secrets []string `json:"secrets,omitempty"`
}

// Candidate is an element that a target may have meant.
type Candidate struct {
	Ref  string `json:"ref"`
	Line string `json:"line"`
	// Context and Which distinguish it from others with the same role and name, as
	// in SnapshotItem.
	Context string `json:"context,omitempty"`
	Which   string `json:"which,omitempty"`
}

// ActKind is the kind of an action.
type ActKind string

// The actions.
const (
	ActClick  ActKind = "click"
	ActHover  ActKind = "hover"
	ActFill   ActKind = "fill"
	ActType   ActKind = "type"
	ActPress  ActKind = "press"
	ActSelect ActKind = "select"
	ActCheck  ActKind = "check"
	ActFocus  ActKind = "focus"
	ActDrag   ActKind = "drag"
	ActScroll ActKind = "scroll"
	ActUpload ActKind = "upload"
	// ActKeyDown and ActKeyUp hold keys down and release them. ActMouse moves the
	// mouse, or presses or releases a button.
	ActKeyDown ActKind = "keydown"
	ActKeyUp   ActKind = "keyup"
	ActMouse   ActKind = "mouse"
	// These are touch actions.
	ActTap   ActKind = "tap"
	ActSwipe ActKind = "swipe"
	ActPinch ActKind = "pinch"
)

// ActRequest is one action on a page.
type ActRequest struct {
	Kind ActKind `json:"kind"`
	// Target is a ref, CSS, role=… name="…", text=…, label=… or x,y.
	Target string `json:"target,omitempty"`
	// To is the target where a drag ends.
	To string `json:"to,omitempty"`
	// Text is the text to fill in or type, or the keys to press, such as
	// "Control+A".
	Text string `json:"text,omitempty"`
	// Origin says that Text is a secret: the field must be in a frame of this origin,
	// and its value is not reported.
	Origin string `json:"-"`
	// Clear replaces the text of the field instead of typing at its end.
	Clear bool `json:"clear,omitempty"`
	// Values are the options of a select, or the files of an upload.
	Values []string `json:"values,omitempty"`
	// Button is "left", "right" or "middle"; empty is left.
	Button string `json:"button,omitempty"`
	// Count is the number of clicks; 0 means one.
	Count int `json:"count,omitempty"`
	// Modifiers are the keys held down: "Shift+Control".
	Modifiers string `json:"modifiers,omitempty"`
	// At is a point inside the target, from its top left corner.
	At *[2]float64 `json:"at,omitempty"`
	// On says whether a check turns the element on or off.
	On bool `json:"on,omitempty"`
	// DX and DY are how far to scroll, in CSS pixels.
	DX float64 `json:"dx,omitempty"`
	DY float64 `json:"dy,omitempty"`
	// Do is what the mouse does: "move", "down" or "up".
	Do string `json:"do,omitempty"`
	// HoldMS is how long a click or tap stays down, in milliseconds.
	HoldMS int `json:"holdMs,omitempty"`
	// Via are the points or targets along the way of a drag.
	Via []string `json:"via,omitempty"`
	// Speed is the speed of a drag or swipe in CSS pixels per second; 0 means as
	// fast as possible.
	Speed float64 `json:"speed,omitempty"`
	// Scale is how far the fingers of a pinch move apart (above 1) or together.
	Scale float64 `json:"scale,omitempty"`
}

// DialogInfo is a dialog that a command met or answered.
type DialogInfo struct {
	// Tab is the tab that shows it: it may be another one than the command's, which it
	// blocks.
	Tab     TabID  `json:"tab,omitempty"`
	Type    string `json:"type"` // alert, confirm, prompt or beforeunload
	Message string `json:"message"`
	Default string `json:"default,omitempty"` // the initial text of a prompt
	// Answered is accept or dismiss if the tab's policy answered the dialog at
	// once; empty while it waits.
	Answered string `json:"answered,omitempty"`
	// Closed is the tab, if the page closed it after the answer.
	Closed TabID `json:"closed,omitempty"`
	// Next is the dialog that the page opened when this one was answered; nil for
	// none.
	Next *DialogInfo `json:"next,omitempty"`
}

// OpenedTab is a tab that an action opened, or in which it loaded another document.
type OpenedTab struct {
	Tab TabID  `json:"tab"`
	URL string `json:"url"`
	// Front: it is in front now, where a caller acts that names no tab and has none of
	// its own.
	Front bool `json:"front,omitempty"`
	// Again: the tab was there before.
	Again bool `json:"again,omitempty"`
}

// Effect is the observed result of an action.
type Effect struct {
	Tab TabID `json:"tab"`
	// Hit is the element that was acted on.
	Hit string `json:"hit"`
	// URL and Title are the page of the tab after the action.
	URL   string `json:"url"`
	Title string `json:"title"`
	// Appeared, Gone and Changed are lines of elements; Said are messages of the
	// page.
	Appeared []string `json:"appeared,omitempty"`
	Gone     []string `json:"gone,omitempty"`
	Changed  []string `json:"changed,omitempty"`
	Said     []string `json:"said,omitempty"`
	// More is how many lines were omitted from these lists.
	More int `json:"more,omitempty"`
	// Focus is the focused element, if the focus moved.
	Focus string `json:"focus,omitempty"`
	// Value is the field's value after the action; secrets are masked.
	Value *string `json:"value,omitempty"`
	// Moved is how far an area was scrolled, and how much is above and below.
	Moved *[4]float64 `json:"moved,omitempty"`
	// Navigated: the tab has another document; Status is its HTTP status. Within:
	// the address changed and the document stayed.
	Navigated bool `json:"navigated,omitempty"`
	Within    bool `json:"within,omitempty"`
	Status    int  `json:"status,omitempty"`
	// Loading: the new document was still loading when the time was over.
	Loading bool `json:"loading,omitempty"`
	// Frame is the address that the frame which was acted on loads; FrameGone: the page
	// has no such frame any more.
	Frame     string `json:"frame,omitempty"`
	FrameGone bool   `json:"frameGone,omitempty"`
	// Closed is the tab, if the page closed it.
	Closed TabID `json:"closed,omitempty"`
	// Tabs are the tabs that were opened. Opened says where they are, and names the tabs
	// that this one had opened before and that load another document now.
	Tabs      []TabID     `json:"tabs,omitempty"`
	Opened    []OpenedTab `json:"opened,omitempty"`
	Dialog    *DialogInfo `json:"dialog,omitempty"`
	Downloads []string    `json:"downloads,omitempty"` // the names of the files that it saves
	Errors    []string    `json:"errors,omitempty"`    // of the page's console
	// Nothing: no change of any kind was observed.
	Nothing bool `json:"nothing,omitempty"`
	// Held is what the caller holds down on the tab after the action: keys, and
	// buttons such as "left mouse button". Released is what it held down before
	// and what was released because the tab navigated to another document.
	Held     []string `json:"held,omitempty"`
	Released []string `json:"released,omitempty"`
	// Dropped: the files were dropped on the element.
	Dropped bool `json:"dropped,omitempty"`
	// Accept says which kinds of files a field asks for, if a file is of another kind.
	Accept string `json:"accept,omitempty"`
	// Untrusted: a field was set by script, and the page can see that in the
	// events.
	Untrusted bool `json:"untrusted,omitempty"`
}

// WaitKind is what a wait waits for.
type WaitKind string

// The conditions of a wait.
const (
	WaitForText     WaitKind = "text"
	WaitForElement  WaitKind = "element"
	WaitForGone     WaitKind = "gone"
	WaitForURL      WaitKind = "url"
	WaitForLoad     WaitKind = "load"
	WaitForQuiet    WaitKind = "quiet"    // no network traffic
	WaitForFunction WaitKind = "function" // an expression in the page that becomes true
	WaitForTime     WaitKind = "time"
)

// WaitRequest is one wait; Value is the text, target, address, expression or
// number of milliseconds.
type WaitRequest struct {
	Kind  WaitKind `json:"kind"`
	Value string   `json:"value,omitempty"`
}

// PickedElement is an element of a page that the user picked or can pick.
type PickedElement struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name,omitempty"` // text of the page
}

// PickAction is what the panel requests of the picker.
type PickAction string

// The actions.
const (
	PickStart PickAction = "start"
	PickMark  PickAction = "mark" // highlights an element on the page
	// PickShow highlights an element that a question offers, without a picker.
	PickShow PickAction = "show"
	PickStop PickAction = "stop"
	// PickHighlight, PickScroll and PickBadges draw on a page while a panel follows
	// the tab's elements: a highlight, the same with scrolling, the refs.
	PickHighlight PickAction = "highlight"
	PickScroll    PickAction = "scroll"
	PickBadges    PickAction = "badges"
)

// PickRequest is the body of POST /inspector/pick, with which the user at a
// panel picks an element of a tab's page.
type PickRequest struct {
	// Panel is the panel's name from HelloEvent. That panel gets the picked
	// element, and the picker ends with the panel. Each panel has at most one
	// picker.
	Panel  string     `json:"panel"`
	Action PickAction `json:"action"`
	Tab    TabID      `json:"tab,omitempty"` // start
	Ref    string     `json:"ref,omitempty"` // mark, show, highlight, scroll; empty removes the highlight
	On     bool       `json:"on,omitempty"`  // badges
}

// PickReply is the reply of POST /inspector/pick.
type PickReply struct {
	// Elements are the elements that can be picked, in the order of the page, for
	// a user without a pointer (start).
	Elements []PickedElement `json:"elements"`
}

// PickedEvent reports that a picker ended without the panel stopping it.
type PickedEvent struct {
	Type  PanelEventType `json:"type" tstype:"'picked'"`
	Panel string         `json:"panel"`
	Tab   TabID          `json:"tab"`
	// Element is the picked element. If Element and Error are both empty, the user
	// cancelled, or picked nothing in time.
	Element *PickedElement `json:"element,omitempty"`
	Error   *Error         `json:"error,omitempty"`
}
