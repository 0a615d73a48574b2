package protocol

// LookRequest says how a snapshot of a page is wanted.
type LookRequest struct {
	// Caller is whose last look Delta compares with.
	Caller string `json:"caller,omitempty"`
	// Interactive leaves out what cannot be acted on.
	Interactive bool `json:"interactive,omitempty"`
	// Compact leaves out link targets and cuts long names where that is
	// unambiguous.
	Compact bool `json:"compact,omitempty"`
	// Depth is how deep the structure goes; 0 is all of it.
	Depth int `json:"depth,omitempty"`
	// Scope is a part of the page: a ref, a frame (f2), CSS, or a handle (h3) of
	// an earlier look.
	Scope string `json:"scope,omitempty"`
	// Near leaves out what is further than half a viewport away.
	Near bool `json:"near,omitempty"`
	// Find keeps the lines with this text, or that match /this/i, and what they
	// stand in.
	Find string `json:"find,omitempty"`
	// Max is how many characters the text may have, at least 200; 0 is no limit.
	Max int `json:"max,omitempty"`
	// Delta gives only what changed since the caller's last look.
	Delta bool `json:"delta,omitempty"`
	// Boxes adds where things lie, in CSS pixels of their frame's viewport.
	Boxes bool `json:"boxes,omitempty"`
	// JSON adds the things as data.
	JSON bool `json:"json,omitempty"`
	// News adds what happened by itself since the caller's last look with it.
	News bool `json:"news,omitempty"`
}

