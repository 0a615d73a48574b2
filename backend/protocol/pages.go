package protocol

import "encoding/json"

// PageFile is a file that a command wrote into the session's folder, mode
// 0600.
type PageFile struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	URL   string `json:"url"` // of the page that it was made from
}

// PDFRequest says how to print a page.
type PDFRequest struct {
	Paper      string  `json:"paper"` // "a4", "a3", "a5", "letter", "legal" or "tabloid"
	Landscape  bool    `json:"landscape,omitempty"`
	Margin     float64 `json:"margin"` // centimetres, on every side
	Background bool    `json:"background,omitempty"`
}

// Frame is a frame of a page.
type Frame struct {
	// ID is the prefix of the frame's refs: "f2"; "page" for the page itself.
	ID string `json:"id"`
	// Depth is 0 for the page itself.
	Depth int    `json:"depth"`
	Name  string `json:"name,omitempty"`
	URL   string `json:"url"`
	// Apart: the frame is of another site and runs in a process of its own.
	Apart bool `json:"apart,omitempty"`
}

// Evaluated is the result of an expression.
type Evaluated struct {
	URL string `json:"url"`
	// Type is JavaScript's type; for some objects a more exact one, such as
	// "null", "array" or "error".
	Type string `json:"type"`
	// Value is the result if it can be JSON.
	Value json.RawMessage `json:"value,omitempty" tstype:"unknown"`
	// Words describe the result if it cannot: a function, an element, NaN.
	Words string `json:"words,omitempty"`
	// Closed is the tab, if the script closed it.
	Closed TabID `json:"closed,omitempty"`
}

// Link is a visible link.
type Link struct {
	Ref  string `json:"ref"`
	Text string `json:"text"`
	URL  string `json:"url"`
}

