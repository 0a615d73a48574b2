package sharing

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

// session returns a session whose browser does not run, under rules.
func session(t *testing.T, private bool, list ...protocol.SiteRule) Session {
	t.Helper()
	b, err := browser.New(browser.Config{ProfileDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	authority, log := auth.New(auth.Config{}), slog.New(slog.DiscardHandler)
	r := recorder.New(recorder.Config{Session: "work", Dir: t.TempDir(), Logger: log})
	t.Cleanup(r.Close)
	return Session{
		Name: "work", Auth: authority, Endpoint: endpoint.New(endpoint.Config{File: t.TempDir() + "/pilotfish.json", Auth: authority, Logger: log}),
		Policy: policy.New(policy.Config{Rules: policy.NewRules(list, nil), Private: private}), Browser: b, Recorder: r, Secrets: secret.New(secret.Config{File: t.TempDir() + "/secrets"}),
	}
}

func TestMake(t *testing.T) {
	s := session(t, false)
	by := protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}
	for name, c := range map[string]struct {
		s    Session
		req  protocol.ShareRequest
		code protocol.Code
	}{
		"an hour":     {s: s},
		"for MCP":     {s: s, req: protocol.ShareRequest{MCP: true}},
		"to read":     {s: s, req: protocol.ShareRequest{Read: true, Seconds: 60}},
		"a day":       {s: s, req: protocol.ShareRequest{Seconds: 24 * 60 * 60}},
		"longer":      {s: s, req: protocol.ShareRequest{Seconds: 24*60*60 + 1}, code: protocol.CodeBadArgument},
		"back":        {s: s, req: protocol.ShareRequest{Seconds: -1}, code: protocol.CodeBadArgument},
		"no tab":      {s: s, req: protocol.ShareRequest{Tab: "t7"}, code: protocol.CodeUnknownTab},
		"own browser": {s: session(t, true), code: protocol.CodeRefused},
	} {
		reply, err := c.s.Make(by, c.req)
		if c.code != "" {
			if err == nil || protocol.AsError(err).Code != c.code {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		prefix, opens := "ws://127.0.0.1:0/share/", auth.CapabilityShare
		if c.req.MCP {
			prefix, opens = "http://127.0.0.1:0/mcp/", auth.CapabilityShareMCP
		}
		secret, found := strings.CutPrefix(reply.Address, prefix)
		grant, denied := s.Auth.Check(secret, opens)
		life := time.Duration(c.req.Seconds) * time.Second
		if life == 0 {
			life = time.Hour
		}
		if err != nil || !found || len(secret) < 43 || denied != nil || grant.ID != reply.ID || grant.Session != "work" ||
			grant.Scopes.Has(protocol.ScopeAct) == c.req.Read || time.Until(reply.Expires).Round(time.Minute) != life {
			t.Errorf("%s: %+v, %+v, %v, %v", name, reply, grant, err, denied)
		}
		for _, capability := range auth.Capabilities() {
			if _, err := s.Auth.Check(secret, capability); err == nil && capability != opens {
				t.Errorf("the address also opens %s", capability)
			}
		}
	}
}

// THREATS 66: what the session refuses to agents, it refuses to a script.
func TestRules(t *testing.T) {
	s := session(t, false,
		protocol.SiteRule{Site: "closed.test", Kind: protocol.ActionOpen, Decision: protocol.SiteDeny},
		protocol.SiteRule{Site: "asks.test", Kind: protocol.ActionOpen, Decision: protocol.SiteAsk},
		protocol.SiteRule{Site: "looks.test", Kind: protocol.ActionAct, Decision: protocol.SiteDeny},
		protocol.SiteRule{Site: "still.test", Kind: protocol.ActionEval, Decision: protocol.SiteDeny},
		protocol.SiteRule{Site: "jar.test", Kind: protocol.ActionCookies, Decision: protocol.SiteAllow},
	)
	s.Secrets.Typed("https://held.test", "ada", "a secret value")
	r := &rules{s: s, actor: protocol.Actor{Kind: protocol.ActorScript, ID: "x", Name: "script x"}, acting: map[protocol.TabID]func(){}}
	reading := &rules{s: s, actor: r.actor, read: true}
	for _, c := range []struct {
		address                     string
		shows, reads, loads, cookie bool
	}{
		{"https://open.test/", true, true, true, false},
		{"about:blank", true, true, true, false},
		{"https://closed.test/", false, false, false, false},
		{"https://asks.test/", true, true, false, false},
		{"https://looks.test/", false, true, true, false},
		{"https://still.test/", false, true, true, false},
		{"https://jar.test/", true, true, true, true},
		{"https://held.test/account", false, false, true, false},
		{"chrome://settings/", false, false, false, false},
		{"chrome-extension://" + protocol.ExtensionID + "/panel.html", false, false, false, false},
		{"devtools://devtools/x.html", false, false, false, false},
		{"file:///etc/passwd", false, false, false, false},
		{"http://169.254.169.254/", false, false, false, false},
		{"http://10.0.0.1/", false, false, false, false},
	} {
		if got := r.Shows(c.address) == nil; got != c.shows {
			t.Errorf("%s is shown: %t", c.address, got)
		}
		if got := reading.Shows(c.address) == nil; got != c.reads {
			t.Errorf("%s is shown to read: %t", c.address, got)
		}
		if got := r.Loads(c.address, true) == nil; got != c.loads {
			t.Errorf("%s is loaded: %t", c.address, got)
		}
		if got := r.Cookies(c.address) == nil; got != c.cookie {
			t.Errorf("cookies of %s: %t", c.address, got)
		}
	}
	if r.Loads("http://10.0.0.1/x.png", false) == nil {
		t.Error("a picture of the private network is loaded")
	}
	// Nobody can be asked about a file.
	save := r.Saver("t1")
	if !save.Asks("https://open.test/a.bin") {
		t.Fatal("a file is saved unasked")
	}
	err := save.Save("https://open.test/a.bin", "a.bin", false)(context.Background(), func() { t.Error("the file begins") })
	if e, is := errors.AsType[*protocol.Error](err); !is || e.Code != protocol.CodeRefused {
		t.Errorf("%v", err)
	}
}
