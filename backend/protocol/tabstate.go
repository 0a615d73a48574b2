package protocol

import "time"

// CookieScope says which cookies a command is about, on all paths.
type CookieScope string

// The scopes: the cookies that the host of the page gets, those of all hosts of its site
// (the registered domain with its subdomains), and those of the whole profile.
const (
	CookiesOfHost CookieScope = "host"
	CookiesOfSite CookieScope = "site"
	CookiesOfAll  CookieScope = "all"
)

// Cookie is one cookie of the profile.
type Cookie struct {
	Name     string     `json:"name"`
	Value    string     `json:"value"`
	Domain   string     `json:"domain"`
	Path     string     `json:"path"`
	Expires  *time.Time `json:"expires,omitempty"` // absent: until the browser ends
	HTTPOnly bool       `json:"httpOnly,omitempty"`
	Secure   bool       `json:"secure,omitempty"`
	SameSite string     `json:"sameSite,omitempty"` // "Strict", "Lax" or "None"
}

// StorageItem is one entry of a page's storage.
type StorageItem struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Storage is the storage of one origin.
type Storage struct {
	Origin string        `json:"origin"`
	Local  []StorageItem `json:"local,omitempty"`
	// SessionItems are the items of sessionStorage, which belong to the tab.
	SessionItems []StorageItem `json:"session,omitempty"`
}

// BrowserState is what `state save` writes, before encryption.
type BrowserState struct {
	Version int       `json:"version"`
	Saved   time.Time `json:"saved"`
	// Site is the host that the state is from; empty for all sites.
	Site    string    `json:"site,omitempty"`
	Cookies []Cookie  `json:"cookies"`
	Storage []Storage `json:"storage"`
}

// StateFile describes a saved state without its content.
type StateFile struct {
	Name    string    `json:"name"`
	Path    string    `json:"path"`
	Bytes   int       `json:"bytes"`
	Saved   time.Time `json:"saved"`
	Site    string    `json:"site,omitempty"`
	Cookies int       `json:"cookies,omitempty"`
	Items   int       `json:"items,omitempty"` // of storage
	// Key is "passphrase" or "keychain".
	Key string `json:"key,omitempty"`
}

// Emulation holds a tab's emulated settings. A field that is empty means the
// browser's own setting.
type Emulation struct {
	Viewport  *EmulatedViewport `json:"viewport,omitempty"`
	Device    string            `json:"device,omitempty"` // the name of the device that sets viewport and user agent
	UserAgent string            `json:"userAgent,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	// UserAgentOrigin and HeadersOrigin are the one origin that gets the user agent
	// and the headers; empty for every origin, as with a device.
	UserAgentOrigin string `json:"userAgentOrigin,omitempty"`
	HeadersOrigin   string `json:"headersOrigin,omitempty"`
	Media           string `json:"media,omitempty"` // "print" or "screen"
	// Scheme is "dark" or "light"; Motion and Contrast are "reduce",
	// "no-preference", "more" and so on, as in CSS.
	Scheme      string               `json:"scheme,omitempty"`
	Motion      string               `json:"motion,omitempty"`
	Contrast    string               `json:"contrast,omitempty"`
	Locale      string               `json:"locale,omitempty"`
	Timezone    string               `json:"timezone,omitempty"`
	Geolocation *EmulatedGeolocation `json:"geolocation,omitempty"`
	Network     *EmulatedConditions  `json:"network,omitempty"`
	// CPU is by what factor the processor is slowed down.
	CPU float64 `json:"cpu,omitempty"`
}

// EmulatedViewport is the size of a page, in CSS pixels.
type EmulatedViewport struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"scale"` // device pixels for each CSS pixel
	Mobile bool    `json:"mobile,omitempty"`
	Touch  bool    `json:"touch,omitempty"`
}

// EmulatedGeolocation is a location, in degrees and metres.
type EmulatedGeolocation struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Accuracy  float64 `json:"accuracy"`
}

// EmulatedConditions are the conditions of an emulated network.
type EmulatedConditions struct {
	Name      string  `json:"name"`
	Offline   bool    `json:"offline,omitempty"`
	LatencyMS float64 `json:"latencyMs,omitempty"`
	Down      float64 `json:"down,omitempty"` // bytes a second
	Up        float64 `json:"up,omitempty"`   // bytes a second
}

// Window is one window of the browser.
type Window struct {
	// ID is the browser's own number; 0 where it is not known.
	ID      int     `json:"id"`
	Tabs    []TabID `json:"tabs"`
	Focused bool    `json:"focused"`
	State   string  `json:"state,omitempty"` // "normal", "minimized", "maximized" or "fullscreen"
	Left    int     `json:"left"`
	Top     int     `json:"top"`
	Width   int     `json:"width"`
	Height  int     `json:"height"`
}

// TabGroup is a named group of tabs.
type TabGroup struct {
	ID        int     `json:"id"`
	Title     string  `json:"title"`
	Color     string  `json:"color"`
	Collapsed bool    `json:"collapsed"`
	WindowID  int     `json:"windowId"`
	Tabs      []TabID `json:"tabs"`
}
