package policy

import (
	"net/url"
	"strings"
)

// restricted says what a page is that agents do not open, by its scheme.
func restricted(scheme string) string {
	switch scheme {
	case "chrome", "chrome-untrusted", "chrome-search", "chrome-error", "devtools", "view-source":
		return "a page of the browser itself"
	case "chrome-extension":
		return "a page of another extension"
	case "file":
		return "a file of this computer"
	}
	return "agents open http and https only"
}

// webStore says whether an address is of Chrome's web store. An extension sees
// all pages: only a person's own hands install one.
func webStore(u *url.URL) bool {
	switch host := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."); host {
	case "chromewebstore.google.com":
		return true
	case "chrome.google.com":
		return strings.HasPrefix(u.Path, "/webstore")
	}
	return false
}
