package policy

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/protocol"
)

// The limits of an address that is taken for one without data.
const (
	plainAddress = 120 // characters of host and path together
	plainPart    = 60  // characters of a label of the host, or of a segment of the path
	plainRun     = 15  // letters and digits in a row, when one of them is a digit: a longer row may be a key
)

// Local says whether a page is on this machine, by its address.
func Local(page string) bool {
	u := siteOf(page)
	return u != nil && loopback(hostOf(u))
}

// Gives reports whether an actor must be asked about before it gives data to the
// site of a page: not on sites that it began on or was allowed to use, and for
// agents that are no task not on this machine. A rule of the user about data
// comes before all that.
func (p *Policy) Gives(a protocol.Actor, page string) bool {
	if rule := p.rules.Decide(protocol.ActionData, page); !rule.Default && rule.Kind == protocol.ActionData {
		return rule.Decision != protocol.SiteAllow
	}
	return !p.Known(a, page) && (a.Kind == protocol.ActorTask || !Local(page))
}

// Saves reports whether it has to be decided whether an actor's tab may save a file
// of a page's site. On this machine, that is so for tasks and where a rule of the
// user says something.
func (p *Policy) Saves(a protocol.Actor, page string) bool {
	return Agent(a) && (a.Kind == protocol.ActorTask || !Local(page) || !p.rules.Decide(protocol.ActionDownload, page).Default)
}

// Carries reports whether an address can give data of its caller to its site:
// in a query, a fragment or a user name, in a long host or path, in what looks like
// a key, or as a page of its own that can run (data:). Nothing leaves with an
// address of this machine. A short word in a path is not recognized as data.
func Carries(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	if strings.EqualFold(u.Scheme, "data") {
		return !inert(u.Opaque)
	}
	if siteOf(address) == nil || Local(address) {
		return false
	}
	path := u.EscapedPath()
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || len(u.Host)+len(path) > plainAddress {
		return true
	}
	parts := slices.Concat(strings.Split(u.Hostname(), "."), strings.Split(path, "/"))
	return slices.ContainsFunc(parts, func(part string) bool { return len(part) > plainPart || keyed(part) })
}

// inert reports whether the content of a data: address is a text or a picture,
// which loads nothing.
func inert(content string) bool {
	kind, _, _ := strings.Cut(content, ",")
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	return kind == "" || kind == "text/plain" || strings.HasPrefix(kind, "image/") && !strings.Contains(kind, "xml")
}

// keyed reports whether a text has letters and digits in a row that may be a key.
func keyed(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return len(word) > plainRun && strings.ContainsFunc(word, unicode.IsDigit)
	})
}
