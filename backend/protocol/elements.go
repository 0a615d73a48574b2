package protocol

// ElementItem is an item of the feed "elements": a change of the list of what can be
// acted on in a tab. Every follower first gets the whole list.
type ElementItem struct {
	Kind ElementItemKind `json:"kind"`
	// URL and Title are the page's; More is how many elements the list lacks (page).
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
	More  int    `json:"more,omitempty"`
	// Element is an element that is new, has changed or has moved (put).
	Element *PageElement `json:"element,omitempty"`
	// After is the ref of the element before it; empty for the first (put).
	After string `json:"after,omitempty"`
	// Ref is that of an element that is no longer there (gone).
	Ref string `json:"ref,omitempty"`
	// Error says why the list is not current (failed). The next item of another kind
	// ends that.
	Error *Error `json:"error,omitempty"`
}

// ElementItemKind is the kind of an ElementItem.
type ElementItemKind string

// The kinds of items.
const (
	ElementNew    ElementItemKind = "new"    // another page: the list begins anew, and is empty
	ElementPage   ElementItemKind = "page"   // the page has another address or title
	ElementPut    ElementItemKind = "put"    // an element comes, changes or moves
	ElementGone   ElementItemKind = "gone"   // an element goes
	ElementFailed ElementItemKind = "failed" // the page cannot be read at the moment
)

// PageElement is one element that can be acted on, as an agent sees it.
type PageElement struct {
	Ref    string   `json:"ref"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	States []string `json:"states,omitempty"`
	Value  string   `json:"value,omitempty"`
	// Context distinguishes it from others with the same role and name: the title of
	// the part of the page that contains it, or which of them it is.
	Context string `json:"context,omitempty"`
}

// AgentSign is what a tab's page shows its user while an agent works there.
type AgentSign struct {
	// Words say who works, in at most 60 characters: "Claude Code works in this tab".
	Words string `json:"words"`
	// Asks: the agent waits for the user.
	Asks bool `json:"asks,omitempty"`
}
