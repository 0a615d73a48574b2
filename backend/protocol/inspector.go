package protocol

// Details is everything that the Inspector shows of one element. All text in it comes
// from the page.
type Details struct {
	URL     string `json:"url"` // of the element's document
	Ref     string `json:"ref"`
	Element string `json:"element"` // its tag, id and classes: "a#top.link"
	Tag     string `json:"tag"`
	// Path are the elements around it, the outermost first, and the element itself
	// last. It goes through shadow roots, and ends at the frame's document.
	Path []DetailStep `json:"path"`
	// Near says which steps lead to another element: parent, child, previous, next.
	Near      []string            `json:"near"`
	Selectors []SelectorCandidate `json:"selectors"`
	Box       DetailBox           `json:"box"`
	Rules     []DetailRule        `json:"rules"` // the strongest first; pseudo-elements and ancestors after the element's own
	Computed  []ComputedValue     `json:"computed"`
	Fonts     []UsedFont          `json:"fonts"`
	Colors    *DetailColors       `json:"colors,omitempty"` // missing without visible text
	Access    DetailAccessibility `json:"access"`
	Listeners []Listener          `json:"listeners"`
	Attrs     []DetailAttribute   `json:"attributes"`
	States    []string            `json:"states"` // the states that are forced on it: hover, focus
	Text      string              `json:"text"`
	Leaf      bool                `json:"leaf"`             // it has no elements inside, so that its text can be changed
	Frame     string              `json:"frame,omitempty"`  // f2 for an element of a frame
	Shadow    string              `json:"shadow,omitempty"` // open or closed for an element in a shadow root
	Cut       []string            `json:"cut,omitempty"`    // which lists were too long to be whole
}

// DetailStep is one element on the way to the inspected one.
type DetailStep struct {
	Ref     string `json:"ref"`
	Element string `json:"element"`
}

// SelectorCandidate is a CSS selector that matches the element.
type SelectorCandidate struct {
	Selector string `json:"selector"`
	// Matches is how many elements it matches in the element's document or shadow
	// root.
	Matches int `json:"matches"`
}

// DetailBox is the box model of an element, in CSS pixels. The sides are top, right,
// bottom, left.
type DetailBox struct {
	X       float64    `json:"x"` // of the border box, in the page
	Y       float64    `json:"y"`
	Width   float64    `json:"width"`
	Height  float64    `json:"height"`
	Margin  [4]float64 `json:"margin"`
	Border  [4]float64 `json:"border"`
	Padding [4]float64 `json:"padding"`
}

// Where a rule comes from.
const (
	OriginAuthor     = "author"
	OriginBrowser    = "browser"
	OriginElement    = "element"    // the style attribute
	OriginAttributes = "attributes" // such as width=20
	OriginInspector  = "inspector"
)

// DetailRule is one rule that applies to an element.
type DetailRule struct {
	// Key names the rule in an edit, as long as its text stays the same; empty for a
	// rule that cannot be changed.
	Key      string `json:"key,omitempty"`
	Selector string `json:"selector"` // the selectors that match
	Origin   string `json:"origin"`
	// Source is the style sheet with its line ("https://example.com/app.css:12").
	// Original is where a source map says that the line comes from.
	Source     string   `json:"source,omitempty"`
	Original   string   `json:"original,omitempty"`
	Pseudo     string   `json:"pseudo,omitempty"` // "::before" for a rule of a pseudo-element
	From       string   `json:"from,omitempty"`   // the ancestor that the element inherits from
	Conditions []string `json:"conditions,omitempty"`
	// Specificity is of the strongest selector that matches.
	Specificity  [3]int              `json:"specificity"`
	Declarations []DetailDeclaration `json:"declarations"`
}

// DetailDeclaration is one declaration of a rule.
type DetailDeclaration struct {
	// Index is its place in the rule, for edits.
	Index     int    `json:"index"`
	Name      string `json:"name"`
	Value     string `json:"value"`
	Important bool   `json:"important,omitempty"`
	Beaten    bool   `json:"beaten,omitempty"`  // a stronger declaration overrides it
	Off       bool   `json:"off,omitempty"`     // it is switched off: a comment in the sheet
	Unknown   bool   `json:"unknown,omitempty"` // the browser does not understand it
}

