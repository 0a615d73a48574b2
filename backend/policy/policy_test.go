package policy

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

var (
	agent = protocol.Actor{Kind: protocol.ActorTerminal, ID: "a", Name: "claude in t1"}
	other = protocol.Actor{Kind: protocol.ActorTerminal, ID: "b", Name: "claude in t2"}
	user  = protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}
)

func code(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}

func TestURL(t *testing.T) {
	p := New(Config{OwnPort: func() int { return 4711 }})
	for _, c := range []struct {
		url         string
		agent, user protocol.Code
	}{
		{"https://example.com/", "", ""},
		{"http://127.0.0.1:3000/", "", ""},
		{"about:blank", "", ""},
		{"data:text/html,x", "", ""},
		{"http://127.0.0.1:4711/welcome", "", ""},
		{"file:///etc/passwd", protocol.CodeRefused, ""},
		{"FILE:///etc/passwd", protocol.CodeRefused, ""},
		{"chrome://settings", protocol.CodeRefused, ""},
		{"about:version", protocol.CodeRefused, ""},
		{"view-source:http://127.0.0.1:4711/", protocol.CodeRefused, ""},
		{"chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html", protocol.CodeRefused, ""},
		{"https://chromewebstore.google.com/detail/x", protocol.CodeRefused, ""},
		{"https://chrome.google.com/webstore/detail/x", protocol.CodeRefused, ""},
		{"https://chrome.google.com/", "", ""},
		{"devtools://devtools/bundled/x.html", protocol.CodeRefused, protocol.CodeRefused},
		{"javascript:alert(1)", protocol.CodeRefused, protocol.CodeRefused},
		{"http://127.0.0.1:4711/command", protocol.CodeRefused, ""},
		{"http://localhost:4711/", protocol.CodeRefused, ""},
		{"http://LOCALHOST.:4711/", protocol.CodeRefused, ""},
		{"http://a.localhost:4711/", protocol.CodeRefused, ""},
		{"http://[::1]:4711/", protocol.CodeRefused, ""},
		{"http://[::ffff:127.0.0.1]:4711/", protocol.CodeRefused, ""},
		{"http://0.0.0.0:4711/", protocol.CodeRefused, ""},
		{"http://127.1:4711/", protocol.CodeRefused, ""},
		{"http://2130706433:4711/", protocol.CodeRefused, ""},
		{"http://0x7f.0.0.1:4711/", protocol.CodeRefused, ""},
		{"http://0177.0.0.1:4711/", protocol.CodeRefused, ""},
		{"http://169.254.169.254/latest/meta-data/", protocol.CodeRefused, ""},
		{"http://2852039166/", protocol.CodeRefused, ""},
		{"http://[fe80::1]/", protocol.CodeRefused, ""},
		{"http://[fd00:ec2::254]/", protocol.CodeRefused, ""},
		{"http://metadata.google.internal/", protocol.CodeRefused, ""},
		{"nonsense", protocol.CodeBadArgument, protocol.CodeBadArgument},
		{"http://", protocol.CodeBadArgument, ""},
	} {
		if got := code(p.URL(agent, c.url)); got != c.agent {
			t.Errorf("agent, %s: %q and not %q", c.url, got, c.agent)
		}
		if got := code(p.URL(user, c.url)); got != c.user {
			t.Errorf("person, %s: %q and not %q", c.url, got, c.user)
		}
	}
}

