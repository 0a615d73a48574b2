package login

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/browser/httpauth"
	"pilotfish/backend/hub"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

const origin = "https://shop.example"

// desk is a session's Logins, and what its user was asked, allowed and informed of.
type desk struct {
	*Logins
	store    *secret.Store
	asked    []protocol.Approval
	allowed  []policy.Request
	reported []protocol.Error
	// answer is what the user types; nil for Cancel. refuse is what AuthorizeSecret returns.
	answer *protocol.LoginAnswer
	refuse error
	agents map[protocol.TabID]protocol.Actor
}

func (d *desk) AgentIn(tab protocol.TabID) (protocol.Actor, bool) {
	a, found := d.agents[tab]
	return a, found
}

func (d *desk) AuthorizeSecret(_ context.Context, q policy.Request, _ protocol.Secret) error {
	d.allowed = append(d.allowed, q)
	return d.refuse
}

func (d *desk) Tabs() []protocol.Tab {
	return []protocol.Tab{{ID: "t1"}, {ID: "t2", Opener: "t1"}, {ID: "t3", Opener: "t1", ByUser: true}}
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	keyring.MockInit()
	d := &desk{agents: map[protocol.TabID]protocol.Actor{}}
	d.store = secret.New(secret.Config{File: filepath.Join(t.TempDir(), "secrets.json"), Keyring: func(context.Context) bool { return true }})
	events := hub.New[any](1)
	events.Observe(func(event any) { d.reported = append(d.reported, event.(protocol.Error)) })
	broker := policy.NewBroker(protocol.DefaultSession, func() {})
	broker.Watch(func(q protocol.Approval, over *policy.Over) {
		if over != nil {
			return
		}
		d.asked = append(d.asked, q)
		var err error
		if d.answer == nil {
			err = broker.Answer(q.ID, protocol.AnswerDeny)
		} else {
			err = broker.AnswerLogin(q.ID, *d.answer, "panel")
		}
		if err != nil {
			t.Error(err)
		}
	})
	d.Logins = New(Config{
		Secrets: d.store, Broker: broker, Events: events, Logger: slog.New(slog.DiscardHandler),
	})
	d.Judge(d)
	return d
}

func (d *desk) add(t *testing.T, one protocol.Secret, value string) {
	t.Helper()
	if _, err := d.store.Add(t.Context(), protocol.SecretRequest{Secret: one, Value: value}); err != nil {
		t.Fatal(err)
	}
}

func challenge(attempt int) httpauth.Challenge {
	return httpauth.Challenge{Origin: origin, Scheme: "basic", Realm: "Staff", Tab: "t1", URL: origin + "/a", Attempt: attempt}
}

// A secret with a user name logs in at its own origin. When it is wrong the user is
// asked, with the name that is known.
func TestASecretLogsIn(t *testing.T) {
	d := newDesk(t)
	d.add(t, protocol.Secret{Name: "form", Origin: origin}, "only for a form")
	d.add(t, protocol.Secret{Name: "other", Origin: "https://other.example", User: "ada"}, "of another site")
	if _, given := d.Login(t.Context(), challenge(1)); given || len(d.asked) != 1 || d.asked[0].Login.Again || d.asked[0].Actor.Kind != protocol.ActorUser || !d.asked[0].Login.Saves {
		t.Fatalf("without a secret: %+v", d.asked)
	}
	d.add(t, protocol.Secret{Name: "shop", Origin: origin, User: "ada"}, "four good words")
	if got, given := d.Login(t.Context(), challenge(1)); !given || got != (httpauth.Login{User: "ada", Password: "four good words"}) || len(d.asked) != 1 {
		t.Errorf("%+v, %v", got, given)
	}
	if one, _ := d.store.Find("shop"); one.Used == nil || one.UsedBy != "you" {
		t.Errorf("its use is not noted: %+v", one)
	}
	d.answer = &protocol.LoginAnswer{User: "bob", Password: "typed in the panel"}
	if got, given := d.Login(t.Context(), challenge(2)); !given || got.User != "bob" || !d.asked[1].Login.Again || d.asked[1].Login.User != "ada" {
		t.Errorf("after a wrong secret: %+v, %+v", got, d.asked[1])
	}
	if text := d.store.Mask("it is typed in the panel"); text != "it is (secret login)" || !d.store.Held(origin) {
		t.Errorf("what the user typed is not masked: %s", text)
	}
	if _, given := d.Login(t.Context(), challenge(3)); !given || d.asked[2].Login.User != "bob" {
		t.Errorf("what was typed before is not known: %+v", d.asked[2].Login)
	}
	proxy := challenge(1)
	proxy.Proxy = true
	d.answer = nil
	if _, given := d.Login(t.Context(), proxy); given || d.asked[3].Login.Saves || !d.asked[3].Login.Proxy {
		t.Errorf("a proxy got a secret of a site: %+v", d.asked[3].Login)
	}
}

