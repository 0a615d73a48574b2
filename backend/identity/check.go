package identity

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"pilotfish/backend/engine"
	"pilotfish/backend/protocol"
)

// ValueError is a value that cannot be used. Key is its name in the file.
type ValueError struct {
	Key     string
	Message string
	// Allowed says what may stand there.
	Allowed string
}

// Error says what is wrong, and what is allowed.
func (p *ValueError) Error() string { return p.Key + ": " + p.Message + "; " + p.Allowed }

func problem(key, allowed, format string, args ...any) error {
	return &ValueError{Key: key, Message: fmt.Sprintf(format, args...), Allowed: allowed}
}

// The values of profile.
const (
	profileOwn       = "own"
	profileTemporary = "temporary"
	profileCopy      = "copy:"
)

func colorPattern() *regexp.Regexp { return regexp.MustCompile(`^#[0-9a-fA-F]{6}$`) }

func languagePattern() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}$`)
}

// bypassPattern is a host with at most one "*" at each end, a network, or "<local>".
func bypassPattern() *regexp.Regexp {
	return regexp.MustCompile(`^(\*|<local>|\*?\.?[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*(\.\*)?(:[0-9]{1,5})?|[0-9.]+/[0-9]{1,2}|\[[0-9a-fA-F:]+\](/[0-9]{1,3})?(:[0-9]{1,5})?)$`)
}

func secretPattern() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`) }

// Check returns a *ValueError for the first value that cannot be used. It looks at no
// file: what is wrong only today is found when the session starts.
func Check(id protocol.SessionIdentity) error {
	for _, check := range []func(protocol.SessionIdentity) error{checkSize, checkBrowser, checkProfile, checkProxy, checkPages, checkCertificates, checkHeaders, checkPlace, checkPaths, checkFlags} {
		if err := check(id); err != nil {
			return err
		}
	}
	return nil
}

// checkSize bounds everything, and refuses what cannot be seen.
func checkSize(id protocol.SessionIdentity) error {
	texts := map[string][]string{
		"browser": {id.Browser}, "browser_header": {id.BrowserHeader}, "browser_secret": {id.BrowserSecret}, "color": {id.Color}, "profile": {id.Profile}, "proxy": {id.Proxy}, "proxy_secret": {id.ProxySecret}, "proxy_bypass": id.ProxyBypass,
		"user_agent": {id.UserAgent}, "languages": id.Languages, "start_pages": id.StartPages, "ca_files": id.CAFiles,
		"extensions": id.Extensions, "flags": id.Flags,
	}
	for _, a := range id.Accept {
		texts["accept"] = append(texts["accept"], a.Host+a.SHA256)
	}
	for _, h := range id.Headers {
		texts["headers"] = append(texts["headers"], h.Origin+h.Name+h.Value)
	}
	if id.Geolocation != nil {
		texts["geolocation"] = id.Geolocation.Origins
	}
	keys := make([]string, 0, len(texts))
	for key := range texts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if len(texts[key]) > protocol.MaxIdentityList {
			return problem(key, fmt.Sprintf("at most %d", protocol.MaxIdentityList), "there are %d entries", len(texts[key]))
		}
		for _, text := range texts[key] {
			switch {
			case len(text) > protocol.MaxIdentityText:
				return problem(key, fmt.Sprintf("at most %d bytes", protocol.MaxIdentityText), "a value is too long")
			case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) }):
				return problem(key, "write it without line breaks and characters that cannot be seen", "%.60q has a character that cannot be seen", text)
			}
		}
	}
	return nil
}

// checkBrowser refuses what has no meaning for a browser that Pilotfish does not start.
func checkBrowser(id protocol.SessionIdentity) error {
	if engine.Is(id.Browser) {
		if _, err := engine.Parse(id.Browser, id.BrowserHeader, "secret"); err != nil {
			return problem("browser", protocol.AsError(err).Hint, "%s", strings.TrimPrefix(protocol.AsError(err).Message, "browser: "))
		}
		id.BrowserHeader = ""
		if id.BrowserSecret != "" && !secretPattern().MatchString(id.BrowserSecret) {
			return problem("browser_secret", "the name of a secret that `pilotfish secret list` shows", "%.60q is not the name of a secret", id.BrowserSecret)
		}
		id.BrowserSecret = ""
	}
	if id.Browser == "" {
		if id.BrowserHeader != "" || id.BrowserSecret != "" {
			return problem("browser", engine.Allowed, "there is no engine, but there is a header or a secret for it")
		}
		return nil
	}
	if name, in := strings.CutPrefix(id.Browser, protocol.BrowserIn); in {
		if _, err := protocol.ParseSessionName(name); err != nil {
			return problem("browser", `write it as "in:work"`, "%.40q is not the name of a session", name)
		}
	}
	id.Color, id.Browser = "", ""
	for _, other := range Describe(&id) {
		return problem("browser", "set it alone, or with color", "that browser is used as it is, so %s cannot be set for it", other.Name)
	}
	return nil
}

func checkProfile(id protocol.SessionIdentity) error {
	if id.Color != "" && !colorPattern().MatchString(id.Color) {
		return problem("color", `write it as "#1a73e8"`, "%.40q is not a colour", id.Color)
	}
	from, copies := strings.CutPrefix(id.Profile, profileCopy)
	switch {
	case copies:
		if _, err := protocol.ParseSessionName(from); err != nil {
			return problem("profile", `write it as "copy:work"`, "%.40q is not the name of a session", from)
		}
	case id.Profile != "" && id.Profile != profileOwn && id.Profile != profileTemporary:
		return problem("profile", `"own", "temporary", or "copy:" and the name of a session`, "there is no profile %.40q", id.Profile)
	}
	if strings.ContainsFunc(id.UserAgent, func(r rune) bool { return r > unicode.MaxASCII }) {
		return problem("user_agent", "letters, digits and signs of ASCII", "%.60q has other characters", id.UserAgent)
	}
	for _, language := range id.Languages {
		if !languagePattern().MatchString(language) {
			return problem("languages", `codes such as "de-DE" and "en"`, "%.40q is not a language", language)
		}
	}
	return nil
}

