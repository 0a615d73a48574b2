package protocol

import "time"

// SharePath is the path of the address at which another program speaks the DevTools protocol
// with tabs of a session. Its secret follows.
const SharePath = "/share/"

// How long an address of ShareRequest is good.
const (
	ShareLife    = time.Hour
	MaxShareLife = 24 * time.Hour
)

// ShareMCPPath is that of the address at which another program speaks the Model Context
// Protocol with a session. Its secret follows.
const ShareMCPPath = "/mcp/"

// ShareRequest asks for an address at which Playwright, Puppeteer and others speak the DevTools
// protocol with tabs of a session.
type ShareRequest struct {
	// MCP asks for an address of the Model Context Protocol instead.
	MCP bool `json:"mcp,omitempty"`
	// Seconds is how long it is good; 0 for ShareLife, at most MaxShareLife.
	Seconds int `json:"seconds,omitempty"`
	// Tab is the only tab that is shared, with those that its pages open; empty for all.
	Tab TabID `json:"tab,omitempty"`
	// Read means that nothing can be changed at the address.
	Read bool `json:"read,omitempty"`
}

// ShareReply is a new address.
type ShareReply struct {
	// Address has the secret in it, which is shown this once.
	Address string `json:"address"`
	// ID names it for ClientsRequest, which ends it.
	ID      string    `json:"id"`
	Expires time.Time `json:"expires"`
}
