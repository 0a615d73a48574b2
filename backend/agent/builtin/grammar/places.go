package grammar

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// places maps names of sites to their addresses.
func places() map[string]string {
	return map[string]string{
		"hn": "https://news.ycombinator.com", "hacker news": "https://news.ycombinator.com", "hackernews": "https://news.ycombinator.com",
		"google": "https://www.google.com", "duckduckgo": "https://duckduckgo.com", "ddg": "https://duckduckgo.com", "bing": "https://www.bing.com",
		"wikipedia": "https://en.wikipedia.org", "wiki": "https://en.wikipedia.org", "youtube": "https://www.youtube.com",
		"github": "https://github.com", "gitlab": "https://gitlab.com", "stack overflow": "https://stackoverflow.com", "stackoverflow": "https://stackoverflow.com",
		"reddit": "https://www.reddit.com", "mdn": "https://developer.mozilla.org", "npm": "https://www.npmjs.com", "gmail": "https://mail.google.com",
		"google maps": "https://www.google.com/maps", "maps": "https://www.google.com/maps", "openstreetmap": "https://www.openstreetmap.org",
		"google translate": "https://translate.google.com", "arxiv": "https://arxiv.org", "linkedin": "https://www.linkedin.com", "amazon": "https://www.amazon.com",
		"twitter": "https://x.com", "mastodon": "https://mastodon.social", "bluesky": "https://bsky.app", "lobsters": "https://lobste.rs",
		"bbc": "https://www.bbc.com", "bbc news": "https://www.bbc.com/news", "ebay": "https://www.ebay.com", "imdb": "https://www.imdb.com",
		"chatgpt": "https://chatgpt.com", "claude": "https://claude.ai", "go docs": "https://pkg.go.dev", "internet archive": "https://archive.org",
	}
}

// defaultEngine is the search engine that is used if none is named.
const defaultEngine = "duckduckgo"

// engines maps search engines to the addresses of a search; "%s" is replaced by
// the search text.
func engines() map[string]string {
	return map[string]string{
		"duckduckgo": "https://duckduckgo.com/?q=%s", "ddg": "https://duckduckgo.com/?q=%s",
		"google": "https://www.google.com/search?q=%s", "bing": "https://www.bing.com/search?q=%s",
		"wikipedia": "https://en.wikipedia.org/w/index.php?search=%s", "wiki": "https://en.wikipedia.org/w/index.php?search=%s",
		"youtube": "https://www.youtube.com/results?search_query=%s", "github": "https://github.com/search?q=%s",
		"stack overflow": "https://stackoverflow.com/search?q=%s", "stackoverflow": "https://stackoverflow.com/search?q=%s",
		"hn": "https://hn.algolia.com/?q=%s", "hacker news": "https://hn.algolia.com/?q=%s", "hackernews": "https://hn.algolia.com/?q=%s",
		"reddit": "https://www.reddit.com/search/?q=%s", "mdn": "https://developer.mozilla.org/en-US/search?q=%s",
		"npm": "https://www.npmjs.com/search?q=%s", "google maps": "https://www.google.com/maps/search/%s", "maps": "https://www.google.com/maps/search/%s",
		"openstreetmap": "https://www.openstreetmap.org/search?query=%s", "arxiv": "https://arxiv.org/search/?searchtype=all&query=%s",
		"amazon": "https://www.amazon.com/s?k=%s", "ebay": "https://www.ebay.com/sch/i.html?_nkw=%s", "imdb": "https://www.imdb.com/find/?q=%s",
		"go docs": "https://pkg.go.dev/search?q=%s",
	}
}

// SearchAddress returns the address of a search with an engine.
func SearchAddress(engine, words string) string {
	return strings.Replace(engines()[engine], "%s", url.QueryEscape(words), 1)
}

// engineName parses the name of a search engine.
func engineName(s string) (string, bool) {
	s = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "the ")
	s = strings.TrimSuffix(strings.TrimPrefix(s, "www."), ".com")
	s = strings.TrimSuffix(s, ".org")
	_, ok := engines()[s]
	return s, ok
}

// engineOf returns the search engine of a site by the site's address.
func engineOf(address string) (string, bool) {
	best := ""
	for name, home := range places() {
		// If an engine has several names, the longest is the clearest.
		if home == address && engines()[name] != "" && (len(name) > len(best) || len(name) == len(best) && name < best) {
			best = name
		}
	}
	return best, best != ""
}

// hostLike reports whether s is an address without a scheme, as users type it:
// a host with a dot, or this machine, optionally with a port and a path.
func hostLike(s string) bool {
	end := strings.IndexAny(s, "/?#")
	name := s
	if end >= 0 {
		name = s[:end]
	}
	name = strings.ToLower(name)
	if i := strings.LastIndexByte(name, ':'); i >= 0 && !strings.HasSuffix(name, "]") {
		port, err := strconv.ParseUint(name[i+1:], 10, 16)
		if err != nil || port == 0 {
			return false
		}
		name = name[:i]
	}
	if name == "localhost" || name == "[::1]" || net.ParseIP(name).To4() != nil {
		return true
	}
	labels := strings.Split(name, ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return false
		}
	}
	last := labels[len(labels)-1]
	if n := len([]rune(last)); n < 2 || n > 24 || strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return false
	}
	return end >= 0 || !fileEnd(last)
}

// fileEnd reports whether last is a file extension, and not a domain that users
// type.
func fileEnd(last string) bool {
	switch last {
	case "pdf", "png", "jpg", "jpeg", "gif", "svg", "webp", "txt", "md", "csv", "json", "xml", "htm", "html", "css", "js", "ts", "zip", "gz", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "exe":
		return true
	}
	return false
}

// looksLikeAddress reports whether a word is an address.
func looksLikeAddress(s string) bool {
	low := strings.ToLower(s)
	if strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") || strings.HasPrefix(low, "file:///") || low == "about:blank" {
		return !strings.ContainsAny(s, " \t\n")
	}
	return !strings.ContainsAny(s, " \t\n") && hostLike(s)
}

// address parses where to go: an address, or the name of a site.
func address(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if looksLikeAddress(s) {
		return s, true
	}
	name := strings.ToLower(s)
	name = strings.TrimPrefix(name, "the ")
	for _, end := range []string{" website", " site", " homepage", " home page", " front page", " page"} {
		name = strings.TrimSuffix(name, end)
	}
	found, ok := places()[name]
	return found, ok
}
