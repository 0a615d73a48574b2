package protocol

import (
	"encoding/json"
	"time"
)

// ControlAsk asks for an address of the control page, which is good for one browser.
type ControlAsk struct {
	// Seconds is how long the page may be used; 0 for ControlLife.
	Seconds int `json:"seconds,omitempty"`
	// PublicURL is the address at which the user's browser reaches the server through a
	// tunnel or a proxy, such as https://pilotfish.example; empty for the server's own.
	PublicURL string `json:"publicUrl,omitempty"`
}

// ControlAddress is an address of the control page. Its fragment has a code, which counts
// once and until Expires.
type ControlAddress struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
}

// ControlCode exchanges the code of an address for a token.
type ControlCode struct {
	Code string `json:"code"`
}

// ControlToken is the token of one control page. A cookie that the same reply sets has to
// come with it.
type ControlToken struct {
	Token string `json:"token"`
	// Name is what the page is called in lists and records.
	Name string    `json:"name"`
	Ends time.Time `json:"ends"`
}

// ControlCall calls an operation, as the app's window does.
type ControlCall struct {
	Op      string          `json:"op"`
	Session SessionName     `json:"session,omitempty"`
	In      json.RawMessage `json:"in,omitempty" tstype:"unknown"`
}

// ControlAnswer is what an operation returned, or why it failed.
type ControlAnswer struct {
	Data   json.RawMessage `json:"data,omitempty" tstype:"unknown"`
	Failed *SettingsError  `json:"failed,omitempty"`
}

// ControlEvent is what a control page is sent: the state, or records of the log, as the
// window is.
type ControlEvent struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data" tstype:"unknown"`
}

// LiveInputType is the kind of a LiveInput.
type LiveInputType string

// What a live view is sent.
const (
	LiveAck   LiveInputType = "ack"  // the frame Seq was drawn
	LiveFit   LiveInputType = "fit"  // the view shows at most Width and Height pixels
	LiveMove  LiveInputType = "move" // of the mouse, at X and Y
	LiveDown  LiveInputType = "down" // a mouse button
	LiveUp    LiveInputType = "up"
	LiveWheel LiveInputType = "wheel"
	LiveKey   LiveInputType = "key"     // Key goes down
	LiveKeyUp LiveInputType = "key_up"  // Key goes up
	LiveText  LiveInputType = "text"    // Text was pasted, or made by an input method
	LiveAway  LiveInputType = "release" // what is down goes up: the user looks elsewhere
	LivePick  LiveInputType = "pick"    // Picked is chosen in the list Seq
	LiveSet   LiveInputType = "set"     // Text is the value for the picker Seq
	LiveShut  LiveInputType = "shut"    // the list or the picker Seq is closed without a choice
)

// LiveInput is one message of a live view: input of the user, or that a frame was drawn.
type LiveInput struct {
	Type LiveInputType `json:"type"`
	Seq  uint32        `json:"seq,omitempty"`
	// X and Y are a place in the picture, from 0 to 1.
	X float64 `json:"x,omitempty"`
	Y float64 `json:"y,omitempty"`
	// Button is the button as a MouseEvent numbers it, Buttons those that are down, and
	// Clicks how often it was pressed in a row.
	Button  int `json:"button,omitempty"`
	Buttons int `json:"buttons,omitempty"`
	Clicks  int `json:"clicks,omitempty"`
	// DX and DY are how far the wheel was turned, in CSS pixels.
	DX float64 `json:"dx,omitempty"`
	DY float64 `json:"dy,omitempty"`
	// Key and Code are those of a KeyboardEvent, which Repeat says is one of a key that is
	// held down.
	Key    string `json:"key,omitempty"`
	Code   string `json:"code,omitempty"`
	Repeat bool   `json:"repeat,omitempty"`
	Text   string `json:"text,omitempty"`
	// Modifiers are the keys that are held down: 1 Alt, 2 Control, 4 Meta, 8 Shift.
	Modifiers int `json:"modifiers,omitempty"`
	// Picked is the Index of the option that is to be selected.
	Picked int `json:"picked,omitempty"`
	// Width and Height are the largest size of a picture that the view can show, in pixels.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// MaxLiveInput is the limit of one LiveInput, in bytes.
const MaxLiveInput = 256 << 10

// LiveFrame is one message to a live view: a picture, which is binary, or else the state of
// the tab as JSON.
type LiveFrame struct {
	Seq  uint32 `json:"-"`
	JPEG []byte `json:"-"`
	// Dialog is the dialog that the page shows; absent when it shows none.
	Dialog *LiveDialog `json:"dialog,omitempty"`
	// List is the list that the user opened in the page; absent when none is open.
	List *LiveList `json:"list,omitempty"`
	// Picker is the picker that the user opened in the page; absent when none is open.
	Picker *LivePicker `json:"picker,omitempty"`
	// File says that the page asks for a file since the user's last input.
	File bool `json:"file,omitempty"`
}

// LiveList is the list of a select. The browser draws it outside of the page, so that no
// picture has it; that of a select of several options is drawn in the page.
type LiveList struct {
	Seq   uint32 `json:"seq"` // another one for each change
	Label string `json:"label,omitempty"`
	// X, Y, Width and Height are the field's place in the picture, from 0 to 1.
	X       float64      `json:"x"`
	Y       float64      `json:"y"`
	Width   float64      `json:"width"`
	Height  float64      `json:"height"`
	Options []LiveOption `json:"options"`
	More    int          `json:"more,omitempty"` // how many options are left out at the end
}

// LivePicker is the picker of a date, a time or a colour, which the browser draws outside of
// the page. A viewer shows one of its own.
type LivePicker struct {
	Seq   uint32 `json:"seq"` // another one for each change
	Label string `json:"label,omitempty"`
	// X, Y, Width and Height are the field's place in the picture, from 0 to 1.
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Type is that of the input: date, time, datetime-local, month, week or color. The other
	// values are in the form of this type, or empty.
	Type  string `json:"type"`
	Value string `json:"value,omitempty"`
	Min   string `json:"min,omitempty"`
	Max   string `json:"max,omitempty"`
	Step  string `json:"step,omitempty"`
}

// LiveOption is an option of a LiveList.
type LiveOption struct {
	Index    int    `json:"index"` // its number in the select
	Label    string `json:"label"`
	Group    string `json:"group,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
	Selected bool   `json:"selected,omitempty"`
}

// LiveDialog is the dialog that a page shows in a live view.
type LiveDialog struct {
	Type    string `json:"type"` // as in DialogInfo
	Message string `json:"message"`
	Default string `json:"default,omitempty"` // the initial text of a prompt
}

// LiveHeader is how many bytes are before the JPEG in a frame of a live view: its Seq, with
// the highest byte first.
const LiveHeader = 4
