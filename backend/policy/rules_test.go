package policy

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func rule(site string, kind protocol.ActionKind, d protocol.SiteDecision) protocol.SiteRule {
	return protocol.SiteRule{Site: site, Kind: kind, Decision: d}
}

func TestDecide(t *testing.T) {
	r := NewRules([]protocol.SiteRule{
		rule("*", protocol.ActionCookies, protocol.SiteDeny),
		rule("*.example.com", protocol.ActionSensitive, protocol.SiteDeny),
		rule("app.example.com", protocol.ActionEval, protocol.SiteAllow),
		rule("https://app.example.com:8443", protocol.ActionEval, protocol.SiteAsk),
		rule("*.shop.example.com", protocol.ActionSensitive, protocol.SiteAllow),
		rule("10.0.0.7", protocol.ActionOpen, protocol.SiteAllow),
	}, nil)
	for _, c := range []struct {
		kind protocol.ActionKind
		page string
		want protocol.SiteDecision
	}{
		{protocol.ActionOpen, "https://any.test/", protocol.SiteAllow},
		{protocol.ActionAct, "https://any.test/", protocol.SiteAllow},
		{protocol.ActionEval, "https://any.test/", protocol.SiteAsk},
		{protocol.ActionCookies, "https://any.test/", protocol.SiteDeny},
		{protocol.ActionCookies, "data:text/html,x", protocol.SiteDeny},
		{protocol.ActionEval, "about:blank", protocol.SiteAsk},
		{protocol.ActionUpload, "https://example.com/", protocol.SiteDeny},
		{protocol.ActionUpload, "https://notexample.com/", protocol.SiteAsk},
		{protocol.ActionUpload, "https://example.com.evil.test/", protocol.SiteAsk},
		{protocol.ActionUpload, "https://example.com@evil.test/", protocol.SiteAsk},
		{protocol.ActionEval, "https://app.example.com/", protocol.SiteAllow},
		{protocol.ActionEval, "https://APP.example.com./x", protocol.SiteAllow},
		{protocol.ActionEval, "https://app.example.com:8443/", protocol.SiteAsk},
		{protocol.ActionEval, "http://app.example.com:8443/", protocol.SiteAllow},
		{protocol.ActionCookies, "https://app.example.com/", protocol.SiteDeny},
		{protocol.ActionEval, "https://a.shop.example.com/", protocol.SiteAllow},
		{protocol.ActionEval, "file:///etc/passwd", protocol.SiteAsk},
	} {
		if got := r.Decide(c.kind, c.page).Decision; got != c.want {
			t.Errorf("%s on %s: %s and not %s", c.kind, c.page, got, c.want)
		}
	}
}

func TestRulesThatMakeNoSense(t *testing.T) {
	r := NewRules(nil, nil)
	for _, bad := range []protocol.SiteRule{
		rule("", protocol.ActionEval, protocol.SiteAllow), rule("*.*", protocol.ActionEval, protocol.SiteAllow),
		rule("exa*mple.com", protocol.ActionEval, protocol.SiteAllow), rule("ftp://example.com", protocol.ActionEval, protocol.SiteAllow),
		rule("https://example.com/path", protocol.ActionEval, protocol.SiteAllow), rule("https://u@example.com", protocol.ActionEval, protocol.SiteAllow),
		rule("*.10.0.0.1", protocol.ActionEval, protocol.SiteAllow), rule("exämple.com", protocol.ActionEval, protocol.SiteAllow),
		rule("example.com", "dance", protocol.SiteAllow), rule("example.com", protocol.ActionEval, "maybe"),
	} {
		if code(r.Set(bad)) != protocol.CodeBadArgument {
			t.Errorf("%+v was taken", bad)
		}
	}
	if len(r.List()) != len(DefaultRules()) {
		t.Errorf("the rules are %+v", r.List())
	}
}

