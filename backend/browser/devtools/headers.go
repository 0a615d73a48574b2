package devtools

import (
	"slices"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
)

// Header is a header that is added to a request.
type Header struct{ Name, Value string }

// WithHeaders returns the headers of a request with others in their place or added. The
// browser replaces all headers with them, for this one request: what a redirect leads
// to is a request of its own.
func WithHeaders(headers network.Headers, added []Header) []*fetch.HeaderEntry {
	var all []*fetch.HeaderEntry
	for name, value := range headers {
		text, ok := value.(string)
		replaced := slices.ContainsFunc(added, func(one Header) bool { return strings.EqualFold(one.Name, name) })
		if ok && !replaced {
			all = append(all, &fetch.HeaderEntry{Name: name, Value: text})
		}
	}
	for _, one := range added {
		all = append(all, &fetch.HeaderEntry{Name: one.Name, Value: one.Value})
	}
	return all
}
