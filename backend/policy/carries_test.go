package policy

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func TestCarries(t *testing.T) {
	for address, want := range map[string]bool{
		"https://example.com": false, "https://example.com/": false, "https://docs.example.com/guide/getting-started/2026-11-25-how-to-begin": false,
		"https://example.com/?": false, "https://shop.example.com/item/B08N5WRWNW": false,
		"https://example.com/?q=milk": true, "https://example.com/#note": true, "https://ada:secret@example.com/": true, "https://ada@example.com/": true,
		"https://example.com/" + strings.Repeat("a", 61): true, "https://example.com/" + strings.Repeat("word/", 30): true,
		"https://sk4f9a8b7c6d5e4f.example.com/": true, "https://example.com/9f86d081884c7d65/x": true, "https://example.com/x/4111111111111111": true,
		"http://localhost:3000/?q=1": false, "http://127.0.0.1/#a": false, "http://[::1]/?q": false, "about:blank": false,
		"data:text/html,<p>hello": true, "DATA:text/html;base64,PHA+": true, "data:image/svg+xml,<svg/>": true, "data:application/zip,PK": true,
		"data:,hello": false, "data:text/plain;charset=utf-8,hello": false, "data:image/png;base64,iVBO": false,
	} {
		if got := Carries(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// Who may give data where: an agent on this machine and where it began, a task
// only where it began, and a rule of the user comes first.
func TestGives(t *testing.T) {
	p := New(Config{})
	task := protocol.Actor{Kind: protocol.ActorTask, ID: "1"}
	for _, a := range []protocol.Actor{agent, task} {
		if p.Begun(a) {
			t.Error("an actor has begun by itself")
		}
		p.Begin(a, "", "https://home.example/")
		for page, want := range map[string]bool{
			"https://home.example/a": false, "https://www.home.example/": false, "https://evil.example/": true, "about:blank": true, "data:text/html,": true,
			"http://localhost:3000/": a.Kind == protocol.ActorTask,
		} {
			if got := p.Gives(a, page); got != want {
				t.Errorf("%s on %s: %v", a.Kind, page, got)
			}
		}
	}
	for _, rule := range []protocol.SiteRule{
		{Site: "home.example", Kind: protocol.ActionData, Decision: protocol.SiteDeny},
		{Site: "evil.example", Kind: protocol.ActionData, Decision: protocol.SiteAllow},
	} {
		if err := p.Rules().Set(rule); err != nil {
			t.Fatal(err)
		}
	}
	if !p.Gives(agent, "https://home.example/") || p.Gives(agent, "https://evil.example/") {
		t.Error("a rule does not count")
	}
	p.Over(agent)
	if p.Begun(agent) {
		t.Error("an agent that is over keeps where it began")
	}
}

func TestElsewhere(t *testing.T) {
	for _, c := range []struct {
		page, address string
		want          bool
	}{
		{"https://a.example/", "https://a.example/post", false},
		{"https://www.a.example/", "https://api.a.example/post", false},
		{"https://a.example/", "https://b.example/post", true},
		{"https://a.example/", "https://nota.example/", true},
		{"about:blank", "https://b.example/", true},
		{"https://a.example/", "", false},
		{"https://a.example/", "mailto:ada@b.example", false},
		{"http://127.0.0.1:1/", "http://localhost:2/", true},
	} {
		if got := Elsewhere(c.page, c.address); got != c.want {
			t.Errorf("%s to %s: %v", c.page, c.address, got)
		}
	}
}
