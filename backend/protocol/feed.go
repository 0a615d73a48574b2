package protocol

import "encoding/json"

// FeedName names what a room of the panel's drawer follows.
type FeedName string

// The feeds of a session.
const (
	FeedActivity   FeedName = "activity"   // what was done in the session, by whom
	FeedElements   FeedName = "elements"   // what can be acted on in a tab
	FeedInspector  FeedName = "inspector"  // the element that the user inspects
	FeedNetwork    FeedName = "network"    // the requests of a tab
	FeedConsole    FeedName = "console"    // what a tab wrote to its console
	FeedSignals    FeedName = "signals"    // what the panel shows of a tab while no room is open
	FeedRecordings FeedName = "recordings" // which tabs are recorded; each batch is the whole state
)

// FeedEvent carries what is new in a feed that the panel follows. The room that
// follows it knows the shape of the items.
type FeedEvent struct {
	Type PanelEventType `json:"type" tstype:"'feed'"`
	// ID is the one of the message that began to follow the feed.
	ID int `json:"id"`
	// Batch is what is new; it is empty when the feed ended with an error.
	Batch FeedBatch `json:"batch"`
	// Error says why the feed ended; it sends nothing more.
	Error *Error `json:"error,omitempty"`
}

// FeedBatch is a part of a feed: items in order.
type FeedBatch struct {
	Items []json.RawMessage `json:"items" tstype:"unknown[]"`
	// Last is the index of the last item. A panel that comes back continues after
	// it.
	Last uint64 `json:"last"`
	// Gap reports that items before these are missing. A feed of a state then
	// begins with the whole state.
	Gap bool `json:"gap,omitempty"`
}