// An agent's page gets a secret when the agent may use it; also a page that it opened,
// and no page that the user opened from it.
func TestAgentsAreAsked(t *testing.T) {
	d := newDesk(t)
	d.agents["t1"] = protocol.Actor{Kind: protocol.ActorTerminal, ID: "a", Name: "claude in t1"}
	d.add(t, protocol.Secret{Name: "shop", Origin: origin, User: "ada"}, "four good words")
	for tab, agent := range map[protocol.TabID]bool{"t1": true, "t2": true, "t3": false, "t9": false, "": false} {
		d.allowed = nil
		c := challenge(1)
		c.Tab = tab
		if _, given := d.Login(t.Context(), c); !given || len(d.allowed) != 1 || policy.Agent(d.allowed[0].Actor) != agent {
			t.Errorf("%s: %v, %+v", tab, given, d.allowed)
		}
	}
	d.refuse = protocol.NewError(protocol.CodeDenied, "the user denied login", "")
	if _, given := d.Login(t.Context(), challenge(1)); given || len(d.asked) != 0 {
		t.Errorf("it was denied, and then asked: %+v", d.asked)
	}
	d.answer = &protocol.LoginAnswer{User: "ada", Password: "typed in the panel"}
	if _, given := d.Login(t.Context(), challenge(2)); !given || d.asked[0].Actor.Name != "claude in t1" {
		t.Errorf("the user is not told for whom: %+v", d.asked)
	}
}

// A login that the user saves is a secret, under a free name. A wrong one that nobody
// corrects is removed.
func TestALoginIsSaved(t *testing.T) {
	d := newDesk(t)
	d.add(t, protocol.Secret{Name: "shop.example", Origin: "https://other.example"}, "of another site")
	d.answer = &protocol.LoginAnswer{User: "ada", Password: "good word", Save: true}
	if _, given := d.Login(t.Context(), challenge(1)); !given {
		t.Fatal("not given")
	}
	one, err := d.store.Find("shop.example-2")
	if err != nil || one.User != "ada" || one.Origin != origin {
		t.Errorf("%+v, %v", one, err)
	}
	d.answer = nil
	if _, given := d.Login(t.Context(), challenge(2)); given {
		t.Error("given")
	}
	if _, err := d.store.Find("shop.example-2"); err == nil {
		t.Error("a wrong login stayed")
	}
	d.answer = &protocol.LoginAnswer{User: "ada", Password: "abc", Save: true}
	if _, given := d.Login(t.Context(), challenge(1)); !given || len(d.reported) != 1 || !strings.Contains(d.reported[0].Message, "not saved") {
		t.Errorf("a password that cannot be kept: %+v", d.reported)
	}
	d.config.Quiet = true
	if _, given := d.Login(t.Context(), challenge(1)); given {
		t.Error("somebody answered where nobody is")
	}
}

// Requests to an origin get its headers, read once. The next request after a change
// sees it, and a value that cannot be had is reported.
func TestHeaders(t *testing.T) {
	d := newDesk(t)
	d.add(t, protocol.Secret{Name: "key", Origin: origin, Kind: protocol.SecretHeader, Header: "Authorization"}, "Bearer abcdef")
	origins, changed := d.Watched()
	if len(origins) != 1 || origins[0] != origin {
		t.Errorf("watched: %q", origins)
	}
	want := httpauth.Header{Name: "Authorization", Value: "Bearer abcdef"}
	for range 2 {
		if got := d.Headers(t.Context(), origin); len(got) != 1 || got[0] != want {
			t.Errorf("%+v", got)
		}
	}
	if got := d.Headers(t.Context(), "https://other.example"); got != nil {
		t.Errorf("another origin: %+v", got)
	}
	if got := d.store.Mask("abcdef, Bearer abcdef"); got != "(secret key), (secret key)" {
		t.Errorf("masked as %s", got)
	}
	if err := d.store.Remove(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	<-changed
	if origins, _ := d.Watched(); len(origins) != 0 || d.Headers(t.Context(), origin) != nil {
		t.Errorf("after its removal: %q", origins)
	}
	d.add(t, protocol.Secret{Name: "gone", Origin: origin, Kind: protocol.SecretHeader, Header: "X-Key"}, "abcdef")
	if err := keyring.Delete("Pilotfish", "secret gone"); err != nil {
		t.Fatal(err)
	}
	if got := d.Headers(t.Context(), origin); got != nil || len(d.reported) != 1 {
		t.Errorf("%+v, told %+v", got, d.reported)
	}
}

func TestNameOf(t *testing.T) {
	for origin, want := range map[string]string{
		"https://shop.example": "shop.example", "http://127.0.0.1:8080": "127.0.0.1-8080", "http://[::1]:80": "1-80", "": "login",
		"https://" + strings.Repeat("a", 80) + ".example": strings.Repeat("a", 60),
	} {
		if got := nameOf(origin); got != want {
			t.Errorf("%s: %q", origin, got)
		}
	}
}
