package protocol

import "time"

// SignInBrowser is a browser on this machine whose sign-ins can be imported.
type SignInBrowser struct {
	// ID names the browser in commands: chromium, chrome, edge, brave, vivaldi, opera,
	// firefox, firefox-snap or firefox-flatpak.
	ID       string          `json:"id"`
	Name     string          `json:"name"` // Google Chrome
	Profiles []SignInProfile `json:"profiles"`
	// Missing says that there are profiles and no program that could read them.
	Missing bool `json:"missing,omitempty"`
}

// SignInProfile is a profile of a browser.
type SignInProfile struct {
	ID   string `json:"id"`   // its folder: Default, Profile 1, ab12cd34.default
	Name string `json:"name"` // what the user called it
}

// SignInSite is a site of a profile, with how many cookies it has. A cookie's name
// and value are never part of it.
type SignInSite struct {
	Site    string `json:"site"` // example.com
	Cookies int    `json:"cookies"`
	// Locked is how many more there are that could not be unlocked.
	Locked int `json:"locked,omitempty"`
	// Imported says that this session has sign-ins of the site already.
	Imported bool `json:"imported,omitempty"`
}

// SignInSites are the sites of a profile.
type SignInSites struct {
	Browser string       `json:"browser"`
	Profile string       `json:"profile"`
	Sites   []SignInSite `json:"sites"`
	// Containers are Firefox's container tabs whose cookies are left out: they are
	// other identities of the user.
	Containers []SignInContainer `json:"containers,omitempty"`
	// Trouble says why cookies could not be unlocked; empty when all were.
	Trouble string `json:"trouble,omitempty"`
}

// SignInContainer is a container of a profile of Firefox.
type SignInContainer struct {
	Name    string `json:"name"` // Work
	Cookies int    `json:"cookies"`
}

// SignInImport asks for the sign-ins of sites.
type SignInImport struct {
	Browser string   `json:"browser"`
	Profile string   `json:"profile"`
	Sites   []string `json:"sites"`
	// Storage also imports the local storage of the sites.
	Storage bool `json:"storage,omitempty"`
}

// SignInList is what can be imported, and what was.
type SignInList struct {
	Browsers []SignInBrowser `json:"browsers"`
	Imported []ImportedSite  `json:"imported"`
}

// SignInResult says what was imported.
type SignInResult struct {
	Sites []ImportedSite `json:"sites"`
	// Missed are sites of which nothing could be taken, such as those that were
	// locked.
	Missed []string `json:"missed,omitempty"`
}

// ImportedSite is a site whose sign-ins were imported into this session.
type ImportedSite struct {
	Site    string    `json:"site"`
	Browser string    `json:"browser"`
	Profile string    `json:"profile"`
	Cookies int       `json:"cookies"`
	At      time.Time `json:"at"`
	// Items is how many entries of local storage came with them, and Origins where
	// they are.
	Items   int      `json:"items,omitempty"`
	Origins []string `json:"origins,omitempty"`
}

// SignInSitesMax is how many sites are imported at once.
const SignInSitesMax = 500
