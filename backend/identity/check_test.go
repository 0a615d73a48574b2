package identity_test

import (
	"errors"
	"strings"
	"testing"

	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
)

type id = protocol.SessionIdentity

func TestCheck(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	for _, good := range []id{
		{},
		{Color: "#1a73E8", Profile: "own"},
		{Profile: "temporary"},
		{Profile: "copy:work"},
		{Browser: "in:work", Color: "#1a73e8"},
		{Proxy: "http://10.0.0.1:3128", ProxyBypass: []string{"<local>", "*.example.com", ".example.com", "10.0.0.0/8", "[::1]", "host:8080", "*"}},
		{Proxy: "https://ada:pa%20ss@proxy.example:443"},
		{Proxy: "socks5://[::1]:1080"},
		{Proxy: "http://ada@proxy.example:3128", ProxySecret: "proxy"},
		{UserAgent: "Mozilla/5.0 (test)", Languages: []string{"de-DE", "en", "zh-Hant-TW"}},
		{StartPages: []string{"https://example.com/a?b", "http://localhost:1/", "about:blank", "file:///tmp/a.html"}},
		{CAFiles: []string{"/etc/ca.pem"}, Extensions: []string{"/home/me/extension"}},
		{Accept: []protocol.AcceptedCertificate{{Host: "dev.example.com", SHA256: sum}, {Host: "127.0.0.1", SHA256: strings.ToUpper(sum[:2]) + ":" + sum[2:]}, {Host: "[::1]", SHA256: sum}}},
		{Headers: []protocol.OriginHeader{{Origin: "https://api.example.com", Name: "X-Env", Value: "a b"}, {Origin: "http://localhost:8080", Name: "Authorization", Value: "Bearer x"}}},
		{Geolocation: &protocol.Geolocation{Latitude: -90, Longitude: 180, Accuracy: 10, Origins: []string{"https://maps.example.com"}}},
		{Flags: []string{"--force-dark-mode", "--force-device-scale-factor=1.5"}},
	} {
		if err := identity.Check(good); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for _, bad := range []struct {
		key, says string
		id        id
	}{
		{"color", "red", id{Color: "red"}},
		{"browser", "not the name of a session", id{Browser: "in:../work"}},
		{"browser", "so proxy cannot be set", id{Browser: "in:work", Proxy: "http://host:1"}},
		{"profile", "incognito", id{Profile: "incognito"}},
		{"profile", "../x", id{Profile: "copy:../x"}},
		{"proxy", "not the address", id{Proxy: "http://ada:se%zzcret@host:1"}},
		{"proxy", "not known", id{Proxy: "ftp://host:21"}},
		{"proxy", "port is missing", id{Proxy: "http://host"}},
		{"proxy", "more than those", id{Proxy: "http://host:1/path"}},
		{"proxy", "there is no proxy", id{ProxyBypass: []string{"a"}}},
		{"proxy", "user's name only", id{Proxy: "http://ada:x@host:1", ProxySecret: "s"}},
		{"proxy", "user's name only", id{Proxy: "http://host:1", ProxySecret: "s"}},
		{"proxy_secret", "not the name", id{Proxy: "http://ada@host:1", ProxySecret: "A B"}},
		{"proxy_bypass", "not a host", id{Proxy: "http://host:1", ProxyBypass: []string{"a;b"}}},
		{"user_agent", "cannot be seen", id{UserAgent: "a\nb"}},
		{"user_agent", "other characters", id{UserAgent: "Müller"}},
		{"languages", "not a language", id{Languages: []string{"german language"}}},
		{"start_pages", "not the address", id{StartPages: []string{"javascript:alert(1)"}}},
		{"start_pages", "not the address", id{StartPages: []string{"--no-sandbox"}}},
		{"start_pages", "33 entries", id{StartPages: make([]string, 33)}},
		{"user_agent", "too long", id{UserAgent: strings.Repeat("a", 5000)}},
		{"ca_files", "not an absolute path", id{CAFiles: []string{"ca.pem"}}},
		{"extensions", "not an absolute path", id{Extensions: []string{"./e"}}},
		{"extensions", "cannot load", id{Extensions: []string{"/a,/b"}}},
		{"accept", "not a host", id{Accept: []protocol.AcceptedCertificate{{Host: "a.example:443", SHA256: sum}}}},
		{"accept", "not a host", id{Accept: []protocol.AcceptedCertificate{{SHA256: sum}}}},
		{"accept", "not one", id{Accept: []protocol.AcceptedCertificate{{Host: "a.example", SHA256: "abc"}}}},
		{"headers", "not an origin", id{Headers: []protocol.OriginHeader{{Origin: "https://*.example.com", Name: "X", Value: "y"}}}},
		{"headers", "not an origin", id{Headers: []protocol.OriginHeader{{Origin: "https://a.example/", Name: "X", Value: "y"}}}},
		{"headers", "makes the header", id{Headers: []protocol.OriginHeader{{Origin: "https://a.example", Name: "Host", Value: "y"}}}},
		{"headers", "makes the header", id{Headers: []protocol.OriginHeader{{Origin: "https://a.example", Name: "Sec-Fetch-Site", Value: "y"}}}},
		{"headers", "name of a header", id{Headers: []protocol.OriginHeader{{Origin: "https://a.example", Name: "X Y", Value: "y"}}}},
		{"headers", "cannot be seen", id{Headers: []protocol.OriginHeader{{Origin: "https://a.example", Name: "X", Value: "a\r\nb"}}}},
		{"geolocation", "no latitude", id{Geolocation: &protocol.Geolocation{Latitude: 91}}},
		{"geolocation", "no longitude", id{Geolocation: &protocol.Geolocation{Longitude: -181}}},
		{"geolocation", "no accuracy", id{Geolocation: &protocol.Geolocation{Accuracy: -1}}},
		{"geolocation", "not an origin", id{Geolocation: &protocol.Geolocation{Origins: []string{"maps"}}}},
	} {
		err := identity.Check(bad.id)
		p, ok := errors.AsType[*identity.ValueError](err)
		if !ok || p.Key != bad.key || !strings.Contains(p.Message, bad.says) || p.Allowed == "" {
			t.Errorf("%s (%s): %v", bad.key, bad.says, err)
		}
		if err != nil && strings.Contains(err.Error(), "se%zzcret") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

// Each flag that would weaken the browser is refused, with the reason.
func TestUnsafeFlagsAreRefused(t *testing.T) {
	for flag, reason := range map[string]string{
		"--remote-debugging-port=9222":               "other programs",
		"--remote-debugging-address=0.0.0.0":         "other programs",
		"--remote-allow-origins=*":                   "other programs",
		"--no-sandbox":                               "sandbox",
		"--disable-setuid-sandbox":                   "sandbox",
		"--single-process":                           "sandbox",
		"--renderer-cmd-prefix=xterm -e":             "sandbox",
		"--gpu-launcher=/tmp/x":                      "sandbox",
		"--disable-web-security":                     "protect you",
		"--allow-running-insecure-content":           "protect you",
		"--ignore-certificate-errors":                "protect you",
		"--ignore-certificate-errors-spki-list=abc":  "protect you",
		"--disable-site-isolation-trials":            "protect you",
		"--unsafely-treat-insecure-origin-as-secure": "protect you",
		"--host-resolver-rules=MAP * 127.0.0.1":      "connects to",
		"--ssl-key-log-file=/tmp/keys":               "connects to",
		"--load-extension=/tmp/e":                    "extensions",
		"--user-data-dir=/home/me/.config/chromium":  "profile",
		"--proxy-server=http://evil:1":               "proxy",
		"--user-agent=x":                             "user_agent",
		"--lang=de":                                  "languages",
		"--disable-features=IsolateOrigins":          "protections",
		"--password-store=basic":                     "passwords",
		"--made-up":                                  "not one of",
		"force-dark-mode":                            "not a switch",
		"--":                                         "not a switch",
	} {
		err := identity.Check(id{Flags: []string{flag}})
		p, ok := errors.AsType[*identity.ValueError](err)
		if !ok || p.Key != "flags" || !strings.Contains(p.Message, reason) || !strings.Contains(p.Allowed, "force-dark-mode") {
			t.Errorf("%s: %v, want %q", flag, err, reason)
		}
	}
}

func TestTitle(t *testing.T) {
	if got, err := identity.Title("  My   work "); got != "My work" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", " ", strings.Repeat("x", 65), "a\u202eb"} {
		if _, err := identity.Title(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