// The error for a page that agents may not open says what kind of page it is.
func TestRestrictedPagesAreNamed(t *testing.T) {
	p := New(Config{})
	for url, name := range map[string]string{
		"chrome://settings/": "a page of the browser itself", "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/x": "a page of another extension",
		"file:///etc/passwd": "a file of this computer", "https://chromewebstore.google.com/": "the web store",
	} {
		if err := p.URL(agent, url); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestTab(t *testing.T) {
	p := New(Config{})
	tabs := []protocol.Tab{{ID: "t1"}, {ID: "t2"}, {ID: "t3"}, {ID: "t4", Opener: "t3"}, {ID: "t5", Opener: "t2"}, {ID: "t8", Opener: "t3", ByUser: true}, {ID: "t6", Opener: "t7"}, {ID: "t7", Opener: "t6"}}
	p.Opened(agent, "t3")
	for tab, want := range map[protocol.TabID]protocol.Code{
		"t1": "", "t3": "", "t4": "", "t2": protocol.CodeRefused, "t5": protocol.CodeRefused, "t6": protocol.CodeRefused, "t8": protocol.CodeRefused,
	} {
		if got := code(p.Tab(agent, "t1", tab, tabs)); got != want {
			t.Errorf("%s: %q and not %q", tab, got, want)
		}
	}
	if code(p.Tab(other, "t2", "t3", tabs)) != protocol.CodeRefused || p.Tab(user, "", "t2", tabs) != nil {
		t.Error("another's tabs")
	}
	p.Forget(agent)
	if code(p.Tab(agent, "t1", "t3", tabs)) != protocol.CodeRefused {
		t.Error("a forgotten actor keeps its tabs")
	}
}

// In the user's own browser a tab is private unless the user gave it, an agent opened it, or a
// page of such a tab did. Owned is reported when that changes.
func TestMarked(t *testing.T) {
	called, events := 0, hub.New[any](1)
	events.Observe(func(event any) {
		if event == (Owned{}) {
			called++
		}
	})
	p := New(Config{Private: true, Events: events})
	tabs := []protocol.Tab{{ID: "t1", Given: true}, {ID: "t2"}, {ID: "t3"}, {ID: "t4", Opener: "t3"}, {ID: "t5", Opener: "t4"}, {ID: "t6", Opener: "t3", ByUser: true}}
	private := func() (ids []protocol.TabID) {
		for _, t := range p.Marked(tabs) {
			if t.Private {
				ids = append(ids, t.ID)
			}
		}
		return ids
	}
	if got := private(); !slices.Equal(got, []protocol.TabID{"t2", "t3", "t4", "t5", "t6"}) {
		t.Errorf("before an agent opened one: %v", got)
	}
	p.Opened(agent, "t3")
	p.Opened(agent, "t3")
	if got := private(); !slices.Equal(got, []protocol.TabID{"t2", "t6"}) || called != 1 || len(p.Shown(tabs)) != 4 {
		t.Errorf("t3 is an agent's: %v, called %d", got, called)
	}
	p.Forget(other)
	p.Forget(agent)
	if got := private(); len(got) != 5 || called != 2 || tabs[1].Private {
		t.Errorf("the agent has ended: %v, called %d", got, called)
	}
	if p = New(Config{}); len(private()) != 0 {
		t.Error("a tab of a browser of Pilotfish is private")
	}
}

// For every address, the rule returns, and it never allows the metadata service
// in a form that the standard library can parse.
func FuzzURL(f *testing.F) {
	f.Add("http://169.254.169.254/")
	f.Add("http://user@[::ffff:a9fe:a9fe]:80/x")
	p := New(Config{OwnPort: func() int { return 4711 }})
	f.Fuzz(func(t *testing.T, raw string) {
		if err := p.URL(agent, raw); err == nil && strings.HasPrefix(raw, "http://169.254.") && strings.HasSuffix(raw, "/") && len(raw) < 24 {
			if ip, ok := address(strings.TrimSuffix(strings.TrimPrefix(raw, "http://"), "/")); ok && ip.IsLinkLocalUnicast() {
				t.Errorf("%q was let through", raw)
			}
		}
	})
}

// TestAddress: a name is judged by where it leads; the user's rule names the host.
func TestAddress(t *testing.T) {
	p := New(Config{Rules: NewRules([]protocol.SiteRule{
		{Site: "nas.home", Kind: protocol.ActionOpen, Decision: protocol.SiteAllow},
		{Site: "*.wide.home", Kind: protocol.ActionOpen, Decision: protocol.SiteAllow},
	}, nil)})
	for _, c := range []struct {
		host, ip string
		refused  bool
	}{
		{"example.com", "203.0.113.1", false},
		{"example.com", "2001:4860::1", false},
		{"example.com", "127.0.0.1", true},
		{"example.com", "0.0.0.0", true},
		{"example.com", "::1", true},
		{"example.com", "10.1.2.3", true},
		{"example.com", "172.16.0.1", true},
		{"example.com", "192.168.1.1", true},
		{"example.com", "::ffff:192.168.1.1", true},
		{"example.com", "64:ff9b::a00:1", true},
		{"example.com", "100.64.0.1", true},
		{"example.com", "fd00::1", true},
		{"example.com", "169.254.169.254", true},
		{"example.com", "fe80::1%eth0", true},
		{"nas.home", "192.168.1.2", false},
		{"nas.home", "127.0.0.1", false},
		{"nas.home", "169.254.169.254", true},
		{"a.wide.home", "192.168.1.2", true},
	} {
		err := p.Address("http://"+c.host+"/", netip.MustParseAddr(c.ip))
		if (err != nil) != c.refused || (err != nil && protocol.AsError(err).Code != protocol.CodeRefused) {
			t.Errorf("%s at %s: %v", c.host, c.ip, err)
		}
	}
}