func checkProxy(id protocol.SessionIdentity) error {
	const allowed = "http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, with USER:PASSWORD@ before the host if it needs a login"
	if id.Proxy == "" {
		if id.ProxySecret != "" || len(id.ProxyBypass) > 0 {
			return problem("proxy", allowed, "there is no proxy, but there is a secret or a bypass list for it")
		}
		return nil
	}
	u, err := url.Parse(id.Proxy)
	switch {
	case err != nil:
		// The error of url.Parse quotes the address, with its password.
		return problem("proxy", allowed, "it is not the address of a proxy")
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5":
		return problem("proxy", allowed, "the kind of proxy %.20q is not known", u.Scheme)
	case u.Hostname() == "" || u.Port() == "" || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "":
		return problem("proxy", allowed, "the host or the port is missing, or there is more than those")
	}
	if id.ProxySecret != "" {
		if !secretPattern().MatchString(id.ProxySecret) {
			return problem("proxy_secret", "the name of a secret that `pilotfish secret list` shows", "%.60q is not the name of a secret", id.ProxySecret)
		}
		if _, both := u.User.Password(); both || u.User.Username() == "" {
			return problem("proxy", "write the user's name before the host and no password: http://USER@HOST:PORT", "with proxy_secret, the address has the user's name only")
		}
	}
	for _, entry := range id.ProxyBypass {
		if !bypassPattern().MatchString(entry) {
			return problem("proxy_bypass", `hosts and networks: "example.com", "*.example.com", "10.0.0.0/8", "<local>"`, "%.60q is not a host", entry)
		}
	}
	return nil
}

func checkPages(id protocol.SessionIdentity) error {
	for _, page := range id.StartPages {
		u, err := url.Parse(page)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "about" && u.Scheme != "file") {
			return problem("start_pages", "full addresses, such as https://example.com/", "%.100q is not the address of a page", page)
		}
	}
	return nil
}

func checkCertificates(id protocol.SessionIdentity) error {
	for _, a := range id.Accept {
		if u, err := url.Parse("https://" + a.Host); err != nil || a.Host == "" || u.Hostname() != a.Host && "["+u.Hostname()+"]" != a.Host {
			return problem("accept", `a host without a port, such as "dev.example.com"`, "%.100q is not a host", a.Host)
		}
		if sum, err := hex.DecodeString(strings.ReplaceAll(a.SHA256, ":", "")); err != nil || len(sum) != 32 {
			return problem("accept", "the SHA-256 fingerprint of the certificate: 64 hexadecimal digits, as the browser shows it", "the fingerprint for %.60q is not one", a.Host)
		}
	}
	return nil
}

// unset are headers that the browser makes itself: another value breaks its
// connections, or lies about where a request comes from.
func unset() []string {
	return []string{
		"accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method", "connection", "content-length", "cookie2",
		"date", "dnt", "expect", "host", "keep-alive", "origin", "te", "trailer", "transfer-encoding", "upgrade", "via",
	}
}

func checkHeaders(id protocol.SessionIdentity) error {
	for _, h := range id.Headers {
		lower := strings.ToLower(h.Name)
		switch {
		case !isOrigin(h.Origin):
			return problem("headers", "an origin such as https://api.example.com or http://localhost:8080", "%.100q is not an origin", h.Origin)
		case !httpguts.ValidHeaderFieldName(h.Name):
			return problem("headers", "a name such as X-Environment", "%.60q is not the name of a header", h.Name)
		case slices.Contains(unset(), lower) || strings.HasPrefix(lower, "sec-") || strings.HasPrefix(lower, "proxy-"):
			return problem("headers", "any header that the browser does not make itself", "the browser makes the header %s itself", h.Name)
		case !httpguts.ValidHeaderFieldValue(h.Value):
			return problem("headers", "a value without line breaks", "the value of %s is not one of a header", h.Name)
		}
	}
	return nil
}

func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.Contains(u.Host, "*") && text == u.Scheme+"://"+u.Host
}

func checkPlace(id protocol.SessionIdentity) error {
	g := id.Geolocation
	switch {
	case g == nil:
		return nil
	case !between(g.Latitude, -90, 90):
		return problem("geolocation", "latitude from -90 to 90", "there is no latitude %v", g.Latitude)
	case !between(g.Longitude, -180, 180):
		return problem("geolocation", "longitude from -180 to 180", "there is no longitude %v", g.Longitude)
	case !between(g.Accuracy, 0, 1e6):
		return problem("geolocation", "accuracy in metres, up to 1000000", "there is no accuracy %v", g.Accuracy)
	}
	for _, origin := range g.Origins {
		if !isOrigin(origin) {
			return problem("geolocation", "origins such as https://maps.example.com", "%.100q is not an origin", origin)
		}
	}
	return nil
}

// between reports whether a number is one, and within bounds.
func between(n, least, most float64) bool { return n >= least && n <= most }

func checkPaths(id protocol.SessionIdentity) error {
	for key, list := range map[string][]string{"ca_files": id.CAFiles, "extensions": id.Extensions} {
		for _, path := range list {
			if !filepath.IsAbs(path) {
				return problem(key, "start it at the root, such as /home/you/…", "%.100q is not an absolute path", path)
			}
			if strings.Contains(path, ",") && key == "extensions" {
				return problem(key, "move the folder to a path without commas", "the browser cannot load %.100q", path)
			}
		}
	}
	return nil
}