// A rule that could not be saved does not apply, so that the shown rules are
// those that exist after a restart.
func TestRulesAreKept(t *testing.T) {
	var disk []protocol.SiteRule
	var full error
	r := NewRules(nil, func(rules []protocol.SiteRule) error {
		if full == nil {
			disk = rules
		}
		return full
	})
	if err := r.Set(rule("HTTPS://Example.com:443/", protocol.ActionEval, protocol.SiteAllow)); err != nil {
		t.Fatal(err)
	}
	if len(disk) != 1 || disk[0].Site != "https://example.com" {
		t.Fatalf("the disk has %+v", disk)
	}
	if err := r.Set(rule("https://example.com", protocol.ActionEval, protocol.SiteDeny)); err != nil || len(disk) != 1 || disk[0].Decision != protocol.SiteDeny {
		t.Fatalf("replaced: %v, %+v", err, disk)
	}
	full = errors.New("no space")
	if r.Set(rule("b.test", protocol.ActionEval, protocol.SiteAllow)) == nil || r.Decide(protocol.ActionEval, "https://b.test/").Decision != protocol.SiteAsk {
		t.Error("a rule holds that was not kept")
	}
	if r.Remove("https://example.com", protocol.ActionEval) == nil || r.Decide(protocol.ActionEval, "https://example.com/").Decision != protocol.SiteDeny {
		t.Error("a rule went that is on the disk")
	}
	full = nil
	if err := r.Remove("https://example.com", protocol.ActionEval); err != nil || len(disk) != 0 {
		t.Errorf("removed: %v, %+v", err, disk)
	}
	if code(r.Remove("https://example.com", protocol.ActionEval)) != protocol.CodeBadArgument {
		t.Error("removed twice")
	}
}

// The machines of private networks are refused in every notation, and one of
// them can be allowed only by a rule that names it.
func TestPrivateNetworks(t *testing.T) {
	r := NewRules([]protocol.SiteRule{
		rule("10.0.0.7", protocol.ActionOpen, protocol.SiteAllow), rule("*", protocol.ActionOpen, protocol.SiteAllow),
		rule("169.254.169.254", protocol.ActionOpen, protocol.SiteAllow), rule("evil.test", protocol.ActionOpen, protocol.SiteDeny),
		rule("ask.test", protocol.ActionOpen, protocol.SiteAsk),
	}, nil)
	p := New(Config{OwnPort: func() int { return 4711 }, Rules: r})
	for raw, want := range map[string]protocol.Code{
		"http://10.0.0.1/": protocol.CodeRefused, "http://192.168.1.1/": protocol.CodeRefused, "http://172.31.255.1/": protocol.CodeRefused,
		"http://172.32.0.1/": "", "http://100.64.0.1/": protocol.CodeRefused, "http://[fd12::1]/": protocol.CodeRefused,
		"http://[::ffff:10.0.0.1]/": protocol.CodeRefused, "http://[64:ff9b::a00:1]/": protocol.CodeRefused,
		"http://[64:ff9b::a9fe:a9fe]/": protocol.CodeRefused, "http://[2002:a00:1::]/": protocol.CodeRefused,
		"http://0xa000001/": protocol.CodeRefused, "http://012.0.0.1/": protocol.CodeRefused, "http://10.1/": protocol.CodeRefused,
		"http://10.0.0.7/": "", "http://0xa.7/": "", "http://169.254.169.254/": protocol.CodeRefused,
		"http://127.0.0.1:8080/": "", "http://localhost:4711/x": protocol.CodeRefused, "http://224.0.0.1/": protocol.CodeRefused,
		"http://evil.test/": protocol.CodeRefused, "http://8.8.8.8/": "", "http://evil.test./": protocol.CodeRefused,
		"chrome-extension://" + protocol.ExtensionID + "/panel.html":             protocol.CodeRefused,
		"view-source:chrome-extension://" + protocol.ExtensionID + "/panel.html": protocol.CodeRefused,
	} {
		if got := code(p.URL(agent, raw)); got != want {
			t.Errorf("%s: %q and not %q", raw, got, want)
		}
	}
	if code(p.URL(user, "CHROME-extension://"+protocol.ExtensionID+"/panel.html")) != protocol.CodeRefused || code(p.Target("chrome-extension://"+protocol.ExtensionID+"/panel.html")) != protocol.CodeRefused {
		t.Error("a command reaches the panel")
	}
	for raw, want := range map[string]protocol.Code{
		"http://10.0.0.1/x.png": protocol.CodeRefused, "http://127.0.0.1:4711/command": protocol.CodeRefused, "ws://169.254.169.254/": protocol.CodeRefused,
		"file:///etc/passwd": protocol.CodeRefused, "https://cdn.test/x.js": "", "blob:https://a.test/1": "", "data:,x": "", "http://evil.test/pixel": "",
	} {
		if got := code(p.Resource(agent, raw)); got != want {
			t.Errorf("resource %s: %q and not %q", raw, got, want)
		}
	}
	if code(p.Hop(agent, "https://ask.test/b", "https://ask.test/a")) != "" || code(p.Hop(agent, "https://ask.test/b", "https://other.test/")) != protocol.CodeRefused {
		t.Error("a hop to a site that is asked about")
	}
}