// LookItem is one thing on a page.
type LookItem struct {
	Ref    string   `json:"ref,omitempty"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	States []string `json:"states,omitempty"`
	Value  string   `json:"value,omitempty"`
	Level  int      `json:"level,omitempty"`
	Href   string   `json:"href,omitempty"`
	// Context is the title of what it stands in, where that tells it from others of the
	// same role and name; Which says which of them it is where no title tells.
	Context  string      `json:"context,omitempty"`
	Which    string      `json:"which,omitempty"`
	Box      *[4]float64 `json:"box,omitempty"` // x, y, width, height
	Children []*LookItem `json:"children,omitempty"`
}

// Look is a snapshot of a page over all its frames.
type Look struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Refs is how many things can be acted on.
	Refs int `json:"refs"`
	// More is how many lines stand behind handles.
	More  int         `json:"more,omitempty"`
	Items []*LookItem `json:"items,omitempty"`
	// News are errors of scripts, downloads and answered dialogs, that came between
	// the caller's actions; the page's words.
	News []string `json:"news,omitempty"`
}

// Candidate is a thing that a target may have meant.
type Candidate struct {
	Ref  string `json:"ref"`
	Line string `json:"line"`
	// Context and Which tell it from others of the same role and name, as in LookItem.
	Context string `json:"context,omitempty"`
	Which   string `json:"which,omitempty"`
}

// ActKind is what an action does.
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
	// ActKeyDown and ActKeyUp press keys that stay down, and let go of them;
	// ActMouse moves the mouse, or presses or lets go of a button.
	ActKeyDown ActKind = "keydown"
	ActKeyUp   ActKind = "keyup"
	ActMouse   ActKind = "mouse"
	// These are done with fingers.
	ActTap   ActKind = "tap"
	ActSwipe ActKind = "swipe"
	ActPinch ActKind = "pinch"
)

// ActRequest is one action on a page.
type ActRequest struct {
	Kind ActKind `json:"kind"`
	// Target is a ref, CSS, role=… name="…", text=…, label=… or x,y.
	Target string `json:"target,omitempty"`
	// To is where a drag ends: a target.
	To string `json:"to,omitempty"`
	// Text is what is filled in or typed, or the keys that are pressed, such as
	// "Control+A".
	Text string `json:"text,omitempty"`
	// Clear types in place of what the field holds, and not behind it.
	Clear bool `json:"clear,omitempty"`
	// Values are the options of a select, or the files of an upload.
	Values []string `json:"values,omitempty"`
	// Button is "left", "right" or "middle"; empty is left.
	Button string `json:"button,omitempty"`
	// Count is how many clicks; 0 is one.
	Count int `json:"count,omitempty"`
	// Modifiers are held down: "Shift+Control".
	Modifiers string `json:"modifiers,omitempty"`
	// At is a point inside the target, from its top left corner.
	At *[2]float64 `json:"at,omitempty"`
	// On is whether a check switches on or off.
	On bool `json:"on,omitempty"`
	// DX and DY are how far to scroll, in CSS pixels.
	DX float64 `json:"dx,omitempty"`
	DY float64 `json:"dy,omitempty"`
	// Do is what the mouse does: "move", "down" or "up".
	Do string `json:"do,omitempty"`
	// HoldMS is how long a click or tap stays down, in milliseconds.
	HoldMS int `json:"holdMs,omitempty"`
	// Via are the points or targets that a drag goes along.
	Via []string `json:"via,omitempty"`
	// Speed is that of a drag or swipe in CSS pixels a second; 0 is as fast as it goes.
	Speed float64 `json:"speed,omitempty"`
	// Scale is how far the fingers of a pinch move apart (above 1) or together.
	Scale float64 `json:"scale,omitempty"`
}

// DialogInfo is a dialog of the page that waits for an answer.
type DialogInfo struct {
	Type    string `json:"type"` // alert, confirm, prompt or beforeunload
	Message string `json:"message"`
	Default string `json:"default,omitempty"` // what a prompt has in its field
	// Answered is accept or dismiss where the tab's policy answered it at once;
	// empty while it waits.
	Answered string `json:"answered,omitempty"`
}

// Effect is what an action did, as it was seen.
type Effect struct {
	Tab TabID `json:"tab"`
	// Hit is what was acted on.
	Hit string `json:"hit"`
	// URL and Title are where the tab is.
	URL   string `json:"url"`
	Title string `json:"title"`
	// Appeared, Gone and Changed are lines of things; Said are messages.
	Appeared []string `json:"appeared,omitempty"`
	Gone     []string `json:"gone,omitempty"`
	Changed  []string `json:"changed,omitempty"`
	Said     []string `json:"said,omitempty"`
	// More is how many lines were left out of these lists.
	More int `json:"more,omitempty"`
	// Focus is what has the focus now, if that moved.
	Focus string `json:"focus,omitempty"`
	// Value is what a field holds now; secrets are masked.
	Value *string `json:"value,omitempty"`
	// Moved is how far an area was scrolled, and what is above and below.
	Moved *[4]float64 `json:"moved,omitempty"`
	// Navigated: another document came; Status is its HTTP status. Within: the
	// address changed and the document stayed.
	Navigated bool `json:"navigated,omitempty"`
	Within    bool `json:"within,omitempty"`
	Status    int  `json:"status,omitempty"`
	// Loading: the new document had not arrived whole when the time was over.
	Loading bool `json:"loading,omitempty"`
	// Tabs were opened.
	Tabs      []TabID     `json:"tabs,omitempty"`
	Dialog    *DialogInfo `json:"dialog,omitempty"`
	Downloads []string    `json:"downloads,omitempty"`
	Errors    []string    `json:"errors,omitempty"` // of the page's console
	// Nothing: no change of any kind was seen.
	Nothing bool `json:"nothing,omitempty"`
	// Held is what the caller holds down on the tab afterwards: keys, and buttons
	// such as "left mouse button". Released is what it held down before, and what was
	// let go because the tab went to another document.
	Held     []string `json:"held,omitempty"`
	Released []string `json:"released,omitempty"`
	// Untrusted: a field was set by script, and its events say so to the page.
	Untrusted bool `json:"untrusted,omitempty"`
}

// WaitKind is what a wait waits for.
type WaitKind string

// What can be waited for.
const (
	WaitForText     WaitKind = "text"
	WaitForElement  WaitKind = "element"
	WaitForGone     WaitKind = "gone"
	WaitForURL      WaitKind = "url"
	WaitForLoad     WaitKind = "load"
	WaitForQuiet    WaitKind = "quiet"    // no network traffic
	WaitForFunction WaitKind = "function" // an expression of the page's that becomes true
	WaitForTime     WaitKind = "time"
)

// WaitRequest is one wait; Value is the text, target, address, expression or
// number of milliseconds.
type WaitRequest struct {
	Kind  WaitKind `json:"kind"`
	Value string   `json:"value,omitempty"`
}

// PickedElement is an element of a page that a person picked, or can pick.
type PickedElement struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name,omitempty"` // the page's words
}

// PickAction is what the panel wants of the picker.
type PickAction string

// The actions.
const (
	PickStart PickAction = "start"
	PickMark  PickAction = "mark" // shows an element on the page
	// PickShow shows an element while nobody picks: one that a question offers.
	PickShow PickAction = "show"
	PickStop PickAction = "stop"
)

// PickRequest is the body of POST /inspector/pick: the person at a panel picks an
// element of a tab's page.
type PickRequest struct {
	// Panel is the panel's name of HelloEvent: it is told what was picked, and the
	// picker ends with it. Each panel has one at most.
	Panel  string     `json:"panel"`
	Action PickAction `json:"action"`
	Tab    TabID      `json:"tab,omitempty"` // start
	Ref    string     `json:"ref,omitempty"` // mark, show; empty takes the mark away
}

// PickReply is its reply.
type PickReply struct {
	// Elements are what can be picked, in the order of the page: for a person
	// without a pointer (start).
	Elements []PickedElement `json:"elements"`
}

// PickedEvent says that a picker ended which its panel did not stop.
type PickedEvent struct {
	Type  PanelEventType `json:"type" tstype:"'picked'"`
	Panel string         `json:"panel"`
	Tab   TabID          `json:"tab"`
	// Element is what was picked; with neither it nor Error the person gave up, or
	// picked nothing in time.
	Element *PickedElement `json:"element,omitempty"`
	Error   *Error         `json:"error,omitempty"`
}
