package protocol

// MaxBodyData is the largest body of a response that a reply carries as data, such as
// an image, in bytes.
const MaxBodyData = 2 << 20

// CodePlace is a position in a script, as a stack names it.
type CodePlace struct {
	Function string `json:"function,omitempty"`
	URL      string `json:"url"`
	Line     int    `json:"line"`   // from 1
	Column   int    `json:"column"` // from 1
}

// MappedPlace is a CodePlace with its position in the source that the script was made
// from, as a source map says.
type MappedPlace struct {
	CodePlace `tstype:",extends"`
	// Source is the file that the script was made from; empty when it is not known.
	Source       string `json:"source,omitempty"`
	SourceLine   int    `json:"sourceLine,omitempty"`   // from 1
	SourceColumn int    `json:"sourceColumn,omitempty"` // from 1
	// Why says why the source is not known.
	Why string `json:"why,omitempty"`
}

// PageValue is a value of a page's script. Its text is the page's.
type PageValue struct {
	// Type is the subtype if there is one, else the type: "string", "number",
	// "object", "array", "error", "node", "function", …
	Type string `json:"type"`
	// Text is the value in a few words; a string as it is.
	Text string `json:"text"`
	// Handle names the value while the page keeps it; empty when it has no parts.
	Handle string `json:"handle,omitempty"`
}

// PagePart is a property of a PageValue.
type PagePart struct {
	Name  string    `json:"name"`
	Value PageValue `json:"value"`
	// Hidden: the property is not enumerable, or is none of the script, such as the
	// prototype.
	Hidden bool `json:"hidden,omitempty"`
	// Accessor: reading the property would run code of the page, so it was not read.
	Accessor bool `json:"accessor,omitempty"`
}

// PageParts are some properties of a PageValue.
type PageParts struct {
	Parts []PagePart `json:"parts"`
	// Total is how many there are.
	Total int `json:"total"`
}

// PageRun is the result of a script that the user ran in a page.
type PageRun struct {
	URL   string    `json:"url"`
	Value PageValue `json:"value"`
	// Threw: Value is what the script threw.
	Threw bool        `json:"threw,omitempty"`
	Stack []CodePlace `json:"stack,omitempty"`
}

// ConsoleItem is an item of the feed FeedConsole.
type ConsoleItem struct {
	Entry ConsoleEntry `json:"entry"`
	// Page counts the documents of the tab. Entries of an earlier document are from
	// before a navigation.
	Page int         `json:"page"`
	Args []PageValue `json:"args,omitempty"`
	// Stack are the callers, nearest first.
	Stack []CodePlace `json:"stack,omitempty"`
	// Group is how many groups the entry is in.
	Group int `json:"group,omitempty"`
	// Begins is "group" or "collapsed" when the entry is the heading of a group.
	Begins string `json:"begins,omitempty"`
	// Clears: the page cleared its console.
	Clears bool `json:"clears,omitempty"`
	// Navigated: the tab went to another document; the entry is not the page's.
	Navigated bool `json:"navigated,omitempty"`
}

// NetworkTimes are the phases of a request in milliseconds; -1 means that a phase
// does not apply.
type NetworkTimes struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"` // with TLS
	TLS     float64 `json:"tls"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// NetworkItem is an item of the feed FeedNetwork. It replaces an earlier item with the
// same Entry.ID.
type NetworkItem struct {
	// Entry has no headers and no data that was sent: `network show` has them.
	Entry NetworkEntry `json:"entry"`
	// Page counts the documents of the tab. Requests of an earlier document are from
	// before a navigation.
	Page int `json:"page"`
	// Size is the size of the body, in bytes.
	Size  int           `json:"size,omitempty"`
	Times *NetworkTimes `json:"times,omitempty"`
	// Stack is the script that asked for it, nearest first.
	Stack []CodePlace `json:"stack,omitempty"`
	// Redirect is the address that the response names instead.
	Redirect string `json:"redirect,omitempty"`
}

// TabSignals is the item of the feed FeedSignals, for one tab.
type TabSignals struct {
	// Errors and Warnings are counted since the last navigation.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	// Blocked and Mocked are how many rules change what the tab gets.
	Blocked int `json:"blocked"`
	Mocked  int `json:"mocked"`
	// Throttle is the name of the network that is emulated; empty for none.
	Throttle string `json:"throttle,omitempty"`
}
