package protocol

// WaitUntil says how far a page must be before a navigation counts as done.
type WaitUntil string

// How far a page can be.
const (
	WaitLoad   WaitUntil = "load"   // everything the page names has arrived
	WaitDOM    WaitUntil = "dom"    // the document is parsed
	WaitCommit WaitUntil = "commit" // the new page has begun
)

// PageInfo is where a tab is after a command.
type PageInfo struct {
	Tab   TabID  `json:"tab"`
	URL   string `json:"url"`
	Title string `json:"title"`
	// Status is the HTTP status of the document; 0 when it did not come by HTTP
	// or was not loaded by this command.
	Status int `json:"status,omitempty"`
}

// PageText is the text that a person could read on a page.
type PageText struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Length is the number of characters of the whole text; Text is shorter
	// when it was cut.
	Length int `json:"length"`
}

// Clip is a part of a page in CSS pixels from its top left corner.
type Clip struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// ScreenshotRequest says what to take a picture of.
type ScreenshotRequest struct {
	Format  string `json:"format"`            // "png", "jpeg" or "webp"
	Quality int    `json:"quality,omitempty"` // 1 to 100, not for png; 0 is the browser's choice
	Full    bool   `json:"full,omitempty"`    // the whole page instead of what is in view
	Clip    *Clip  `json:"clip,omitempty"`
	// Element is a target: only the element that it means.
	Element string `json:"element,omitempty"`
	// Annotated draws the refs of what can be acted on over the picture.
	Annotated bool `json:"annotated,omitempty"`
	// Slices saves a tall picture in parts that a model can read.
	Slices bool `json:"slices,omitempty"`
}

// Screenshot is a picture that was saved.
type Screenshot struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Width  int    `json:"width"`  // CSS pixels
	Height int    `json:"height"` // CSS pixels
	Bytes  int    `json:"bytes"`
	URL    string `json:"url"`
	// Slices are the parts of a tall picture, from the top; Path is the first.
	Slices []string `json:"slices,omitempty"`
	// Labels is how many refs were drawn.
	Labels int `json:"labels,omitempty"`
}