// ComputedValue is a computed value that differs from the default.
type ComputedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// UsedFont is a font that draws text of the element.
type UsedFont struct {
	Family string `json:"family"`
	Name   string `json:"name"`             // its PostScript name
	Loaded bool   `json:"loaded,omitempty"` // the page brought it
	Glyphs int    `json:"glyphs"`
}

// DetailColors are the colours of an element's text.
type DetailColors struct {
	Text string `json:"text"`
	// Behind are the possible colours behind the text: several for a gradient.
	Behind []string `json:"behind"`
	// Contrast is the lowest ratio, from 1 to 21; 0 if it is not known. Needed is
	// what WCAG AA asks for at this size, Best what AAA asks for.
	Contrast float64 `json:"contrast"`
	Needed   float64 `json:"needed"`
	Best     float64 `json:"best"`
}

// DetailAccessibility is an element as assistive programs see it.
type DetailAccessibility struct {
	Role        string            `json:"role"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"`
	// Path are the roles and names around it in the accessibility tree, the outermost
	// first.
	Path []string `json:"path"`
}

// DetailAttribute is one attribute of an element. Secrets are masked.
type DetailAttribute struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Masked bool   `json:"masked,omitempty"`
}

// What an edit changes.
const (
	EditDeclaration = "style"
	EditAttribute   = "attribute"
	EditText        = "text"
	EditClass       = "class"
)

// ElementEdit asks for one change of an element or of a rule that applies to it.
type ElementEdit struct {
	Element string `json:"element"`
	What    string `json:"what"`
	// Rule is the key of the rule; empty means the style attribute.
	Rule string `json:"rule,omitempty"`
	// Index is the declaration to change; -1 changes the one of that name, or adds one.
	Index int    `json:"index"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	// Remove removes the declaration, attribute or class; Off and On switch a
	// declaration.
	Remove bool `json:"remove,omitempty"`
	Off    bool `json:"off,omitempty"`
	On     bool `json:"on,omitempty"`
}

// EditEntry is one edit in the history of a page.
type EditEntry struct {
	Number  int    `json:"number"`
	What    string `json:"what"`
	Element string `json:"element"`
	Ref     string `json:"ref"`
	// Selector and Source say which rule was changed; Source is the original file
	// where a source map names it.
	Selector string `json:"selector,omitempty"`
	Source   string `json:"source,omitempty"`
	Before   string `json:"before"` // "color: red"; empty when it was added
	After    string `json:"after"`  // empty when it was removed
	Undone   bool   `json:"undone,omitempty"`
}

// Edits is the history of the edits of a page, oldest first.
type Edits struct {
	URL   string      `json:"url"`
	Edits []EditEntry `json:"edits"`
	// Diff is what the edits that are not undone change, as a diff with files and lines.
	Diff string `json:"diff"`
}

// Forced are the states that an element is shown in.
type Forced struct {
	URL     string   `json:"url"`
	Element string   `json:"element"`
	States  []string `json:"states"`
}

// InspectorEventKind says what happened to what is inspected.
type InspectorEventKind string

// The events of the Inspector.
const (
	InspectorChanged InspectorEventKind = "changed" // the page changed: what was read is stale
	InspectorGone    InspectorEventKind = "gone"    // the element is not on the page any more
	InspectorEdited  InspectorEventKind = "edited"  // an edit was made, undone or done again
	InspectorForced  InspectorEventKind = "forced"  // a state was forced
)

// InspectorEvent is one event of the Inspector of a tab.
type InspectorEvent struct {
	Index uint64             `json:"index"`
	Kind  InspectorEventKind `json:"kind"`
	Tab   TabID              `json:"tab"`
	// About says what changed: attributes, styles, content, page or viewport.
	About string `json:"about,omitempty"`
}

// Picked is what the user picked.
type Picked struct {
	URL string `json:"url"`
	// Element is missing when the user gave up.
	Element *PickedElement `json:"element,omitempty"`
}