// FormField is a field of a form; secret values are masked.
type FormField struct {
	Ref      string   `json:"ref"`
	Role     string   `json:"role"`
	Label    string   `json:"label"`
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Value    string   `json:"value"`
	Required bool     `json:"required"`
	Disabled bool     `json:"disabled"`
	Checked  *bool    `json:"checked,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// Form is a form, or the fields outside of any form.
type Form struct {
	Name   string      `json:"name"`
	Action string      `json:"action"`
	Method string      `json:"method"`
	Fields []FormField `json:"fields"`
}

// Table is a table as rows of text.
type Table struct {
	Caption string     `json:"caption"`
	Head    []string   `json:"head"`
	Rows    [][]string `json:"rows"`
}

// Medium is an image, video or sound of a page.
type Medium struct {
	Kind   string `json:"kind"` // "image", "video" or "audio"
	URL    string `json:"url"`
	Text   string `json:"text"`
	Width  int    `json:"width"`  // CSS pixels
	Height int    `json:"height"` // CSS pixels
}

// PageData is the metadata of a page.
type PageData struct {
	Title     string            `json:"title"`
	URL       string            `json:"url"`
	Language  string            `json:"language"`
	Canonical string            `json:"canonical,omitempty"`
	Meta      map[string]string `json:"meta"`
	OpenGraph map[string]string `json:"openGraph"`
	JSONLD    []json.RawMessage `json:"jsonLd" tstype:"unknown[]"`
}

// Declaration is one property of a style.
type Declaration struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Important bool   `json:"important,omitempty"`
	// Beaten: another declaration overrides it.
	Beaten bool `json:"beaten,omitempty"`
}

// StyleRule is a rule that matches an element.
type StyleRule struct {
	// Selector is the selector that matched; "style attribute" for the element's
	// own style.
	Selector string `json:"selector"`
	// From is the ancestor that the rule is inherited from; empty for the
	// element's own rules.
	From string `json:"from,omitempty"`
	// Source is the style sheet and line, or "browser" for the browser's own
	// sheet.
	Source       string        `json:"source"`
	Conditions   []string      `json:"conditions,omitempty"` // media, container, layer, supports
	Declarations []Declaration `json:"declarations"`
}

// ElementStyle explains the look of an element: its rules, strongest first, and
// the computed values that were requested.
type ElementStyle struct {
	URL      string            `json:"url"`
	Element  string            `json:"element"`
	Rules    []StyleRule       `json:"rules,omitempty"`
	Computed map[string]string `json:"computed,omitempty"`
}

// Listener is an event listener of an element.
type Listener struct {
	Type    string `json:"type"`
	Source  string `json:"source"` // script and line
	Passive bool   `json:"passive,omitempty"`
	Once    bool   `json:"once,omitempty"`
	Capture bool   `json:"capture,omitempty"`
}

// Inspection is everything known about an element.
type Inspection struct {
	URL        string            `json:"url"`
	Element    string            `json:"element"` // as a selector: tag, id and classes
	Role       string            `json:"role"`
	Name       string            `json:"name"`
	Properties map[string]string `json:"properties,omitempty"` // accessibility properties
	Attributes map[string]string `json:"attributes"`
	Box        Clip              `json:"box"` // the border box, in page coordinates
	Margin     [4]float64        `json:"margin"`
	Padding    [4]float64        `json:"padding"`
	Border     [4]float64        `json:"border"`
	Styles     map[string]string `json:"styles"`
	Listeners  []Listener        `json:"listeners,omitempty"`
	Text       string            `json:"text,omitempty"`
}

// StyleEdit is one change of an element's style.
type StyleEdit struct {
	Number   int    `json:"number"`
	Element  string `json:"element"`
	Property string `json:"property"`
	Before   string `json:"before"` // value in the style attribute; empty when it had none
	After    string `json:"after"`
	Undone   bool   `json:"undone,omitempty"`
}

// AuditNode is an element that breaks an accessibility rule.
type AuditNode struct {
	Target string `json:"target"`
	HTML   string `json:"html"`
	Why    string `json:"why"`
}

// AuditFinding is a rule of accessibility that a page breaks.
type AuditFinding struct {
	Rule   string      `json:"rule"`
	Impact string      `json:"impact"`
	Help   string      `json:"help"`
	Nodes  []AuditNode `json:"nodes"`
}

// Audit is what axe-core found on a page.
type Audit struct {
	URL        string         `json:"url"`
	Violations []AuditFinding `json:"violations"`
	Unsure     []AuditFinding `json:"unsure"` // a user has to check them
	Passed     int            `json:"passed"` // rules
}

// Performance is how fast a page loaded and reacts. Times are milliseconds
// since the navigation began; 0 when the event has not happened.
type Performance struct {
	URL              string  `json:"url"`
	TTFB             float64 `json:"ttfb"`
	DOMReady         float64 `json:"domReady"`
	Load             float64 `json:"load"`
	FirstPaint       float64 `json:"firstPaint"`
	FirstContent     float64 `json:"firstContentfulPaint"`
	LargestContent   float64 `json:"largestContentfulPaint"`
	LargestElement   string  `json:"largestElement,omitempty"`
	LayoutShift      float64 `json:"cumulativeLayoutShift"` // a score, not a time
	InteractionDelay float64 `json:"interactionToNextPaint"`
	LongTasks        int     `json:"longTasks"`
	LongTaskTime     float64 `json:"longTaskTime"`
	Requests         int     `json:"requests"`
	TransferBytes    int     `json:"transferBytes"`
	Nodes            int     `json:"nodes"`
	Listeners        int     `json:"listeners"`
	HeapBytes        int     `json:"heapBytes"`
}

// Match is a place where a text was found on a page.
type Match struct {
	// Ref is the nearest element that can be acted on; empty without one.
	Ref string `json:"ref,omitempty"`
	// Before and After are the text around the match on its line.
	Before string `json:"before"`
	Text   string `json:"text"`
	After  string `json:"after"`
}

// Matches are the results of `find`.
type Matches struct {
	URL     string  `json:"url"`
	Total   int     `json:"total"`
	Matches []Match `json:"matches"`
}

// PixelDiff is how two screenshots differ.
type PixelDiff struct {
	Path    string  `json:"path"` // of the screenshot with the differences in red
	Changed int     `json:"changed"`
	Total   int     `json:"total"`
	Share   float64 `json:"share"` // 0 to 1
	// Area is the smallest rectangle that contains every difference.
	Area *Clip `json:"area,omitempty"`
	// Sizes are the sizes of the two screenshots, if they differ.
	Sizes []string `json:"sizes,omitempty"`
}