// wildcard matches "*" and "?" as Chromium does.
func wildcard(pattern, s string) bool {
	for i := 0; i <= len(s); i++ {
		switch {
		case pattern == "":
			return i == len(s)
		case pattern[0] == '*':
			for rest := s[i:]; ; rest = rest[1:] {
				if wildcard(pattern[1:], rest) {
					return true
				}
				if rest == "" {
					return false
				}
			}
		case i == len(s) || (pattern[0] != '?' && pattern[0] != s[i]):
			return false
		}
		pattern = pattern[1:]
	}
	return pattern == ""
}

// The patterns match every address that the rule refuses and that a page can
// load from.
func FuzzPatternsCoverRefusals(f *testing.F) {
	p := New(Config{OwnPort: func() int { return 4711 }})
	patterns := p.Patterns()
	for _, seed := range [][4]byte{{10, 0, 0, 1}, {172, 16, 3, 4}, {172, 31, 0, 9}, {100, 64, 0, 1}, {100, 127, 0, 1}, {169, 254, 1, 1}, {224, 1, 1, 1}, {255, 255, 255, 255}, {168, 63, 129, 16}, {100, 100, 100, 200}} {
		f.Add(seed[0], seed[1], seed[2], seed[3], uint16(80))
	}
	f.Fuzz(func(t *testing.T, a, b, c, d byte, port uint16) {
		u := url.URL{Scheme: "http", Path: "/x", Host: string(appendIP(nil, a, b, c, d, port))}
		raw := u.String()
		if p.Resource(agent, raw) == nil {
			return
		}
		for _, pattern := range patterns {
			if wildcard(pattern, raw) {
				return
			}
		}
		t.Errorf("%s is refused, and no pattern asks about it", raw)
	})
}

func appendIP(out []byte, a, b, c, d byte, port uint16) []byte {
	for i, n := range []byte{a, b, c, d} {
		if i > 0 {
			out = append(out, '.')
		}
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return strconv.AppendInt(append(out, ':'), int64(port), 10)
}

// Every accepted site is stored in one form with the same meaning, and it
// matches no host other than the one that it names.
func FuzzSite(f *testing.F) {
	for _, seed := range []string{"*", "example.com", "*.example.com", "https://example.com:8443", "http://[::1]:80/", "https://EXAMPLE.com./", "0x7f.1", "*.10.0.0.1", "https://user@example.com", "ex ample", "*.", "xn--bcher-kva.example", "a..b", "https://example.com/path", "example.com:80"} {
		f.Add(seed, "https://example.com/")
	}
	f.Add("*.example.com", "https://notexample.com/")
	f.Add("example.com", "https://example.com.evil.test/")
	f.Fuzz(func(t *testing.T, site, raw string) {
		p, err := parsePattern(site)
		if err != nil {
			return
		}
		again, err := parsePattern(p.String())
		if err != nil || again != p || again.String() != p.String() {
			t.Fatalf("%q is kept as %q, which is %+v and not %+v: %v", site, p, again, p, err)
		}
		u := siteOf(raw)
		if u == nil || p.any || !p.matches(u) {
			return
		}
		if host := hostOf(u); host != p.host && (!p.below || !strings.HasSuffix(host, "."+p.host)) {
			t.Errorf("%q is about %q", site, raw)
		}
	})
}
