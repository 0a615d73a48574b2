package protocol

// WaitUntil says how far a page must have loaded before a navigation counts as
// done.
type WaitUntil string

// The stages of loading.
const (
	WaitLoad   WaitUntil = "load"   // everything that the page refers to has loaded
	WaitDOM    WaitUntil = "dom"    // the document is parsed
	WaitCommit WaitUntil = "commit" // the new document has begun to load
)

// PageInfo is the page of a tab after a command.
type PageInfo struct {
	Tab   TabID  `json:"tab"`
	URL   string `json:"url"`
	Title string `json:"title"`
	// Status is the HTTP status of the document; 0 when it was not loaded by HTTP
	// or not by this command.
	Status int `json:"status,omitempty"`
	// Dialog is the dialog that the page opened while it loaded, and that waits for an
	// answer; nil for none.
	Dialog *DialogInfo `json:"dialog,omitempty"`
}

// PageText is the visible text of a page.
type PageText struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Length is the length of the whole text, in characters; Text is shorter when
	// it was cut.
	Length int `json:"length"`
}

// Clip is a part of a page in CSS pixels from its top left corner.
type Clip struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// ScreenshotRequest says what a screenshot shows.
type ScreenshotRequest struct {
	Format  string `json:"format"`            // "png", "jpeg" or "webp"
	Quality int    `json:"quality,omitempty"` // 1 to 100, not for png; 0 is the browser's choice
	Full    bool   `json:"full,omitempty"`    // the whole page instead of the visible part
	Clip    *Clip  `json:"clip,omitempty"`
	// Element is a target: the screenshot shows only this element.
	Element string `json:"element,omitempty"`
	// Annotated draws the refs of elements that can be acted on into the
	// screenshot.
	Annotated bool `json:"annotated,omitempty"`
	// Slices saves a tall screenshot in parts that a model can read.
	Slices bool `json:"slices,omitempty"`
	// BesideSnapshots is set for a screenshot that no caller waits for: other commands
	// may read the tab while it is taken.
	BesideSnapshots bool `json:"-"`
}

// Screenshot is a saved screenshot.
type Screenshot struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Width  int    `json:"width"`  // CSS pixels
	Height int    `json:"height"` // CSS pixels
	Bytes  int    `json:"bytes"`
	URL    string `json:"url"`
	// Slices are the paths of the parts of a tall screenshot, from the top; Path
	// is the first.
	Slices []string `json:"slices,omitempty"`
	// Labels is how many refs were drawn.
	Labels int `json:"labels,omitempty"`
	// Scroller is the element that the page scrolls in, when the screenshot of the
	// whole page has only what is in view of it; Hidden is how many pixels of its
	// height are missing.
	Scroller string `json:"scroller,omitempty"`
	Hidden   int    `json:"hidden,omitempty"`
}
