package protocol

// BrowserIn begins the Browser of a session that is a browser context in the browser of another
// one: "in:work".
const BrowserIn = "in:"

// SessionIdentity is who a session is on the web, and how it reaches the network. The
// zero value is a session with a profile of its own and the network of this machine.
// It is a table [sessions.NAME] of settings.toml, the file pilotfish.toml of a
// repository, the options of `pilotfish sessions start`, and a form of the window.
type SessionIdentity struct {
	// Browser is the user's own browser, in which the session works with the user's consent:
	// "my-chrome", "chrome", "chromium", "edge", "brave", "vivaldi", the folder of its
	// profiles, or "by-hand" for one in which the user installed the extension. Or it is the
	// address of an engine that gives a browser: "wss://HOST/PATH" or
	// "grid+https://USER:PASSWORD@HOST/". Or it is BrowserIn and the name of another session:
	// a browser context in that session's browser. Empty for a browser of the session's own.
	// With it only Color has a meaning.
	Browser string `json:"browser,omitempty" toml:"browser,omitempty"`
	// BrowserHeader is sent to that engine: "Authorization: Bearer KEY". BrowserSecret is the
	// name of a secret whose value stands for {secret} in it and in the address.
	BrowserHeader string `json:"browserHeader,omitempty" toml:"browser_header,omitempty"`
	BrowserSecret string `json:"browserSecret,omitempty" toml:"browser_secret,omitempty"`
	// Color is the colour of the session's windows, as "#1a73e8"; empty for none.
	Color string `json:"color,omitempty" toml:"color,omitempty"`
	// Profile is "own" (or empty), "temporary", or "copy:NAME" of another session.
	Profile string `json:"profile,omitempty" toml:"profile,omitempty"`
	// Proxy is the address of a proxy: http, https or socks5, with a login if it needs
	// one. ProxySecret is the name of a secret that has the password.
	Proxy       string   `json:"proxy,omitempty" toml:"proxy,omitempty"`
	ProxySecret string   `json:"proxySecret,omitempty" toml:"proxy_secret,omitempty"`
	ProxyBypass []string `json:"proxyBypass,omitempty" toml:"proxy_bypass,omitempty"`
	UserAgent   string   `json:"userAgent,omitempty" toml:"user_agent,omitempty"`
	// Languages are what pages are asked for, the preferred one first: "de-DE", "en".
	Languages  []string `json:"languages,omitempty" toml:"languages,omitempty"`
	StartPages []string `json:"startPages,omitempty" toml:"start_pages,omitempty"`
	// CAFiles are files with certificates (PEM) of authorities that this session trusts.
	CAFiles []string `json:"caFiles,omitempty" toml:"ca_files,omitempty"`
	// Accept are certificates that are accepted for one host although they are not valid.
	Accept      []AcceptedCertificate `json:"accept,omitempty" toml:"accept,omitempty"`
	Headers     []OriginHeader        `json:"headers,omitempty" toml:"headers,omitempty"`
	Geolocation *Geolocation          `json:"geolocation,omitempty" toml:"geolocation,omitempty"`
	// Extensions are folders with further extensions of the browser.
	Extensions []string `json:"extensions,omitempty" toml:"extensions,omitempty"`
	// Flags are further switches of the browser, of those that are safe.
	Flags []string `json:"flags,omitempty" toml:"flags,omitempty"`
}

// AcceptedCertificate is a certificate that is accepted for one host although no
// authority vouches for it, or it has expired, or it names another host.
type AcceptedCertificate struct {
	Host string `json:"host" toml:"host"`
	// SHA256 is the fingerprint of the certificate in hexadecimal digits, with or
	// without colons.
	SHA256 string `json:"sha256" toml:"sha256"`
}

// OriginHeader is a header that is sent to one origin with every request.
type OriginHeader struct {
	Origin string `json:"origin" toml:"origin"`
	Name   string `json:"name" toml:"name"`
	Value  string `json:"value" toml:"value"`
}

// Geolocation is the user's place as it is reported to pages. Origins may know it without
// asking; others ask as always.
type Geolocation struct {
	Latitude  float64 `json:"latitude" toml:"latitude"`
	Longitude float64 `json:"longitude" toml:"longitude"`
	// Accuracy is in metres; 0 means 50.
	Accuracy float64  `json:"accuracy,omitempty" toml:"accuracy,omitempty"`
	Origins  []string `json:"origins,omitempty" toml:"origins,omitempty"`
}

// Limits of an identity.
const (
	// MaxIdentityList is how many entries a list of an identity has at most.
	MaxIdentityList = 32
	// MaxIdentityText is the longest value in an identity, in bytes.
	MaxIdentityText = 4096
)

// IdentityFacts are what is shown of the identity of a session.
type IdentityFacts struct {
	// Browser is the user's own browser, as SessionIdentity has it; empty for one of the session's own.
	Browser string `json:"browser,omitempty"`
	Color   string `json:"color,omitempty"`
	// Temporary: the profile is removed when the session stops.
	Temporary bool `json:"temporary,omitempty"`
	// Proxy is its address without the login.
	Proxy string `json:"proxy,omitempty"`
}

// ProxyTest is what a test of a session's proxy found: it connected to Host.
type ProxyTest struct {
	Proxy        string `json:"proxy"`
	Host         string `json:"host"`
	Milliseconds int    `json:"milliseconds"`
}

// ProxyTestHost is where a test of a proxy connects to when no host is named.
const ProxyTestHost = "example.com:443"
