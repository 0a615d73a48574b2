package policy

import (
	"net/url"
	"strings"
)

// restricted says, by its scheme, what kind of page it is that agents may not
// open.
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

// webStore reports whether an address is in Chrome's web store. An extension
// can see all pages, so only the user may install one.
func webStore(u *url.URL) bool {
	switch host := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."); host {
	case "chromewebstore.google.com":
		return true
	case "chrome.google.com":
		return strings.HasPrefix(u.Path, "/webstore")
	}
	return false
}
